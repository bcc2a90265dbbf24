//! Sends a prepared statement and its rows, and stops it when there is a reason to.

use std::{future::Future, sync::Arc, time::Duration};

use futures::{StreamExt as _, stream::BoxStream};
use sqlx::{
    AssertSqlSafe, Either, Executor as _, Row as _, ValueRef as _,
    postgres::{PgQueryResult, PgRow},
};
use toolbox_source::{Column, Done, Event, Row, SourceError, Value};

use super::{Failure, Progress, Running, SETTLE, State, prepare::unless};
use crate::{
    bind, cancel,
    connect::Opener,
    decode,
    error::{self, Trouble},
    kind::Kind,
    plan::Effect,
    prepared::Prepared,
};

/// How long the rest of a read may run on after enough rows, before the server is asked to stop it: most results end soon
/// after their limit, and asking takes a connection.
const GRACE: Duration = Duration::from_millis(20);

/// Why rows are not sent any more.
enum Stop {
    /// The reader has enough of a read.
    Enough,
    /// A reason from outside, or a cell that cannot be read.
    Because(SourceError),
}

type Steps<'a> = BoxStream<'a, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>;

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
        let bound = bind::arguments(&self.call.arguments, &prepared.parameters, &mut self.connection.driver);
        let arguments = unless(self.halt.as_mut(), bound).await?.map_err(|failure| match failure {
            bind::Failure::Ours(error) => Failure::Ours(error),
            bind::Failure::Driver(error) => Failure::Driver(error),
        })?;
        self.progress = Progress::Sent;
        let process = self.connection.process;
        let query = sqlx::query_with(AssertSqlSafe(prepared.text.clone()), arguments);
        let Self { connection, call, events, halt, announced, progress, .. } = self;
        let opener = call.lanes.connector();
        let mut steps: Steps<'_> = connection.driver.fetch_many(query);
        let enough = call.enough.cancelled();
        let mut enough = std::pin::pin!(enough);
        let mut wanted = true;
        let mut result = None;
        let stop = loop {
            let step = tokio::select! {
                biased;
                reason = halt.as_mut() => break Stop::Because(reason),
                () = enough.as_mut(), if wanted => {
                    wanted = false;
                    if call.plan.effect == Effect::Reads {
                        break Stop::Enough;
                    }
                    continue;
                }
                step = steps.next() => step,
            };
            let events_to_send = match step.transpose().map_err(Failure::Driver)? {
                None => {
                    // The statement is complete: nothing stops it any more.
                    let columns = columns_if_new(announced, &prepared.columns).map_err(Failure::Ours)?;
                    if let Some(columns) = columns {
                        let _ = events.send(Event::Columns(columns)).await;
                    }
                    return Ok((done(call.plan.effect, &prepared.columns, result), State::Clean));
                }
                Some(Either::Left(ended)) => {
                    result = Some(ended);
                    continue;
                }
                Some(Either::Right(row)) => {
                    *progress = Progress::Answering;
                    // Dropped rows never wait for a reader.
                    tokio::task::coop::consume_budget().await;
                    let columns = columns_if_new(announced, &prepared.columns);
                    columns.and_then(|columns| {
                        let row = if wanted && !prepared.columns.is_empty() {
                            Some(read(&row, prepared)?)
                        } else {
                            None
                        };
                        Ok([columns.map(Event::Columns), row.map(Event::Row)])
                    })
                }
            };
            let events_to_send = match events_to_send {
                Ok(events) => events,
                Err(error) => break Stop::Because(error),
            };
            let sending = async {
                for event in events_to_send.into_iter().flatten() {
                    events.send(event).await?;
                }
                Ok(())
            };
            let sent = tokio::select! {
                biased;
                sent = sending => sent,
                reason = halt.as_mut() => Err(reason),
            };
            if let Err(reason) = sent {
                break Stop::Because(reason);
            }
        };
        let columns = prepared.columns.clone();
        match stop {
            Stop::Enough => {
                let ending = end(&mut steps, opener, process, GRACE).await;
                drop(steps);
                // A read whose first row nobody waited for.
                self.announce(&columns).await?;
                let state = if matches!(ending, Ending::Running) { State::Unknown } else { State::Clean };
                match ending {
                    Ending::Failed(error) if error::trouble(&error) != Trouble::Other => {
                        Ok((Done::default(), State::Unknown))
                    }
                    _ => Ok((Done::default(), state)),
                }
            }
            Stop::Because(reason) => {
                let ending = end(&mut steps, opener, process, Duration::ZERO).await;
                drop(steps);
                self.stopped(reason, ending, &columns)
            }
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
        // sqlx remembers the fields of a row type for the life of a connection, and never learns that they changed.
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
                Err(Failure::Stopped(SourceError::Database(error::failure(&message)), state))
            }
            Ending::Failed(_) | Ending::Running if effect == Effect::Reads => {
                Err(Failure::Stopped(reason, State::Unknown))
            }
            Ending::Failed(_) | Ending::Running => {
                let message = format!("{reason}; the server did not confirm that it stopped");
                Err(Failure::Stopped(SourceError::OutcomeUnknown(error::failure(&message)), State::Unknown))
            }
        }
    }
}

/// Lets a statement run for a grace, then asks the server to stop it, and reads to its end.
async fn end(steps: &mut Steps<'_>, opener: &Opener, process: i32, grace: Duration) -> Ending {
    if !grace.is_zero()
        && let Ok(ending) = tokio::time::timeout(grace, drain(steps)).await
    {
        return ending;
    }
    let stopped = async {
        // Rows wait meanwhile, so that few are left to read. The signal has arrived before the connection is used again.
        if let Err(error) = cancel::request(opener, process).await {
            tracing::debug!(%error, "a statement could not be cancelled");
        }
        drain(steps).await
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

/// The columns, if nobody has sent them yet.
fn columns_if_new(
    announced: &mut Option<Arc<[Column]>>,
    columns: &Arc<[Column]>,
) -> Result<Option<Arc<[Column]>>, SourceError> {
    match announced {
        Some(announced) if announced == columns => Ok(None),
        Some(_) => Err(SourceError::Database(error::failure(
            "the columns changed while the statement was prepared; call it again",
        ))),
        None => {
            *announced = Some(columns.clone());
            Ok(if columns.is_empty() { None } else { Some(columns.clone()) })
        }
    }
}

fn read(row: &PgRow, prepared: &Prepared) -> Result<Row, SourceError> {
    let mut cells = Vec::with_capacity(prepared.kinds.len());
    for (index, (kind, column)) in prepared.kinds.iter().zip(prepared.columns.iter()).enumerate() {
        let cell = cell(row, index, kind)
            .map_err(|message| SourceError::Column { column: column.name.clone(), message })?;
        cells.push(cell);
    }
    Ok(cells)
}

fn cell(row: &PgRow, index: usize, kind: &Kind) -> Result<Value, String> {
    let cell = row.try_get_raw(index).map_err(|error| error.to_string())?;
    if cell.is_null() {
        return Ok(Value::Null);
    }
    decode::value(cell.as_bytes().map_err(|error| error.to_string())?, kind)
}

fn done(effect: Effect, columns: &[Column], result: Option<PgQueryResult>) -> Done {
    let rows_affected = match effect {
        Effect::ChangesRows => result.map(|result| result.rows_affected()),
        Effect::Reads | Effect::Other => columns.is_empty().then_some(0),
    };
    Done { rows_affected, last_insert_id: None }
}
