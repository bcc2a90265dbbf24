//! Queries that tell the columns of the caller's statement and run nothing of it: for a statement that the driver cannot
//! describe. They build text and must not know connections.

use super::ROWS;
use crate::plan::{self, Form};

/// What stands before an answer in a message of the server.
const ANSWER: &str = "toolbox: ";

/// A query with the columns of a query and one row at most, of nulls: for the protocol in which a query is described only by
/// running it.
pub(crate) fn empty(text: &str) -> String {
    let text = plan::without_end(text);
    // The join is never true.
    format!("SELECT r.* FROM (SELECT 1) AS one LEFT JOIN (\n{text}\n) AS r ON false LIMIT 1")
}

/// A statement that changes data, as a part of a WITH from which nothing is read. The server completes such parts before it
/// answers, so a query around them must fail before they begin, and its answer is what it fails with.
pub(crate) struct Part<'a> {
    /// Everything before the part.
    head: String,
    text: &'a str,
}

impl<'a> Part<'a> {
    /// `None` for a statement that is no part of a WITH.
    pub(crate) fn new(text: &'a str, form: Form) -> Option<Self> {
        let text = plan::without_end(text);
        match form {
            Form::DataChange => Some(Self { head: "WITH ".to_owned(), text }),
            Form::AfterWith => {
                let (head, text) = text.split_at_checked(plan::main_statement(text)?)?;
                Some(Self { head: format!("{head}, "), text })
            }
            Form::Query | Form::Call | Form::Other => None,
        }
    }

    /// A query that fails with an object, whose members have the names of the columns.
    pub(crate) fn names(&self) -> String {
        self.failing("", "(SELECT pg_catalog.row_to_json(x) FROM (SELECT r.*) AS x)")
    }

    /// A query that fails with the numbers of the types of so many columns, in braces and with commas.
    pub(crate) fn types(&self, count: usize) -> String {
        let names: Vec<String> = (1..=count).map(|number| format!("c{number}")).collect();
        let types: Vec<String> =
            names.iter().map(|name| format!("pg_catalog.pg_typeof(r.{name})::pg_catalog.oid")).collect();
        self.failing(&format!("({})", names.join(", ")), &format!("ARRAY[{}]", types.join(", ")))
    }

    fn failing(&self, names: &str, answer: &str) -> String {
        let Self { head, text } = self;
        // The join is never true, so that the part is not read.
        format!(
            "{head}{ROWS}{names} AS (\n{text}\n) SELECT pg_catalog.concat('{ANSWER}', {answer})::pg_catalog.bool \
             FROM (VALUES (1)) AS one(n) LEFT JOIN {ROWS} AS r ON false"
        )
    }
}

/// The answer in a message, which has words and quotes of the server's language around it.
pub(crate) fn answer(message: &str) -> Option<&str> {
    let (_, answer) = message.split_once(ANSWER)?;
    answer.get(..=answer.rfind('}')?)
}

#[cfg(test)]
mod tests {
    use super::{Part, answer};
    use crate::plan::Form;

    #[test]
    fn a_statement_becomes_a_further_part_of_its_with() {
        let text = "WITH a AS (DELETE FROM t RETURNING m) SELECT m FROM a -- ;";
        let part = Part::new(text, Form::AfterWith).map(|part| part.types(1));
        let begin =
            "WITH a AS (DELETE FROM t RETURNING m) , toolbox_rows(c1) AS (\nSELECT m FROM a\n) SELECT ";
        assert!(part.is_some_and(|part| part.starts_with(begin)));
        assert!(Part::new("SELECT 1", Form::Query).is_none());
    }

    #[test]
    fn an_answer_is_found_in_every_language() {
        for message in ["syntax: \"toolbox: {\"a}\":null}\"", "Syntax: »toolbox: {\"a}\":null}«"] {
            assert_eq!(answer(message), Some("{\"a}\":null}"));
        }
        assert_eq!(answer("permission denied"), None);
    }
}
