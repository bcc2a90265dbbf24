//! Lists in statements: what stands between commas, at one level of parentheses.

use toolbox_source::scan::{Token, TokenKind};

/// How many parentheses are open after the token.
pub(super) fn depth_after(depth: usize, token: &Token<'_>) -> usize {
    if token.is_symbol("(") {
        depth + 1
    } else if token.is_symbol(")") {
        depth.saturating_sub(1)
    } else {
        depth
    }
}

/// The place of the first token outside of parentheses that is so. A closing parenthesis that was not opened here is outside.
pub(super) fn find(tokens: &[Token<'_>], is_it: impl Fn(&Token<'_>) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    tokens.iter().position(|token| {
        let found = depth == 0 && is_it(token);
        depth = depth_after(depth, token);
        found
    })
}

/// The pieces between the tokens outside of parentheses that are so; one more than there are such tokens.
pub(super) fn split<'t, 's>(
    tokens: &'t [Token<'s>],
    mut separates: impl FnMut(&Token<'s>) -> bool,
) -> Vec<&'t [Token<'s>]> {
    let mut depth = 0_usize;
    tokens
        .split(|token| {
            let separates = depth == 0 && separates(token);
            depth = depth_after(depth, token);
            separates
        })
        .collect()
}

/// The items between commas.
pub(super) fn items<'t, 's>(tokens: &'t [Token<'s>]) -> Vec<&'t [Token<'s>]> {
    split(tokens, |token| token.is_symbol(","))
}

/// What stands in the parentheses with which the tokens begin, and what follows them.
pub(super) fn group<'t, 's>(tokens: &'t [Token<'s>]) -> Option<(&'t [Token<'s>], &'t [Token<'s>])> {
    let (_, rest) = tokens.split_first().filter(|(open, _)| open.is_symbol("("))?;
    let end = find(rest, |token| token.is_symbol(")"))?;
    let (inside, after) = rest.split_at_checked(end)?;
    Some((inside, after.get(1..)?))
}

/// The tokens behind those at the beginning that are so.
pub(super) fn skip<'t, 's>(tokens: &'t [Token<'s>], words: &[&str]) -> &'t [Token<'s>] {
    let skipped = tokens.iter().take_while(|token| words.iter().any(|word| token.is_word(word))).count();
    tokens.get(skipped..).unwrap_or_default()
}

/// The tokens before the first one outside of parentheses that is one of these words, and those from it on.
pub(super) fn until<'t, 's>(tokens: &'t [Token<'s>], words: &[&str]) -> (&'t [Token<'s>], &'t [Token<'s>]) {
    let end = find(tokens, |token| token.is_symbol(")") || words.iter().any(|word| token.is_word(word)));
    tokens.split_at_checked(end.unwrap_or(tokens.len())).unwrap_or((tokens, &[]))
}

/// The parts of a name, `schema.table.column`, with which the tokens begin, and what follows it.
pub(super) fn name<'t, 's>(tokens: &'t [Token<'s>]) -> Option<(Vec<String>, &'t [Token<'s>])> {
    let mut parts = Vec::new();
    let mut rest = tokens;
    loop {
        let (token, after) = rest.split_first()?;
        if !is_name(token) {
            return None;
        }
        parts.push(token.name()?.into_owned());
        match after.split_first() {
            Some((dot, after)) if dot.is_symbol(".") => rest = after,
            _ => return Some((parts, after)),
        }
    }
}

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

fn is_name(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Name)
}
