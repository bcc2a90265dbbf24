//! Sends a prepared statement and its rows, and stops it when there is a reason to.

use std::{future::Future, sync::Arc, time::Duration};

use futures::{StreamExt as _, stream::BoxStream};
use sqlx::{
    AssertSqlSafe, Either, Executor as _,
    postgres::{PgArguments, PgQueryResult, PgRow},
};
use toolbox_source::{Column, DatabaseError, Done, SourceError};

use super::{
    Failure, Progress, Running, SETTLE, State,
    prepare::unless,
    rows::{End, Rows, Stop, done},
};
use crate::{
    bind, cancel,
    connect::Opener,
    error::{self, Trouble},
    plan::Effect,
    prepared::Prepared,
};

/// How long the rest of a read may run on after enough rows, before the server is asked to stop it: most results end soon
/// after their limit, and asking takes a connection.
const GRACE: Duration = Duration::from_millis(20);

/// How long the first request to stop has to work before it is made again. Each pause is twice the one before.
const PAUSE: Duration = Duration::from_millis(100);

pub(super) type Steps<'a> = BoxStream<'a, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>;

/// What is sent.
enum Statement {
    /// The prepared text with its arguments.
    Bound(PgArguments),
    /// A text without parameters.
    Plain(String),
}

/// How a stopped statement ended.
enum Ending {
    /// It ran to its end; so many rows came that were not sent.
    Complete(PgQueryResult, u64),
    /// The server stopped it.
    Stopped,
    /// It failed in another way.
    Failed(sqlx::Error),
    /// It did not end in time.
    Running,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    pub(super) async fn execute(&mut self, prepared: &Prepared) -> Result<(Done, State), Failure> {
        if let Some(plain) = &prepared.plain {
            let text = self.set_arguments(prepared, plain).await?;
            return self.send(prepared, Statement::Plain(text)).await;
        }
        let bound = bind::arguments(&self.call.arguments, &prepared.parameters, &mut self.connection.driver);
        let arguments = unless(self.halt.as_mut(), bound).await?.map_err(|failure| match failure {
            bind::Failure::Ours(error) => Failure::Ours(error),
            bind::Failure::Driver(error) => Failure::Driver(error),
        })?;
        self.send(prepared, Statement::Bound(arguments)).await
    }

    async fn send(&mut self, prepared: &Prepared, statement: Statement) -> Result<(Done, State), Failure> {
        self.progress = Progress::Sent;
        let process = self.connection.process;
        let Self { connection, call, events, halt, announced, progress, .. } = self;
        let opener = call.lanes.connector();
        let mut steps: Steps<'_> = match statement {
            Statement::Bound(arguments) => {
                let query = sqlx::query_with(AssertSqlSafe(prepared.text.clone()), arguments);
                connection.driver.fetch_many(query)
            }
            Statement::Plain(text) => connection.driver.fetch_many(sqlx::raw_sql(AssertSqlSafe(text))),
        };
        let mut rows = Rows::new(prepared, call, events, announced, progress);
        let stop = match rows.run(&mut steps, halt.as_mut()).await? {
            End::Complete(done, state) => {
                let held = rows.held();
                drop(steps);
                if let Some(rendering) = &prepared.rendering {
                    self.render(prepared, rendering, held).await?;
                }
                return Ok((done, state));
            }
            End::Stopped(stop) => stop,
        };
        if let Stop::Unsent(reason) = stop {
            return Err(Failure::Stopped(reason, State::Clean));
        }
        let grace = if matches!(stop, Stop::Enough) { GRACE } else { Duration::ZERO };
        let ending = end(&mut steps, opener, process, grace).await;
        drop(steps);
        match stop {
            Stop::Enough => {
                // A read whose first row nobody waited for.
                self.announce(&prepared.columns).await?;
                let is_clean = match &ending {
                    Ending::Running => false,
                    Ending::Failed(error) => error::trouble(error) == Trouble::Other,
                    Ending::Complete(..) | Ending::Stopped => true,
                };
                Ok((Done::default(), if is_clean { State::Clean } else { State::Unknown }))
            }
            Stop::Changed(error) => Err(match ending {
                Ending::Stopped | Ending::Complete(..) => Failure::Changed(error),
                Ending::Failed(error) => Failure::Driver(error),
                Ending::Running => Failure::Stopped(error, State::Unknown),
            }),
            Stop::Because(reason) | Stop::Unsent(reason) => self.stopped(reason, ending, &prepared.columns),
        }
    }

    /// What the caller is told of a statement that was to stop.
    fn stopped(
        &self,
        reason: SourceError,
        ending: Ending,
        columns: &Arc<[Column]>,
    ) -> Result<(Done, State), Failure> {
        let effect = self.call.plan.effect;
        // The statement was prepared for row types that have changed.
        let state = if matches!(reason, SourceError::Column { .. }) { State::Unknown } else { State::Clean };
        match ending {
            Ending::Stopped => Err(Failure::Stopped(reason, state)),
            Ending::Failed(error) if error::trouble(&error) == Trouble::Other => {
                Err(Failure::Stopped(reason, state))
            }
            Ending::Complete(..) if effect == Effect::Reads => Err(Failure::Stopped(reason, state)),
            // It was faster than the wish to stop it, and its changes stay.
            Ending::Complete(result, 0) if columns.is_empty() => {
                Ok((done(effect, columns, Some(result)), State::Clean))
            }
            Ending::Complete(..) => {
                let message =
                    format!("{reason}; but the statement had completed before, and its changes stay");
                Err(Failure::Stopped(SourceError::Database(DatabaseError::new(&message)), state))
            }
            Ending::Failed(_) | Ending::Running if effect == Effect::Reads => {
                Err(Failure::Stopped(reason, State::Unknown))
            }
            Ending::Failed(_) | Ending::Running => {
                let message = format!("{reason}; the server did not confirm that it stopped");
                Err(Failure::Stopped(
                    SourceError::OutcomeUnknown(DatabaseError::new(&message)),
                    State::Unknown,
                ))
            }
        }
    }
}

/// Lets a statement run for a grace, then asks the server to stop it, and reads to its end. A request that comes before the
/// statement does is lost, so it is made again.
async fn end(steps: &mut Steps<'_>, opener: &Opener, process: i32, grace: Duration) -> Ending {
    let mut ending = std::pin::pin!(drain(steps));
    if !grace.is_zero()
        && let Ok(ending) = tokio::time::timeout(grace, ending.as_mut()).await
    {
        return ending;
    }
    let stopped = async {
        let mut pause = PAUSE;
        loop {
            // Rows wait meanwhile, so that few are left to read. The signal has arrived before the connection is used again.
            if let Err(error) = cancel::request(opener, process).await {
                tracing::debug!(%error, "a statement could not be cancelled");
            }
            if let Ok(ending) = tokio::time::timeout(pause, ending.as_mut()).await {
                return ending;
            }
            pause *= 2;
        }
    };
    tokio::time::timeout(SETTLE, stopped).await.unwrap_or(Ending::Running)
}

async fn drain(steps: &mut Steps<'_>) -> Ending {
    let mut result = PgQueryResult::default();
    let mut dropped = 0;
    loop {
        // A fast server never lets the stream wait, and then nothing else in this task would go on.
        tokio::task::coop::consume_budget().await;
        match steps.next().await {
            None => return Ending::Complete(result, dropped),
            Some(Ok(Either::Left(ended))) => result = ended,
            Some(Ok(Either::Right(_))) => dropped += 1,
            Some(Err(error)) if error::trouble(&error) == Trouble::Cancelled => return Ending::Stopped,
            Some(Err(error)) => return Ending::Failed(error),
        }
    }
}
