//! Which columns the parameters of a writing statement go into, as far as its text says so: `(a, b) VALUES ($1, $2)` and
//! `SET a = $1`. What a column refuses then has the place of its argument, which the server does not tell.

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

/// What follows the assignments.
const AFTER_SET: [&str; 3] = ["FROM", "RETURNING", "WHERE"];

/// The table that a statement writes, as it is spelled, and the parameters, from 0, that are the whole new values of columns.
pub(crate) fn targets(text: &str, form: Form) -> Option<(String, Vec<(usize, Target)>)> {
    let main = match form {
        Form::DataChange => text,
        Form::AfterWith => text.get(main_statement(text)?..)?,
        Form::Query | Form::Call | Form::Other => return None,
    };
    let outline = Outline::read(main);
    let mut found = Vec::new();
    if outline.is_one_of(0, &["INSERT"]) {
        let start = outline.after("INTO", 0)?;
        let end = outline.end_of_table(start)?;
        if let Some(values) = outline.after("VALUES", end) {
            let listed = listed(&outline, outline.end_of_name(start)?, values);
            inserted(&outline, &listed, values, &mut found);
        }
        if let Some(set) = outline.after("SET", end) {
            assigned(&outline, set, &mut found);
        }
        Some((outline.text(start, end)?.to_owned(), found))
    } else if outline.is_one_of(0, &["UPDATE"]) {
        let start = if outline.is_one_of(1, &["ONLY"]) { 2 } else { 1 };
        let end = outline.end_of_table(start)?;
        assigned(&outline, outline.after("SET", end)?, &mut found);
        Some((outline.text(start, end)?.to_owned(), found))
    } else {
        None
    }
}

/// The columns that are listed between the table and `VALUES`; `None` for a part of a column, such as `a[1]` or `a.f`.
fn listed(outline: &Outline<'_>, start: usize, values: usize) -> Vec<Option<String>> {
    if !outline.is_symbol(start, "(") {
        return Vec::new();
    }
    let mut listed = Vec::new();
    let mut begins = true;
    for place in start + 1..values {
        if outline.depth(place) == 0 {
            break;
        }
        if outline.depth(place) == 1 && outline.is_symbol(place, ",") {
            begins = true;
        } else if begins {
            listed.push(outline.get(place).and_then(column));
            begins = false;
        } else if let Some(last) = listed.last_mut() {
            *last = None;
        }
    }
    listed
}

/// The parameters that stand alone in the rows of `VALUES`.
fn inserted(
    outline: &Outline<'_>,
    listed: &[Option<String>],
    values: usize,
    found: &mut Vec<(usize, Target)>,
) {
    let is_one_of =
        |place: usize, symbols: [&str; 2]| symbols.iter().any(|symbol| outline.is_symbol(place, symbol));
    let mut item = 0;
    for place in values..outline.len() {
        match outline.depth(place) {
            // Between rows, or behind the last.
            0 if is_one_of(place, [")", ","]) => {}
            0 => return,
            1 if outline.is_symbol(place, "(") => item = 0,
            1 if outline.is_symbol(place, ",") => item += 1,
            1 if is_one_of(place - 1, ["(", ","]) && is_one_of(place + 1, [")", ","]) => {
                let Some(parameter) = outline.get(place).and_then(parameter) else { continue };
                match listed.get(item) {
                    Some(Some(name)) => found.push((parameter, Target::Named(name.clone()))),
                    None if listed.is_empty() => found.push((parameter, Target::Numbered(item))),
                    Some(None) | None => {}
                }
            }
            _ => {}
        }
    }
}

/// The parameters that stand alone after `column =`.
fn assigned(outline: &Outline<'_>, set: usize, found: &mut Vec<(usize, Target)>) {
    for place in set + 2..outline.len() {
        if outline.depth(place) > 0 {
            continue;
        }
        if outline.is_one_of(place, &AFTER_SET) {
            return;
        }
        let begins =
            outline.is_symbol(place - 1, "=") && (place == set + 2 || outline.is_symbol(place - 3, ","));
        let ends = place + 1 == outline.len()
            || outline.is_symbol(place + 1, ",")
            || outline.is_symbol(place + 1, ";")
            || outline.is_one_of(place + 1, &AFTER_SET);
        let parameter = outline.get(place).filter(|_| begins && ends).and_then(parameter);
        if let (Some(parameter), Some(name)) = (parameter, outline.get(place - 2).and_then(column)) {
            found.push((parameter, Target::Named(name)));
        }
    }
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
    use super::{Target, targets};
    use crate::plan::Form;

    #[test]
    fn the_column_of_a_parameter_is_the_one_that_it_alone_fills() {
        let named = |number: usize, name: &str| (number, Target::Named(name.to_owned()));
        for (text, table, expected) in [
            (
                "INSERT INTO s.t AS x (A, \"B c\") VALUES ($2, $1), (1, $3)",
                "s.t",
                vec![named(1, "a"), named(0, "B c"), named(2, "B c")],
            ),
            ("INSERT INTO t (a, b) VALUES ($1 + 1, f($2)), (($1), $3)", "t", vec![named(2, "b")]),
            ("INSERT INTO t (a) VALUES ($1::text)", "t", vec![]),
            ("INSERT INTO t (a[1], b.f, c) VALUES ($1, $2, $3)", "t", vec![named(2, "c")]),
            (
                "INSERT INTO t VALUES ($1, 5, $2) RETURNING ($3)",
                "t",
                vec![(0, Target::Numbered(0)), (1, Target::Numbered(2))],
            ),
            (
                "INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = $2, b = t.b + $3 WHERE t.a = $4",
                "t",
                vec![named(0, "a"), named(1, "a")],
            ),
            ("INSERT INTO t (a) SELECT $1 FROM u", "t", vec![]),
            ("UPDATE ONLY t AS x SET a = $1, b = (SELECT $2) FROM u WHERE c = $3", "t", vec![named(0, "a")]),
            ("UPDATE \"T\" SET b = 1, a = $1;", "\"T\"", vec![named(0, "a")]),
            ("UPDATE t SET a = b = $1", "t", vec![]),
        ] {
            assert_eq!(targets(text, Form::DataChange), Some((table.to_owned(), expected)), "{text}");
        }
        let head = "WITH w AS (SELECT 1) ";
        let with = targets(&format!("{head}UPDATE t SET a = $1"), Form::AfterWith);
        assert_eq!(with, Some(("t".to_owned(), vec![named(0, "a")])));
        assert_eq!(targets("DELETE FROM t WHERE a = $1", Form::DataChange), None);
    }
}
