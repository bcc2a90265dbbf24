//! Databases that live for one test, and short words for asking them.

use std::{
    env,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Row as _,
    mysql::{MySqlConnectOptions, MySqlConnection},
};
pub(crate) use toolbox_asking::{Ask, Set, ask, collect, text};
use toolbox_mysql::{MySql, Options};

/// Which of the two servers a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    MySql,
    MariaDb,
}

/// A database of its own on a server.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pub(crate) server: Server,
    pub(crate) name: String,
    driver: MySqlConnectOptions,
    password: String,
}

/// Runs a test on every server that the environment names.
pub(crate) async fn on_each<F: Future<Output = ()> + Send + 'static>(test: impl Fn(Database) -> F) {
    let servers = [("TOOLBOX_TEST_MYSQL_URL", Server::MySql), ("TOOLBOX_TEST_MARIADB_URL", Server::MariaDb)];
    for (variable, server) in servers {
        let Ok(url) = env::var(variable) else {
            eprintln!("skipped on {server:?}: {variable} is not set");
            continue;
        };
        let database = Database::create(server, &url).await;
        let outcome = tokio::spawn(test(database.clone())).await;
        database.drop().await;
        if let Err(error) = outcome {
            eprintln!("failed on {server:?}");
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

impl Database {
    async fn create(server: Server, url: &str) -> Self {
        static COUNTER: AtomicUsize = AtomicUsize::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolbox_test_{}_{number}", std::process::id());
        let driver: MySqlConnectOptions = url.parse().expect("the URL of a server");
        let driver = driver.pipes_as_concat(false).no_engine_substitution(false);
        let password = url.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
        let password =
            password.and_then(|(user, _)| user.split_once(':')).map_or("", |(_, password)| password);
        let database = Self { server, name, driver, password: password.to_owned() };
        let mut admin = database.driver.connect().await.expect("the server of the URL");
        let create = format!("CREATE DATABASE {} CHARACTER SET utf8mb4", database.name);
        admin.execute(AssertSqlSafe(create)).await.unwrap();
        admin.close().await.unwrap();
        database
    }

    async fn drop(&self) {
        self.script(&format!("DROP DATABASE {}", self.name)).await;
    }

    /// A connection past the source.
    pub(crate) async fn connect(&self) -> MySqlConnection {
        self.driver.clone().database(&self.name).connect().await.unwrap()
    }

    /// Runs a script of several statements, past the source.
    pub(crate) async fn script(&self, script: &str) {
        let mut connection = self.connect().await;
        connection.execute(AssertSqlSafe(script.to_owned())).await.unwrap();
        connection.close().await.unwrap();
    }

    /// One cell as the server's text, past the source.
    pub(crate) async fn text(&self, query: &str) -> String {
        let mut connection = self.connect().await;
        let row = connection.fetch_one(AssertSqlSafe(query.to_owned())).await.unwrap();
        let text = row.try_get_unchecked::<String, _>(0).unwrap();
        connection.close().await.unwrap();
        text
    }

    /// Whether the server has a type of columns, which older versions may lack.
    pub(crate) async fn knows(&self, kind: &str) -> bool {
        let mut connection = self.connect().await;
        let known = connection
            .execute(AssertSqlSafe(format!("SET sql_mode = ''; CREATE TEMPORARY TABLE known (c {kind})")))
            .await;
        connection.close().await.unwrap();
        known.is_ok()
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            host: self.driver.get_host().to_owned(),
            port: self.driver.get_port(),
            database: Some(self.name.clone()),
            user: Some(self.driver.get_username().to_owned()),
            password: Some(self.password.clone().into()),
            query_params: Vec::new(),
            query_timeout: None,
            statement_timeout: None,
            migrations: None,
            read_only: false,
            max_connections: 4,
            acquire_timeout: Duration::from_secs(10),
        }
    }

    pub(crate) fn source(&self) -> MySql {
        MySql::open("test", self.options()).unwrap()
    }

    /// A source that has one connection.
    pub(crate) fn narrow_source(&self) -> MySql {
        MySql::open("test", Options { max_connections: 1, ..self.options() }).unwrap()
    }

    /// Waits until so many statements run in this database whose text holds these words.
    pub(crate) async fn wait_for_running(&self, words: &str, count: i64) {
        // The processes of MySQL's information_schema cannot be read while any of them runs a text that is no UTF-8.
        let (list, of) = match self.server {
            Server::MySql => ("performance_schema.threads", "processlist_"),
            Server::MariaDb => ("information_schema.processlist", ""),
        };
        let query = format!(
            "SELECT CAST(COUNT(*) AS SIGNED) FROM {list} \
             WHERE {of}db = '{}' AND {of}info LIKE '%{words}%' AND {of}id <> CONNECTION_ID()",
            self.name
        );
        let mut connection = self.connect().await;
        for _ in 0..400 {
            let row = connection.fetch_one(AssertSqlSafe(query.clone())).await.unwrap();
            if row.try_get_unchecked::<i64, _>(0).unwrap() == count {
                connection.close().await.unwrap();
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?}: never {count} statements with {words}", self.server);
    }
}

pub(crate) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
