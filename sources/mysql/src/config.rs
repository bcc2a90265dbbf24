//! What the configuration says about one server, and what becomes of it. Nothing here connects.

mod duration;
mod params;

use std::{fmt, path::PathBuf, time::Duration};

use secrecy::{ExposeSecret as _, SecretString};
use sqlx::{ConnectOptions as _, mysql::MySqlConnectOptions};

use params::Params;

/// How long a connection may take to be made where nothing is said. The peer would wait for ever.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What the configuration says about one `MySQL` or `MariaDB` server.
#[derive(Debug)]
pub struct Options {
    /// A name or an address; IPv6 with or without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
    /// The database that statements use when they name none.
    pub database: Option<String>,
    /// The user to log in as; the anonymous one if absent.
    pub user: Option<String>,
    /// The password.
    pub password: Option<SecretString>,
    /// Keys of the Go driver's data source name, and session variables, in the order written.
    pub query_params: Vec<(String, String)>,
    /// Longest run of any statement, whatever its call allows.
    pub query_timeout: Option<Duration>,
    /// The limit that the source itself sets for all its statements; the server is told too.
    pub statement_timeout: Option<Duration>,
    /// Folder of sqlx migrations, applied when the source first connects.
    pub migrations: Option<PathBuf>,
    /// Whether every statement is read-only, whoever wrote it.
    pub read_only: bool,
    /// Most connections of both lanes together.
    pub max_connections: usize,
    /// How long a call waits for a free connection.
    pub acquire_timeout: Duration,
}

/// How connections to one server are made and set up.
pub(crate) struct Settings {
    /// The driver's own options. They hold the password and must not be printed.
    pub(crate) driver: MySqlConnectOptions,
    pub(crate) connect_timeout: Duration,
    /// Told to the server, in case nobody is left to stop a statement.
    pub(crate) statement_timeout: Option<Duration>,
    /// The same for statements of a call that allows more.
    pub(crate) longest: Option<Duration>,
    /// Session variables and the SQL expressions that they are set to.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) database: Option<String>,
}

impl Settings {
    /// Reads what is written.
    pub(crate) fn new(options: &Options) -> Result<Self, String> {
        let params = Params::read(&options.query_params)?;
        let host = options.host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err("host is empty: name the server".to_owned());
        }
        let mut driver = MySqlConnectOptions::new()
            .host(&host)
            .port(options.port)
            .username(options.user.as_deref().unwrap_or_default())
            .ssl_mode(params.tls)
            .charset("utf8mb4")
            // These two would change what the SQL of users means.
            .pipes_as_concat(false)
            .no_engine_substitution(false)
            .disable_statement_logging();
        if let Some(password) = options.password.as_ref().map(SecretString::expose_secret)
            && !password.is_empty()
        {
            driver = driver.password(password);
        }
        if let Some(database) = options.database.as_deref().filter(|database| !database.is_empty()) {
            driver = driver.database(database);
        }
        if let Some(collation) = &params.collation {
            driver = driver.collation(collation);
        }
        let longest = tighter(options.query_timeout, params.read_timeout);
        Ok(Self {
            driver,
            connect_timeout: params.connect_timeout.unwrap_or(CONNECT_TIMEOUT),
            statement_timeout: tighter(options.statement_timeout, longest),
            longest,
            variables: params.variables,
            database: options.database.clone().filter(|database| !database.is_empty()),
        })
    }
}

/// The smaller one of two limits that may be absent.
pub(crate) fn tighter(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("connect_timeout", &self.connect_timeout)
            .field("statement_timeout", &self.statement_timeout)
            .finish_non_exhaustive()
    }
}
