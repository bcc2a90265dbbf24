//! Runs one planned statement on one connection, in a task of its own, and sends what it answers.
//!
//! A statement runs inside a transaction whose first step reads the schema. From then on nobody can change the schema, so
//! the columns that preparing reports are the columns of the rows; if it changed since the last call, the cached
//! statements are dropped first, because sqlx keeps the columns of each and ends its thread when a row has more
//! (seen with sqlx 0.9.0; the test `select_star_sees_a_column_added_between_two_calls` covers it).

mod lock;

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use futures::StreamExt as _;
use sqlx::{
    AssertSqlSafe, Connection as _, Either, Executor as _, Row as _, Statement as _,
    sqlite::{SqliteArguments, SqliteQueryResult},
};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;
use toolbox_source::{Access, Column, Done, Event, SourceError, Value, lanes::Lease};

use crate::{
    cancel,
    connect::{Connection, LOOK, Missing, Opener},
    decode,
    error::{self, Trouble},
    plan::{After, Effect, Plan, Scope},
};
use lock::Patience;

/// Begins a transaction that reads, and reports the version of the schema. The look at the schema makes SQLite notice that
/// its own copy of it is stale; the pragma alone does not.
const BEGIN_READING: &str = "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 0; PRAGMA schema_version";
/// The same for one that writes. It takes the write lock at once, so it cannot fail later because another one wrote meanwhile.
const BEGIN_WRITING: &str = "BEGIN IMMEDIATE; SELECT 1 FROM sqlite_schema LIMIT 0; PRAGMA schema_version";

/// How long a stopped statement may take to end before its connection is given up.
const SETTLE: Duration = Duration::from_secs(2);

/// Everything that the task of one call owns.
pub(crate) struct Call {
    pub(crate) plan: Plan,
    pub(crate) arguments: SqliteArguments,
    pub(crate) timeout: Option<Duration>,
    pub(crate) busy_timeout: Duration,
    pub(crate) cancel: CancellationToken,
    pub(crate) closed: CancellationToken,
    pub(crate) enough: CancellationToken,
    pub(crate) opener: Arc<Opener>,
    /// The right to write, of which a source has one.
    pub(crate) turn: Option<OwnedSemaphorePermit>,
}

pub(crate) type Events = mpsc::Sender<Result<Event, SourceError>>;

/// Runs the call to its end. The last message is `Done` or an error, sent when the connection is free again.
pub(crate) async fn run(call: Call, mut lease: Lease<Opener>, events: Events) {
    let halt = cancel::reason(events.closed(), &call.cancel, &call.closed, call.timeout);
    let mut halt = std::pin::pin!(halt);
    let running = Running {
        connection: &mut lease,
        call: &call,
        events: &events,
        halt: halt.as_mut(),
        columns: None,
        begun: Begun::Nothing,
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
    // A receiver that is gone wants no answer.
    let _ = events.send(outcome.map(Event::Done)).await;
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

/// How far an attempt came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    Nothing,
    Transaction,
    /// Rows were sent, or the commit was tried: too late to try again.
    Answer,
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
    columns: Option<Arc<[Column]>>,
    begun: Begun,
    /// The last row id of the connection before the statement.
    row_id_before: i64,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    async fn finish(mut self) -> (Result<Done, SourceError>, State) {
        let mut patience = Patience::new(self.call.busy_timeout);
        let mut recovered = false;
        loop {
            self.begun = Begun::Nothing;
            let failure = match self.attempt().await {
                Ok(done) => return (Ok(done), State::Clean),
                Err(failure) => failure,
            };
            let may_retry = self.begun != Begun::Answer;
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
                        _ => SourceError::Database(error::database_error(&error)),
                    }
                }
            };
            return (Err(error), state);
        }
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

    async fn attempt(&mut self) -> Result<Done, Failure> {
        self.connection.inserts.watch(self.call.plan.inserts_into.as_deref().unwrap_or_default());
        if self.call.plan.scope == Scope::Transaction {
            self.begin().await?;
        }
        let columns = self.prepare().await?;
        let result = self.rows(&columns).await?;
        if self.call.plan.scope == Scope::Transaction {
            self.commit().await?;
        }
        Ok(self.done(&columns, result))
    }

    async fn begin(&mut self) -> Result<(), Failure> {
        self.begun = Begun::Transaction;
        let text = match self.call.plan.lane {
            Access::ReadOnly => BEGIN_READING,
            Access::ReadWrite => BEGIN_WRITING,
        };
        let Self { connection, halt, row_id_before, .. } = self;
        let mut schema = None;
        {
            let mut steps = connection.driver.fetch_many(sqlx::query(text));
            loop {
                let step = tokio::select! {
                    biased;
                    reason = halt.as_mut() => return Err(Failure::Stopped(reason)),
                    step = steps.next() => step,
                };
                match step.transpose().map_err(Failure::Driver)? {
                    Some(Either::Left(result)) => *row_id_before = result.last_insert_rowid(),
                    Some(Either::Right(row)) => {
                        schema = Some(row.try_get::<i64, _>(0).map_err(Failure::Driver)?);
                    }
                    None => break,
                }
            }
        }
        if connection.schema != schema {
            connection.driver.clear_cached_statements().await.map_err(Failure::Driver)?;
            connection.schema = schema;
        }
        Ok(())
    }

    /// Prepares the statement and announces its columns, once.
    async fn prepare(&mut self) -> Result<Arc<[Column]>, Failure> {
        let Self { connection, halt, call, .. } = self;
        let text = sqlx::SqlSafeStr::into_sql_str(AssertSqlSafe(call.plan.text.clone()));
        let statement = tokio::select! {
            biased;
            reason = halt.as_mut() => return Err(Failure::Stopped(reason)),
            statement = connection.driver.prepare(text) => statement.map_err(Failure::Driver)?,
        };
        let takes = statement.parameters().map_or(0, |parameters| parameters.right_or_else(<[_]>::len));
        let given = sqlx::Arguments::len(&call.arguments);
        if takes != given {
            let message = format!("SQLite counts {takes} arguments in the statement, but {given} are given");
            return Err(Failure::Ours(SourceError::Refused(message)));
        }
        let columns = decode::columns(statement.columns());
        match &self.columns {
            Some(announced) if *announced == columns => {}
            Some(_) => {
                let message = "the columns changed while the statement waited for a lock; call it again";
                return Err(Failure::Ours(SourceError::Database(error::failure(message))));
            }
            None => {
                if !columns.is_empty() {
                    self.send(Event::Columns(columns.clone())).await?;
                }
                self.columns = Some(columns.clone());
            }
        }
        Ok(columns)
    }

    async fn send(&mut self, event: Event) -> Result<(), Failure> {
        send(self.events, self.halt.as_mut(), event).await
    }

    /// Sends the rows. A read that was told that it is enough ends without a result.
    async fn rows(&mut self, columns: &[Column]) -> Result<Option<SqliteQueryResult>, Failure> {
        let Self { connection, halt, call, events, begun, .. } = self;
        let Connection { driver, stop, .. } = &mut **connection;
        let statement = sqlx::query_with(AssertSqlSafe(call.plan.text.clone()), call.arguments.clone());
        let mut result = None;
        let mut wanted = true;
        let enough = call.enough.cancelled();
        let mut enough = std::pin::pin!(enough);
        {
            let mut rows = driver.fetch_many(statement);
            loop {
                let step = tokio::select! {
                    biased;
                    reason = halt.as_mut() => return Err(Failure::Stopped(reason)),
                    () = enough.as_mut(), if wanted => {
                        wanted = false;
                        if call.plan.effect == Effect::Reads {
                            break;
                        }
                        continue;
                    }
                    step = rows.next() => step,
                };
                match step.transpose().map_err(Failure::Driver)? {
                    Some(_) if result.is_some() => {
                        let message =
                            "SQLite found more than one statement in the text; send one statement a call";
                        return Err(Failure::Ours(SourceError::Refused(message.to_owned())));
                    }
                    Some(Either::Left(ended)) => result = Some(ended),
                    Some(Either::Right(row)) => {
                        *begun = Begun::Answer;
                        if wanted {
                            let row = decode::row(&row, columns).map_err(Failure::Ours)?;
                            send(events, halt.as_mut(), Event::Row(row)).await?;
                        }
                    }
                    None => return Ok(result),
                }
            }
        }
        // The stream is gone; the statement ends at its next step.
        stop.set();
        let pinged = driver.ping().await;
        stop.clear();
        pinged.map_err(Failure::Driver)?;
        Ok(None)
    }

    async fn commit(&mut self) -> Result<(), Failure> {
        self.begun = Begun::Answer;
        let mut patience = Patience::new(self.call.busy_timeout);
        loop {
            let Err(error) = self.connection.driver.execute("COMMIT").await else { return Ok(()) };
            if error::trouble(&error) != Trouble::Lock {
                return Err(Failure::Driver(error));
            }
            // Others still read; the transaction stays open meanwhile.
            match self.wait(&mut patience).await {
                Ok(true) => {}
                Ok(false) => {
                    let held = lock::held(&error, self.call.busy_timeout);
                    return Err(Failure::Ours(SourceError::Database(held)));
                }
                Err(stopped) => return Err(Failure::Stopped(stopped)),
            }
        }
    }

    fn done(&self, columns: &[Column], result: Option<SqliteQueryResult>) -> Done {
        let plan = &self.call.plan;
        let rows_affected = match (plan.effect, &result) {
            (Effect::ChangesRows, Some(result)) => Some(result.rows_affected()),
            _ => columns.is_empty().then_some(0),
        };
        let row_id = result.filter(|_| plan.inserts_into.is_some()).map(|result| result.last_insert_rowid());
        let made =
            row_id.filter(|id| *id != self.row_id_before || self.connection.inserts.row_id() == Some(*id));
        Done { rows_affected, last_insert_id: made.map(Value::Int) }
    }

    /// Ends the statement and the transaction of an attempt that failed.
    async fn clean_up(&mut self, failure: &Failure) -> State {
        let Connection { driver, stop, .. } = &mut *self.connection;
        if !matches!(failure, Failure::Driver(_)) {
            stop.set();
            // The thread answers in order, so when it answers this, the statement has ended.
            let settled = tokio::time::timeout(SETTLE, driver.ping()).await;
            if !matches!(settled, Ok(Ok(()))) {
                return State::Unknown;
            }
            stop.clear();
        }
        if self.begun == Begun::Nothing || self.call.plan.scope == Scope::Alone {
            return if matches!(failure, Failure::Driver(_)) {
                self.state_alone().await
            } else {
                State::Clean
            };
        }
        self.end_transaction(failure).await
    }

    /// Whether the thread of the connection still answers.
    async fn state_alone(&mut self) -> State {
        if self.connection.driver.ping().await.is_ok() { State::Clean } else { State::Unknown }
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

async fn send<H: Future<Output = SourceError>>(
    events: &Events,
    halt: Pin<&mut H>,
    event: Event,
) -> Result<(), Failure> {
    tokio::select! {
        biased;
        sent = events.send(Ok(event)) => sent.map_err(|_| Failure::Stopped(SourceError::Cancelled)),
        reason = halt => Err(Failure::Stopped(reason)),
    }
}
