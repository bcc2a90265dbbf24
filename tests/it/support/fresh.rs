//! An empty database for one test, on any engine, which the test looks at and fills past our own code.

use std::{
    fmt,
    path::PathBuf,
    process,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, MySqlConnection, PgConnection, Row, SqliteConnection,
    mysql::MySqlConnectOptions, postgres::PgConnectOptions, sqlite::SqliteConnectOptions,
};
use tempfile::TempDir;
use url::Url;

use super::{Engine, machine, servers};

/// How long a server may take to answer after its start.
const PATIENCE: Duration = Duration::from_mins(2);

/// A database of its own. [`Fresh::remove`] drops it; what a failed test leaves, the next run does.
pub(crate) struct Fresh {
    engine: Engine,
    place: Place,
    admin: Admin,
}

enum Place {
    File(TempDir),
    Server { url: Url, name: String },
}

/// A connection that is not ours.
enum Admin {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
    MySql(MySqlConnection),
}

impl Fresh {
    /// A new database; `None` where there is no server, which has been said by name.
    pub(crate) async fn create(engine: Engine) -> Option<Self> {
        if engine == Engine::Sqlite {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let options =
                SqliteConnectOptions::new().filename(folder.path().join("test.db")).create_if_missing(true);
            let connection = options.disable_statement_logging().connect().await.expect("a database");
            return Some(Self { engine, place: Place::File(folder), admin: Admin::Sqlite(connection) });
        }
        let server = servers::url(engine)?;
        let mut admin = Admin::connect(engine, server).await.expect("the server");
        sweep(&mut admin).await;
        let name = new_name();
        admin.run(&format!("CREATE DATABASE {name}")).await;
        let mut url = server.clone();
        url.set_path(&name);
        let admin = Admin::connect(engine, &url).await.expect("the new database");
        Some(Self { engine, place: Place::Server { url, name }, admin })
    }

    /// Where the server is, with this database as path; `None` for SQLite.
    pub(crate) fn url(&self) -> Option<&Url> {
        match &self.place {
            Place::File(_) => None,
            Place::Server { url, .. } => Some(url),
        }
    }

    /// The file of SQLite.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match &self.place {
            Place::File(folder) => Some(folder.path().join("test.db")),
            Place::Server { .. } => None,
        }
    }

    /// Runs statements of one text that may hold several.
    pub(crate) async fn run(&mut self, sql: &str) {
        self.admin.run(sql).await;
    }

    /// The cells of a query as the server itself writes them as text.
    pub(crate) async fn texts(&mut self, sql: &str) -> Vec<Vec<Option<String>>> {
        self.admin.texts(sql).await
    }

    /// The one number that a query gives.
    pub(crate) async fn number(&mut self, sql: &str) -> i64 {
        let rows = self.texts(sql).await;
        rows[0][0].as_deref().expect("a number").parse().expect("a number")
    }

    /// Ends every session of MySQL or MariaDB in this database but our own view of it.
    pub(crate) async fn end_sessions_of_mysql(&mut self) {
        self.admin.end_sessions_of_mysql("database()").await;
    }

    /// Drops the database.
    pub(crate) async fn remove(mut self) {
        let Place::Server { url, name } = &self.place else { return };
        if let Admin::Postgres(connection) = self.admin {
            // A connection to a database keeps it from being dropped.
            connection.close().await.expect("a clean end");
            let mut server = url.clone();
            server.set_path(servers::url(self.engine).expect("the server").path());
            self.admin = Admin::connect(self.engine, &server).await.expect("the server");
        }
        let name = name.clone();
        self.admin.drop_database(&name).await;
    }
}

impl Admin {
    async fn connect(engine: Engine, url: &Url) -> Result<Self, sqlx::Error> {
        Ok(match engine {
            Engine::Sqlite => panic!("SQLite has no server"),
            Engine::Postgres => {
                Self::Postgres(PgConnectOptions::from_url(url)?.disable_statement_logging().connect().await?)
            }
            Engine::MySql | Engine::MariaDb => {
                Self::MySql(MySqlConnectOptions::from_url(url)?.disable_statement_logging().connect().await?)
            }
        })
    }

    async fn run(&mut self, sql: &str) {
        let query = sqlx::raw_sql(AssertSqlSafe(sql));
        let ran = match self {
            Self::Sqlite(connection) => query.execute(connection).await.map(|_| ()),
            Self::Postgres(connection) => query.execute(connection).await.map(|_| ()),
            Self::MySql(connection) => query.execute(connection).await.map(|_| ()),
        };
        ran.unwrap_or_else(|error| panic!("{error}: {sql}"));
    }

    /// Ends every session but this one in the database that this expression names.
    async fn end_sessions_of_mysql(&mut self, name: &str) {
        let list = format!(
            "SELECT id FROM information_schema.processlist WHERE db = {name} AND id <> connection_id()"
        );
        for session in self.texts(&list).await {
            let id = session[0].as_deref().expect("a number");
            if let Self::MySql(connection) = self {
                // It may have ended meanwhile.
                let _ = sqlx::raw_sql(AssertSqlSafe(format!("KILL {id}"))).execute(connection).await;
            }
        }
    }

    /// Drops a database, whoever still uses it, and does not mind if another process has just done so.
    async fn drop_database(&mut self, name: &str) {
        match self {
            Self::Sqlite(_) => {}
            Self::Postgres(_) => self.run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await,
            Self::MySql(_) => {
                // A statement that nobody waits for any more may run for hours, and dropping its tables waits for it.
                self.end_sessions_of_mysql(&format!("'{name}'")).await;
                self.run(&format!("DROP DATABASE IF EXISTS {name}")).await;
            }
        }
    }

    async fn texts(&mut self, sql: &str) -> Vec<Vec<Option<String>>> {
        fn cells<R: Row>(rows: &[R]) -> Vec<Vec<Option<String>>>
        where
            usize: sqlx::ColumnIndex<R>,
            for<'r> Option<String>: sqlx::Decode<'r, R::Database>,
        {
            let cell = |row: &R, place| row.try_get_unchecked(place).expect("a text");
            rows.iter().map(|row| (0..row.len()).map(|place| cell(row, place)).collect()).collect()
        }
        let query = sqlx::raw_sql(AssertSqlSafe(sql));
        match self {
            Self::Sqlite(connection) => query.fetch_all(connection).await.map(|rows| cells(&rows)),
            Self::Postgres(connection) => query.fetch_all(connection).await.map(|rows| cells(&rows)),
            Self::MySql(connection) => query.fetch_all(connection).await.map(|rows| cells(&rows)),
        }
        .unwrap_or_else(|error| panic!("{error}: {sql}"))
    }
}

impl fmt::Debug for Fresh {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Fresh").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// Waits until a server that was just started takes connections.
pub(super) async fn wait_until_ready(engine: Engine, url: &Url) -> Result<(), String> {
    let started = Instant::now();
    while let Err(error) = Admin::connect(engine, url).await {
        if started.elapsed() > PATIENCE {
            return Err(format!("{engine} did not start: {error}"));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

/// What the names of all databases of this machine's tests begin with.
fn prefix() -> String {
    let machine: String = machine::name().chars().filter(char::is_ascii_alphanumeric).take(20).collect();
    format!("toolbox_test_{}_", machine.to_ascii_lowercase())
}

fn new_name() -> String {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    format!("{}{}_{}", prefix(), process::id(), COUNTER.fetch_add(1, Ordering::Relaxed))
}

/// Drops the databases of processes of this machine that are gone.
async fn sweep(admin: &mut Admin) {
    let prefix = prefix();
    let list = match admin {
        Admin::Sqlite(_) => return,
        Admin::Postgres(_) => "SELECT datname FROM pg_database",
        Admin::MySql(_) => "SELECT schema_name FROM information_schema.schemata",
    };
    for row in admin.texts(list).await {
        let Some(name) = row[0].as_deref() else { continue };
        let Some(process) = name.strip_prefix(&prefix).and_then(|rest| rest.split('_').next()) else {
            continue;
        };
        if process.parse().is_ok_and(|process| !machine::runs(process)) {
            admin.drop_database(name).await;
        }
    }
}
