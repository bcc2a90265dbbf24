//! Stopping a statement: `KILL QUERY` from a second connection of the same user. Closing the connection does not stop what
//! runs on it (seen with MariaDB).

use std::{future::Future, sync::Arc, time::Duration};

use futures::future::{Either, select};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use toolbox_source::SourceError;

use crate::{
    connect::Opener,
    error::{self, Trouble},
};

/// How long a stopped statement may take to end before its connection is given up.
pub(crate) const SETTLE: Duration = Duration::from_secs(5);

/// Stops what runs on one connection.
#[derive(Clone, Debug)]
pub(crate) struct Killer {
    opener: Arc<Opener>,
    /// The connection's id.
    id: u64,
}

impl Killer {
    pub(crate) fn new(opener: Arc<Opener>, id: u64) -> Self {
        Self { opener, id }
    }

    /// Sends the order to stop, and says whether the server took it. One that it did not take may still come later and hit
    /// another statement.
    pub(crate) async fn kill(&self) -> bool {
        let order = async {
            let mut spare = self.opener.dial().await?;
            spare
                .execute(AssertSqlSafe(format!("KILL QUERY {}", self.id)))
                .await
                .map_err(|error| SourceError::Database(error::database_error(&error)))?;
            if let Err(error) = spare.close().await {
                tracing::debug!(%error, "the connection that stopped a statement was not closed cleanly");
            }
            Ok::<(), SourceError>(())
        };
        match tokio::time::timeout(SETTLE, order).await {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => tracing::warn!(%error, "a statement could not be stopped"),
            Err(_) => tracing::warn!("a statement could not be stopped: the server did not answer"),
        }
        false
    }
}

/// Why a step did not yield its result.
#[derive(Debug)]
pub(crate) struct Stopped {
    pub(crate) reason: SourceError,
    /// Whether the server said that it stopped, so that the order to stop cannot hit a later statement.
    pub(crate) settled: bool,
}

/// What a step yields, unless there is a reason to stop first; then the step is stopped in the server.
pub(crate) async fn unless<T>(
    halt: impl Future<Output = SourceError> + Unpin,
    killer: &Killer,
    step: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<Result<T, sqlx::Error>, Stopped> {
    let step = std::pin::pin!(step);
    match select(halt, step).await {
        Either::Right((result, _)) => Ok(result),
        Either::Left((reason, step)) => {
            let taken = killer.kill().await;
            let ended = tokio::time::timeout(SETTLE, step).await;
            let stopped = matches!(ended, Ok(Err(error)) if error::trouble(&error) == Trouble::Interrupted);
            let settled = taken && stopped;
            Err(Stopped { reason, settled })
        }
    }
}
