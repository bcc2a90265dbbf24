//! Looks at a SQLite database without our program: what a test expects is SQLite's own view of the data.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value as Json;
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::runtime::{Builder, Runtime};

/// A read-only connection to a database file.
#[derive(Debug)]
pub(crate) struct Database {
    runtime: Runtime,
    connection: Option<SqliteConnection>,
}

/// All that a database holds: the rows of each table as SQL literals, and under the empty name the schema.
pub(crate) type Dump = BTreeMap<String, Vec<String>>;

impl Database {
    /// Opens a file, which must exist.
    pub(crate) fn open(file: &Path) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let options = SqliteConnectOptions::new().filename(file).read_only(true).disable_statement_logging();
        let connection = runtime.block_on(options.connect()).expect("a database");
        Self { runtime, connection: Some(connection) }
    }

    /// The only column of a query, as text.
    pub(crate) fn texts(&mut self, sql: &str) -> Vec<String> {
        let connection = self.connection.as_mut().expect("an open connection");
        self.runtime
            .block_on(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_all(connection))
            .unwrap_or_else(|error| panic!("{error}: {sql}"))
    }

    /// The rows of a query whose only column is made by SQLite's own `json_object`.
    pub(crate) fn objects(&mut self, sql: &str) -> Vec<Json> {
        self.texts(sql)
            .iter()
            .map(|text| serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")))
            .collect()
    }

    /// Everything in the database, for comparing before and after.
    pub(crate) fn dump(&mut self) -> Dump {
        let mut dump = Dump::new();
        dump.insert(
            String::new(),
            self.texts("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name"),
        );
        for table in self.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
            let cells = self
                .texts(&format!(
                    "SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}') ORDER BY cid"
                ))
                .join(" || ', ' || ");
            let rows = self.texts(&format!("SELECT {cells} AS row FROM \"{table}\" ORDER BY row"));
            dump.insert(table, rows);
        }
        dump
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            // A connection for reading has nothing to lose.
            let _ = self.runtime.block_on(connection.close());
        }
    }
}
