//! Runs one planned statement in a task of its own and sends what it answers. This part knows what happens around an
//! attempt: whether it may be made again, what becomes of the connection, and what the caller is told.

mod blame;
mod called;
mod columns;
mod describe;
mod failure;
mod prepare;
mod refused;
mod render;
mod retell;
mod rows;
mod shown;
mod statement;
mod trial;
mod unknown;
mod untyped;
mod verify;

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use sqlx::{Connection as _, Executor as _};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Column, Declared, Done, SourceError, Value,
    answer::Events,
    lanes::{Lanes, Lease},
};

use crate::{
    connect::{Connection, Opener},
    error::{self, Trouble},
    places::Shift,
    plan::{After, Effect, Plan, Scope},
    prepared::Prepared,
};

use failure::{Failure, Other, Progress, State, Ways};

/// How long a stopped statement, or the reset of a session, may take before its connection is given up.
const SETTLE: Duration = Duration::from_secs(2);

/// Everything that the task of one call owns.
pub(crate) struct Call {
    pub(crate) statement: Arc<str>,
    pub(crate) plan: Plan,
    pub(crate) arguments: Vec<Value>,
    pub(crate) declared: Arc<[Declared]>,
    pub(crate) timeout: Option<Duration>,
    /// What the server itself allows a statement.
    pub(crate) server_timeout: Option<Duration>,
    pub(crate) cancel: CancellationToken,
    pub(crate) closed: CancellationToken,
    pub(crate) enough: CancellationToken,
    pub(crate) lanes: Lanes<Opener>,
    pub(crate) max_connections: usize,
}

/// Runs the call to its end. The last message is `Done` or an error.
pub(crate) async fn run(call: Call, mut lease: Lease<Opener>, events: Events) {
    let begun = Instant::now();
    let halt = events.halted(&call.cancel, &call.closed, call.timeout);
    let mut halt = std::pin::pin!(halt);
    let mut announced = None;
    let mut ways = Ways::default();
    let mut reconnected = false;
    let (outcome, state) = loop {
        let mut running = Running {
            connection: &mut lease,
            call: &call,
            events: &events,
            halt: halt.as_mut(),
            announced,
            progress: Progress::Preparing,
            shift: Shift::default(),
            is_known: false,
            is_guarded: false,
            unremembered: None,
            ways,
        };
        let failure = match running.attempt().await {
            Ok((done, state)) => break (Ok(done), state),
            Err(failure) => running.reconsider(failure).await,
        };
        let (progress, is_known, is_guarded) = (running.progress, running.is_known, running.is_guarded);
        let shift = std::mem::take(&mut running.shift);
        announced = running.announced.take();
        match ways.other(&failure, is_known && call.plan.repeatable, is_guarded, progress) {
            Some(Other::Anew) => {
                match prepare::unless(halt.as_mut(), renew(&mut lease, call.plan.scope)).await {
                    Ok(Ok(())) => continue,
                    Ok(Err(_)) => break (Err(failure.into_error(&shift)), State::Unknown),
                    Err(stopped) => break (Err(stopped.into_error(&shift)), State::Unknown),
                }
            }
            Some(Other::Unguarded) => continue,
            None => {}
        }
        let error = match failure {
            Failure::Driver(error) => error,
            Failure::Stopped(error, state) => break (Err(error), state),
            Failure::Ours(error) => break (Err(error), State::Clean),
            Failure::Changed(error) => break (Err(error), State::Unknown),
        };
        let described = error::database_error(&error, &shift);
        break match error::trouble(&error) {
            trouble @ (Trouble::Lost | Trouble::Terminated) => {
                if !reconnected && may_repeat(call.plan, trouble, progress) {
                    reconnected = true;
                    drop(lease);
                    let fresh = tokio::select! {
                        biased;
                        reason = halt.as_mut() => Err(reason),
                        fresh = answering_lease(&call) => fresh,
                    };
                    match fresh {
                        Ok(fresh) => lease = fresh,
                        Err(error) => {
                            events.finish(Err(error)).await;
                            return;
                        }
                    }
                    continue;
                }
                let unknown = progress != Progress::Preparing
                    && trouble == Trouble::Lost
                    && call.plan.effect != Effect::Reads;
                let error = if unknown {
                    SourceError::OutcomeUnknown(described)
                } else {
                    SourceError::Database(described)
                };
                (Err(error), State::Unknown)
            }
            Trouble::Cancelled => match call.server_timeout.filter(|limit| begun.elapsed() >= *limit) {
                Some(limit) => (Err(SourceError::Timeout(limit)), State::Clean),
                None => (Err(SourceError::Database(described)), State::Clean),
            },
            Trouble::Protocol if progress != Progress::Preparing && call.plan.effect != Effect::Reads => {
                (Err(SourceError::OutcomeUnknown(described)), State::Unknown)
            }
            Trouble::Protocol => (Err(SourceError::Database(described)), State::Unknown),
            Trouble::StalePlan | Trouble::Other => match error::refused_argument(&error) {
                Some(index) => (Err(error::argument(index, described)), State::Clean),
                None => (Err(SourceError::Database(described)), State::Clean),
            },
        };
    };
    finish(call.plan, lease, &events, outcome, state).await;
}

/// Sends the last message and gives the connection back. A session that needs a reset gets it after the answer.
async fn finish(
    plan: Plan,
    lease: Lease<Opener>,
    events: &Events,
    last: Result<Done, SourceError>,
    state: State,
) {
    match (state, plan.after) {
        (State::Clean, After::Keep) => lease.give_back(),
        (State::Clean, After::Discard) => lease.discard().await,
        (State::Unknown, _) => drop(lease),
        (State::Clean, After::Reset) => {
            // A receiver that is gone wants no answer, and one that reads late does not keep the connection.
            let _ = tokio::join!(events.finish(last), reset(plan, lease));
            return;
        }
    }
    events.finish(last).await;
}

/// Makes a session as good as new and gives it back, or gives it up.
async fn reset(plan: Plan, mut lease: Lease<Opener>) {
    let reset = lease.reset(plan.scope == Scope::ReadOnlyTransaction);
    match tokio::time::timeout(SETTLE, reset).await {
        Ok(Ok(true)) => lease.give_back(),
        Ok(Ok(false)) => lease.discard().await,
        Ok(Err(error)) => {
            tracing::debug!(error = %error::database_error(&error, &Shift::default()), "a session could not be reset");
        }
        Err(_) => tracing::debug!("a session was not reset in time"),
    }
}

/// Forgets the prepared statements, which do not fit the schema any more, and ends the transaction that failed.
async fn renew(connection: &mut Connection, scope: Scope) -> Result<(), sqlx::Error> {
    if scope == Scope::ReadOnlyTransaction {
        connection.driver.execute("ROLLBACK").await?;
    }
    connection.forget().await
}

/// Whether a statement whose connection ended may be sent again. Before it was sent, always. After that, when it reads in a
/// session that cannot write, or when the server said that it ended the session, for then nothing was completed.
fn may_repeat(plan: Plan, trouble: Trouble, progress: Progress) -> bool {
    match progress {
        Progress::Preparing => true,
        Progress::Sent => {
            plan.repeatable
                && (trouble == Trouble::Terminated
                    || (plan.effect == Effect::Reads && plan.lane == Access::ReadOnly))
        }
        Progress::Answering => false,
    }
}

/// A connection that answers: after a restart of the server, all idle ones are dead.
async fn answering_lease(call: &Call) -> Result<Lease<Opener>, SourceError> {
    for _ in 0..call.max_connections {
        let mut lease = call.lanes.acquire(call.plan.lane, &call.cancel).await?;
        if matches!(tokio::time::timeout(SETTLE, lease.driver.ping()).await, Ok(Ok(()))) {
            return Ok(lease);
        }
    }
    call.lanes.acquire(call.plan.lane, &call.cancel).await
}

/// One attempt.
struct Running<'a, H> {
    connection: &'a mut Connection,
    call: &'a Call,
    events: &'a Events,
    halt: Pin<&'a mut H>,
    /// The columns that this or an earlier attempt has sent.
    announced: Option<Arc<[Column]>>,
    progress: Progress,
    /// How what runs moves places in the caller's text.
    shift: Shift,
    /// Whether an earlier call has prepared the statement.
    is_known: bool,
    /// Whether what runs checks that its parameters have the types that they had.
    is_guarded: bool,
    /// What runs, if the connection does not remember it.
    unremembered: Option<Prepared>,
    /// How the statement runs.
    ways: Ways,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    async fn attempt(&mut self) -> Result<(Done, State), Failure> {
        let prepared = self.prepare().await?;
        self.shift = prepared.shift.clone();
        self.unremembered = prepared.plain.is_some().then(|| prepared.clone());
        self.execute(&prepared).await
    }
}
