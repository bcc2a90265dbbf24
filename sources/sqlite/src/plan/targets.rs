//! Which columns the arguments of a writing statement go into, as far as its text says so. What a column refuses then has the
//! place of its argument, which `SQLite` does not tell.

use std::collections::HashMap;

use toolbox_source::scan::{
    Lexicon, Token, TokenKind, Tokens,
    items::{group, items, name, until},
};

/// A column of the table that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Named(String),
    /// From 0, in the order of the table.
    Nth(usize),
}

/// What follows a list of assignments.
const AFTER_ASSIGNMENTS: [&str; 5] = ["FROM", "LIMIT", "ORDER", "RETURNING", "WHERE"];

/// The arguments, from 0, that are the whole new values of columns, each with its column.
pub(crate) fn targets(text: &str) -> Vec<(usize, Spot)> {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::SQLITE).collect();
    let numbers = numbers(&tokens);
    let mut found = Vec::new();
    let mut take = |item: &[Token<'_>], spot: Spot| {
        if let [argument] = item
            && let Some(number) = numbers.get(&argument.start)
        {
            found.push((*number, spot));
        }
    };
    let is_insert = tokens.first().is_some_and(|first| first.is_word("INSERT") || first.is_word("REPLACE"));
    if is_insert && let Some((into, rest)) = behind(&tokens, &["INTO"]) {
        let after_table = name(rest).map_or(into, |(_, rest)| rest);
        let rest = match after_table {
            [word, alias, rest @ ..] if word.is_word("AS") && alias.name().is_some() => rest,
            rest => rest,
        };
        let (listed, rest) = match group(rest) {
            Some((inside, rest)) => (items(inside), rest),
            None => (Vec::new(), rest),
        };
        let listed: Vec<Option<String>> =
            listed.into_iter().map(|item| name(item).and_then(|(mut parts, _)| parts.pop())).collect();
        let mut rows =
            rest.split_first().filter(|(word, _)| word.is_word("VALUES")).map_or(&[][..], |(_, rows)| rows);
        while let Some((row, after)) = group(rows) {
            for (place, item) in items(row).into_iter().enumerate() {
                match listed.get(place) {
                    Some(Some(name)) => take(item, Spot::Named(name.clone())),
                    None if listed.is_empty() => take(item, Spot::Nth(place)),
                    _ => {}
                }
            }
            rows =
                after.split_first().filter(|(comma, _)| comma.is_symbol(",")).map_or(&[], |(_, rest)| rest);
        }
    }
    // Of an UPDATE, and behind ON CONFLICT … DO UPDATE.
    if (is_insert || tokens.first().is_some_and(|first| first.is_word("UPDATE")))
        && let Some((_, rest)) = behind(&tokens, &["SET"])
    {
        for assignment in items(until(rest, &AFTER_ASSIGNMENTS).0) {
            if let Some((mut parts, [equals, value @ ..])) = name(assignment)
                && equals.is_symbol("=")
                && let Some(column) = parts.pop()
            {
                take(value, Spot::Named(column));
            }
        }
    }
    found
}

/// What stands from the first of these words outside of parentheses on, and what follows it.
fn behind<'t, 's>(tokens: &'t [Token<'s>], words: &[&str]) -> Option<(&'t [Token<'s>], &'t [Token<'s>])> {
    let (_, from) = until(tokens, words);
    Some((from, from.get(1..)?))
}

/// The number of each argument, from 0, by where it stands.
fn numbers(tokens: &[Token<'_>]) -> HashMap<usize, usize> {
    let mut highest = 0;
    let argument = |token: &Token<'_>| match token.kind {
        TokenKind::Placeholder(number) => {
            let number = number.unwrap_or(highest + 1);
            highest = highest.max(number);
            Some((token.start, number.checked_sub(1)?))
        }
        _ => None,
    };
    tokens.iter().filter_map(argument).collect()
}

#[cfg(test)]
mod tests {
    use super::{Spot, targets};

    #[test]
    fn whole_values_have_the_columns_that_they_go_into() {
        let named = |number: usize, name: &str| (number, Spot::Named(name.to_owned()));
        for (text, expected) in [
            (
                "INSERT INTO t (a, \"b c\") VALUES (?, ?), (1, ?)",
                vec![named(0, "a"), named(1, "b c"), named(2, "b c")],
            ),
            (
                "INSERT OR REPLACE INTO main.t AS x VALUES (?1, lower(?), ?2)",
                vec![(0, Spot::Nth(0)), (1, Spot::Nth(2))],
            ),
            (
                "INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET b = ?, c = c + ? WHERE d = ? RETURNING ?",
                vec![named(0, "a"), named(1, "b")],
            ),
            (
                "UPDATE t SET a = ?, (b, c) = (?, ?), d = ? FROM u WHERE e = ?",
                vec![named(0, "a"), named(3, "d")],
            ),
            ("INSERT INTO t SELECT ?", vec![]),
            ("DELETE FROM t WHERE a = ?", vec![]),
        ] {
            assert_eq!(targets(text), expected, "{text}");
        }
    }
}
