//! Runs one planned statement on one connection, in a task of its own, and sends what it answers.
//!
//! A statement runs inside a transaction whose first step reads the schema. From then on nobody can change the schema, so
//! the columns that preparing reports are the columns of the rows; if it changed since the last call, the cached
//! statements are dropped first, because sqlx keeps the columns of each and ends its thread when a row has more
//! (seen with sqlx 0.9.0; the test `select_star_sees_a_column_added_between_two_calls` covers it).

mod lock;
mod statement;

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use sqlx::{Connection as _, Executor as _, sqlite::SqliteArguments};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use toolbox_source::{Access, Column, Done, SourceError, answer::Events, lanes::Lease};

use crate::{
    bind::Class,
    connect::{Connection, LOOK, Missing, Opener},
    error::{self, Trouble},
    plan::{After, Plan, Scope},
    refused,
    replay::Refused,
};
use lock::Patience;

/// How long a stopped statement may take to end before its connection is given up.
const SETTLE: Duration = Duration::from_secs(2);

/// How long is looked for the arguments that an error is about.
const REPLAYS: Duration = Duration::from_secs(1);

/// Everything that the task of one call owns.
pub(crate) struct Call {
    /// The statement as the caller wrote it.
    pub(crate) statement: Arc<str>,
    pub(crate) plan: Plan,
    pub(crate) arguments: SqliteArguments,
    /// The types in which they are bound.
    pub(crate) classes: Vec<Class>,
    /// Whether the connection remembers the statement for the next call.
    pub(crate) remembers: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) busy_timeout: Duration,
    pub(crate) cancel: CancellationToken,
    pub(crate) closed: CancellationToken,
    pub(crate) enough: CancellationToken,
    pub(crate) opener: Arc<Opener>,
    /// The right to write, of which a source has one.
    pub(crate) turn: Option<OwnedSemaphorePermit>,
}

/// Runs the call to its end. The last message is `Done` or an error, sent when the connection is free again.
pub(crate) async fn run(call: Call, mut lease: Lease<Opener>, events: Events) {
    let halt = events.halted(&call.cancel, &call.closed, call.timeout);
    let mut halt = std::pin::pin!(halt);
    let running = Running {
        connection: &mut lease,
        call: &call,
        events: &events,
        halt: halt.as_mut(),
        announced: None,
        progress: Progress::Silent,
        row_id_before: 0,
    };
    let (outcome, state) = running.finish().await;
    match (state, call.plan.after) {
        (State::Clean, After::Keep) => lease.give_back(),
        (State::Clean, After::Discard) => lease.discard().await,
        // The thread may still be busy; nobody waits for it.
        (State::Unknown, _) => drop(lease),
    }
    drop(call.turn);
    events.finish(outcome).await;
}

/// Why an attempt ended early.
enum Failure {
    /// A reason from outside; the statement may still run.
    Stopped(SourceError),
    /// SQLite or sqlx said so.
    Driver(sqlx::Error),
    /// We say so.
    Ours(SourceError),
}

/// Whether an attempt may be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// It has shown nothing yet.
    Silent,
    /// Rows were sent, or the commit was tried.
    Answering,
}

/// What the connection is after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Clean,
    Unknown,
}

struct Running<'a, H> {
    connection: &'a mut Connection,
    call: &'a Call,
    events: &'a Events,
    halt: Pin<&'a mut H>,
    /// The columns that an attempt has sent.
    announced: Option<Arc<[Column]>>,
    progress: Progress,
    /// The last row id of the connection before the statement.
    row_id_before: i64,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    async fn finish(mut self) -> (Result<Done, SourceError>, State) {
        let mut patience = Patience::new(self.call.busy_timeout);
        let mut recovered = false;
        loop {
            self.progress = Progress::Silent;
            let failure = match self.attempt().await {
                Ok(done) => return (Ok(done), State::Clean),
                Err(failure) => failure,
            };
            let may_retry = self.progress == Progress::Silent;
            let state = self.clean_up(&failure).await;
            let error = match failure {
                Failure::Stopped(error) | Failure::Ours(error) => error,
                Failure::Driver(error) => {
                    let retry = state == State::Clean && may_retry;
                    match error::trouble(&error) {
                        Trouble::Lock if retry => match self.wait(&mut patience).await {
                            Ok(true) => continue,
                            Ok(false) => SourceError::Database(lock::held(&error, self.call.busy_timeout)),
                            Err(stopped) => stopped,
                        },
                        Trouble::Unfinished if retry && !recovered => {
                            recovered = true;
                            match self.recover().await {
                                Ok(()) => continue,
                                Err(error) => error,
                            }
                        }
                        Trouble::Interrupted => SourceError::Cancelled,
                        _ => {
                            let (error, state) = self.explain(&error, state).await;
                            return (Err(error), state);
                        }
                    }
                }
            };
            return (Err(error), state);
        }
    }

    /// The error for the caller, with the places of the arguments that it is about.
    async fn explain(&mut self, error: &sqlx::Error, state: State) -> (SourceError, State) {
        let said = error::in_statement(error, &self.call.statement);
        let may_be_of_value = matches!(error::trouble(error), Trouble::Constraint | Trouble::Other);
        let Call { statement, arguments, classes, plan, .. } = self.call;
        if !may_be_of_value || state != State::Clean || classes.is_empty() {
            return (SourceError::Database(said), state);
        }
        let bound = (arguments, classes.as_slice());
        let driver = &mut self.connection.driver;
        let Some((suspects, instead)) = refused::suspects(&said.message, statement, bound, driver).await
        else {
            return (SourceError::Database(said), state);
        };
        let mut state = state;
        let mut places = None;
        if plan.scope == Scope::Transaction {
            let refused = Refused { statement, arguments, message: &said.message, access: plan.lane };
            let replaying = refused.involved(&suspects, instead, driver);
            places = tokio::select! {
                biased;
                _ = self.halt.as_mut() => None,
                found = tokio::time::timeout(REPLAYS, replaying) => found.ok().and_then(Result::ok),
            };
            if places.is_none() {
                let stopped = Failure::Stopped(SourceError::Cancelled);
                state = self.clean_up(&stopped).await;
            }
        }
        (SourceError::of_value(&places.unwrap_or(suspects), said), state)
    }

    /// Waits a little for a lock; false when it was long enough.
    async fn wait(&mut self, patience: &mut Patience) -> Result<bool, SourceError> {
        let Some(pause) = patience.next() else { return Ok(false) };
        tokio::select! {
            biased;
            reason = self.halt.as_mut() => Err(reason),
            () = tokio::time::sleep(pause) => Ok(true),
        }
    }

    /// Lets a connection that may write finish what a crashed program left.
    async fn recover(&self) -> Result<(), SourceError> {
        let mut driver =
            self.call.opener.open(Access::ReadWrite, Missing::Refuse, self.call.busy_timeout).await?;
        driver.execute(LOOK).await.map_err(|error| SourceError::Database(error::database_error(&error)))?;
        driver.close().await.map_err(|error| SourceError::Database(error::database_error(&error)))
    }

    /// Ends the statement and the transaction of an attempt that failed. A thread of sqlx that has ended may leave a command
    /// unanswered for ever, so nothing here waits for long.
    async fn clean_up(&mut self, failure: &Failure) -> State {
        if matches!(failure, Failure::Driver(sqlx::Error::WorkerCrashed)) {
            return State::Unknown;
        }
        let cleaned = tokio::time::timeout(SETTLE, async {
            let Connection { driver, stop, .. } = &mut *self.connection;
            if !matches!(failure, Failure::Driver(_)) {
                stop.set();
            }
            // The thread answers in order, so when it answers this, the statement has ended.
            if driver.ping().await.is_err() {
                return State::Unknown;
            }
            stop.clear();
            match self.call.plan.scope {
                Scope::Alone => State::Clean,
                Scope::Transaction => self.end_transaction(failure).await,
            }
        });
        cleaned.await.unwrap_or(State::Unknown)
    }

    /// After a constraint failed, what the statement did stays as its conflict clause says (`INSERT OR FAIL` keeps the rows
    /// before the failing one), as it would without a transaction; else nothing stays.
    async fn end_transaction(&mut self, failure: &Failure) -> State {
        let driver = &mut self.connection.driver;
        let keeps = matches!(failure, Failure::Driver(error) if error::trouble(error) == Trouble::Constraint);
        if keeps && driver.execute("COMMIT").await.is_ok() {
            return State::Clean;
        }
        match driver.execute("ROLLBACK").await {
            Ok(_) => State::Clean,
            // SQLite has already rolled back by itself.
            Err(error) if error::is_plain(&error) => State::Clean,
            Err(_) => State::Unknown,
        }
    }
}
