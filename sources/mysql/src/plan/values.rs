//! Arguments in the rows of a `VALUES` that is a query, which `MariaDB` cuts.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

/// The first argument in the rows of a `VALUES` that is a query, and no part of an `INSERT`.
pub(crate) fn in_values(statement: &str) -> Option<usize> {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::MYSQL).collect();
    let inserts =
        ["INSERT", "REPLACE"].iter().any(|word| tokens.first().is_some_and(|first| first.is_word(word)));
    let mut arguments = 0;
    // The depth of each `VALUES` whose rows are open.
    let mut open: Vec<usize> = Vec::new();
    let (mut depth, mut own_rows) = (0_usize, inserts);
    for (index, token) in tokens.iter().enumerate() {
        let next_is = |symbol: &str| tokens.get(index + 1).is_some_and(|next| next.is_symbol(symbol));
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth = depth.saturating_sub(1);
            // Another row follows a comma.
            open.retain(|values| *values < depth || *values == depth && next_is(","));
        } else if token.is_word("VALUES") && next_is("(") {
            // Behind `ON DUPLICATE KEY UPDATE` it is a function, which takes a column.
            if !(std::mem::take(&mut own_rows) && depth == 0) {
                open.push(depth);
            }
        } else if token.is_word("SELECT") && depth == 0 {
            own_rows = false;
        } else if matches!(token.kind, TokenKind::Placeholder(_)) {
            if open.last().is_some_and(|values| *values < depth) {
                return Some(arguments);
            }
            arguments += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::in_values;

    #[test]
    fn arguments_in_the_rows_of_a_query_are_found() {
        for (statement, expected) in [
            ("VALUES (?, ?)", Some(0)),
            ("VALUES (1), (CONCAT(?, 'x'))", Some(0)),
            ("SELECT ? UNION ALL VALUES (?)", Some(1)),
            ("SELECT a FROM (VALUES (1), (?)) x WHERE a = ?", Some(0)),
            ("SELECT a FROM (VALUES (1), (2)) x WHERE a = ? AND (b = ?)", None),
            ("WITH x(v) AS (VALUES (1, (2))) SELECT * FROM x WHERE v IN (?)", None),
            ("INSERT INTO t (a, b) VALUES (?, ?), (?, ?)", None),
            ("INSERT INTO t VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a) + ?", None),
            ("INSERT INTO t SELECT 1 UNION ALL VALUES (?)", Some(0)),
            ("SELECT 1 UNION ALL VALUES (1), (2) ORDER BY ABS(?)", None),
            ("REPLACE INTO t SELECT * FROM (VALUES (?)) x", Some(0)),
            ("SELECT `values`(?), 'VALUES (?)'", None),
        ] {
            assert_eq!(in_values(statement), expected, "{statement}");
        }
    }
}
