//! `RETURNING` of `MariaDB`. The server announces its columns with the answer, and the driver shows them with the first row
//! only, so those of an answer without rows come from a `SELECT` that is prepared and never runs.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

/// A `SELECT` with the columns that this `INSERT`, `REPLACE` or `DELETE` returns, if it returns any.
pub(super) fn columns_query(text: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::MYSQL).collect();
    let list = returned(text, &tokens)?;
    let table = table(text, &tokens)?;
    Some(format!("SELECT {list} FROM {table}"))
}

/// What stands behind the `RETURNING` of the statement itself.
fn returned<'t>(text: &'t str, tokens: &[Token<'t>]) -> Option<&'t str> {
    let mut depth = 0_usize;
    let mut list = None;
    for (index, token) in tokens.iter().enumerate() {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.is_word("RETURNING") {
            let is_name = index.checked_sub(1).and_then(|before| tokens.get(before));
            if !is_name.is_some_and(|before| before.is_symbol(".")) {
                list = text.get(token.end()..);
            }
        }
    }
    list
}

/// The table, with its schema if it is named, as it is written.
fn table<'t>(text: &'t str, tokens: &[Token<'t>]) -> Option<&'t str> {
    const BEFORE: [&str; 10] = [
        "DELAYED",
        "DELETE",
        "FROM",
        "HIGH_PRIORITY",
        "IGNORE",
        "INSERT",
        "INTO",
        "LOW_PRIORITY",
        "QUICK",
        "REPLACE",
    ];
    let is_before = |token: &Token<'_>| BEFORE.iter().any(|word| token.is_word(word));
    let mut rest = tokens.iter().skip_while(|token| is_before(token)).peekable();
    let is_name = |token: &&Token<'t>| matches!(token.kind, TokenKind::Word | TokenKind::Name);
    let first = rest.next().filter(is_name)?;
    let mut end = first.end();
    if rest.next_if(|token| token.is_symbol(".")).is_some() {
        end = rest.next().filter(is_name)?.end();
    }
    text.get(first.start..end)
}

#[cfg(test)]
mod tests {
    use super::columns_query;

    #[test]
    fn the_list_and_the_table_make_a_select() {
        for (text, expected) in [
            ("DELETE FROM t WHERE a = ? RETURNING a, b AS x", "SELECT  a, b AS x FROM t"),
            ("INSERT INTO `s`.`t` (a) VALUES (1) RETURNING *", "SELECT  * FROM `s`.`t`"),
            ("REPLACE t VALUES (1) RETURNING (SELECT 1)", "SELECT  (SELECT 1) FROM t"),
            ("INSERT IGNORE t SELECT returning.a FROM u RETURNING a", "SELECT  a FROM t"),
        ] {
            assert_eq!(columns_query(text).as_deref(), Some(expected));
        }
        for text in [
            "INSERT INTO t VALUES (1)",
            "UPDATE t SET a = 'RETURNING a'",
            "INSERT INTO t VALUES ((returning))",
            "",
        ] {
            assert_eq!(columns_query(text), None, "{text}");
        }
    }
}
