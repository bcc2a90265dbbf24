//! What a source answers: columns, rows, and how a statement ended.

use std::{fmt, sync::Arc};

use futures::{StreamExt, stream::BoxStream};
use tokio_util::sync::CancellationToken;

use crate::{SourceError, Value};

/// One column of a result set, by position. Names may repeat and may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name as the database gives it.
    pub name: String,
    /// What its cells hold, as far as the database says so before the first row.
    pub kind: ColumnKind,
}

/// What the cells of a column hold. Every kind also allows [`Value::Null`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Known only value by value (every column of `SQLite`).
    Any,
    /// [`Value::Bool`].
    Bool,
    /// [`Value::Int`] or [`Value::UInt`].
    Integer,
    /// [`Value::Float`].
    Float,
    /// [`Value::Decimal`].
    Decimal,
    /// [`Value::Text`].
    Text,
    /// [`Value::Json`].
    Json,
    /// [`Value::Bytes`].
    Bytes,
    /// [`Value::Array`].
    Array,
    /// [`Value::Object`].
    Object,
}

/// The cells of one row, one for each column, in column order.
pub type Row = Vec<Value>;

/// How one result set ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// Rows that a statement changed; none when it only read. A statement without columns always has it, 0 for DDL.
    pub rows_affected: Option<u64>,
    /// The key that the database made for the last inserted row, where there is one.
    pub last_insert_id: Option<Value>,
}

/// One step of an answer. A result set is `Columns Row* Done`, or `Done` alone when the statement has no columns; an
/// answer is one or more result sets.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A result set with columns begins. Sent for empty result sets too.
    Columns(Arc<[Column]>),
    /// One row of the current result set.
    Row(Row),
    /// The current result set is complete.
    Done(Done),
}

/// The events of one query, in order.
///
/// Dropping it before the end stops the statement in the database. To stop politely, call [`RowStream::enough`] and read
/// on to the end.
pub struct RowStream {
    events: BoxStream<'static, Result<Event, SourceError>>,
    enough: CancellationToken,
}

impl RowStream {
    /// Joins a stream of events with the token that [`RowStream::enough`] sets. The source watches the token: once it is
    /// set, a read stops in the database, a write runs to its end and its remaining rows are read and dropped; either way
    /// the stream ends with `Done`.
    #[must_use]
    pub fn new(events: BoxStream<'static, Result<Event, SourceError>>, enough: CancellationToken) -> Self {
        Self { events, enough }
    }

    /// The next event; `None` after the last one. Nothing follows an error.
    pub async fn next(&mut self) -> Option<Result<Event, SourceError>> {
        self.events.next().await
    }

    /// Says that no more rows are wanted. Rows that were already under way may still arrive.
    pub fn enough(&self) {
        self.enough.cancel();
    }
}

impl fmt::Debug for RowStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RowStream")
            .field("enough", &self.enough.is_cancelled())
            .finish_non_exhaustive()
    }
}
