//! Runs a refused statement again with another value for one argument, and takes it back. If it is refused with the same words,
//! that argument is not to blame. What it wrote stays nowhere: each run is a transaction that ends with a rollback.

use futures::StreamExt as _;
use sqlx::{
    AssertSqlSafe, Executor as _,
    sqlite::{SqliteArguments, SqliteConnection},
};
use toolbox_source::{
    Access,
    scan::{Lexicon, Token, Tokens},
};

use crate::{error, plan::numbered};

/// How many arguments are looked at; of more, nobody says that one is not to blame.
const MOST: usize = 200;

/// What stands for an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instead {
    /// A null, which columns, conditions and functions let through.
    Null,
    /// 1, where a null is refused too.
    One,
}

/// A statement that was refused.
pub(crate) struct Refused<'r> {
    pub(crate) statement: &'r str,
    pub(crate) arguments: &'r SqliteArguments,
    /// The error.
    pub(crate) message: &'r str,
    pub(crate) access: Access,
}

impl Refused<'_> {
    /// Those of the suspects without which the statement is not refused so. If each of them would do, and all together do not,
    /// these are all.
    pub(crate) async fn involved(
        &self,
        suspects: &[usize],
        instead: Instead,
        driver: &mut SqliteConnection,
    ) -> Result<Vec<usize>, sqlx::Error> {
        if suspects.is_empty() || suspects.len() > MOST || self.keeps_rows() {
            return Ok(suspects.to_vec());
        }
        let mut involved = Vec::new();
        for suspect in suspects {
            if !self.is_refused(&[*suspect], instead, driver).await? {
                involved.push(*suspect);
            }
        }
        if involved.is_empty() && suspects.len() > 1 && !self.is_refused(suspects, instead, driver).await? {
            return Ok(suspects.to_vec());
        }
        Ok(involved)
    }

    /// Whether the failed statement has left something, as `INSERT OR FAIL` does.
    fn keeps_rows(&self) -> bool {
        let mut tokens = Tokens::new(self.statement, &Lexicon::SQLITE);
        tokens.any(|token| token.is_word("FAIL") || token.is_word("ROLLBACK"))
    }

    /// Whether the same error comes back with other values for these arguments.
    async fn is_refused(
        &self,
        without: &[usize],
        instead: Instead,
        driver: &mut SqliteConnection,
    ) -> Result<bool, sqlx::Error> {
        let begin = match self.access {
            Access::ReadOnly => "BEGIN",
            Access::ReadWrite => "BEGIN IMMEDIATE",
        };
        driver.execute(begin).await?;
        let text = with_others(self.statement, without, instead);
        let query = sqlx::query_with(AssertSqlSafe(text), self.arguments.clone()).persistent(false);
        let mut refused = false;
        {
            let mut rows = driver.fetch_many(query);
            while let Some(step) = rows.next().await {
                if let Err(error) = step {
                    refused = error::in_statement(&error, self.statement).message == self.message;
                    break;
                }
            }
        }
        match driver.execute("ROLLBACK").await {
            // A conflict clause or a trigger has rolled back already.
            Err(error) if !error::is_plain(&error) => Err(error),
            _ => Ok(refused),
        }
    }
}

/// The statement with something else in the places of these arguments. All have numbers, by which sqlx binds them.
fn with_others(statement: &str, without: &[usize], instead: Instead) -> String {
    let mut written = String::with_capacity(statement.len() + 64);
    let mut copied = 0;
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::SQLITE).collect();
    for (token, index) in numbered(&tokens) {
        let Some(index) = index else { continue };
        written.push_str(statement.get(copied..token.start).unwrap_or_default());
        let number = index + 1;
        let other = match (without.contains(&index), instead) {
            (false, _) => format!("?{number}"),
            (true, Instead::Null) => format!("nullif(?{number}, ?{number})"),
            (true, Instead::One) => format!("(?{number} IS ?{number})"),
        };
        written.push_str(&other);
        copied = token.start + token.text.len();
    }
    written.push_str(statement.get(copied..).unwrap_or_default());
    written
}

#[cfg(test)]
mod tests {
    use super::{Instead, with_others};

    #[test]
    fn arguments_keep_their_numbers_where_another_value_stands() {
        for (statement, without, instead, expected) in [
            (
                "INSERT INTO t VALUES (?, '?', ?2, ?)",
                &[1][..],
                Instead::Null,
                "INSERT INTO t VALUES (?1, '?', nullif(?2, ?2), ?3)",
            ),
            ("SELECT ?, ? LIMIT ?", &[0, 2], Instead::One, "SELECT (?1 IS ?1), ?2 LIMIT (?3 IS ?3)"),
        ] {
            assert_eq!(with_others(statement, without, instead), expected);
        }
    }
}
