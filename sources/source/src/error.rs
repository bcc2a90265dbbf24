//! What can go wrong between a query and its rows.
//!
//! Messages are for the model and the operator alike: lower case, one line, no final full stop, never a host, a user name,
//! a password or an argument's value of ours.

use std::{fmt, time::Duration};

/// What the database itself said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseError {
    /// Its message.
    pub message: String,
    /// Its code: SQLSTATE, or `SQLite`'s extended result code.
    pub code: Option<String>,
    /// Where in the statement, in characters from 1, if it says so.
    pub position: Option<usize>,
    /// More about this case.
    pub detail: Option<String>,
    /// What it suggests.
    pub hint: Option<String>,
}

impl DatabaseError {
    /// A message without more, on one line.
    #[must_use]
    pub fn new(message: &str) -> Self {
        Self { message: message.replace(['\r', '\n'], " "), ..Self::default() }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        if let Some(code) = &self.code {
            write!(formatter, " (code {code})")?;
        }
        if let Some(position) = self.position {
            write!(formatter, " at character {position}")?;
        }
        if let Some(detail) = &self.detail {
            write!(formatter, "; detail: {detail}")?;
        }
        if let Some(hint) = &self.hint {
            write!(formatter, "; hint: {hint}")?;
        }
        Ok(())
    }
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// No connection could be made.
    #[error("cannot connect to the database: {0}")]
    Connect(DatabaseError),
    /// All connections stayed in use.
    #[error(
        "all {connections} connections of the source are in use and none became free within {waited:?}; \
         try again, or raise maxConnections"
    )]
    Busy {
        /// `maxConnections` of the source.
        connections: usize,
        /// How long the call waited: `acquireTimeout`.
        waited: Duration,
    },
    /// The database refused the statement or failed while running it.
    #[error("{0}")]
    Database(DatabaseError),
    /// The statement is refused before the database sees it.
    #[error("{0}")]
    Refused(String),
    /// An argument cannot be bound.
    #[error("argument {}: {message}", .index + 1)]
    Argument {
        /// Its place, from 0, so that the caller can name the parameter.
        index: usize,
        /// What is wrong and what would do.
        message: String,
    },
    /// The database refused a value that is made of several arguments, or is one of them.
    #[error("arguments {}: {message}", places(.indexes))]
    Arguments {
        /// Their places, from 0, so that the caller can name the parameters.
        indexes: Vec<usize>,
        /// What is wrong.
        message: String,
    },
    /// A column cannot be read.
    #[error("column {column:?}: {message}")]
    Column {
        /// Its name.
        column: String,
        /// What is wrong and what to write instead.
        message: String,
    },
    /// The statement ran longer than `statementTimeout` and was stopped in the database.
    #[error("the statement ran longer than {0:?} and was stopped")]
    Timeout(Duration),
    /// The call was cancelled and the statement was stopped in the database.
    #[error("the call was cancelled and the statement was stopped")]
    Cancelled,
    /// The connection broke after a write was sent.
    #[error("the connection was lost while a write was running, so its outcome is unknown: {0}")]
    OutcomeUnknown(DatabaseError),
    /// The source's migrations could not be applied.
    #[error("cannot apply the migrations: {0}")]
    Migration(String),
}

impl SourceError {
    /// What the database said of a value that it refused, with the places, from 0, of the arguments that the value may be.
    #[must_use]
    pub fn of_value(places: &[usize], said: DatabaseError) -> Self {
        match places {
            [] => Self::Database(said),
            [index] => Self::Argument { index: *index, message: said.to_string() },
            several => Self::Arguments { indexes: several.to_vec(), message: said.to_string() },
        }
    }
}

/// Places from 1, with commas.
fn places(indexes: &[usize]) -> String {
    indexes.iter().map(|index| (index + 1).to_string()).collect::<Vec<_>>().join(", ")
}
