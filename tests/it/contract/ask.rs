//! Questions to a source, and whole answers.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;
use toolbox::seam::{self, Encoded, Encoding};
use toolbox_source::{
    Access, Done, Event, Limits, Origin, Query, Row, RowStream, Source, SourceError, Value,
};

/// A statement of the operator that may write, without limits, until told otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    statement: String,
    arguments: Vec<Value>,
    access: Access,
    origin: Origin,
    limits: Limits,
    cancel: CancellationToken,
}

pub(crate) fn ask(statement: impl Into<String>) -> Ask {
    Ask {
        statement: statement.into(),
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

    pub(crate) fn rows_at_most(mut self, rows: u64) -> Self {
        self.limits.max_rows = Some(rows);
        self
    }

    pub(crate) fn bytes_at_most(mut self, bytes: u64) -> Self {
        self.limits.max_bytes = Some(bytes);
        self
    }

    pub(crate) fn cancelled_by(mut self, cancel: &CancellationToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    pub(crate) async fn stream(self, source: &dyn Source) -> Result<RowStream, SourceError> {
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

    /// All result sets.
    pub(crate) async fn sets(self, source: &dyn Source) -> Result<Vec<Set>, SourceError> {
        collect(self.stream(source).await?).await
    }

    /// The only result set.
    pub(crate) async fn answer(self, source: &dyn Source) -> Result<Set, SourceError> {
        let mut sets = self.sets(source).await?;
        assert_eq!(sets.len(), 1, "{sets:?}");
        Ok(sets.remove(0))
    }

    pub(crate) async fn rows(self, source: &dyn Source) -> Vec<Row> {
        let statement = self.statement.clone();
        self.answer(source).await.unwrap_or_else(|error| panic!("{error}: {statement}")).rows
    }

    /// The only cell of the only row.
    pub(crate) async fn cell(self, source: &dyn Source) -> Value {
        let mut rows = self.rows(source).await;
        assert_eq!((rows.len(), rows[0].len()), (1, 1), "{rows:?}");
        rows.remove(0).remove(0)
    }

    /// Rows changed by a statement that gives no rows.
    pub(crate) async fn changes(self, source: &dyn Source) -> u64 {
        let set = self.answer(source).await.expect("a write");
        assert_eq!(set.columns, None);
        set.done.rows_affected.expect("a statement without columns says what it changed")
    }

    pub(crate) async fn error(self, source: &dyn Source) -> SourceError {
        let statement = self.statement.clone();
        match self.sets(source).await {
            Err(error) => error,
            Ok(sets) => panic!("{statement}: {sets:?}"),
        }
    }

    /// What leaves the server.
    pub(crate) async fn encoded(self, source: &dyn Source) -> Result<Encoded, SourceError> {
        self.encoded_as(Encoding::Json, source).await
    }

    /// What leaves the server where this encoding is wished for.
    pub(crate) async fn encoded_as(
        self,
        encoding: Encoding,
        source: &dyn Source,
    ) -> Result<Encoded, SourceError> {
        let limits = self.limits;
        seam::encode(self.stream(source).await?, encoding.into(), &limits).await
    }

    /// The blocks of JSON that leave the server.
    pub(crate) async fn json(self, source: &dyn Source) -> Vec<String> {
        let statement = self.statement.clone();
        match self.encoded(source).await {
            Ok(encoded) => encoded.into_blocks(),
            Err(error) => panic!("{error}: {statement}"),
        }
    }
}

/// One result set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Set {
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) rows: Vec<Row>,
    pub(crate) done: Done,
}

/// Reads a stream to its end and holds it to the order of events.
pub(crate) async fn collect(mut stream: RowStream) -> Result<Vec<Set>, SourceError> {
    let mut sets = Vec::new();
    let mut columns: Option<Vec<String>> = None;
    let mut rows: Vec<Row> = Vec::new();
    while let Some(event) = stream.next().await {
        match event? {
            Event::Columns(announced) => {
                assert!(columns.is_none(), "columns come once in a result set");
                columns = Some(announced.iter().map(|column| column.name.clone()).collect());
            }
            Event::Row(row) => {
                assert_eq!(Some(row.len()), columns.as_ref().map(Vec::len));
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

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
