//! Databases that live for one test, and short words for asking them.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Row as _,
    mysql::{MySqlConnectOptions, MySqlConnection},
};
use tokio_util::sync::CancellationToken;
use toolbox_mysql::{MySql, Options};
use toolbox_source::{
    Access, Done, Event, Limits, Origin, Query, Row, RowStream, Source as _, SourceError, Value,
};

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
        let query = format!(
            "SELECT CAST(COUNT(*) AS SIGNED) FROM information_schema.processlist \
             WHERE db = '{}' AND info LIKE '%{words}%' AND id <> CONNECTION_ID()",
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

/// One question to a source: by default the operator's, allowed to write, without limits.
pub(crate) struct Ask {
    statement: String,
    arguments: Vec<Value>,
    access: Access,
    origin: Origin,
    limits: Limits,
    cancel: CancellationToken,
}

pub(crate) fn ask(statement: &str) -> Ask {
    Ask {
        statement: statement.to_owned(),
        arguments: Vec::new(),
        access: Access::ReadWrite,
        origin: Origin::Configured,
        limits: Limits::default(),
        cancel: CancellationToken::new(),
    }
}

impl Ask {
    pub(crate) fn with(mut self, arguments: impl IntoIterator<Item = Value>) -> Self {
        self.arguments = arguments.into_iter().collect();
        self
    }

    pub(crate) fn by_the_model(mut self) -> Self {
        self.origin = Origin::Model;
        self
    }

    pub(crate) fn reading(mut self) -> Self {
        self.access = Access::ReadOnly;
        self
    }

    pub(crate) fn within(mut self, timeout: Duration) -> Self {
        self.limits.statement_timeout = Some(timeout);
        self
    }

    pub(crate) fn cancelled_by(mut self, cancel: &CancellationToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    pub(crate) async fn stream(self, source: &MySql) -> Result<RowStream, SourceError> {
        source
            .query(Query {
                statement: Arc::from(self.statement),
                arguments: self.arguments,
                access: self.access,
                origin: self.origin,
                limits: self.limits,
                cancel: self.cancel,
            })
            .await
    }

    pub(crate) async fn answers(self, source: &MySql) -> Result<Vec<Answer>, SourceError> {
        collect(self.stream(source).await?).await
    }

    /// The one result set.
    pub(crate) async fn answer(self, source: &MySql) -> Answer {
        let statement = self.statement.clone();
        let mut answers = self.answers(source).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
        assert_eq!(answers.len(), 1, "{statement}");
        answers.remove(0)
    }

    pub(crate) async fn rows(self, source: &MySql) -> Vec<Row> {
        self.answer(source).await.rows
    }

    /// The one cell of the one row.
    pub(crate) async fn cell(self, source: &MySql) -> Value {
        let mut rows = self.rows(source).await;
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].len(), 1);
        rows.remove(0).remove(0)
    }

    pub(crate) async fn done(self, source: &MySql) -> Done {
        self.answer(source).await.done
    }

    /// The error that the question gets.
    pub(crate) async fn fails(self, source: &MySql) -> SourceError {
        let statement = self.statement.clone();
        match self.answers(source).await {
            Err(error) => error,
            Ok(answers) => panic!("{statement}: {answers:?}"),
        }
    }

    /// The words of that error.
    pub(crate) async fn error(self, source: &MySql) -> String {
        self.fails(source).await.to_string()
    }
}

/// One result set.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) rows: Vec<Row>,
    pub(crate) done: Done,
}

/// Reads a stream to its end and holds it to the order of events.
pub(crate) async fn collect(mut stream: RowStream) -> Result<Vec<Answer>, SourceError> {
    let mut answers = Vec::new();
    let mut columns: Option<Vec<String>> = None;
    let mut rows: Vec<Row> = Vec::new();
    while let Some(event) = stream.next().await {
        match event? {
            Event::Columns(announced) => {
                assert!(columns.is_none() && rows.is_empty());
                columns = Some(announced.iter().map(|column| column.name.clone()).collect());
            }
            Event::Row(row) => {
                assert_eq!(Some(row.len()), columns.as_ref().map(Vec::len));
                rows.push(row);
            }
            Event::Done(done) => {
                answers.push(Answer { columns: columns.take(), rows: std::mem::take(&mut rows), done });
            }
        }
    }
    assert!(columns.is_none() && !answers.is_empty(), "an answer ends with Done");
    Ok(answers)
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

pub(crate) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
