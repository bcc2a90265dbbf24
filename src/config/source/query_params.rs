//! `queryParams`: a map of texts, or one text that says the same, since a variable can only hold a text.

use granit_parser::{Event, Parser};
use indexmap::IndexMap;

use crate::config::{
    diagnostic::Report,
    fields::{self, Fields},
    node::{Content, Node},
    text::Place,
};

/// What becomes of a key with an empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmptyValue {
    /// It is kept: a setting of PostgreSQL may be empty.
    Kept,
    /// It is dropped, as the peer does for MySQL.
    Dropped,
}

/// Reads `queryParams`.
pub(super) fn read(
    fields: &mut Fields<'_>,
    empty: EmptyValue,
    report: &mut Report,
) -> IndexMap<String, String> {
    let Some(node) = fields.node("queryParams") else { return IndexMap::new() };
    let owner = fields.name("queryParams");
    let mut params = IndexMap::new();
    for (key, value, place) in pairs(node, &owner, report) {
        if sets_time_zone(&key) {
            report.fault(
                &place,
                format!("{owner} sets the time zone, and the time zone of a session is always UTC"),
                "remove it; convert in the statement, such as with `AT TIME ZONE`, where another zone is wanted",
            );
        } else if !(value.is_empty() && empty == EmptyValue::Dropped) {
            params.insert(key, value);
        }
    }
    params
}

/// `TimeZone` of PostgreSQL and `time_zone` of MySQL, in any letter case.
fn sets_time_zone(key: &str) -> bool {
    matches!(key.to_ascii_lowercase().as_str(), "timezone" | "time_zone")
}

fn pairs(node: &Node, owner: &str, report: &mut Report) -> Vec<(String, String, Place)> {
    match &node.content {
        Content::Map(entries) => entries
            .iter()
            .filter_map(|entry| {
                let what = format!("`{}` in {owner}", entry.key.text);
                let value = if entry.value.is_null() {
                    String::new()
                } else {
                    fields::text(&entry.value, &what, report)?
                };
                Some((entry.key.text.clone(), value, entry.key.place.clone()))
            })
            .collect(),
        Content::Scalar(scalar) => {
            let pairs = split(scalar.text.trim());
            if pairs.is_none() {
                report.fault(
                    &node.place,
                    format!("{owner} is a text that says no keys and values"),
                    "write a map, or a text such as `{sslmode: require}` or `sslmode=require&connect_timeout=5`",
                );
            }
            let placed = |(key, value)| (key, value, node.place.clone());
            pairs.unwrap_or_default().into_iter().map(placed).collect()
        }
        _ => {
            let message = format!("{owner} must be a map, and this is {}", node.description());
            report.fault(&node.place, message, "write one `key: value` a line");
            Vec::new()
        }
    }
}

/// The keys and values of a text.
fn split(text: &str) -> Option<Vec<(String, String)>> {
    if text.starts_with('{') {
        return flow_map(text);
    }
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=')?;
            Some((percent_decoded(key)?, percent_decoded(value)?))
        })
        .collect()
}

/// A flow map of scalars, by the parser that reads the files.
fn flow_map(text: &str) -> Option<Vec<(String, String)>> {
    let mut scalars = Vec::new();
    let mut maps = 0;
    for step in Parser::new_from_str(text) {
        match step.ok()?.0 {
            Event::Scalar(value, ..) => scalars.push(value.into_owned()),
            Event::MappingStart(..) => maps += 1,
            Event::SequenceStart(..) | Event::Alias(..) => return None,
            _ => {}
        }
    }
    if maps != 1 {
        return None;
    }
    let mut scalars = scalars.into_iter();
    let mut pairs = Vec::new();
    while let (Some(key), Some(value)) = (scalars.next(), scalars.next()) {
        pairs.push((key, value));
    }
    Some(pairs)
}

/// Undoes `%41` and `+` as in the query of a URL.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::split;

    fn check<const N: usize>(text: &str, pairs: [(&str, &str); N]) {
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(split(text), Some(pairs.to_vec()), "{text}");
    }

    #[test]
    fn a_text_is_read_as_a_flow_map_or_as_the_query_of_a_url() {
        check("", []);
        check("{}", []);
        check("{sslmode: require, a: 'b c'}", [("sslmode", "require"), ("a", "b c")]);
        check("a=b&c=d", [("a", "b"), ("c", "d")]);
        check("options=-c%20x%3D1&e=", [("options", "-c x=1"), ("e", "")]);
    }

    #[test]
    fn any_other_text_is_refused() {
        for text in ["sslmode", "a=%zz", "a=%4", "{a: [b]}", "{a: {b: c}}", "{a: b", "a=%ff"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
