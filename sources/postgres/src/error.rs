//! What sqlx reports, in the words of PostgreSQL alone: without the line of the server's source, and without host, user and
//! password where a connection could not be made.

use std::io;

use sqlx::postgres::{PgDatabaseError, PgErrorPosition};
use toolbox_source::{DatabaseError, SourceError};

use crate::{guard, places::Shift};

/// What kind of trouble a failure is (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The server ended the session before the statement completed.
    Terminated,
    /// The connection broke.
    Lost,
    /// The driver and the server do not understand each other any more.
    Protocol,
    /// A prepared statement does not fit the schema any more.
    StalePlan,
    /// The statement was stopped.
    Cancelled,
    /// Anything else.
    Other,
}

pub(crate) fn trouble(error: &sqlx::Error) -> Trouble {
    let Some(error) = of_server(error) else {
        return match error {
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) => Trouble::Lost,
            _ => Trouble::Protocol,
        };
    };
    match error.code() {
        // Also when the session was ended for being idle.
        "57P01" | "57P05" => Trouble::Terminated,
        "57P02" | "57P03" | "25P03" => Trouble::Lost,
        "57014" => Trouble::Cancelled,
        "0A000" if error.routine() == Some("RevalidateCachedQuery") => Trouble::StalePlan,
        // The prepared statement is gone.
        "26000" => Trouble::StalePlan,
        _ => Trouble::Other,
    }
}

/// Whether a statement that was prepared earlier may have failed because types or tables were replaced meanwhile.
pub(crate) fn may_be_stale(error: &sqlx::Error) -> bool {
    of_server(error)
        .is_some_and(|error| matches!(error.code(), "0A000" | "XX000") || error.code().starts_with("42"))
}

/// Whether the server refused a value, and not the statement: its classes 22 (data exceptions) and 23 (constraints), what is
/// longer than it can be, and names that it reads from values. Of a `tsquery` that it cannot read it says that the syntax is
/// wrong, at no place of the statement.
pub(crate) fn is_about_a_value(error: &sqlx::Error) -> bool {
    of_server(error).is_some_and(|error| {
        matches!(error.code().get(..2), Some("22" | "23"))
            || matches!(error.code(), "54000" | "42601" | "42704") && error.position().is_none()
    })
}

/// What the server refused, as far as it says it.
pub(crate) struct Refused<'e> {
    pub(crate) code: &'e str,
    pub(crate) message: &'e str,
    pub(crate) detail: &'e str,
    /// Where it happened: in which function, or in which text.
    pub(crate) context: &'e str,
    /// The schema and the name of the table whose constraint does not hold.
    pub(crate) table: Option<(&'e str, &'e str)>,
    /// The name of that constraint. A partition has none.
    pub(crate) constraint: Option<&'e str>,
    /// The column that takes no null.
    pub(crate) column: Option<&'e str>,
    /// The type whose constraint does not hold.
    pub(crate) domain: Option<&'e str>,
}

impl Refused<'_> {
    /// What stands in quotes in the message.
    pub(crate) fn quoted(&self) -> Vec<&str> {
        self.message.split('"').skip(1).step_by(2).collect()
    }

    /// Whether it happened inside of a function or a procedure, in PL/pgSQL or SQL.
    pub(crate) fn is_in_routine(&self) -> bool {
        self.context.contains("SQL")
    }
}

pub(crate) fn refused(error: &sqlx::Error) -> Option<Refused<'_>> {
    let error = of_server(error)?;
    Some(Refused {
        code: error.code(),
        message: error.message(),
        detail: error.detail().unwrap_or_default(),
        table: error.schema().zip(error.table()),
        constraint: error.constraint(),
        column: error.column(),
        domain: error.data_type().filter(|_| error.table().is_none()),
        context: error.r#where().unwrap_or_default(),
    })
}

/// Whether a guarded statement failed because what the types of its parameters rest on has changed.
pub(crate) fn is_guard(error: &sqlx::Error) -> bool {
    of_server(error).is_some_and(|error| error.code() == "22P02" && error.message().contains(guard::CHANGED))
}

/// Whether a type has no binary form to be sent in.
pub(crate) fn has_no_binary_form(error: &sqlx::Error) -> bool {
    // Of a type itself, of the items of an array, and of the bounds of a range.
    const ROUTINES: [&str; 3] = ["getTypeBinaryOutputInfo", "array_send", "get_range_io_data"];
    of_server(error).is_some_and(|error| {
        error.code() == "42883" && error.routine().is_some_and(|routine| ROUTINES.contains(&routine))
    })
}

/// Whether two failures have the same code of the server.
pub(crate) fn have_one_code(one: &sqlx::Error, other: &sqlx::Error) -> bool {
    let code = |error| of_server(error).map(PgDatabaseError::code);
    code(one).is_some() && code(one) == code(other)
}

/// Whether they also say the same.
pub(crate) fn are_alike(one: &sqlx::Error, other: &sqlx::Error) -> bool {
    let message = |error| of_server(error).map(PgDatabaseError::message);
    have_one_code(one, other) && message(one) == message(other)
}

/// Whether a statement has the name of a column or of a table that it does not know.
pub(crate) fn names_nothing(error: &sqlx::Error) -> bool {
    of_server(error).is_some_and(|error| ["42703", "42P01"].contains(&error.code()))
}

/// Which argument the server could not read, from 0: it names the parameter as the context of the error.
pub(crate) fn refused_argument(error: &sqlx::Error) -> Option<usize> {
    let context = of_server(error)?.r#where()?;
    let (_, after) = context.split_once("unnamed portal parameter $")?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<usize>().ok()?.checked_sub(1)
}

/// Which parameter has no type of its own in the statement, from 0. The message names it in every language.
pub(crate) fn untyped_parameter(error: &sqlx::Error) -> Option<usize> {
    let error = of_server(error).filter(|error| is_untyped(error.code()))?;
    let (_, after) = error.message().split_once('$')?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<usize>().ok()?.checked_sub(1)
}

/// Whether the code says that the type of a parameter cannot be told.
fn is_untyped(code: &str) -> bool {
    matches!(code, "42P08" | "42P18")
}

/// Whether a function or an operator for any type has no type to go by, or too many.
pub(crate) fn wants_type(error: &sqlx::Error) -> bool {
    of_server(error).is_some_and(|error| error.code() == "42725" || is_polymorphic(error))
}

/// Whether an operator, a function or a column does not take the types that were found.
pub(crate) fn may_want_type(error: &sqlx::Error) -> bool {
    of_server(error).is_some_and(|error| matches!(error.code(), "42725" | "42804" | "42846" | "42883"))
}

/// Where an operator stands that could be several ones, since the types of what it stands between are not known.
pub(crate) fn ambiguous_operator(error: &sqlx::Error) -> Option<usize> {
    let error = of_server(error).filter(|error| error.code() == "42725")?;
    match error.position()? {
        PgErrorPosition::Original(position) => Some(position),
        PgErrorPosition::Internal { .. } => None,
    }
}

/// Whether a function takes any type and was given none. The name of no type is the same in every language.
fn is_polymorphic(error: &PgDatabaseError) -> bool {
    error.code() == "42804" && error.message().contains("unknown")
}

/// The error for an argument that the server could not read.
pub(crate) fn argument(index: usize, said: DatabaseError) -> SourceError {
    SourceError::Argument { index, message: without_code(said) }
}

/// The error for the arguments, at least one, that a refused value may be.
pub(crate) fn arguments(places: &[usize], said: DatabaseError) -> SourceError {
    match places {
        [index] => argument(*index, said),
        several => SourceError::Arguments { indexes: several.to_vec(), message: without_code(said) },
    }
}

fn without_code(said: DatabaseError) -> String {
    match said.detail {
        Some(detail) => format!("{}; detail: {detail}", said.message),
        None => said.message,
    }
}

/// Whether the server refused the value of a statement that is nothing but a value: it points at no place in the text, or at one
/// in a value that it parses itself, such as a name of a type.
pub(crate) fn refuses_value(error: &sqlx::Error) -> bool {
    trouble(error) == Trouble::Other
        && of_server(error).is_some_and(|error| {
            (error.position().is_none() || error.code() == "42601")
                && !matches!(error.code().get(..2), Some("53" | "55" | "57" | "58"))
        })
}

/// Whether sqlx could not make sense of what the catalog says of a type: it knows neither multiranges nor all categories.
/// The statement is prepared on the server, and the connection is as before.
pub(crate) fn is_of_unknown_type(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::ColumnDecode { index, .. } => index.contains("typtype") || index.contains("typcategory"),
        _ => false,
    }
}

/// Whether the server sent a notification, which sqlx does not expect: it comes after the statement completed.
pub(crate) fn is_notification(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Protocol(message) if message.contains("NotificationResponse"))
}

fn of_server(error: &sqlx::Error) -> Option<&PgDatabaseError> {
    error.as_database_error()?.try_downcast_ref()
}

/// The server's words, with the place in the caller's text.
pub(crate) fn database_error(error: &sqlx::Error, shift: &Shift) -> DatabaseError {
    if let Some(error) = of_server(error) {
        let position = match error.position() {
            Some(PgErrorPosition::Original(position)) => shift.undo(position),
            _ => None,
        };
        return DatabaseError {
            message: one_line(error.message()),
            code: Some(error.code().to_owned()),
            position,
            detail: error.detail().map(one_line),
            hint: error.hint().map(one_line).or_else(|| {
                let hint = "cast the parameter where the statement first uses it, such as $1::text";
                (is_untyped(error.code()) || is_polymorphic(error)).then(|| hint.to_owned())
            }),
        };
    }
    match error {
        sqlx::Error::Io(error) => DatabaseError::new(&io_message(error)),
        sqlx::Error::Protocol(message) => DatabaseError::new(message),
        error => DatabaseError::new(&error.to_string()),
    }
}

/// Why no connection could be made.
pub(crate) fn connect(error: &sqlx::Error, secrets: &[String]) -> SourceError {
    let mut described = database_error(error, &Shift::default());
    described.position = None;
    match described.code.as_deref() {
        Some("28P01") => {
            "the server refuses the user name or the password".clone_into(&mut described.message);
        }
        Some("28000") if described.message.ends_with("no encryption") => {
            "the server takes no connection without TLS here; set sslmode to require or verify-full in queryParams, \
             or see its pg_hba.conf"
                .clone_into(&mut described.message);
            described.detail = None;
        }
        Some("28000") => {
            "the server refuses this user, database or address, or wants TLS (see its pg_hba.conf)"
                .clone_into(&mut described.message);
            described.detail = None;
        }
        Some("53300") => {
            "the server has too many connections already".clone_into(&mut described.message);
        }
        _ => {}
    }
    for text in [Some(&mut described.message), described.detail.as_mut(), described.hint.as_mut()] {
        let Some(text) = text else { continue };
        for secret in secrets {
            *text = text.replace(&format!("\"{secret}\""), "\"…\"");
            if secret.len() > 3 && error.as_database_error().is_none() {
                *text = text.replace(secret.as_str(), "…");
            }
        }
    }
    SourceError::Connect(described)
}

fn io_message(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            "the connection was refused; is the server running, and does it listen on this address and port?"
                .to_owned()
        }
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "the server closed the connection".to_owned()
        }
        io::ErrorKind::NotFound => "there is no such socket or file".to_owned(),
        _ => error.to_string(),
    }
}

fn one_line(message: &str) -> String {
    message.replace(['\r', '\n'], " ")
}
