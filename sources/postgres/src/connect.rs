//! Opens connections and sets their sessions up. It knows the server; it must not know calls.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};

use sqlx::{
    ConnectOptions as _, Connection as _, Executor as _, Row as _,
    postgres::{PgConnectOptions, PgConnection},
};
use tokio::sync::{Mutex, MutexGuard};
use toolbox_source::{Access, DatabaseError, SourceError, lanes::Connector};

use crate::{config::Address, error, prepared::Statements};

/// How often a server that runs a statement looks whether its client is still there, in milliseconds.
const CLIENT_CHECK: &str = "1000";

/// Ends what a call may have left in its session. Settings return to those of the connection options, and statements that
/// sqlx has prepared stay. Nothing resets the seed of `random()`, so it gets one that nobody knows. The last answer is whether
/// no statement was prepared in SQL: such a one could stand under a name of sqlx.
const RESET: &str = "\
RESET SESSION AUTHORIZATION; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all(); \
DISCARD TEMP; DISCARD SEQUENCES; \
SELECT pg_catalog.setseed(('x' || pg_catalog.substr(pg_catalog.md5(pg_catalog.gen_random_uuid()::text), 1, 8))\
::bit(32)::int4 / 2147483648.0::float8); \
SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_prepared_statements WHERE from_sql)";

/// Opens connections to one database.
pub(crate) struct Opener {
    address: Address,
    /// Whether the server can watch its clients; some platforms cannot.
    watches_clients: AtomicBool,
    /// Those who cancel wait for each other, so that all of them need one connection beyond the lanes.
    cancelling: Mutex<()>,
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Statements of calls.
    Lane(Access),
    /// Migrations and cancelling, to which no limit applies.
    Control,
}

/// One connection.
pub(crate) struct Connection {
    pub(crate) driver: PgConnection,
    /// The process that serves it.
    pub(crate) process: i32,
    pub(crate) statements: Statements,
}

impl Opener {
    pub(crate) fn new(address: Address) -> Self {
        Self { address, watches_clients: AtomicBool::new(true), cancelling: Mutex::new(()) }
    }

    /// Waits until nobody else cancels a statement of this source.
    pub(crate) async fn cancelling(&self) -> MutexGuard<'_, ()> {
        self.cancelling.lock().await
    }

    /// Opens a connection.
    pub(crate) async fn open(&self, purpose: Purpose) -> Result<PgConnection, SourceError> {
        let watches = self.watches_clients.load(Ordering::Relaxed);
        let limit = self.address.connect_timeout;
        let attempt = async {
            match self.options(purpose, watches).connect().await {
                Err(error) if watches && refuses_watching(&error) => {
                    self.watches_clients.store(false, Ordering::Relaxed);
                    self.options(purpose, false).connect().await
                }
                result => result,
            }
        };
        match tokio::time::timeout(limit, attempt).await {
            Ok(result) => result.map_err(|error| self.explain(&error)),
            Err(_) => Err(SourceError::Connect(DatabaseError::new(&format!("no answer within {limit:?}")))),
        }
    }

    fn options(&self, purpose: Purpose, watches: bool) -> PgConnectOptions {
        let options = self.address.options.clone();
        let options = if watches {
            options.options([("client_connection_check_interval", CLIENT_CHECK)])
        } else {
            options
        };
        match purpose {
            Purpose::Lane(Access::ReadWrite) => options,
            Purpose::Lane(Access::ReadOnly) => options.options([("default_transaction_read_only", "on")]),
            Purpose::Control => {
                options.options([("statement_timeout", "0"), ("default_transaction_read_only", "off")])
            }
        }
    }

    /// Why no connection could be made, without host, user and password.
    pub(crate) fn explain(&self, error: &sqlx::Error) -> SourceError {
        error::connect(error, &self.address.secrets)
    }
}

/// Whether a server refuses `client_connection_check_interval`: it does not know it, or cannot do it.
fn refuses_watching(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        matches!(error.code().as_deref(), Some("42704" | "22023"))
            && error.message().contains("client_connection_check_interval")
    })
}

impl Connector for Opener {
    type Connection = Connection;

    async fn connect(&self, access: Access) -> Result<Connection, SourceError> {
        let mut driver = self.open(Purpose::Lane(access)).await?;
        let process = async {
            let row = driver.fetch_one("SELECT pg_backend_pid()").await?;
            row.try_get::<i32, _>(0)
        };
        let process = process.await.map_err(|error| self.explain(&error))?;
        Ok(Connection { driver, process, statements: Statements::default() })
    }

    async fn check(&self, connection: &mut Connection) -> Result<(), SourceError> {
        let answer = tokio::time::timeout(self.address.connect_timeout, connection.driver.ping()).await;
        match answer {
            Ok(answer) => answer.map_err(|error| self.explain(&error)),
            Err(_) => {
                Err(SourceError::Connect(DatabaseError::new("an idle connection does not answer any more")))
            }
        }
    }

    async fn close(&self, connection: Connection) {
        if let Err(error) = connection.driver.close().await {
            tracing::debug!(%error, "a connection was not closed cleanly");
        }
    }
}

impl Connection {
    /// Makes the session as good as new, after a transaction of ours if there is one; false if it cannot be.
    pub(crate) async fn reset(&mut self, in_transaction: bool) -> Result<bool, sqlx::Error> {
        if in_transaction {
            self.driver.execute("ROLLBACK").await?;
        }
        let answers = self.driver.fetch_all(sqlx::raw_sql(RESET)).await?;
        let Some(last) = answers.last() else { return Ok(false) };
        Ok(last.try_get_raw(0)?.as_str().is_ok_and(|clean| clean == "t"))
    }

    /// Forgets all prepared statements, here and on the server.
    pub(crate) async fn forget(&mut self) -> Result<(), sqlx::Error> {
        self.statements.clear();
        self.driver.clear_cached_statements().await
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Opener").finish_non_exhaustive()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Connection").field("process", &self.process).finish_non_exhaustive()
    }
}
