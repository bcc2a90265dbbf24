//! A query that has the columns of the caller's statement and runs nothing of it: for the protocol in which a statement is
//! described only by running it. It builds text and must not know connections.

use toolbox_source::scan::{Lexicon, Token, Tokens};

use crate::{
    outline::Outline,
    plan::{self, Form},
};

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
        Form::Call | Form::Other => None,
    }
}

/// What `RETURNING` lists, read from the tables that the statement names, none of whose rows it wants. One row of nulls comes,
/// as from a query.
fn returning(head: &str, text: &str) -> Option<String> {
    let tokens = Outline::read(text);
    let list = tokens.after("RETURNING", 0)?;
    let end_of_tables = |from: usize| {
        let ends = [tokens.find("WHERE", from), tokens.find("RETURNING", from)];
        ends.into_iter().flatten().min()
    };
    let (first, others) = if tokens.is_one_of(0, &["INSERT"]) {
        let start = tokens.after("INTO", 0)?;
        (tokens.text(start, tokens.end_of_name(start)?), None)
    } else if tokens.is_one_of(0, &["UPDATE"]) {
        let set = tokens.find("SET", 1)?;
        let others = match tokens.from(set) {
            Some(from) => Some(tokens.text(from + 1, end_of_tables(from)?)?),
            None => None,
        };
        (tokens.text(1, set), others)
    } else if tokens.is_one_of(0, &["DELETE"]) {
        let start = tokens.after("FROM", 0)?;
        let end = end_of_tables(start)?;
        match tokens.find("USING", start).filter(|using| *using < end) {
            Some(using) => (tokens.text(start, using), Some(tokens.text(using + 1, end)?)),
            None => (tokens.text(start, end), None),
        }
    } else if tokens.is_one_of(0, &["MERGE"]) {
        // An asterisk stands for the columns of the source and then those of the target.
        let start = tokens.after("INTO", 0)?;
        let using = tokens.find("USING", start)?;
        (tokens.text(using + 1, tokens.find("ON", using)?), Some(tokens.text(start, using)?))
    } else {
        return None;
    };
    let comma = if others.is_some() { ", " } else { "" };
    let (first, others) = (first?, others.unwrap_or_default());
    let list = text.get(tokens.get(list)?.start..)?;
    Some(format!(
        "{head}SELECT r.* FROM (SELECT 1) AS one LEFT JOIN (SELECT {list}\nFROM {first}{comma}{others}\n) AS r ON false LIMIT 1"
    ))
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
            (
                "MERGE INTO t AS x USING (SELECT 1 AS i) s ON x.i = s.i WHEN MATCHED THEN DELETE RETURNING *, x.m",
                "*, x.m",
                "(SELECT 1 AS i) s, t AS x",
            ),
        ] {
            let expected = format!(
                "SELECT r.* FROM (SELECT 1) AS one LEFT JOIN (SELECT {list}\nFROM {tables}\n) AS r ON false LIMIT 1"
            );
            assert_eq!(columns(statement, Form::DataChange), Some(expected), "{statement}");
        }
        assert_eq!(columns("DELETE FROM t", Form::DataChange), None);
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
