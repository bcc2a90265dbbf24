//! Which columns the arguments of a writing statement go into, as far as its text says so. What a column refuses then has the
//! places of its arguments, which `SQLite` does not tell.

use std::collections::HashMap;

use toolbox_source::scan::{
    Lexicon, Token, TokenKind, Tokens,
    items::{find, group, items, name, skip, until},
    places::{Place, places},
};

/// What a writing statement does with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    /// The table that is written; empty if the statement writes none.
    pub(crate) table: String,
    pub(crate) fillings: Vec<Filling>,
}

/// An argument that goes into a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filling {
    /// From 0.
    pub(crate) argument: usize,
    pub(crate) spot: Spot,
    /// What stands around it in the new value; none if it is all of it.
    pub(crate) part: Option<Place>,
}

/// A column of the table that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Named(String),
    /// From 0, in the order of the table.
    Nth(usize),
}

/// What follows a list of assignments.
const AFTER_ASSIGNMENTS: [&str; 5] = ["FROM", "LIMIT", "ORDER", "RETURNING", "WHERE"];

/// What follows the list of a `SELECT`.
const AFTER_A_LIST: [&str; 11] =
    ["EXCEPT", "FROM", "GROUP", "HAVING", "INTERSECT", "LIMIT", "ON", "ORDER", "UNION", "WHERE", "WINDOW"];

/// Where the arguments go.
pub(crate) fn targets(text: &str) -> Targets {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::SQLITE).collect();
    let is_verb = |token: &Token<'_>| ["INSERT", "REPLACE", "UPDATE"].iter().any(|verb| token.is_word(verb));
    // Common table expressions may stand before it.
    let Some(main) = find(&tokens, is_verb).and_then(|verb| tokens.get(verb..)) else {
        return Targets::default();
    };
    let mut found = Found { arguments: arguments(text, &tokens), targets: Targets::default() };
    let is_update = main.first().is_some_and(|first| first.is_word("UPDATE"));
    if is_update {
        // `UPDATE OR IGNORE t`
        let after = main.get(1..).unwrap_or_default();
        let after =
            if after.first().is_some_and(|or| or.is_word("OR")) { after.get(2..) } else { Some(after) };
        found.table(after.unwrap_or_default());
    } else if let Some((into, rest)) = behind(main, &["INTO"]) {
        found.table(rest);
        let after_table = name(rest).map_or(into, |(_, rest)| rest);
        let rest = match after_table {
            [word, alias, rest @ ..] if word.is_word("AS") && alias.name().is_some() => rest,
            rest => rest,
        };
        let (listed, rest) = match group(rest) {
            Some((inside, rest)) => (items(inside), rest),
            None => (Vec::new(), rest),
        };
        let listed: Vec<Option<String>> = listed.into_iter().map(only_name).collect();
        if let Some((first, rows)) = rest.split_first() {
            if first.is_word("VALUES") {
                found.rows(&listed, rows);
            } else if first.is_word("SELECT") {
                found.list(&listed, rows);
            }
        }
    }
    // Of an UPDATE, and behind ON CONFLICT … DO UPDATE.
    if let Some((_, rest)) = behind(main, &["SET"]) {
        for assignment in items(until(rest, &AFTER_ASSIGNMENTS).0) {
            found.assignment(assignment);
        }
    }
    found.targets
}

struct Found {
    /// The number of each argument, from 0, and what stands around it, by where it begins.
    arguments: HashMap<usize, (usize, Place)>,
    targets: Targets,
}

impl Found {
    fn table(&mut self, tokens: &[Token<'_>]) {
        if let Some(last) = name(tokens).and_then(|(mut parts, _)| parts.pop()) {
            self.targets.table = last;
        }
    }

    /// `(?, ?), (?, ?)`
    fn rows(&mut self, listed: &[Option<String>], mut rows: &[Token<'_>]) {
        while let Some((row, after)) = group(rows) {
            for (place, item) in items(row).into_iter().enumerate() {
                self.value(nth(listed, place), item);
            }
            rows =
                after.split_first().filter(|(comma, _)| comma.is_symbol(",")).map_or(&[], |(_, rest)| rest);
        }
    }

    /// `?, a + ? FROM`
    fn list(&mut self, listed: &[Option<String>], tokens: &[Token<'_>]) {
        let (list, _) = until(skip(tokens, &["ALL", "DISTINCT"]), &AFTER_A_LIST);
        for (place, item) in items(list).into_iter().enumerate() {
            // `*` stands for any number of columns.
            if item.last().is_some_and(|last| last.is_symbol("*")) {
                return;
            }
            self.value(nth(listed, place), item);
        }
    }

    /// `a = ? + 1`, `(a, b) = (?, ?)`
    fn assignment(&mut self, assignment: &[Token<'_>]) {
        let Some(sign) = find(assignment, |token| token.is_symbol("=")) else { return };
        let (Some(left), Some(right)) = (assignment.get(..sign), assignment.get(sign + 1..)) else { return };
        if let Some((names, [])) = group(left) {
            let values = group(right).filter(|(_, rest)| rest.is_empty()).map(|(values, _)| items(values));
            for (name, value) in items(names).into_iter().zip(values.unwrap_or_default()) {
                self.value(only_name(name).map(Spot::Named), value);
            }
        } else {
            self.value(only_name(left).map(Spot::Named), right);
        }
    }

    /// The arguments of one new value.
    fn value(&mut self, spot: Option<Spot>, value: &[Token<'_>]) {
        let Some(spot) = spot else { return };
        let arguments = value.iter().filter_map(|token| self.arguments.get(&token.start).copied());
        self.targets.fillings.extend(arguments.map(|(argument, place)| Filling {
            argument,
            spot: spot.clone(),
            part: (value.len() > 1).then_some(place),
        }));
    }
}

/// The column of an item.
fn nth(listed: &[Option<String>], place: usize) -> Option<Spot> {
    if listed.is_empty() { Some(Spot::Nth(place)) } else { listed.get(place)?.clone().map(Spot::Named) }
}

/// The name that is all that stands there.
fn only_name(tokens: &[Token<'_>]) -> Option<String> {
    match name(tokens)? {
        (mut parts, []) => parts.pop(),
        _ => None,
    }
}

/// What stands from the first of these words outside of parentheses on, and what follows it.
fn behind<'t, 's>(tokens: &'t [Token<'s>], words: &[&str]) -> Option<(&'t [Token<'s>], &'t [Token<'s>])> {
    let (_, from) = until(tokens, words);
    Some((from, from.get(1..)?))
}

/// The arguments of a statement that it makes something of: it neither stores them as they are nor compares them.
pub(crate) fn computed(text: &str) -> Vec<usize> {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::SQLITE).collect();
    let mut found: Vec<usize> = arguments(text, &tokens)
        .into_values()
        .filter(|(_, place)| *place != Place::Whole)
        .map(|(number, _)| number)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The number of each argument, from 0, and what stands around it, by where it begins.
fn arguments(text: &str, tokens: &[Token<'_>]) -> HashMap<usize, (usize, Place)> {
    numbered(tokens)
        .zip(places(text, &Lexicon::SQLITE))
        .filter_map(|((token, number), place)| Some((token.start, (number?, place))))
        .collect()
}

/// The arguments in the order of the text, with their numbers, from 0.
pub(crate) fn numbered<'t, 's>(
    tokens: &'t [Token<'s>],
) -> impl Iterator<Item = (&'t Token<'s>, Option<usize>)> {
    let mut highest = 0;
    tokens.iter().filter_map(move |token| match token.kind {
        TokenKind::Placeholder(number) => {
            let number = number.unwrap_or(highest + 1);
            highest = highest.max(number);
            Some((token, number.checked_sub(1)))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use toolbox_source::scan::places::Place::{Chosen, Computed, Other, Whole};

    use super::{Filling, Spot, computed, targets};

    #[test]
    fn arguments_have_the_columns_that_they_go_into() {
        let named = |argument: usize, name: &str, part| Filling {
            argument,
            spot: Spot::Named(name.to_owned()),
            part,
        };
        let nth = |argument: usize, place: usize, part| Filling { argument, spot: Spot::Nth(place), part };
        for (text, table, expected) in [
            (
                "INSERT INTO t (a, \"b c\") VALUES (?, ?), (1, ?)",
                "t",
                vec![named(0, "a", None), named(1, "b c", None), named(2, "b c", None)],
            ),
            (
                "INSERT OR REPLACE INTO main.t AS x VALUES (?1, lower(?), ?2)",
                "t",
                vec![nth(0, 0, None), nth(1, 1, Some(Other)), nth(1, 2, None)],
            ),
            (
                "INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET b = ?, c = c + ? WHERE d = ? RETURNING ?",
                "t",
                vec![named(0, "a", None), named(1, "b", None), named(2, "c", Some(Computed))],
            ),
            (
                "UPDATE OR IGNORE t SET a = ?, (b, c) = (?, ? || 'x'), d = coalesce(?, d), e = ? = 1 FROM u WHERE e = ?",
                "t",
                vec![
                    named(0, "a", None),
                    named(1, "b", None),
                    named(2, "c", Some(Other)),
                    named(3, "d", Some(Chosen)),
                    named(4, "e", Some(Whole)),
                ],
            ),
            (
                "WITH q AS (SELECT ?) INSERT INTO t SELECT ?, a.b + ? FROM q WHERE ? > 1",
                "t",
                vec![nth(1, 0, None), nth(2, 1, Some(Computed))],
            ),
            ("INSERT INTO t (a, b) SELECT q.*, ? FROM q", "t", vec![]),
            ("DELETE FROM t WHERE a = ?", "", vec![]),
        ] {
            let found = targets(text);
            assert_eq!((found.table.as_str(), found.fillings), (table, expected), "{text}");
        }
    }

    #[test]
    fn computed_arguments_are_neither_stored_nor_compared() {
        let text = "INSERT INTO t VALUES (?1, json(?2), ?3) RETURNING a = ?4, abs(?3)";
        assert_eq!(computed(text), [1, 2]);
    }
}
