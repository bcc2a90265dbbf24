//! What sqlx reports, in the words of `SQLite` alone.

use std::borrow::Cow;

use toolbox_source::{
    DatabaseError,
    scan::{Lexicon, Tokens},
};

/// `SQLITE_BUSY`: another connection holds a lock.
const BUSY: i32 = 5;
/// `SQLITE_LOCKED`: another connection of the same shared cache holds a lock.
const LOCKED: i32 = 6;
/// `SQLITE_NOMEM`: the limit of the heap, before the machine's own.
const NO_MEMORY: i32 = 7;
/// `SQLITE_INTERRUPT`: the progress handler said stop.
const INTERRUPT: i32 = 9;
/// `SQLITE_CANTOPEN`.
const CANNOT_OPEN: i32 = 14;
/// `SQLITE_CONSTRAINT`.
const CONSTRAINT: i32 = 19;
/// `SQLITE_READONLY_RECOVERY`: the write-ahead log of a crashed program must be read by one that may write.
const READ_ONLY_RECOVERY: i32 = 264;
/// `SQLITE_READONLY_ROLLBACK`: the journal of a crashed program must be rolled back by one that may write.
const READ_ONLY_ROLLBACK: i32 = 776;

/// What to do about it.
const NO_MEMORY_HINT: &str = "SQLite may use 512 MiB in this process; ask for less at once, such as a part of a long value with substr()";

/// What kind of trouble a failure is (<https://www.sqlite.org/rescode.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// A lock that may be free in a moment.
    Lock,
    /// The statement was stopped.
    Interrupted,
    /// A constraint does not hold; what the statement has done stays as its conflict clause says.
    Constraint,
    /// The file cannot be opened.
    CannotOpen,
    /// A crashed program left work that only a connection that may write can finish.
    Unfinished,
    /// Anything else.
    Other,
}

pub(crate) fn trouble(error: &sqlx::Error) -> Trouble {
    let code = code(error).and_then(|code| code.parse::<i32>().ok());
    match code {
        Some(READ_ONLY_RECOVERY | READ_ONLY_ROLLBACK) => Trouble::Unfinished,
        Some(code) => match code & 0xff {
            BUSY | LOCKED => Trouble::Lock,
            INTERRUPT => Trouble::Interrupted,
            CONSTRAINT => Trouble::Constraint,
            CANNOT_OPEN => Trouble::CannotOpen,
            _ => Trouble::Other,
        },
        None => Trouble::Other,
    }
}

pub(crate) fn database_error(error: &sqlx::Error) -> DatabaseError {
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code().map(Cow::into_owned);
            let no_memory = code.as_deref() == Some(&NO_MEMORY.to_string());
            DatabaseError {
                message: one_line(error.message()),
                code,
                hint: no_memory.then(|| NO_MEMORY_HINT.to_owned()),
                ..DatabaseError::default()
            }
        }
        sqlx::Error::WorkerCrashed => DatabaseError::new("the thread of the connection ended unexpectedly"),
        sqlx::Error::Io(error) => DatabaseError::new(&error.to_string()),
        sqlx::Error::Protocol(message) => DatabaseError::new(message),
        error => DatabaseError::new(&error.to_string()),
    }
}

/// The same with the place in the statement, where it is certain. `SQLite` knows the offset of the error, but sqlx does not pass
/// it on, so the token that `SQLite` quotes is looked up: if it stands in the statement once, the error is there.
pub(crate) fn in_statement(error: &sqlx::Error, statement: &str) -> DatabaseError {
    let mut described = database_error(error);
    let quoted = |before: &str, after: &str| described.message.strip_prefix(before)?.strip_suffix(after);
    let token = quoted("near \"", "\": syntax error").or_else(|| quoted("unrecognized token: \"", "\""));
    if let Some(token) = token {
        let mut places = Tokens::new(statement, &Lexicon::SQLITE).filter(|place| place.text == token);
        if let (Some(place), None) = (places.next(), places.next()) {
            let before = statement.get(..place.start).unwrap_or_default();
            described.position = Some(before.chars().count() + 1);
        }
    }
    described
}

/// `SQLite` quotes names and texts of the statement, line breaks included.
fn one_line(message: &str) -> String {
    message.replace(['\r', '\n'], " ")
}

/// Whether it is `SQLITE_ERROR` without more: a statement that makes no sense at this point.
pub(crate) fn is_plain(error: &sqlx::Error) -> bool {
    code(error).is_some_and(|code| code == "1")
}

fn code(error: &sqlx::Error) -> Option<Cow<'_, str>> {
    error.as_database_error()?.code()
}
