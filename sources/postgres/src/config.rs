//! What the configuration says about one server, and the reading of its `queryParams`.
//!
//! The keys are those of libpq (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS>) and of
//! the pool of the Go driver pgx; any other key is a setting of the session. Nothing here connects.

use std::{fmt, path::PathBuf, time::Duration};

use secrecy::{ExposeSecret as _, SecretString};
use sqlx::{
    ConnectOptions as _,
    postgres::{PgConnectOptions, PgSslMode},
};

/// What the configuration says about one PostgreSQL server.
#[derive(Clone)]
pub struct Options {
    /// A host name, an address, or the folder of a Unix socket.
    pub host: String,
    /// The port, also of a Unix socket.
    pub port: u16,
    /// The database.
    pub database: String,
    /// The role.
    pub user: String,
    /// Its password.
    pub password: SecretString,
    /// `queryParams`, in the order written.
    pub query_params: Vec<(String, String)>,
    /// How long connecting may take; ten seconds if nothing says more.
    pub connect_timeout: Option<Duration>,
    /// What the server itself allows every statement of the source.
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

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Options")
            .field("migrations", &self.migrations)
            .field("read_only", &self.read_only)
            .field("max_connections", &self.max_connections)
            .finish_non_exhaustive()
    }
}

/// Where the server is and how a session begins.
#[derive(Clone)]
pub(crate) struct Address {
    /// Everything but the settings that depend on the lane.
    pub(crate) options: PgConnectOptions,
    pub(crate) connect_timeout: Duration,
    pub(crate) max_connections: usize,
    /// Words that no error text may hold.
    pub(crate) secrets: Vec<String>,
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// As many statements as sqlx may keep; `prepared` forgets all of them long before, so that sqlx never forgets one alone.
const STATEMENT_CACHE: usize = 1_024;

/// Settings on which the reading of values rests, with their fixed values.
const FIXED: [(&str, &str); 6] = [
    ("timezone", "UTC"),
    ("datestyle", "ISO"),
    ("intervalstyle", "postgres"),
    ("bytea_output", "hex"),
    ("client_encoding", "UTF8"),
    ("standard_conforming_strings", "on"),
];

/// Keys of pgx that say nothing to this program, which has its own pool and caches.
const WITHOUT_EFFECT: [&str; 9] = [
    "pool_min_conns",
    "pool_min_idle_conns",
    "pool_max_conn_lifetime",
    "pool_max_conn_lifetime_jitter",
    "pool_max_conn_idle_time",
    "pool_health_check_period",
    "statement_cache_capacity",
    "description_cache_capacity",
    "default_query_exec_mode",
];

impl Address {
    /// Reads the options.
    pub(crate) fn read(options: &Options) -> Result<Self, String> {
        let host = host(&options.host)?;
        let driver = PgConnectOptions::new_without_pgpass()
            .host(host)
            .port(options.port)
            .database(&options.database)
            .username(&options.user)
            .password(options.password.expose_secret())
            .application_name(concat!("toolbox/", env!("CARGO_PKG_VERSION")))
            .extra_float_digits(1)
            .statement_cache_capacity(STATEMENT_CACHE)
            .disable_statement_logging();
        let mut address = Self {
            options: driver,
            connect_timeout: options.connect_timeout.unwrap_or(CONNECT_TIMEOUT),
            max_connections: options.max_connections,
            secrets: Vec::new(),
        };
        let mut settings = Vec::new();
        for (key, value) in &options.query_params {
            address.parameter(key, value, options.connect_timeout.is_some(), &mut settings)?;
        }
        let fixed = FIXED.iter().filter(|(name, _)| matches!(*name, "intervalstyle" | "bytea_output"));
        settings.extend(fixed.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        if let Some(timeout) = options.statement_timeout {
            // Zero would mean none, and the server counts in 32 bits.
            let milliseconds = timeout.as_millis().clamp(1, 0x7FFF_FFFF);
            settings.push(("statement_timeout".to_owned(), milliseconds.to_string()));
        }
        address.options = address.options.options(settings);
        address.secrets = [
            address.options.get_host().to_owned(),
            options.user.clone(),
            options.password.expose_secret().to_owned(),
        ]
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect();
        Ok(address)
    }

    fn parameter(
        &mut self,
        key: &str,
        value: &str,
        has_connect_timeout: bool,
        settings: &mut Vec<(String, String)>,
    ) -> Result<(), String> {
        let options = self.options.clone();
        self.options = match key {
            "host" => options.host(host(value)?),
            "sslmode" => options.ssl_mode(ssl_mode(value)?),
            "sslrootcert" => options.ssl_root_cert(value),
            "sslcert" => options.ssl_client_cert(value),
            "sslkey" => options.ssl_client_key(value),
            "application_name" => options.application_name(value),
            "connect_timeout" => {
                let seconds: u64 = value.parse().map_err(|_| whole_number(key))?;
                if seconds > 0 && !has_connect_timeout {
                    self.connect_timeout = Duration::from_secs(seconds);
                }
                options
            }
            "pool_max_conns" => {
                let most: usize = value.parse().map_err(|_| whole_number(key))?;
                self.max_connections = most.max(1);
                options
            }
            "options" => {
                settings.extend(command_line(value)?);
                options
            }
            "target_session_attrs" if value == "any" => options,
            "port"
            | "user"
            | "password"
            | "dbname"
            | "database"
            | "target_session_attrs"
            | "service"
            | "passfile"
            | "sslpassword" => {
                return Err(format!("{key} in queryParams is not served; use the fields of the source"));
            }
            key if WITHOUT_EFFECT.contains(&key) => {
                tracing::debug!(key, "a key of queryParams has no effect here");
                options
            }
            key => {
                if let Some((name, value)) = FIXED.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)) {
                    return Err(format!(
                        "{key} in queryParams cannot be set: the reading of values rests on {name} = {value}"
                    ));
                }
                settings.push((key.to_owned(), value.to_owned()));
                options
            }
        };
        Ok(())
    }
}

fn host(host: &str) -> Result<&str, String> {
    if host.is_empty() {
        return Err("host is empty: name a host, an address or the folder of a socket".to_owned());
    }
    if host.contains(',') && !host.starts_with('/') {
        return Err("host names more than one host; name one".to_owned());
    }
    Ok(host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host))
}

fn whole_number(key: &str) -> String {
    format!("{key} in queryParams must be a whole number")
}

/// `allow` would try without TLS first; with it first, it connects to the same servers.
fn ssl_mode(word: &str) -> Result<PgSslMode, String> {
    Ok(match word {
        "disable" => PgSslMode::Disable,
        "allow" | "prefer" => PgSslMode::Prefer,
        "require" => PgSslMode::Require,
        "verify-ca" => PgSslMode::VerifyCa,
        "verify-full" => PgSslMode::VerifyFull,
        _ => {
            return Err(format!(
                "sslmode in queryParams cannot be {word:?}; write disable, allow, prefer, require, verify-ca or verify-full"
            ));
        }
    })
}

/// `-c name=value` and `--name=value`, as the server takes them on its command line.
fn command_line(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut settings = Vec::new();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let setting = match word {
            "-c" => words.next().unwrap_or_default(),
            _ => word.strip_prefix("--").or_else(|| word.strip_prefix("-c")).unwrap_or_default(),
        };
        let Some((name, value)) = setting.split_once('=') else {
            return Err(format!("options in queryParams holds {word:?}; write -c name=value"));
        };
        if FIXED.iter().any(|(fixed, _)| fixed.eq_ignore_ascii_case(name)) {
            return Err(format!(
                "{name} in options of queryParams cannot be set; the reading of values rests on it"
            ));
        }
        settings.push((name.to_owned(), value.to_owned()));
    }
    Ok(settings)
}
