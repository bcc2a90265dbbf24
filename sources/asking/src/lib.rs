//! Questions to a source and whole answers, for tests. What is not as a test expects it ends the test.

#![expect(clippy::panic, clippy::expect_used, clippy::missing_panics_doc, reason = "a test ends by a panic")]

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Declared, Done, Event, Limits, Origin, Query, Row, RowStream, Source, SourceError, Value,
};

/// One question to a source.
#[derive(Clone, Debug)]
pub struct Ask {
    statement: String,
    arguments: Vec<Value>,
    declared: Arc<[Declared]>,
    access: Access,
    origin: Origin,
    limits: Limits,
    cancel: CancellationToken,
}

/// A statement of the operator that may write, without limits, until told otherwise.
#[must_use]
pub fn ask(statement: &str) -> Ask {
    Ask {
        statement: statement.to_owned(),
        arguments: Vec::new(),
        declared: Arc::from([]),
        access: Access::ReadWrite,
        origin: Origin::Configured,
        limits: Limits::default(),
        cancel: CancellationToken::new(),
    }
}

impl Ask {
    /// With arguments.
    #[must_use]
    pub fn with(mut self, arguments: impl IntoIterator<Item = Value>) -> Self {
        self.arguments = arguments.into_iter().collect();
        self
    }

    /// With parameters of these kinds.
    #[must_use]
    pub fn declaring(mut self, declared: impl IntoIterator<Item = Declared>) -> Self {
        self.declared = declared.into_iter().collect();
        self
    }

    /// As SQL from the model.
    #[must_use]
    pub fn by_the_model(mut self) -> Self {
        self.origin = Origin::Model;
        self
    }

    /// As a call that may only read.
    #[must_use]
    pub fn reading(mut self) -> Self {
        self.access = Access::ReadOnly;
        self
    }

    /// With a time limit.
    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.limits.statement_timeout = Some(timeout);
        self
    }

    /// With a limit of rows.
    #[must_use]
    pub fn rows_at_most(mut self, rows: u64) -> Self {
        self.limits.max_rows = Some(rows);
        self
    }

    /// With a limit of bytes.
    #[must_use]
    pub fn bytes_at_most(mut self, bytes: u64) -> Self {
        self.limits.max_bytes = Some(bytes);
        self
    }

    /// Stopped by this token.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &CancellationToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Its limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The events.
    ///
    /// # Errors
    ///
    /// What comes before the first event.
    pub async fn stream(self, source: &dyn Source) -> Result<RowStream, SourceError> {
        source
            .query(Query {
                statement: Arc::from(self.statement),
                arguments: self.arguments,
                declared: self.declared,
                access: self.access,
                origin: self.origin,
                limits: self.limits,
                cancel: self.cancel,
            })
            .await
    }

    /// All result sets.
    ///
    /// # Errors
    ///
    /// What the source says.
    pub async fn sets(self, source: &dyn Source) -> Result<Vec<Set>, SourceError> {
        collect(self.stream(source).await?).await
    }

    /// The only result set.
    ///
    /// # Errors
    ///
    /// What the source says.
    pub async fn answer(self, source: &dyn Source) -> Result<Set, SourceError> {
        let mut sets = self.sets(source).await?;
        assert_eq!(sets.len(), 1, "{sets:?}");
        Ok(sets.remove(0))
    }

    /// The rows of the only result set.
    pub async fn rows(self, source: &dyn Source) -> Vec<Row> {
        self.set(source).await.rows
    }

    /// The only cell of the only row.
    pub async fn cell(self, source: &dyn Source) -> Value {
        let mut rows = self.rows(source).await;
        assert_eq!((rows.len(), rows.first().map(Vec::len)), (1, Some(1)), "{rows:?}");
        rows.remove(0).remove(0)
    }

    /// How the only result set ended.
    pub async fn done(self, source: &dyn Source) -> Done {
        self.set(source).await.done
    }

    /// Rows changed by a statement that gives no rows.
    pub async fn changes(self, source: &dyn Source) -> u64 {
        let set = self.set(source).await;
        assert_eq!(set.columns, None);
        set.done.rows_affected.expect("a statement without columns says what it changed")
    }

    /// The error that the question gets.
    pub async fn fails(self, source: &dyn Source) -> SourceError {
        let statement = self.statement.clone();
        match self.sets(source).await {
            Err(error) => error,
            Ok(sets) => panic!("{statement}: {sets:?}"),
        }
    }

    /// The words of that error.
    pub async fn error(self, source: &dyn Source) -> String {
        self.fails(source).await.to_string()
    }

    /// The only result set of a statement that works.
    pub async fn set(self, source: &dyn Source) -> Set {
        let statement = self.statement.clone();
        self.answer(source).await.unwrap_or_else(|error| panic!("{error}: {statement}"))
    }
}

/// One result set.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// The names of its columns; none for a statement without columns.
    pub columns: Option<Vec<String>>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// How it ended.
    pub done: Done,
}

/// Reads a stream to its end and holds it to the order of events.
///
/// # Errors
///
/// The error in the stream.
pub async fn collect(mut stream: RowStream) -> Result<Vec<Set>, SourceError> {
    let mut sets = Vec::new();
    let mut columns: Option<Vec<String>> = None;
    let mut rows: Vec<Row> = Vec::new();
    while let Some(event) = stream.next().await {
        match event? {
            Event::Columns(announced) => {
                assert!(columns.is_none() && rows.is_empty(), "columns come once in a result set");
                columns = Some(announced.iter().map(|column| column.name.clone()).collect());
            }
            Event::Row(row) => {
                assert_eq!(
                    Some(row.len()),
                    columns.as_ref().map(Vec::len),
                    "a row is as wide as the columns"
                );
                rows.push(row);
            }
            Event::Done(done) => {
                sets.push(Set { columns: columns.take(), rows: std::mem::take(&mut rows), done });
            }
        }
    }
    assert!(columns.is_none() && rows.is_empty(), "an answer ends with Done");
    assert!(!sets.is_empty(), "an answer is one or more result sets");
    Ok(sets)
}

/// A text.
#[must_use]
pub fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
