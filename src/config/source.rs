//! Sources as written.

mod query_params;
mod read;

use std::{path::PathBuf, time::Duration};

use indexmap::IndexMap;
use secrecy::SecretString;
use toolbox_source::{Limits, scan::Lexicon};

use crate::tool::parameter::{Backslash, NameQuote, Quoting};

pub(super) use self::read::{NOT_SERVED, known_type, read};

/// One source.
#[derive(Debug)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// `maxRows`, `maxBytes`, `maxCellBytes`, `statementTimeout` as written. A limit that is absent here has the default
    /// of the tool that asks: [`Unset`](LimitSetting::Unset).
    pub limits: LimitSettings,
    /// `readOnly`: nothing may write through this source.
    pub read_only: bool,
    /// `migrations`: a folder of sqlx migrations, applied when the source first connects.
    pub migrations: Option<PathBuf>,
    /// `maxConnections`, at least 1.
    pub max_connections: usize,
    /// `acquireTimeout`.
    pub acquire_timeout: Duration,
    /// The database and its own fields.
    pub database: Database,
}

/// The limits of a source or a tool as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitSettings {
    /// `maxRows`, in rows; 0 means none.
    pub max_rows: LimitSetting<u64>,
    /// `maxBytes`, in bytes of JSON; 0 means none.
    pub max_bytes: LimitSetting<u64>,
    /// `maxCellBytes`, in bytes; 0 means none.
    pub max_cell_bytes: LimitSetting<u64>,
    /// `statementTimeout`, a duration such as `30s`; 0 means none.
    pub statement_timeout: LimitSetting<Duration>,
}

/// One limit as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitSetting<T> {
    /// Not written: the default applies.
    #[default]
    Unset,
    /// Written as 0: no limit.
    Unlimited,
    /// This much.
    At(T),
}

impl<T> LimitSetting<T> {
    /// The limit that holds, given the default.
    pub fn or(self, default: T) -> Option<T> {
        match self {
            Self::Unset => Some(default),
            Self::Unlimited => None,
            Self::At(limit) => Some(limit),
        }
    }

    /// The limit that is written, if one is.
    pub fn written(self) -> Option<T> {
        match self {
            Self::Unset | Self::Unlimited => None,
            Self::At(limit) => Some(limit),
        }
    }
}

impl LimitSettings {
    /// The limits that hold, given the defaults.
    #[must_use]
    pub fn or(self, defaults: Defaults) -> Limits {
        Limits {
            max_rows: self.max_rows.or(defaults.max_rows),
            max_bytes: self.max_bytes.or(defaults.max_bytes),
            max_cell_bytes: self.max_cell_bytes.or(defaults.max_cell_bytes),
            statement_timeout: self.statement_timeout.or(defaults.statement_timeout),
        }
    }
}

/// What holds where the configuration is silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// Rows.
    pub max_rows: u64,
    /// Bytes of JSON.
    pub max_bytes: u64,
    /// Bytes of one cell.
    pub max_cell_bytes: u64,
    /// Duration of a statement.
    pub statement_timeout: Duration,
}

impl Defaults {
    /// For statements of the operator.
    pub const CONFIGURED: Self = Self {
        max_rows: 10_000,
        max_bytes: 8 << 20,
        max_cell_bytes: 1 << 20,
        statement_timeout: Duration::from_secs(30),
    };
    /// For SQL that the model writes.
    pub const MODEL: Self = Self { max_rows: 1_000, ..Self::CONFIGURED };
}

/// The database of a source and the fields that only it has.
#[derive(Debug)]
pub enum Database {
    /// `type: sqlite`.
    Sqlite {
        /// A path, `:memory:` or a `file:` URI.
        database: String,
    },
    /// `type: postgres`.
    Postgres(Server),
    /// `type: mysql`, for MySQL and MariaDB.
    MySql(Server),
}

/// The fields of a database that is a server.
#[derive(Debug)]
pub struct Server {
    /// `host`.
    pub host: String,
    /// `port`.
    pub port: u16,
    /// `database`; PostgreSQL requires it.
    pub database: Option<String>,
    /// `user`; PostgreSQL requires it.
    pub user: Option<String>,
    /// `password`.
    pub password: Option<SecretString>,
    /// `queryParams`, in the order written.
    pub query_params: IndexMap<String, String>,
    /// `connectTimeout` (PostgreSQL).
    pub connect_timeout: Option<Duration>,
    /// `queryTimeout` (MySQL).
    pub query_timeout: Option<Duration>,
}

impl Database {
    /// Which database it is.
    #[must_use]
    pub fn database_type(&self) -> DatabaseType {
        match self {
            Self::Sqlite { .. } => DatabaseType::Sqlite,
            Self::Postgres(_) => DatabaseType::Postgres,
            Self::MySql(_) => DatabaseType::MySql,
        }
    }

    /// The word after `type:`, which is also the prefix of its tool types.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.database_type().word()
    }

    /// The lexical rules of its SQL.
    #[must_use]
    pub fn lexicon(&self) -> Lexicon {
        self.database_type().lexicon()
    }
}

/// Which database a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseType {
    /// `sqlite`.
    Sqlite,
    /// `postgres`.
    Postgres,
    /// `mysql`, for MySQL and MariaDB.
    MySql,
}

impl DatabaseType {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::MySql];

    /// The word after `type:`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::MySql => "mysql",
        }
    }

    /// The database of a word after `type:`.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|database| database.word() == word)
    }

    /// The lexical rules of its SQL.
    #[must_use]
    pub fn lexicon(self) -> Lexicon {
        match self {
            Self::Sqlite => Lexicon::SQLITE,
            Self::Postgres => Lexicon::POSTGRES,
            Self::MySql => Lexicon::MYSQL,
        }
    }

    /// What quotes are in statements that the toolbox completes.
    #[must_use]
    pub fn quoting(self) -> Quoting {
        match self {
            Self::Postgres => Quoting { names: NameQuote::Double, backslash: Backslash::Plain },
            Self::Sqlite => Quoting { names: NameQuote::Backtick, backslash: Backslash::Plain },
            Self::MySql => Quoting { names: NameQuote::Backtick, backslash: Backslash::Escapes },
        }
    }
}
