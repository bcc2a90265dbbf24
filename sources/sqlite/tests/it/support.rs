//! Databases that live for one test, and short words for asking them.

use std::{path::PathBuf, time::Duration};

use tempfile::TempDir;
pub(crate) use toolbox_asking::{ask, collect, text};
use toolbox_sqlite::{Options, Sqlite};

/// A database in a folder of its own.
pub(crate) struct Database {
    pub(crate) folder: TempDir,
}

impl Database {
    /// A database that holds what this script makes.
    pub(crate) async fn with(script: &str) -> Self {
        let database = Self { folder: TempDir::new().unwrap() };
        database.script(script).await;
        database
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("test.db")
    }

    /// Runs a script of several statements, past the source.
    pub(crate) async fn script(&self, script: &str) {
        use sqlx::{
            AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, sqlite::SqliteConnectOptions,
        };
        let options = SqliteConnectOptions::new().filename(self.path()).create_if_missing(true);
        let mut connection = options.connect().await.unwrap();
        connection.execute(AssertSqlSafe(script.to_owned())).await.unwrap();
        connection.close().await.unwrap();
    }

    pub(crate) fn options(&self) -> Options {
        options(self.path().to_str().unwrap())
    }

    pub(crate) fn source(&self) -> Sqlite {
        Sqlite::open("test", self.options()).unwrap()
    }
}

pub(crate) fn options(database: &str) -> Options {
    Options {
        database: database.to_owned(),
        migrations: None,
        read_only: false,
        max_connections: 4,
        acquire_timeout: Duration::from_secs(10),
    }
}

pub(crate) fn open(database: &str) -> Sqlite {
    Sqlite::open("test", options(database)).unwrap()
}

/// A statement that runs until it is stopped.
pub(crate) const FOREVER: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
/// The same without a row.
pub(crate) const FOREVER_SILENT: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
