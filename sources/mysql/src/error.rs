//! What sqlx reports, in the words of the server alone.

mod rejected;
mod scrub;

use sqlx::mysql::MySqlDatabaseError;
use toolbox_source::DatabaseError;

pub(crate) use rejected::{Kind, Rejected, Subject, rejected};
use scrub::scrub;

/// What kind of trouble a failure is. The numbers are those of
/// <https://dev.mysql.com/doc/mysql-errors/9.4/en/server-error-reference.html> and
/// <https://mariadb.com/docs/server/reference/error-codes/mariadb-error-code-reference>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The connection is gone.
    Lost,
    /// The statement was stopped by `KILL`.
    Interrupted,
    /// The server's own time limit stopped the statement.
    TimedOut,
    /// The transaction only reads.
    ReadOnly,
    /// The prepared protocol does not know this kind of statement.
    Unpreparable,
    /// What came over the connection makes no sense to the driver, so nothing that follows can be trusted.
    Garbled,
    /// The server refused or failed, and is ready for the next statement.
    Refused,
}

pub(crate) fn trouble(error: &sqlx::Error) -> Trouble {
    match error {
        sqlx::Error::Io(_) => Trouble::Lost,
        sqlx::Error::Database(_) => match number(error) {
            // ER_SERVER_SHUTDOWN, ER_NET_PACKET_TOO_LARGE, ER_CONNECTION_KILLED (MariaDB, and MySQL),
            // ER_CLIENT_INTERACTION_TIMEOUT: the server closes the connection after these.
            Some(1053 | 1153 | 1927 | 3169 | 4031) => Trouble::Lost,
            // ER_QUERY_INTERRUPTED
            Some(1317) => Trouble::Interrupted,
            // ER_STATEMENT_TIMEOUT of MariaDB, ER_QUERY_TIMEOUT of MySQL
            Some(1969 | 3024) => Trouble::TimedOut,
            // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
            Some(1792) => Trouble::ReadOnly,
            // ER_UNSUPPORTED_PS
            Some(1295) => Trouble::Unpreparable,
            _ => Trouble::Refused,
        },
        _ => Trouble::Garbled,
    }
}

fn number(error: &sqlx::Error) -> Option<u16> {
    Some(error.as_database_error()?.try_downcast_ref::<MySqlDatabaseError>()?.number())
}

pub(crate) fn database_error(error: &sqlx::Error) -> DatabaseError {
    match error {
        sqlx::Error::Database(server) => {
            let message = scrub(server.message());
            let code = match (number(error), server.code()) {
                (Some(number), Some(state)) => Some(format!("{number}, SQLSTATE {state}")),
                (Some(number), None) => Some(number.to_string()),
                (None, state) => state.map(std::borrow::Cow::into_owned),
            };
            DatabaseError { message, code, ..DatabaseError::default() }
        }
        sqlx::Error::Io(error) => DatabaseError::new(&format!("the connection failed: {error}")),
        sqlx::Error::Protocol(message) => {
            DatabaseError::new(&format!("the driver cannot read the server's answer: {message}"))
        }
        // rustls names the host, and the hosts that the certificate is for.
        sqlx::Error::Tls(error) if error.to_string().contains("not valid for name") => DatabaseError::new(
            "TLS failed: the server's certificate is for another host than that of the source",
        ),
        sqlx::Error::Tls(error) if error.to_string().contains("does not support TLS") => DatabaseError::new(
            "TLS failed: the server offers none; set it up on the server, or write tls: \"false\" in queryParams",
        ),
        sqlx::Error::Tls(error) => DatabaseError::new(&format!("TLS failed: {error}")),
        error => DatabaseError::new(&error.to_string()),
    }
}

/// The number of `VECTOR` among the types of columns, as the driver writes it: `MYSQL_TYPE_VECTOR`, 242.
const VECTOR: &str = "0xf2";

/// What to write instead of a column that the driver cannot read; `VECTOR` of `MySQL` 9 is the one such type.
pub(crate) fn unreadable_type(error: &sqlx::Error) -> Option<String> {
    let sqlx::Error::Protocol(message) = error else { return None };
    message.contains("column type").then(|| {
        if message.contains(VECTOR) {
            "a VECTOR cannot be read; write VECTOR_TO_STRING(expression) in its place".to_owned()
        } else {
            format!("its type cannot be read ({message}); write CAST(expression AS CHAR) in its place")
        }
    })
}
