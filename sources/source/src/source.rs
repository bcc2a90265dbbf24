//! The trait that every database implements.

use std::fmt;

use futures::future::BoxFuture;

use crate::{Query, RowStream, SourceError};

/// A database that answers queries. Cheap to share; connects when first needed.
pub trait Source: fmt::Debug + Send + Sync {
    /// Runs one query. Returns once the statement is accepted and its columns are known, before the first row.
    ///
    /// # Errors
    ///
    /// Every [`SourceError`]; an error that comes after the first event arrives in the stream.
    fn query(&self, query: Query) -> BoxFuture<'_, Result<RowStream, SourceError>>;

    /// Connects if need be and asks the database for a sign of life.
    ///
    /// # Errors
    ///
    /// [`SourceError::Connect`] with what the database said, or [`SourceError::Busy`].
    fn ping(&self) -> BoxFuture<'_, Result<(), SourceError>>;

    /// What the account of this source may do that neither a read-only transaction nor a gate before it prevents, such as
    /// reading files of the server: one phrase each, without a subject, the most serious first. Empty for an account that
    /// may do nothing of the kind, and for a database without accounts.
    ///
    /// # Errors
    ///
    /// As those of [`ping`](Source::ping), or [`SourceError::Database`].
    fn powers(&self) -> BoxFuture<'_, Result<Vec<String>, SourceError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Closes all connections. Queries in flight end with [`SourceError::Cancelled`].
    fn close(&self) -> BoxFuture<'_, ()>;
}
