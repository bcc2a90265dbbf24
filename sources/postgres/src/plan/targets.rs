//! Which columns the parameters of a writing statement go into, as far as its text says so: `(a, b) VALUES ($1, $2)`,
//! `SET a = $1`, and with something made of them, `SET a = a + $1`. What a column refuses then has the place of its argument,
//! which the server does not tell.

use std::ops::Range;

use toolbox_source::scan::{Token, TokenKind};

use super::{Form, main_statement};
use crate::outline::Outline;

/// A column of the table that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Named(String),
    /// From 0, in the order of the table.
    Numbered(usize),
}

/// A parameter that goes into a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filling {
    /// From 0.
    pub(crate) parameter: usize,
    pub(crate) target: Target,
    /// Whether it is the whole new value, as a row of `VALUES` or an assignment has it.
    pub(crate) is_whole: bool,
    /// Where it begins in the text, in bytes.
    pub(crate) at: usize,
}

/// What a statement writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Targets {
    /// The table, as it is spelled.
    pub(crate) table: String,
    pub(crate) fillings: Vec<Filling>,
    /// The columns that get something without arguments which is no literal.
    pub(crate) others: Vec<Target>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    /// Where the part that is read begins in the text.
    start: usize,
    fillings: Vec<Filling>,
    others: Vec<Target>,
}

/// What follows the assignments.
const AFTER_SET: [&str; 3] = ["FROM", "RETURNING", "WHERE"];

/// What follows the list of a `SELECT`.
const AFTER_A_LIST: [&str; 14] = [
    "EXCEPT",
    "FETCH",
    "FOR",
    "FROM",
    "GROUP",
    "HAVING",
    "INTERSECT",
    "LIMIT",
    "OFFSET",
    "ON",
    "ORDER",
    "UNION",
    "WHERE",
    "WINDOW",
];

/// The table that a statement writes, and what goes into its columns.
pub(crate) fn targets(text: &str, form: Form) -> Option<Targets> {
    let start = match form {
        Form::DataChange => 0,
        Form::AfterWith => main_statement(text)?,
        Form::Query | Form::Call | Form::Other => return None,
    };
    let outline = Outline::read(text.get(start..)?);
    let mut found = Found { start, ..Found::default() };
    if outline.is_one_of(0, &["INSERT"]) {
        let start = outline.after("INTO", 0)?;
        let end = outline.end_of_table(start)?;
        let set = outline.after("SET", end);
        let values = outline.after("VALUES", end).filter(|values| set.is_none_or(|set| *values < set));
        let list = outline.after("SELECT", end).filter(|list| set.is_none_or(|set| *list < set));
        let source = values.or(list);
        let listed = match source {
            Some(source) => listed(&outline, outline.end_of_name(start)?, source),
            None => Vec::new(),
        };
        match (values, list) {
            (Some(values), _) => inserted(&outline, &listed, values, &mut found),
            (None, Some(list)) => selected(&outline, &listed, list, &mut found),
            (None, None) => {}
        }
        if let Some(set) = set {
            assigned(&outline, set, &mut found);
        }
        Some(found.of(outline.text(start, end)?))
    } else if outline.is_one_of(0, &["UPDATE"]) {
        let start = if outline.is_one_of(1, &["ONLY"]) { 2 } else { 1 };
        let end = outline.end_of_table(start)?;
        assigned(&outline, outline.after("SET", end)?, &mut found);
        Some(found.of(outline.text(start, end)?))
    } else {
        None
    }
}

impl Found {
    fn of(self, table: &str) -> Targets {
        Targets { table: table.to_owned(), fillings: self.fillings, others: self.others }
    }
}

/// The columns that are listed between the table and its rows; `None` for a part of a column, such as `a[1]` or `a.f`.
fn listed(outline: &Outline<'_>, start: usize, rows: usize) -> Vec<Option<String>> {
    if !outline.is_symbol(start, "(") {
        return Vec::new();
    }
    let end = (start + 1..rows).find(|place| outline.depth(*place) == 0).unwrap_or(rows);
    items(outline, start + 1..end, 1).into_iter().map(|item| only_name(outline, item)).collect()
}

/// The parameters in the rows of `VALUES`.
fn inserted(outline: &Outline<'_>, listed: &[Option<String>], values: usize, found: &mut Found) {
    let mut place = values;
    while outline.is_symbol(place, "(") {
        let end = (place + 1..outline.len()).find(|end| outline.depth(*end) == 0).unwrap_or(outline.len());
        for (item, range) in items(outline, place + 1..end, 1).into_iter().enumerate() {
            if let Some(target) = nth(listed, item) {
                fill(outline, range, &target, true, found);
            }
        }
        if !outline.is_symbol(end + 1, ",") {
            return;
        }
        place = end + 2;
    }
}

/// The parameters in the list of a `SELECT`. Their types are their own.
fn selected(outline: &Outline<'_>, listed: &[Option<String>], list: usize, found: &mut Found) {
    let start = if outline.is_one_of(list, &["ALL", "DISTINCT"]) { list + 1 } else { list };
    let ends = |place: &usize| outline.depth(*place) == 0 && outline.is_one_of(*place, &AFTER_A_LIST);
    let end = (start..outline.len()).find(ends).unwrap_or(outline.len());
    for (item, range) in items(outline, start..end, 0).into_iter().enumerate() {
        // `*` stands for any number of columns.
        if range.len() == 1 && outline.is_symbol(range.start, "*")
            || outline.is_symbol(range.end.saturating_sub(2), ".")
        {
            return;
        }
        if let Some(target) = nth(listed, item) {
            fill(outline, range, &target, false, found);
        }
    }
}

/// The parameters after `column =`, and in `(a, b) = ($1, $2)`.
fn assigned(outline: &Outline<'_>, set: usize, found: &mut Found) {
    let ends = |place: &usize| {
        outline.depth(*place) == 0
            && (outline.is_one_of(*place, &AFTER_SET) || outline.is_symbol(*place, ";"))
    };
    let end = (set..outline.len()).find(ends).unwrap_or(outline.len());
    for assignment in items(outline, set..end, 0) {
        let is_sign = |place: &usize| outline.depth(*place) == 0 && outline.is_symbol(*place, "=");
        let Some(sign) = assignment.clone().find(is_sign) else { continue };
        if let Some(name) = only_name(outline, assignment.start..sign) {
            fill(outline, sign + 1..assignment.end, &Target::Named(name), true, found);
        } else if outline.is_symbol(assignment.start, "(") {
            let values = if outline.is_one_of(sign + 1, &["ROW"]) { sign + 2 } else { sign + 1 };
            if outline.is_symbol(values, "(") {
                let names = items(outline, assignment.start + 1..sign - 1, 1);
                let values = items(outline, values + 1..assignment.end - 1, 1);
                for (name, value) in names.into_iter().zip(values) {
                    if let Some(name) = only_name(outline, name) {
                        fill(outline, value, &Target::Named(name), true, found);
                    }
                }
            }
        }
    }
}

/// The parameters of one value.
fn fill(outline: &Outline<'_>, value: Range<usize>, target: &Target, may_be_whole: bool, found: &mut Found) {
    let is_whole = may_be_whole && value.len() == 1;
    let before = found.fillings.len();
    for token in value.clone().filter_map(|place| outline.get(place)) {
        if let Some(parameter) = parameter(token) {
            let at = found.start + token.start;
            found.fillings.push(Filling { parameter, target: target.clone(), is_whole, at });
        }
    }
    if found.fillings.len() == before && !value.map(|place| outline.get(place)).all(is_literal) {
        found.others.push(target.clone());
    }
}

/// Whether a word of a value makes it none but a literal.
fn is_literal(token: Option<&Token<'_>>) -> bool {
    token.is_some_and(|token| match token.kind {
        TokenKind::Number | TokenKind::Text => true,
        _ => {
            ["+", "-"].iter().any(|sign| token.is_symbol(sign))
                || ["DEFAULT", "FALSE", "NULL", "TRUE"].iter().any(|word| token.is_word(word))
        }
    })
}

/// What stands between commas at this depth.
fn items(outline: &Outline<'_>, places: Range<usize>, depth: usize) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut start = places.start;
    for place in places.clone() {
        if outline.depth(place) == depth && outline.is_symbol(place, ",") {
            items.push(start..place);
            start = place + 1;
        }
    }
    items.push(start..places.end.max(start));
    items
}

fn nth(listed: &[Option<String>], item: usize) -> Option<Target> {
    if listed.is_empty() {
        Some(Target::Numbered(item))
    } else {
        listed.get(item)?.clone().map(Target::Named)
    }
}

/// The name that is all that stands there.
fn only_name(outline: &Outline<'_>, places: Range<usize>) -> Option<String> {
    if places.len() == 1 { outline.get(places.start).and_then(column) } else { None }
}

fn parameter(token: &Token<'_>) -> Option<usize> {
    match token.kind {
        TokenKind::Placeholder(Some(number)) => number.checked_sub(1),
        _ => None,
    }
}

/// The name as the catalog has it.
fn column(token: &Token<'_>) -> Option<String> {
    match token.kind {
        TokenKind::Word => token.name().map(|name| name.to_lowercase()),
        TokenKind::Name => token.name().map(std::borrow::Cow::into_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Filling, Target, targets};
    use crate::plan::Form;

    /// The same without their places, which are those of their numbers.
    fn unplaced(text: &str, fillings: Vec<Filling>) -> Vec<Filling> {
        let unplaced = |filling: Filling| {
            assert!(
                text.get(filling.at..).unwrap().starts_with(&format!("${}", filling.parameter + 1)),
                "{text} {filling:?}"
            );
            Filling { at: 0, ..filling }
        };
        fillings.into_iter().map(unplaced).collect()
    }

    #[test]
    fn the_other_columns_are_those_that_get_more_than_a_literal() {
        let named = |name: &str| Target::Named(name.to_owned());
        for (text, others) in [
            ("UPDATE t SET a = $1, b = a * 2, c = -5, d = 'x', e = f", vec![named("b"), named("e")]),
            ("INSERT INTO t (a, b) VALUES ($1, now()), (DEFAULT, NULL)", vec![named("b")]),
            ("INSERT INTO t SELECT $1, x, 5 FROM u", vec![Target::Numbered(1)]),
        ] {
            assert_eq!(targets(text, Form::DataChange).unwrap().others, others, "{text}");
        }
    }

    #[test]
    fn the_column_of_a_parameter_is_the_one_whose_value_it_is_in() {
        let named = |parameter: usize, name: &str| Filling {
            parameter,
            target: Target::Named(name.to_owned()),
            is_whole: true,
            at: 0,
        };
        let part = |parameter: usize, name: &str| Filling { is_whole: false, ..named(parameter, name) };
        let nth = |parameter: usize, place: usize| Filling {
            target: Target::Numbered(place),
            ..named(parameter, "")
        };
        for (text, table, expected) in [
            (
                "INSERT INTO s.t AS x (A, \"B c\") VALUES ($2, $1), (1, $3)",
                "s.t",
                vec![named(1, "a"), named(0, "B c"), named(2, "B c")],
            ),
            (
                "INSERT INTO t (a, b) VALUES ($1 + 1, f(1, $2)), (($1), $3)",
                "t",
                vec![part(0, "a"), part(1, "b"), part(0, "a"), named(2, "b")],
            ),
            ("INSERT INTO t (a) VALUES ($1::text)", "t", vec![part(0, "a")]),
            ("INSERT INTO t (a[1], b.f, c) VALUES ($1, $2, $3)", "t", vec![named(2, "c")]),
            ("INSERT INTO t VALUES ($1, 5, $2) RETURNING ($3)", "t", vec![nth(0, 0), nth(1, 2)]),
            (
                "INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = $2, b = t.b + $3 WHERE t.a = $4",
                "t",
                vec![named(0, "a"), named(1, "a"), part(2, "b")],
            ),
            (
                "INSERT INTO t (a, b) SELECT DISTINCT $1, upper($2) || $3 FROM u WHERE c = $4",
                "t",
                vec![part(0, "a"), part(1, "b"), part(2, "b")],
            ),
            ("INSERT INTO t (a, b) SELECT x.*, $1 FROM x", "t", vec![]),
            ("INSERT INTO t (a, b) (SELECT $1, 2)", "t", vec![]),
            (
                "UPDATE ONLY t AS x SET a = $1, b = (SELECT $2) FROM u WHERE c = $3",
                "t",
                vec![named(0, "a"), part(1, "b")],
            ),
            ("UPDATE \"T\" SET b = 1, a = $1;", "\"T\"", vec![named(0, "a")]),
            ("UPDATE t SET a = b = $1, c.f = $2, d[1] = $3", "t", vec![part(0, "a")]),
            (
                "UPDATE t SET (a, \"B\") = ($1, $2 || 'x'), (c, d) = ROW($3, 1), (e) = (SELECT $4)",
                "t",
                vec![named(0, "a"), part(1, "B"), named(2, "c"), part(3, "e")],
            ),
        ] {
            let found = targets(text, Form::DataChange).unwrap();
            assert_eq!((found.table.as_str(), unplaced(text, found.fillings)), (table, expected), "{text}");
        }
        let head = "WITH w AS (SELECT 1) ";
        let text = format!("{head}UPDATE t SET a = $1");
        let with = targets(&text, Form::AfterWith).unwrap();
        assert_eq!((with.table.as_str(), unplaced(&text, with.fillings)), ("t", vec![named(0, "a")]));
        assert_eq!(targets("DELETE FROM t WHERE a = $1", Form::DataChange), None);
    }
}
