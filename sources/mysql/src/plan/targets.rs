//! Which columns the arguments of a writing statement go into, or are compared with, as far as its text says so. What the server refuses then has
//! the place of its argument, and a number that it would round is refused before.

mod condition;
mod fill;

use std::collections::HashMap;

use toolbox_source::scan::{
    Lexicon, Quote, Token, TokenKind, Tokens,
    items::{group, items, name, skip, until},
};

use condition::compared;
pub(crate) use condition::is_compared;
pub(crate) use fill::Fill;
use fill::{fill, inside};

use super::{
    select_lists::{is_star, select_lists, without_alias},
    tables::{Table, Written, written},
};

/// Where one argument goes, or what it is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The tables of which one has the column, in quotes.
    pub(crate) tables: Vec<String>,
    pub(crate) column: Spot,
    /// The row of `VALUES`, from 1.
    pub(crate) row: Option<usize>,
    pub(crate) fill: Fill,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Named(String),
    /// Its place among those that an `INSERT` without a list of columns fills, from 0.
    Nth(usize),
}

/// The rules of a session with `ANSI_QUOTES`.
const WITH_QUOTED_NAMES: Lexicon =
    Lexicon { quotes: &[Quote::Text(b'\''), Quote::Name(b'"'), Quote::Name(b'`')], ..Lexicon::MYSQL };

/// The target of each argument, in order; none where the text does not say it. Names may stand in double quotes, where the
/// session has it so.
pub(crate) fn targets(text: &str, quotes_names: bool) -> Vec<Option<Target>> {
    let lexicon = if quotes_names { &WITH_QUOTED_NAMES } else { &Lexicon::MYSQL };
    let tokens: Vec<Token<'_>> = Tokens::new(text, lexicon).collect();
    let mut found = Found::default();
    if let Some(written) = written(&tokens) {
        found.take(&written);
    }
    let arguments = tokens.iter().filter(|token| matches!(token.kind, TokenKind::Placeholder(_)));
    arguments.map(|argument| found.targets.remove(&argument.start)).collect()
}

/// What ends a list of assignments.
const AFTER_ASSIGNMENTS: [&str; 6] = ["AS", "LIMIT", "ON", "ORDER", "RETURNING", "WHERE"];

/// What ends a condition.
const AFTER_A_CONDITION: [&str; 3] = ["LIMIT", "ORDER", "RETURNING"];

#[derive(Default)]
struct Found {
    /// By where the argument begins.
    targets: HashMap<usize, Target>,
}

impl Found {
    fn take(&mut self, written: &Written<'_, '_>) {
        let Some((first, rest)) = written.rest.split_first() else { return };
        let rest = if first.is_word("SET") {
            let (assignments, rest) = until(rest, &AFTER_ASSIGNMENTS);
            self.assignments(written, assignments);
            self.condition(written, rest);
            rest
        } else if first.is_word("WHERE") {
            self.condition(written, written.rest);
            written.rest
        } else {
            let (listed, rest) = listed(written.rest);
            let keyword = rest.first();
            if keyword.is_some_and(|word| word.is_word("VALUES") || word.is_word("VALUE")) {
                self.rows(written, &listed, rest.get(1..).unwrap_or_default());
            } else {
                self.query(written, &listed, rest);
            }
            rest
        };
        if let Some(assignments) = on_duplicate(rest) {
            self.assignments(written, until(assignments, &AFTER_ASSIGNMENTS).0);
        }
    }

    /// `(?, ?), ROW(?, ?)`
    fn rows(&mut self, written: &Written<'_, '_>, listed: &[String], mut rest: &[Token<'_>]) {
        let mut row = 1;
        while let Some((inside, after)) = group(skip(rest, &["ROW"])) {
            for (index, item) in items(inside).into_iter().enumerate() {
                self.item(written, listed, index, item, Some(row));
            }
            row += 1;
            match after.split_first() {
                Some((comma, next)) if comma.is_symbol(",") => rest = next,
                _ => return,
            }
        }
    }

    /// `SELECT ?, a FROM u UNION ALL SELECT ?, ?`
    fn query(&mut self, written: &Written<'_, '_>, listed: &[String], query: &[Token<'_>]) {
        for list in select_lists(query) {
            // How many columns a star stands for, the text does not say.
            for (index, item) in list.into_iter().take_while(|item| !is_star(item)).enumerate() {
                self.item(written, listed, index, without_alias(item).0, None);
            }
        }
    }

    /// A value of the new row.
    fn item(
        &mut self,
        written: &Written<'_, '_>,
        listed: &[String],
        index: usize,
        item: &[Token<'_>],
        row: Option<usize>,
    ) {
        let column = match listed.get(index) {
            Some(name) => Spot::Named(name.clone()),
            None if listed.is_empty() => Spot::Nth(index),
            None => return,
        };
        let tables = written.tables.iter().map(|table| table.quoted.clone()).collect();
        self.filled(item, |_| false, &Target { tables, column, row, fill: Fill::Inside });
    }

    /// The argument that an expression is, or those that stand in it.
    fn filled<'s>(
        &mut self,
        expression: &[Token<'s>],
        is_own: impl Fn(&[Token<'s>]) -> bool,
        target: &Target,
    ) {
        match fill(expression, is_own) {
            Some((argument, fill)) => {
                self.targets.insert(argument.start, Target { fill, ..target.clone() });
            }
            None => self.targets.extend(inside(expression).map(|argument| (argument.start, target.clone()))),
        }
    }

    /// `WHERE a = ? AND t.b IN (?, ?)`
    fn condition(&mut self, written: &Written<'_, '_>, rest: &[Token<'_>]) {
        let Some((_, rest)) = rest.split_first().filter(|(word, _)| word.is_word("WHERE")) else { return };
        for (argument, parts) in compared(until(rest, &AFTER_A_CONDITION).0) {
            let tables = if written.more { Vec::new() } else { tables_of(written, &parts) };
            let column = parts.last().filter(|_| !tables.is_empty()).cloned().map(Spot::Named);
            if let Some(column) = column {
                self.targets
                    .insert(argument.start, Target { tables, column, row: None, fill: Fill::Compared });
            }
        }
    }

    /// `a = ?, t.b = b + ?`
    fn assignments(&mut self, written: &Written<'_, '_>, assignments: &[Token<'_>]) {
        for assignment in items(assignments) {
            let Some((parts, rest)) = name(assignment) else { continue };
            let expression = match rest {
                [colon, equals, expression @ ..] if colon.is_symbol(":") && equals.is_symbol("=") => {
                    expression
                }
                [equals, expression @ ..] if equals.is_symbol("=") => expression,
                _ => continue,
            };
            let Some(column) = parts.last() else { continue };
            let tables = tables_of(written, &parts);
            let is_own = |tokens: &[Token<'_>]| match name(tokens) {
                Some((other, [])) => {
                    let is_same = other.last().is_some_and(|other| other.eq_ignore_ascii_case(column));
                    is_same && tables.len() == 1 && tables_of(written, &other) == tables
                }
                _ => false,
            };
            if !tables.is_empty() {
                let column = Spot::Named(column.clone());
                let target = Target { tables: tables.clone(), column, row: None, fill: Fill::Inside };
                self.filled(expression, is_own, &target);
            }
        }
    }
}

/// The tables of which one has the column of this name.
fn tables_of(written: &Written<'_, '_>, name: &[String]) -> Vec<String> {
    let qualifier = name.len().checked_sub(2).and_then(|index| name.get(index));
    let quoted = |table: &Table| table.quoted.clone();
    match qualifier {
        Some(qualifier) => {
            let named = |table: &&Table| table.qualifier.eq_ignore_ascii_case(qualifier);
            written.tables.iter().filter(named).map(quoted).collect()
        }
        None if written.more => Vec::new(),
        None => written.tables.iter().map(quoted).collect(),
    }
}

/// The columns between the table and its rows, and what follows them; none where there is no list.
fn listed<'t, 's>(tokens: &'t [Token<'s>]) -> (Vec<String>, &'t [Token<'s>]) {
    let Some((inside, rest)) = group(tokens) else { return (Vec::new(), tokens) };
    let is_query = inside.first().is_some_and(|first| {
        first.is_symbol("(") || ["SELECT", "WITH", "VALUES", "TABLE"].iter().any(|word| first.is_word(word))
    });
    if is_query {
        return (Vec::new(), tokens);
    }
    let columns = items(inside).into_iter().filter_map(|item| name(item)?.0.pop()).collect();
    (columns, rest)
}

/// What stands behind `ON DUPLICATE KEY UPDATE`.
fn on_duplicate<'t, 's>(tokens: &'t [Token<'s>]) -> Option<&'t [Token<'s>]> {
    let words = ["ON", "DUPLICATE", "KEY", "UPDATE"];
    let is_it = |window: &[Token<'_>]| window.iter().zip(words).all(|(token, word)| token.is_word(word));
    let start = tokens.windows(words.len()).position(is_it)?;
    tokens.get(start + words.len()..)
}

#[cfg(test)]
mod tests {
    use super::{Fill, Spot, targets};

    /// Each target in short: `n`, `n+` for a term, `n?` for a comparison, `2` for the third column, `n@t,u` for other tables than t, `n:2` for the second row.
    fn short(text: &str) -> Vec<String> {
        let target = |target: super::Target| {
            let column = match target.column {
                Spot::Named(name) => name,
                Spot::Nth(index) => index.to_string(),
            };
            let tables = target.tables.join(",");
            let tables = if tables == "`t`" { String::new() } else { format!("@{tables}") };
            let row = target.row.filter(|row| *row > 1).map(|row| format!(":{row}"));
            format!(
                "{column}{}{tables}{}",
                match target.fill {
                    Fill::Term => "+",
                    Fill::Compared => "?",
                    Fill::Inside => return String::new(),
                    Fill::Whole | Fill::First => "",
                },
                row.unwrap_or_default()
            )
        };
        targets(text, false).into_iter().map(|found| found.map(target).unwrap_or_default()).collect()
    }

    #[test]
    fn rows_of_values_fill_the_columns_of_the_list_or_of_the_table() {
        for (text, expected) in [
            ("INSERT INTO t (a, `b c`) VALUES (?, ?), (1, ?)", &["a", "b c", "b c:2"][..]),
            (
                "INSERT INTO s.t (a, t.b) VALUES (? + 1, f(?)), ((?), ?)",
                &["a+@`s`.`t`", "", "a@`s`.`t`:2", "b@`s`.`t`:2"],
            ),
            ("INSERT INTO t VALUES (?, DEFAULT, ?), ROW(?, 1, -?)", &["0", "2", "0:2", "2+:2"]),
            ("INSERT INTO t () VALUES (?)", &["0"]),
            ("REPLACE INTO t PARTITION (p) (a) VALUE (?) RETURNING ?", &["a", ""]),
            ("INSERT INTO t (a) VALUES (?, ?)", &["a", ""]),
        ] {
            assert_eq!(short(text), expected, "{text}");
        }
    }

    #[test]
    fn a_query_fills_them_by_the_places_of_its_lists() {
        for (text, expected) in [
            ("INSERT INTO t (a, b) SELECT ?, x + ? FROM u WHERE y = ?", &["a", "", ""][..]),
            ("INSERT INTO t SELECT DISTINCT x, ? AS n, ? m FROM u", &["1", "2"]),
            ("INSERT INTO t (a) (SELECT ? UNION ALL (SELECT ?))", &["a", "a"]),
            ("INSERT INTO t (a) WITH c AS (SELECT ?) SELECT (SELECT ?) FROM c", &["", ""]),
            ("INSERT INTO t (a, b) SELECT u.*, ? FROM u", &[""]),
            ("INSERT INTO t (a, b) SELECT ?, * FROM u", &["a"]),
            ("INSERT INTO t (a) SELECT x FROM u ON DUPLICATE KEY UPDATE a = ?", &["a"]),
            ("INSERT INTO t (a) SELECT x FROM u JOIN w ON u.y = ? LIMIT ?", &["", ""]),
        ] {
            assert_eq!(short(text), expected, "{text}");
        }
    }

    #[test]
    fn an_assignment_fills_the_column_that_it_names() {
        for (text, expected) in [
            (
                "INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = ?, b = b + ?, c = b + ?",
                &["a", "a", "b+", ""][..],
            ),
            ("INSERT INTO t VALUES (?) AS new ON DUPLICATE KEY UPDATE t.a = COALESCE(?, new.a)", &["0", "a"]),
            ("INSERT t SET a = ?, b = ?", &["a", "b"]),
            ("UPDATE t SET a = ?, t.b = ? WHERE c = ? LIMIT ?", &["a", "b", "c?", ""]),
            ("UPDATE t SET a := ?, b:=(?)", &["a", "b"]),
            ("UPDATE t AS x SET x.a = ?, a = x.a - ?, t.a = ?", &["a", "a+", ""]),
            ("UPDATE s.t SET s.t.`a b` = ?", &["a b@`s`.`t`"]),
            ("UPDATE t, u SET t.a = ?, b = ?, c = c + ?", &["a", "b@`t`,`u`", ""]),
            ("UPDATE t JOIN u ON t.a = ? SET u.a = u.a + ?, t.a = u.a + ?", &["", "a+@`u`", ""]),
            ("UPDATE t SET a = (SELECT x FROM u WHERE y = ?), b = a = ?", &["", ""]),
            ("UPDATE (t, u) SET a = ?, t.b = ?", &["", ""]),
            ("DELETE FROM t WHERE a = ? ORDER BY b = ?", &["a?", ""]),
            ("DELETE FROM t AS x WHERE a = ?", &[""]),
            ("DELETE t FROM t JOIN u ON a = ? WHERE b = ?", &["", ""]),
            ("DELETE FROM t USING t JOIN u WHERE b = ?", &[""]),
            ("UPDATE t, u SET t.a = 1 WHERE t.b = ? AND c = ? AND w.d = ?", &["b?", "c?@`t`,`u`", ""]),
            ("SELECT ?", &[""]),
        ] {
            assert_eq!(short(text), expected, "{text}");
        }
    }
}
