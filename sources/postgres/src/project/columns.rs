//! A query that has the columns of the caller's statement and runs nothing of it: for the protocol in which a statement is
//! described only by running it. It builds text and must not know connections.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

use crate::plan::{self, Form};

/// The query; `None` for a statement whose columns no other one has.
pub(crate) fn columns(text: &str, form: Form) -> Option<String> {
    let text = plan::without_end(text);
    match form {
        // The join is never true.
        Form::Query => {
            Some(format!("SELECT r.* FROM (SELECT 1) AS one LEFT JOIN (\n{text}\n) AS r ON false LIMIT 1"))
        }
        Form::DataChange => returning("", text),
        Form::AfterWith(place) => {
            let (head, main) = text.split_at_checked(place)?;
            let changes = |token: Token<'_>| {
                ["INSERT", "UPDATE", "DELETE", "MERGE"].iter().any(|verb| token.is_word(verb))
            };
            // Its parts would run.
            if Tokens::new(head, &Lexicon::POSTGRES).any(changes) { None } else { returning(head, main) }
        }
        Form::Other => None,
    }
}

/// What `RETURNING` lists, read from the tables that the statement names, none of whose rows it wants. One row of nulls comes,
/// as from a query.
fn returning(head: &str, text: &str) -> Option<String> {
    let tokens = Outer::read(text);
    let list = tokens.after("RETURNING", 0)?;
    let verb = tokens.tokens.first()?;
    let end_of_tables = |from: usize| {
        let ends = [tokens.find("WHERE", from), tokens.find("RETURNING", from)];
        ends.into_iter().flatten().min()
    };
    let (target, others) = if verb.is_word("INSERT") {
        let start = tokens.after("INTO", 0)?;
        (tokens.text(start, tokens.end_of_name(start)?), None)
    } else if verb.is_word("UPDATE") {
        let set = tokens.find("SET", 1)?;
        let others = match tokens.from(set) {
            Some(from) => Some(tokens.text(from + 1, end_of_tables(from)?)?),
            None => None,
        };
        (tokens.text(1, set), others)
    } else if verb.is_word("DELETE") {
        let start = tokens.after("FROM", 0)?;
        let end = end_of_tables(start)?;
        match tokens.find("USING", start).filter(|using| *using < end) {
            Some(using) => (tokens.text(start, using), Some(tokens.text(using + 1, end)?)),
            None => (tokens.text(start, end), None),
        }
    } else {
        return None;
    };
    let comma = if others.is_some() { ", " } else { "" };
    let (target, others) = (target?, others.unwrap_or_default());
    let list = text.get(tokens.tokens.get(list)?.start..)?;
    Some(format!(
        "{head}SELECT r.* FROM (SELECT 1) AS one LEFT JOIN (SELECT {list}\nFROM {target}{comma}{others}\n) AS r ON false LIMIT 1"
    ))
}

/// The tokens of a statement with their depths.
struct Outer<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    depths: Vec<usize>,
}

impl<'a> Outer<'a> {
    fn read(text: &'a str) -> Self {
        let tokens: Vec<Token<'a>> = Tokens::new(text, &Lexicon::POSTGRES).collect();
        let mut depth = 0_usize;
        let depths = tokens
            .iter()
            .map(|token| {
                if token.is_symbol("(") || token.is_symbol("[") {
                    depth += 1;
                } else if token.is_symbol(")") || token.is_symbol("]") {
                    depth = depth.saturating_sub(1);
                }
                depth
            })
            .collect();
        Self { text, tokens, depths }
    }

    /// The first such word outside parentheses, from a token on.
    fn find(&self, word: &str, from: usize) -> Option<usize> {
        let mut places = self.tokens.iter().zip(&self.depths).enumerate().skip(from);
        places.find(|(_, (token, depth))| **depth == 0 && token.is_word(word)).map(|(place, _)| place)
    }

    fn after(&self, word: &str, from: usize) -> Option<usize> {
        self.find(word, from).map(|place| place + 1)
    }

    /// The first `FROM` outside parentheses that is not one of `IS DISTINCT FROM`.
    fn from(&self, from: usize) -> Option<usize> {
        let place = self.find("FROM", from)?;
        let is_comparison = self.tokens.get(place - 1).is_some_and(|token| token.is_word("DISTINCT"));
        if is_comparison { self.from(place + 1) } else { Some(place) }
    }

    /// Where a table's name, and the alias after `AS`, ends.
    fn end_of_name(&self, start: usize) -> Option<usize> {
        let is_name = |place: usize| {
            self.tokens
                .get(place)
                .is_some_and(|token| matches!(token.kind, TokenKind::Word | TokenKind::Name))
        };
        let is =
            |place: usize, symbol: &str| self.tokens.get(place).is_some_and(|token| token.is_symbol(symbol));
        let mut end = start;
        loop {
            if !is_name(end) {
                return None;
            }
            end += 1;
            if !is(end, ".") {
                break;
            }
            end += 1;
        }
        let has_alias = self.tokens.get(end).is_some_and(|token| token.is_word("AS")) && is_name(end + 1);
        Some(if has_alias { end + 2 } else { end })
    }

    /// The text from one token up to another.
    fn text(&self, start: usize, end: usize) -> Option<&'a str> {
        self.text.get(self.tokens.get(start)?.start..self.tokens.get(end)?.start).map(str::trim)
    }
}

#[cfg(test)]
mod tests {
    use super::columns;
    use crate::plan::Form;

    #[test]
    fn what_returning_lists_is_read_from_the_tables_that_the_statement_names() {
        for (statement, list, tables) in [
            ("INSERT INTO t VALUES (1) RETURNING m;", "m", "t"),
            (
                "insert into s.\"T\" AS x (a) SELECT (SELECT 1 FROM u) returning x.m, a -- end",
                "x.m, a",
                "s.\"T\" AS x",
            ),
            (
                "INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = 1 WHERE t.a > 0 RETURNING *",
                "*",
                "t",
            ),
            ("UPDATE ONLY t AS x SET a = b IS DISTINCT FROM c RETURNING m", "m", "ONLY t AS x"),
            (
                "UPDATE t SET a = 1 FROM u, v JOIN w USING (i) WHERE t.i = u.i RETURNING *",
                "*",
                "t, u, v JOIN w USING (i)",
            ),
            ("DELETE FROM t RETURNING m", "m", "t"),
            ("DELETE FROM t x USING u WHERE x.i = u.i RETURNING u.m", "u.m", "t x, u"),
        ] {
            let expected = format!(
                "SELECT r.* FROM (SELECT 1) AS one LEFT JOIN (SELECT {list}\nFROM {tables}\n) AS r ON false LIMIT 1"
            );
            assert_eq!(columns(statement, Form::DataChange), Some(expected), "{statement}");
        }
        for statement in
            ["DELETE FROM t", "MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE RETURNING m"]
        {
            assert_eq!(columns(statement, Form::DataChange), None, "{statement}");
        }
    }

    #[test]
    fn parts_of_a_with_that_change_data_are_not_run() {
        let main = "INSERT INTO t SELECT a FROM p RETURNING m";
        let with = |part: &str| {
            let head = format!("WITH p AS ({part}) ");
            columns(&format!("{head}{main}"), Form::AfterWith(head.len()))
        };
        assert!(
            with("SELECT 1 AS a")
                .is_some_and(|query| query.starts_with("WITH p AS (SELECT 1 AS a) SELECT r.*"))
        );
        assert_eq!(with("DELETE FROM u RETURNING a"), None);
        assert_eq!(columns("CALL p()", Form::Other), None);
    }
}
