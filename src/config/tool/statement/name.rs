//! Finds a placeholder that stands where only a name can: no database binds the name of a table.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

/// A placeholder in the place of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Misplaced<'s> {
    /// Where it begins, in bytes.
    pub(super) start: usize,
    /// The keyword before it.
    pub(super) after: &'s str,
}

/// The first such placeholder of a statement.
pub(super) fn misplaced<'s>(text: &'s str, lexicon: &Lexicon) -> Option<Misplaced<'s>> {
    let mut before: [Option<Token<'s>>; 2] = [None, None];
    // For each open parenthesis, whether a statement began inside it: elsewhere FROM belongs to a function.
    let mut statements = vec![false];
    for token in Tokens::new(text, lexicon) {
        let is_word = |token: &Option<Token<'s>>, words: &[&str]| {
            token.is_some_and(|token| words.iter().any(|word| token.is_word(word)))
        };
        let [earlier, previous] = before;
        if token.is_symbol("(") {
            statements.push(false);
        } else if token.is_symbol(")") {
            statements.pop();
        } else if is_word(&Some(token), &["SELECT", "DELETE"]) {
            if let Some(statement) = statements.last_mut() {
                *statement = true;
            }
        } else if matches!(token.kind, TokenKind::Placeholder(_))
            && let Some(keyword) = previous
        {
            let names_a_table = is_word(&previous, &["JOIN", "INTO", "UPDATE", "TABLE"])
                || (is_word(&previous, &["FROM"])
                    && statements.last() == Some(&true)
                    // `a IS DISTINCT FROM ?` compares.
                    && !is_word(&earlier, &["DISTINCT"]));
            if names_a_table {
                return Some(Misplaced { start: token.start, after: keyword.text });
            }
        }
        before = [previous, Some(token)];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyword(text: &str, lexicon: Lexicon) -> Option<&str> {
        misplaced(text, &lexicon).map(|found| found.after)
    }

    #[test]
    fn a_placeholder_for_a_table_is_found() {
        for (text, expected) in [
            ("SELECT * FROM ?1", "FROM"),
            ("select a, (1) from ? where b = ?", "from"),
            ("SELECT * FROM t JOIN ? ON a = b", "JOIN"),
            ("INSERT INTO ? VALUES (1)", "INTO"),
            ("UPDATE ? SET a = 1", "UPDATE"),
            ("DELETE FROM ?", "FROM"),
            ("DROP TABLE ?", "TABLE"),
            ("SELECT a FROM t WHERE b IN (SELECT c FROM ?)", "FROM"),
        ] {
            assert_eq!(keyword(text, Lexicon::SQLITE), Some(expected), "{text}");
        }
        assert_eq!(keyword("SELECT * FROM $1", Lexicon::POSTGRES), Some("FROM"));
        assert_eq!(misplaced("SELECT * FROM ?", &Lexicon::SQLITE).map(|found| found.start), Some(14));
    }

    #[test]
    fn a_placeholder_for_a_value_is_not() {
        for text in [
            "SELECT ?, a FROM t WHERE b = ?",
            "SELECT EXTRACT(YEAR FROM ?) FROM t",
            "SELECT a FROM t WHERE substring(b FROM ?) = trim(BOTH FROM ?)",
            "SELECT a IS DISTINCT FROM ?, b IS NOT DISTINCT FROM ?",
            "SELECT a FROM t WHERE b IN (?) AND c > ANY (SELECT ? FROM u)",
            "INSERT INTO t VALUES (?) ON CONFLICT (a) DO UPDATE SET a = ?",
            "SELECT * FROM json_each(?)",
            "SELECT 'FROM ?', \"FROM\" FROM t -- FROM ?",
            "SELECT a FROM t LIMIT ?)",
        ] {
            assert_eq!(keyword(text, Lexicon::SQLITE), None, "{text}");
        }
    }
}
