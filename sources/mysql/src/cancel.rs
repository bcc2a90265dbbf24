//! Stopping a statement: `KILL QUERY` from a second connection of the same user. Closing the connection does not stop what
//! runs on it (seen with MariaDB).

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::future::{Either, select};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, mysql::MySqlConnection};
use tokio::time::{Instant, timeout, timeout_at};
use toolbox_source::SourceError;

use crate::{
    connect::Opener,
    error::{self, Trouble},
};

/// How long a stopped statement may take to end before its connection is given up.
pub(crate) const SETTLE: Duration = Duration::from_secs(5);

/// How long the first order to stop has to work before it is given again. Each pause is twice the one before.
const PAUSE: Duration = Duration::from_millis(100);

/// How long the last words with a second connection may take.
const PARTING: Duration = Duration::from_secs(1);

/// Stops what runs on one connection.
#[derive(Clone, Debug)]
pub(crate) struct Killer {
    opener: Arc<Opener>,
    /// The connection's id.
    id: u64,
}

/// What became of a step that was to be stopped.
#[derive(Debug)]
pub(crate) struct Halted<T> {
    /// What it yielded; none if it has not ended.
    pub(crate) ended: Option<T>,
    /// Whether one order was given and the server took it. If the step then ended by it, no order can hit a later statement.
    pub(crate) once: bool,
}

impl Killer {
    pub(crate) fn new(opener: Arc<Opener>, id: u64) -> Self {
        Self { opener, id }
    }

    /// Orders the server to stop what runs, and waits for its end, [`SETTLE`] at most. The server ignores an order that comes
    /// before the statement does, so it is given again. What does not end then loses its connection in the server too.
    pub(crate) async fn stop<T>(&self, step: impl Future<Output = T>) -> Halted<T> {
        let mut step = pin!(step);
        let deadline = Instant::now() + SETTLE;
        let mut spare = None;
        let (mut taken, mut failed, mut pause) = (0_u32, false, PAUSE);
        let ended = loop {
            match timeout_at(deadline, self.order(&mut spare, "KILL QUERY")).await {
                Ok(Ok(())) => taken += 1,
                Ok(Err(error)) => {
                    tracing::warn!(%error, "a statement could not be stopped");
                    (spare, failed) = (None, true);
                }
                Err(_) => {
                    tracing::warn!("a statement could not be stopped: the server did not answer");
                    (spare, failed) = (None, true);
                }
            }
            let until = deadline.min(Instant::now() + pause);
            match timeout_at(until, step.as_mut()).await {
                Ok(result) => break Some(result),
                Err(_) if until == deadline => break None,
                Err(_) => pause *= 2,
            }
        };
        let parting = async {
            if ended.is_none() {
                self.order(&mut spare, "KILL").await?;
            }
            match spare {
                Some(spare) => {
                    spare.close().await.map_err(|error| SourceError::Database(error::database_error(&error)))
                }
                None => Ok(()),
            }
        };
        match timeout(PARTING, parting).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the connection that stopped a statement failed"),
            Err(_) => tracing::debug!("the connection that stopped a statement was not closed in time"),
        }
        Halted { ended, once: taken == 1 && !failed }
    }

    /// Gives an order by a second connection, which is opened for the first one.
    async fn order(&self, spare: &mut Option<MySqlConnection>, order: &str) -> Result<(), SourceError> {
        let spare = match spare {
            Some(spare) => spare,
            None => spare.insert(self.opener.dial().await?),
        };
        let order = AssertSqlSafe(format!("{order} {}", self.id));
        let given = spare.execute(order).await;
        given.map_err(|error| SourceError::Database(error::database_error(&error)))?;
        Ok(())
    }
}

/// Why a step did not yield its result.
#[derive(Debug)]
pub(crate) struct Stopped {
    pub(crate) reason: SourceError,
    /// Whether the step was not begun, or the server said that it stopped, so that the connection is as before and no order
    /// to stop can hit a later statement.
    pub(crate) settled: bool,
}

/// What a step yields, unless there is a reason to stop first; then the step is stopped in the server, or not begun.
pub(crate) async fn unless<T>(
    halt: impl Future<Output = SourceError> + Unpin,
    killer: &Killer,
    step: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<Result<T, sqlx::Error>, Stopped> {
    let begun = AtomicBool::new(false);
    let step = pin!(async {
        begun.store(true, Ordering::Relaxed);
        step.await
    });
    match select(halt, step).await {
        Either::Right((result, _)) => Ok(result),
        Either::Left((reason, _)) if !begun.load(Ordering::Relaxed) => Err(Stopped { reason, settled: true }),
        Either::Left((reason, step)) => {
            let halted = killer.stop(step).await;
            let stopped =
                matches!(halted.ended, Some(Err(error)) if error::trouble(&error) == Trouble::Interrupted);
            Err(Stopped { reason, settled: halted.once && stopped })
        }
    }
}
