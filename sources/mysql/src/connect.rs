//! Opens connections and sets them up. It knows the server; it must not know calls.

use std::{fmt, sync::Arc, time::Duration};

use sqlx::{
    AssertSqlSafe, Column as _, ConnectOptions as _, Connection as _, Executor as _, Row as _,
    mysql::MySqlConnection,
};
use tokio::time::Instant;
use toolbox_source::{Access, DatabaseError, SourceError, lanes::Connector};

use crate::{
    bind::{Settling, WireTypes},
    columns::Field,
    config::Settings,
    error,
    outs::Out,
    prepared::Statements,
    recent::Recent,
};

/// How long an idle connection may take to give a sign of life.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the server may take to notice that a connection was closed, and to give its place to another one.
const ROOM: Duration = Duration::from_secs(1);

/// How much later than the toolbox the server ends a statement, so that it acts only where the toolbox cannot.
const GRACE: Duration = Duration::from_secs(1);

/// How many warnings of a statement `MariaDB` is told to keep. `MySQL` keeps as many, and asks for a right to change that.
const WARNINGS: u32 = 1_024;

/// Opens connections to one server.
#[derive(Debug)]
pub(crate) struct Opener {
    settings: Settings,
    /// By their names in quotes.
    tables: Recent<Arc<[Field]>>,
    /// By how statements spell them.
    procedures: Recent<Arc<[Out]>>,
}

/// One connection.
pub(crate) struct Connection {
    pub(crate) driver: MySqlConnection,
    /// What `KILL` knows it by.
    pub(crate) id: u64,
    pub(crate) statements: Statements,
    /// A mode of the session under which strings end elsewhere than the gate believes.
    pub(crate) strange_mode: Option<&'static str>,
    /// Whether double quotes enclose names: `ANSI_QUOTES`.
    pub(crate) quotes_names: bool,
    /// Most bytes that the server takes at once: `max_allowed_packet`.
    pub(crate) largest_packet: u64,
    pub(crate) types: WireTypes,
    /// Whether the server reads the offset of an instant.
    pub(crate) reads_offsets: bool,
    /// Most warnings of a statement that the server keeps.
    pub(crate) most_warnings: u64,
    /// Whether a call has used the session.
    pub(crate) used: bool,
}

/// What a session says of itself when it is set up.
struct Session {
    id: u64,
    largest_packet: u64,
    types: WireTypes,
    reads_offsets: bool,
    most_warnings: u64,
    strange_mode: Option<&'static str>,
    quotes_names: bool,
}

/// Which of the two servers it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flavor {
    MySql,
    MariaDb,
}

impl Opener {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { settings, tables: Recent::default(), procedures: Recent::default() }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is known of the columns of tables.
    pub(crate) fn tables(&self) -> &Recent<Arc<[Field]>> {
        &self.tables
    }

    /// What is known of the OUT parameters of procedures.
    pub(crate) fn procedures(&self) -> &Recent<Arc<[Out]>> {
        &self.procedures
    }

    /// Opens a connection with nothing set up but its character set and its time zone.
    pub(crate) async fn dial(&self) -> Result<MySqlConnection, SourceError> {
        let limit = self.settings.connect_timeout;
        match tokio::time::timeout(limit, self.settings.driver.connect()).await {
            Ok(Ok(driver)) => Ok(driver),
            Ok(Err(error)) => Err(refusal(&error)),
            Err(_) => Err(SourceError::Connect(DatabaseError::new(&format!(
                "the server did not answer within {limit:?}; check host and port, or raise timeout in queryParams"
            )))),
        }
    }

    /// Opens a connection and gives its session the values that every call relies on.
    pub(crate) async fn open(&self, access: Access) -> Result<Connection, SourceError> {
        let mut driver = self.dial().await?;
        let set_up =
            tokio::time::timeout(self.settings.connect_timeout, self.set_up(&mut driver, access)).await;
        let session = set_up
            .map_err(|_| {
                SourceError::Connect(DatabaseError::new(
                    "the server did not answer while the session was set up",
                ))
            })?
            .map_err(|error| refusal(&error))?;
        Ok(Connection {
            driver,
            id: session.id,
            statements: Statements::default(),
            strange_mode: session.strange_mode,
            quotes_names: session.quotes_names,
            largest_packet: session.largest_packet,
            types: session.types,
            reads_offsets: session.reads_offsets,
            most_warnings: session.most_warnings,
            used: false,
        })
    }

    async fn set_up(&self, driver: &mut MySqlConnection, access: Access) -> Result<Session, sqlx::Error> {
        let question = "SELECT CAST(CONNECTION_ID() AS UNSIGNED), VERSION(), \
                        CAST(@@max_allowed_packet AS UNSIGNED), 0.5, NULL";
        let row = driver.fetch_one(question).await?;
        let id = row.try_get::<u64, _>(0)?;
        let version = row.try_get::<String, _>(1)?;
        let largest_packet = row.try_get::<u64, _>(2)?;
        let kind = |index: usize| Ok::<_, sqlx::Error>(row.try_column(index)?.type_info().clone());
        let flavor = if version.contains("MariaDB") { Flavor::MariaDb } else { Flavor::MySql };
        let settling = match flavor {
            Flavor::MySql => Settling::Once,
            // The next version of MariaDB that is kept up.
            Flavor::MariaDb if is_at_least(&version, [10, 11, 0]) => Settling::Never,
            Flavor::MariaDb => Settling::NeverButNulls,
        };
        let types = WireTypes { decimal: kind(3)?, null: kind(4)?, settling };
        driver.execute(AssertSqlSafe(self.session(flavor, access))).await?;
        let row = driver
            .fetch_one("SELECT @@SESSION.sql_mode, CAST(@@SESSION.max_error_count AS UNSIGNED)")
            .await?;
        let modes = row.try_get::<String, _>(0)?;
        let most_warnings = row.try_get::<u64, _>(1)?;
        let has = |mode: &str| modes.split(',').any(|set| set == mode);
        let strange_mode = ["NO_BACKSLASH_ESCAPES", "ANSI_QUOTES"].into_iter().find(|mode| has(mode));
        let quotes_names = has("ANSI_QUOTES");
        let reads_offsets = flavor == Flavor::MySql && is_at_least(&version, [8, 0, 19]);
        Ok(Session { id, largest_packet, types, reads_offsets, most_warnings, strange_mode, quotes_names })
    }

    /// The statements that set up a session.
    fn session(&self, flavor: Flavor, access: Access) -> String {
        // The driver asks for IGNORE_SPACE when it connects, which makes reserved words of function names.
        let mut assignments = vec!["sql_mode = @@GLOBAL.sql_mode".to_owned(), "autocommit = 1".to_owned()];
        if let Some(limit) = self.settings.statement_timeout {
            let limit = limit + GRACE;
            assignments.push(match flavor {
                // Milliseconds, for SELECT only.
                Flavor::MySql => {
                    format!("max_execution_time = {}", limit.as_millis().min(u128::from(u32::MAX)))
                }
                // Seconds.
                Flavor::MariaDb => format!("max_statement_time = {}", limit.as_secs_f64().min(31_536_000.0)),
            });
        }
        if flavor == Flavor::MariaDb {
            assignments.push(format!("max_error_count = {WARNINGS}"));
        }
        for (name, value) in &self.settings.variables {
            assignments.push(format!("{name} = {value}"));
        }
        let mut session = format!("SET {}", assignments.join(", "));
        if access == Access::ReadOnly {
            session.push_str("; SET SESSION TRANSACTION READ ONLY");
        }
        session
    }
}

impl Connector for Opener {
    type Connection = Connection;

    async fn connect(&self, access: Access) -> Result<Connection, SourceError> {
        let begun = Instant::now();
        loop {
            match Box::pin(self.open(access)).await {
                Err(error) if is_full(&error) && begun.elapsed() < ROOM => {
                    tokio::time::sleep(ROOM / 20).await;
                }
                opened => return opened,
            }
        }
    }

    async fn check(&self, connection: &mut Connection) -> Result<(), SourceError> {
        match tokio::time::timeout(PATIENCE, connection.driver.ping()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(refusal(&error)),
            Err(_) => Err(SourceError::Connect(DatabaseError::new(
                "the server does not answer on an idle connection",
            ))),
        }
    }

    async fn close(&self, connection: Connection) {
        match tokio::time::timeout(PATIENCE, connection.driver.close()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a connection was not closed cleanly"),
            Err(_) => tracing::debug!("a connection was not closed in time"),
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Connection").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Whether a version such as `8.0.36-debug` is this one or a later one.
fn is_at_least(version: &str, least: [u32; 3]) -> bool {
    let numbers = version
        .split(|character: char| !character.is_ascii_digit())
        .map_while(|part| part.parse::<u32>().ok());
    numbers.take(3).ge(least)
}

/// Whether the server has no room for another connection: `ER_CON_COUNT_ERROR`, `ER_TOO_MANY_USER_CONNECTIONS`,
/// `ER_USER_LIMIT_REACHED`.
fn is_full(error: &SourceError) -> bool {
    let SourceError::Connect(said) = error else { return false };
    let number = said.code.as_deref().and_then(|code| code.split(',').next());
    matches!(number, Some("1040" | "1203" | "1226"))
}

/// Why no connection could be made.
fn refusal(error: &sqlx::Error) -> SourceError {
    SourceError::Connect(error::database_error(error))
}

#[cfg(test)]
mod tests {
    use super::is_at_least;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, is_later) in [
            ("8.0.19", true),
            ("8.0.100-debug", true),
            ("9.7.4-2", true),
            ("8.4", true),
            ("8.0.18-log", false),
            ("8.0", false),
            ("5.7.44", false),
            ("", false),
        ] {
            assert_eq!(is_at_least(version, [8, 0, 19]), is_later, "{version}");
        }
    }
}
