//! The tables that a statement writes, as its text names them.

use toolbox_source::scan::{
    Lexicon, Token, Tokens,
    items::{find, group, is_name, name, skip},
};

/// A table that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Its name, with its schema if that is named, in quotes.
    pub(super) quoted: String,
    /// What qualifies its columns: its alias, or its own name.
    pub(super) qualifier: String,
}

/// The tables of a statement that changes rows, and what follows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written<'t, 's> {
    /// Several only in an `UPDATE`.
    pub(super) tables: Vec<Table>,
    /// Whether there may be more of them.
    pub(super) more: bool,
    /// From `SET`, the list of columns, the rows, or the condition on.
    pub(super) rest: &'t [Token<'s>],
}

/// What may stand between the verb and the table.
const BEFORE_A_TABLE: [&str; 7] =
    ["DELAYED", "FROM", "HIGH_PRIORITY", "IGNORE", "INTO", "LOW_PRIORITY", "QUICK"];

/// The words behind a table that are no alias.
const AFTER_A_TABLE: [&str; 15] = [
    "CROSS",
    "FOR",
    "FORCE",
    "IGNORE",
    "INNER",
    "JOIN",
    "LEFT",
    "NATURAL",
    "ON",
    "PARTITION",
    "RIGHT",
    "SET",
    "STRAIGHT_JOIN",
    "USE",
    "USING",
];

/// The tables that a statement writes, in quotes; none where not all are known.
pub(crate) fn tables(text: &str) -> Vec<String> {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::MYSQL).collect();
    let written = written(&tokens).filter(|written| !written.more);
    written.into_iter().flat_map(|written| written.tables).map(|table| table.quoted).collect()
}

/// Reads them; none where the verb changes no rows.
pub(super) fn written<'t, 's>(tokens: &'t [Token<'s>]) -> Option<Written<'t, 's>> {
    // Common table expressions may stand before the verb.
    let place = find(tokens, |token| super::CHANGING.iter().any(|verb| token.is_word(verb)))?;
    let (verb, rest) = tokens.get(place..)?.split_first()?;
    let rest = skip(rest, &BEFORE_A_TABLE);
    if verb.is_word("UPDATE") {
        let set = find(rest, |token| token.is_word("SET"))?;
        let (named, rest) = rest.split_at_checked(set)?;
        let (tables, more) = joined(named);
        // One of several may be an expression of the `WITH` before the verb, with the name of a table.
        let more = more || place > 0 && tables.len() > 1;
        return Some(Written { tables, more, rest });
    }
    let (table, rest) = table(rest)?;
    Some(Written { tables: vec![table], more: false, rest })
}

/// The table with which the tokens begin, and what follows it and its partitions.
fn table<'t, 's>(tokens: &'t [Token<'s>]) -> Option<(Table, &'t [Token<'s>])> {
    let (parts, rest) = name(tokens).filter(|(parts, _)| parts.len() <= 2)?;
    let quoted: Vec<String> = parts.iter().map(|part| format!("`{}`", part.replace('`', "``"))).collect();
    let table = Table { quoted: quoted.join("."), qualifier: parts.last()?.clone() };
    let partitions = rest.split_first().filter(|(word, _)| word.is_word("PARTITION"));
    let rest = partitions.and_then(|(_, rest)| group(rest)).map_or(rest, |(_, rest)| rest);
    Some((table, rest))
}

/// The tables between `UPDATE` and `SET`, and whether some of them could not be told.
fn joined(mut rest: &[Token<'_>]) -> (Vec<Table>, bool) {
    let (mut tables, mut more) = (Vec::new(), false);
    loop {
        if let Some((inside, _)) = group(rest) {
            // No column of a subquery can be written.
            more |= !inside.first().is_some_and(|first| first.is_word("SELECT") || first.is_word("WITH"));
        } else if !rest.first().is_some_and(|first| first.is_word("LATERAL")) {
            let Some((mut table, after)) = table(rest) else { return (tables, true) };
            let after = skip(after, &["AS"]);
            let alias = after
                .first()
                .filter(|token| is_name(token))
                .filter(|token| !AFTER_A_TABLE.iter().any(|word| token.is_word(word)));
            if let Some(alias) = alias.and_then(Token::name) {
                table.qualifier = alias.into_owned();
            }
            tables.push(table);
        }
        let next = find(rest, |token| {
            token.is_symbol(",") || token.is_word("JOIN") || token.is_word("STRAIGHT_JOIN")
        });
        match next.and_then(|next| rest.get(next + 1..)) {
            Some(after) => rest = after,
            None => return (tables, more),
        }
    }
}

#[cfg(test)]
mod tests {
    use toolbox_source::scan::{Lexicon, Tokens};

    use super::written;

    #[test]
    fn the_tables_are_those_that_the_statement_writes() {
        for (text, expected, more) in [
            ("INSERT INTO t (a) VALUES (1)", &[("`t`", "t")][..], false),
            ("REPLACE LOW_PRIORITY `a``b`.t PARTITION (p) SELECT 1", &[("`a``b`.`t`", "t")], false),
            ("UPDATE IGNORE t AS x SET a = 1", &[("`t`", "x")], false),
            ("UPDATE t x USE INDEX (i), s.u SET a = 1", &[("`t`", "x"), ("`s`.`u`", "u")], false),
            (
                "UPDATE t JOIN u `the u` ON t.a = u.a LEFT JOIN (SELECT 1 AS b) d USING (b) SET t.a = 1",
                &[("`t`", "t"), ("`u`", "the u")],
                false,
            ),
            ("UPDATE (t JOIN u), w SET a = 1", &[("`w`", "w")], true),
            ("WITH c AS (SELECT 1) UPDATE t SET a = (SELECT 1 FROM c)", &[("`t`", "t")], false),
            ("WITH c AS (SELECT 1 x) UPDATE t, c SET a = x", &[("`t`", "t"), ("`c`", "c")], true),
            ("DELETE QUICK FROM t WHERE a = 1", &[("`t`", "t")], false),
        ] {
            let tokens: Vec<_> = Tokens::new(text, &Lexicon::MYSQL).collect();
            let written = written(&tokens).expect(text);
            let found: Vec<_> = written
                .tables
                .iter()
                .map(|table| (table.quoted.as_str(), table.qualifier.as_str()))
                .collect();
            assert_eq!((found.as_slice(), written.more), (expected, more), "{text}");
        }
        let tokens: Vec<_> = Tokens::new("SELECT 1 FROM t", &Lexicon::MYSQL).collect();
        assert_eq!(written(&tokens), None);
    }
}
