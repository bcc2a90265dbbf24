//! Stopping a statement: `KILL QUERY` from a second connection of the same user, which is a new one, or an idle one of the
//! source where the server has no room for more. Closing the connection does not stop what runs on it (seen with MariaDB).

use std::{
    future::Future,
    pin::pin,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use futures::future::{Either, select};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, mysql::MySqlConnection};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, DatabaseError, SourceError,
    lanes::{Lanes, Lease},
};

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

/// How long to wait for an idle connection of the source.
const LENDING: Duration = Duration::from_millis(250);

/// Stops what runs on one connection.
#[derive(Clone, Debug)]
pub(crate) struct Killer {
    lanes: Lanes<Opener>,
    /// The connection's id.
    id: u64,
}

/// A second connection, by which orders are given.
enum Spare {
    /// Opened for it.
    Own(MySqlConnection),
    /// An idle one of the source.
    Lent(Box<Lease<Opener>>),
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
    pub(crate) fn new(lanes: Lanes<Opener>, id: u64) -> Self {
        Self { lanes, id }
    }

    /// Orders the server to stop what runs, and waits for its end, [`SETTLE`] at most. The server ignores an order that comes
    /// before the statement does, so it is given again. What does not end then loses its connection in the server too.
    pub(crate) async fn stop<T>(&self, step: impl Future<Output = T>) -> Halted<T> {
        let mut step = pin!(step);
        let deadline = Instant::now() + SETTLE;
        let mut spare = None;
        let (mut taken, mut failed, mut pause) = (0_u32, false, PAUSE);
        let ended = loop {
            let order = timeout_at(deadline, self.order(&mut spare, "KILL QUERY")).await;
            if let Err(error) = order.unwrap_or_else(|_| Err(silence())) {
                if !failed {
                    tracing::warn!(%error, "a statement could not be stopped; trying again");
                }
                (spare, failed) = (None, true);
            } else {
                taken += 1;
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
                Some(Spare::Own(driver)) => driver.close().await.map_err(|error| failure(&error)),
                Some(Spare::Lent(lease)) => {
                    lease.give_back();
                    Ok(())
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

    /// Gives an order by a second connection, which is found for the first one.
    async fn order(&self, spare: &mut Option<Spare>, order: &str) -> Result<(), SourceError> {
        let spare = match spare {
            Some(spare) => spare,
            None => spare.insert(Box::pin(self.spare()).await?),
        };
        let driver = match spare {
            Spare::Own(driver) => driver,
            Spare::Lent(lease) => &mut lease.driver,
        };
        let given = driver.execute(AssertSqlSafe(format!("{order} {}", self.id))).await;
        given.map_err(|error| failure(&error))?;
        Ok(())
    }

    async fn spare(&self) -> Result<Spare, SourceError> {
        let refused = match self.lanes.connector().dial().await {
            Ok(driver) => return Ok(Spare::Own(driver)),
            Err(refused) => refused,
        };
        for lane in [Access::ReadOnly, Access::ReadWrite] {
            let lent = timeout(LENDING, self.lanes.acquire(lane, &CancellationToken::new())).await;
            if let Ok(Ok(lease)) = lent {
                return Ok(Spare::Lent(Box::new(lease)));
            }
        }
        Err(refused)
    }
}

fn failure(error: &sqlx::Error) -> SourceError {
    SourceError::Database(error::database_error(error))
}

fn silence() -> SourceError {
    SourceError::Database(DatabaseError::new("the server did not answer"))
}

/// What to say of a read that was to be stopped for this reason and has not ended.
pub(crate) fn still_running(reason: SourceError) -> SourceError {
    match reason {
        SourceError::Timeout(limit) => SourceError::Database(DatabaseError::new(&format!(
            "the statement ran longer than {limit:?}, and the server did not stop it, so it may still run there"
        ))),
        reason => reason,
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
            let reason = if halted.ended.is_some() { reason } else { still_running(reason) };
            let stopped =
                matches!(halted.ended, Some(Err(error)) if error::trouble(&error) == Trouble::Interrupted);
            Err(Stopped { reason, settled: halted.once && stopped })
        }
    }
}
