//! Databases that live for one test, and short words for asking them.

pub(crate) mod proxy;

use std::{
    env,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Row as _, ValueRef as _,
    postgres::{PgConnectOptions, PgConnection},
};
pub(crate) use toolbox_asking::{ask, collect, text};
use toolbox_postgres::{Options, Postgres};
use toolbox_source::Value;

use proxy::Proxy;

/// Where the test server is.
const URL: &str = "TOOLBOX_TEST_POSTGRES_URL";

/// A database of one test.
pub(crate) struct Database {
    name: String,
    server: PgConnectOptions,
    url: String,
}

impl Database {
    /// A new database that holds what this script makes; `None`, and a line that says why, without a server.
    pub(crate) async fn with(script: &str) -> Option<Self> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let Ok(url) = env::var(URL) else {
            eprintln!("skipped: {URL} names no PostgreSQL");
            return None;
        };
        let server: PgConnectOptions = url.parse().unwrap();
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolbox_pg_{}_{number}", std::process::id());
        let mut admin = server.connect().await.unwrap();
        admin.execute(AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))).await.unwrap();
        admin.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
        admin.close().await.unwrap();
        let database = Self { name, server, url };
        if !script.is_empty() {
            database.script(script).await;
        }
        Some(database)
    }

    /// A connection past the source, in the session settings that the texts of values rest on.
    pub(crate) async fn connect(&self) -> PgConnection {
        self.server.clone().database(&self.name).connect().await.unwrap()
    }

    /// Runs a script of several statements, past the source.
    pub(crate) async fn script(&self, script: &str) {
        let mut connection = self.connect().await;
        connection.execute(sqlx::raw_sql(AssertSqlSafe(script.to_owned()))).await.unwrap();
        connection.close().await.unwrap();
    }

    /// The one cell of a query, in the server's own text form.
    pub(crate) async fn text(&self, sql: &str) -> Option<String> {
        self.texts(sql).await.remove(0)
    }

    /// The cells of the one row of a query, in the server's own text form.
    pub(crate) async fn texts(&self, sql: &str) -> Vec<Option<String>> {
        let mut connection = self.connect().await;
        let row = connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.unwrap();
        connection.close().await.unwrap();
        (0..row.len())
            .map(|place| {
                let cell = row.try_get_raw(place).unwrap();
                (!cell.is_null()).then(|| cell.as_str().unwrap().to_owned())
            })
            .collect()
    }

    /// The version of the server, as `server_version_num` counts it: 150018 is 15.18.
    pub(crate) async fn version(&self) -> u32 {
        self.text("SHOW server_version_num").await.unwrap().parse().unwrap()
    }

    pub(crate) fn options(&self) -> Options {
        let credentials = self.url.split_once("://").unwrap().1.rsplit_once('@').unwrap().0;
        let (user, password) = credentials.split_once(':').unwrap();
        Options {
            host: self.server.get_host().to_owned(),
            port: self.server.get_port(),
            database: self.name.clone(),
            user: user.to_owned(),
            password: password.into(),
            query_params: Vec::new(),
            connect_timeout: None,
            statement_timeout: None,
            migrations: None,
            read_only: false,
            max_connections: 4,
            acquire_timeout: Duration::from_secs(10),
        }
    }

    pub(crate) fn source(&self) -> Postgres {
        Postgres::open("test", self.options()).unwrap()
    }

    /// A source with one connection, so that calls follow each other on it.
    pub(crate) fn narrow_source(&self) -> Postgres {
        Postgres::open("test", Options { max_connections: 1, ..self.options() }).unwrap()
    }

    /// A source with one connection, and the way that counts its questions.
    pub(crate) async fn counted_source(&self) -> (Postgres, Proxy) {
        let options = self.options();
        let proxy = Proxy::to((options.host.clone(), options.port)).await;
        let options = Options {
            host: proxy.address.ip().to_string(),
            port: proxy.address.port(),
            max_connections: 1,
            query_params: vec![("sslmode".to_owned(), "disable".to_owned())],
            ..options
        };
        (Postgres::open("test", options).unwrap(), proxy)
    }

    /// Waits a while until the server runs no statement with this text any more; false if it still does.
    pub(crate) async fn is_gone(&self, statement: &str) -> bool {
        self.becomes(statement, 0).await
    }

    /// Waits a while until the server runs a statement with this text; false if it does not.
    pub(crate) async fn is_running(&self, statement: &str) -> bool {
        self.becomes(statement, 1).await
    }

    async fn becomes(&self, statement: &str, sessions: u32) -> bool {
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}' AND state = 'active' \
             AND strpos(query, '{statement}') > 0 AND pid <> pg_backend_pid()",
            self.name
        );
        let sessions = sessions.to_string();
        for _ in 0..100 {
            if self.text(&sql).await.as_deref() == Some(&sessions) {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        false
    }

    /// Drops the database.
    pub(crate) async fn end(self) {
        let mut admin = self.server.connect().await.unwrap();
        admin
            .execute(AssertSqlSafe(format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)))
            .await
            .unwrap();
        admin.close().await.unwrap();
    }
}

pub(crate) fn decimal(digits: &str) -> Value {
    Value::Decimal(digits.to_owned())
}

pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A database with this script, or the end of the test where there is no server.
macro_rules! database {
    ($script:expr) => {
        match $crate::support::Database::with($script).await {
            Some(database) => database,
            None => return,
        }
    };
}
pub(crate) use database;
