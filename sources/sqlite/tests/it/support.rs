//! Databases that live for one test, and short words for asking them.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Done, Event, Limits, Origin, Query, Row, RowStream, Source as _, SourceError, Value,
};
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

/// One question to a source: by default the operator's, allowed to write, without limits.
pub(crate) struct Ask {
    statement: String,
    arguments: Vec<Value>,
    access: Access,
    origin: Origin,
    limits: Limits,
    pub(crate) cancel: CancellationToken,
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

    pub(crate) async fn stream(self, source: &Sqlite) -> Result<RowStream, SourceError> {
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

    pub(crate) async fn answer(self, source: &Sqlite) -> Result<Answer, SourceError> {
        collect(self.stream(source).await?).await
    }

    pub(crate) async fn rows(self, source: &Sqlite) -> Vec<Row> {
        self.answer(source).await.unwrap().rows
    }

    /// The one cell of the one row.
    pub(crate) async fn cell(self, source: &Sqlite) -> Value {
        let mut rows = self.rows(source).await;
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].len(), 1);
        rows.remove(0).remove(0)
    }

    pub(crate) async fn done(self, source: &Sqlite) -> Done {
        self.answer(source).await.unwrap().done
    }

    /// The words of the error that the question gets.
    pub(crate) async fn error(self, source: &Sqlite) -> String {
        let statement = self.statement.clone();
        match self.answer(source).await {
            Err(error) => error.to_string(),
            Ok(answer) => panic!("{statement}: {answer:?}"),
        }
    }
}

/// A whole answer of one result set.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) rows: Vec<Row>,
    pub(crate) done: Done,
}

/// Reads a stream to its end and holds it to the order of events.
pub(crate) async fn collect(mut stream: RowStream) -> Result<Answer, SourceError> {
    let mut columns: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    let mut done = None;
    while let Some(event) = stream.next().await {
        assert!(done.is_none(), "nothing follows the end of the only result set");
        match event? {
            Event::Columns(announced) => {
                assert!(columns.is_none() && rows.is_empty());
                columns = Some(announced.iter().map(|column| column.name.clone()).collect());
            }
            Event::Row(row) => {
                assert_eq!(Some(row.len()), columns.as_ref().map(Vec::len));
                rows.push(row);
            }
            Event::Done(ended) => done = Some(ended),
        }
    }
    Ok(Answer { columns, rows, done: done.expect("an answer ends with Done") })
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A statement that runs until it is stopped.
pub(crate) const FOREVER: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
/// The same without a row.
pub(crate) const FOREVER_SILENT: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
