//! `RETURNING` of `MariaDB`. The server announces its columns with the answer, and the driver shows them with the first row
//! only, so those of an answer without rows come from a `SELECT` that is prepared and never runs.

use toolbox_source::scan::{Lexicon, Token, Tokens, items::depth_after};

use super::tables::written;

/// A `SELECT` with the columns that this `INSERT`, `REPLACE` or `DELETE` returns, if it returns any.
pub(super) fn columns_query(text: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::MYSQL).collect();
    let list = returned(text, &tokens)?;
    let [table] = written(&tokens)?.tables.try_into().ok()?;
    Some(format!("SELECT {list} FROM {}", table.quoted))
}

/// What stands behind the `RETURNING` of the statement itself.
fn returned<'t>(text: &'t str, tokens: &[Token<'t>]) -> Option<&'t str> {
    let mut depth = 0_usize;
    let mut list = None;
    for (index, token) in tokens.iter().enumerate() {
        if depth == 0 && token.is_word("RETURNING") {
            let is_name = index.checked_sub(1).and_then(|before| tokens.get(before));
            if !is_name.is_some_and(|before| before.is_symbol(".")) {
                list = text.get(token.end()..);
            }
        }
        depth = depth_after(depth, token);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::columns_query;

    #[test]
    fn the_list_and_the_table_make_a_select() {
        for (text, expected) in [
            ("DELETE FROM t WHERE a = ? RETURNING a, b AS x", "SELECT  a, b AS x FROM `t`"),
            ("INSERT INTO `s`.`t` (a) VALUES (1) RETURNING *", "SELECT  * FROM `s`.`t`"),
            ("REPLACE t VALUES (1) RETURNING (SELECT 1)", "SELECT  (SELECT 1) FROM `t`"),
            ("INSERT IGNORE t SELECT returning.a FROM u RETURNING a", "SELECT  a FROM `t`"),
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
