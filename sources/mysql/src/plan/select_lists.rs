//! The lists of a `SELECT`: its columns, with their aliases.

use toolbox_source::scan::{
    Token, TokenKind,
    items::{is_name, items, name, skip, until},
};

/// The words between `SELECT` and its list.
const BEFORE_A_LIST: [&str; 11] = [
    "ALL",
    "DISTINCT",
    "DISTINCTROW",
    "HIGH_PRIORITY",
    "SQL_BIG_RESULT",
    "SQL_BUFFER_RESULT",
    "SQL_CACHE",
    "SQL_CALC_FOUND_ROWS",
    "SQL_NO_CACHE",
    "SQL_SMALL_RESULT",
    "STRAIGHT_JOIN",
];

/// The words that end the list of a `SELECT`.
const AFTER_A_LIST: [&str; 17] = [
    "EXCEPT",
    "FOR",
    "FROM",
    "GROUP",
    "HAVING",
    "INTERSECT",
    "INTO",
    "LIMIT",
    "LOCK",
    "MINUS",
    "ON",
    "ORDER",
    "PROCEDURE",
    "RETURNING",
    "UNION",
    "WHERE",
    "WINDOW",
];

/// The lists of the `SELECT`s whose rows are those of the query with which the tokens begin: several with `UNION`, none of
/// those in subqueries and common table expressions.
pub(super) fn select_lists<'t, 's>(query: &'t [Token<'s>]) -> Vec<Vec<&'t [Token<'s>]>> {
    let mut lists = Vec::new();
    // For each open parenthesis, whether it stands around a whole query.
    let mut open: Vec<bool> = Vec::new();
    let mut before: Option<&Token<'_>> = None;
    for (index, token) in query.iter().enumerate() {
        if token.is_symbol("(") {
            let joins = ["UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS"];
            let begins = before.is_none_or(|before| {
                before.is_symbol("(") && open.last() == Some(&true)
                    || joins.iter().any(|word| before.is_word(word))
            });
            open.push(begins && open.iter().all(|around| *around));
        } else if token.is_symbol(")") {
            open.pop();
        } else if token.is_word("SELECT") && open.iter().all(|around| *around) {
            let rest = skip(query.get(index + 1..).unwrap_or_default(), &BEFORE_A_LIST);
            lists.push(items(until(rest, &AFTER_A_LIST).0));
        }
        before = Some(token);
    }
    lists
}

/// Whether an item of such a list stands for many columns: `*`, `t.*`.
pub(super) fn is_star(item: &[Token<'_>]) -> bool {
    item.last().is_some_and(|last| last.is_symbol("*"))
}

/// An item of such a list without its alias, and the alias.
pub(super) fn without_alias<'t, 's>(item: &'t [Token<'s>]) -> (&'t [Token<'s>], Option<&'t Token<'s>>) {
    let Some((alias, rest)) = item.split_last().filter(|(_, rest)| !rest.is_empty()) else {
        return (item, None);
    };
    if let [expression @ .., word] = rest
        && word.is_word("AS")
    {
        return (expression, Some(alias));
    }
    // A name behind what ends an expression.
    let ends = rest.last().is_some_and(|last| {
        last.is_symbol(")") || last.kind == TokenKind::Name || matches!(last.kind, TokenKind::Placeholder(_))
    }) || matches!(name(rest), Some((_, [])));
    if ends && is_name(alias) && !alias.is_word("END") { (rest, Some(alias)) } else { (item, None) }
}
