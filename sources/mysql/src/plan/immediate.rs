//! `EXECUTE IMMEDIATE 'text' USING ?, ?` of `MariaDB` with a text of its own is that text: the server would only add a layer that
//! tells less (no key, no column names, no types of arguments).

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens, items::items};

/// The statement that is executed; none where its text is an expression, or its arguments are.
pub(super) fn executed(sql: &str) -> Option<String> {
    let mut tokens = Tokens::new(sql, &Lexicon::MYSQL);
    // Nearly every statement is another one.
    if !(tokens.next()?.is_word("EXECUTE") && tokens.next()?.is_word("IMMEDIATE")) {
        return None;
    }
    let text = tokens.next().filter(|text| text.kind == TokenKind::Text)?;
    let rest: Vec<Token<'_>> = tokens.collect();
    // An escape means one thing or another by the session's sql_mode, and double quotes may enclose a name.
    let literal = text.text.strip_prefix('\'')?.strip_suffix('\'').filter(|inside| !inside.contains('\\'))?;
    let rest = match rest.split_last() {
        Some((end, before)) if end.is_symbol(";") => before,
        _ => &rest,
    };
    let given = match rest.split_first() {
        None => 0,
        Some((using, arguments)) if using.is_word("USING") => {
            let arguments = items(arguments);
            let is_argument = |item: &&[Token<'_>]| matches!(item, [only] if matches!(only.kind, TokenKind::Placeholder(_)));
            arguments.iter().all(is_argument).then_some(arguments.len())?
        }
        Some(_) => return None,
    };
    let statement = literal.replace("''", "'");
    let is_argument = |token: &Token<'_>| matches!(token.kind, TokenKind::Placeholder(_));
    let taken = Tokens::new(&statement, &Lexicon::MYSQL).filter(is_argument).count();
    (taken == given).then_some(statement)
}

#[cfg(test)]
mod tests {
    use super::executed;

    #[test]
    fn a_text_of_its_own_is_the_statement() {
        for (sql, expected) in [
            ("EXECUTE IMMEDIATE 'SELECT 1'", Some("SELECT 1")),
            ("execute immediate 'SELECT ''a'', ?' using ? ;", Some("SELECT 'a', ?")),
            ("EXECUTE IMMEDIATE 'SELECT ?, ?' USING ?, ?", Some("SELECT ?, ?")),
            ("EXECUTE IMMEDIATE 'SELECT ?' USING ? + 1", None),
            ("EXECUTE IMMEDIATE 'SELECT ?, ?' USING ?", None),
            ("EXECUTE IMMEDIATE 'SELECT ?'", None),
            ("EXECUTE IMMEDIATE CONCAT('SELECT ', '1')", None),
            ("EXECUTE IMMEDIATE 'SELECT ' '1'", None),
            ("EXECUTE IMMEDIATE 'SELECT \\'a\\''", None),
            ("EXECUTE IMMEDIATE \"SELECT 1\"", None),
            ("EXECUTE IMMEDIATE ?", None),
            ("EXECUTE s", None),
            ("SELECT 'EXECUTE IMMEDIATE'", None),
        ] {
            assert_eq!(executed(sql).as_deref(), expected, "{sql}");
        }
    }
}
