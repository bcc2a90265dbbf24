//! Reads the results of one statement and sends them on.

use std::{future::Future, sync::Arc};

use futures::{StreamExt as _, stream::BoxStream};
use sqlx::{
    AssertSqlSafe, Either, Executor as _, Row as _,
    mysql::{MySqlQueryResult, MySqlRow},
};
use toolbox_source::{Column, Done, Event, SourceError, Value};

use super::{
    Failure, Running, State,
    settle::{Settled, settle},
};
use crate::{
    bind,
    cancel::Killer,
    connect::Connection,
    decode::{self, Shape},
    outs::{self, Out},
    plan::{Effect, Results},
    prepared::{Prepared, Wire},
};

pub(super) type Step = Either<MySqlQueryResult, MySqlRow>;

/// How the results of a statement ended.
pub(super) struct Ended {
    pub(super) done: Done,
    /// The columns that its rows had.
    pub(super) columns: Option<Arc<[Column]>>,
    /// Whether the last result came without a row.
    pub(super) is_empty: bool,
    /// Whether any result has a column of instants, which are told in UTC.
    pub(super) has_instants: bool,
}

/// A result set while it is read.
#[derive(Default)]
struct Reading {
    /// What its cells are, once a row has come.
    shapes: Option<Vec<Shape>>,
    columns: Option<Arc<[Column]>>,
    rows: u64,
    has_instants: bool,
    /// Whether the statement runs in a block, whose end comes as a result.
    is_block: bool,
    /// How the result before ended. It is sent when another one follows.
    ended: Option<Last>,
    /// What came after that result, without a row and without a change: the end of a block, if nothing follows.
    closing: Option<Done>,
}

/// The end of a result.
enum Last {
    /// Of one with rows.
    Rows(Done),
    /// Of one without; whether it has columns, the driver does not say.
    Silent(Done),
}

/// What the statement was prepared as, and its OUT arguments.
type Asked<'a> = (&'a Prepared, &'a [Out]);

/// Why reading stops before the end.
enum Stop {
    /// The caller has enough rows of a read.
    Enough,
    Because(SourceError),
    /// Before the statement was sent.
    Unsent(SourceError),
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    pub(super) async fn results(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        prepared: &Prepared,
        outs: &[Out],
    ) -> Result<Ended, Failure> {
        let text = AssertSqlSafe(prepared.text.clone());
        let mut steps: BoxStream<'_, Result<Step, sqlx::Error>> = match prepared.wire {
            Wire::Binary => {
                let arguments = bind::encode(prepared.sent(&self.sent_arguments), &connection.types);
                connection.driver.fetch_many(sqlx::query_with(text, arguments.map_err(Failure::Ours)?))
            }
            Wire::Text => connection.driver.fetch_many(sqlx::raw_sql(text)),
        };
        let mut reading = Reading { is_block: prepared.is_block, ..Reading::default() };
        let stop = match self.read(&mut steps, &mut reading, (prepared, outs)).await {
            Ok(stop) => stop,
            Err(error) => return Err(Failure::Driver(error)),
        };
        let has_instants = reading.has_instants;
        if let Some(stop) = stop {
            if let Stop::Unsent(reason) = stop {
                return Err(Failure::Stopped(reason));
            }
            let halted = killer.stop(settle(&mut steps)).await;
            let settled = halted.ended.unwrap_or(Settled::Running);
            if !(halted.once && settled == Settled::Stopped) {
                *state = State::Unknown;
            }
            if let Stop::Because(reason) = stop {
                return Err(self.stopped(reason, settled));
            }
            return Ok(Ended {
                done: Done::default(),
                columns: reading.columns,
                is_empty: false,
                has_instants,
            });
        }
        match reading.ended {
            Some(Last::Rows(done)) => {
                Ok(Ended { done, columns: reading.columns, is_empty: false, has_instants })
            }
            Some(Last::Silent(_)) if reading.closing.is_some() => {
                self.send(Event::Columns(Arc::from([]))).await.map_err(Failure::Stopped)?;
                Ok(Ended { done: Done::default(), columns: None, is_empty: false, has_instants })
            }
            Some(Last::Silent(done)) => {
                // The text protocol shows the columns of a read with its first row only.
                let has_columns = !prepared.columns.is_empty() || self.effect == Effect::Reads;
                let done = if has_columns { self.done_with_rows(0) } else { done };
                Ok(Ended { done, columns: None, is_empty: true, has_instants })
            }
            None => Err(Failure::Driver(sqlx::Error::Protocol("the answer has no end".to_owned()))),
        }
    }

    /// Reads and sends until the end, or until there is a reason to stop.
    async fn read(
        &mut self,
        steps: &mut BoxStream<'_, Result<Step, sqlx::Error>>,
        reading: &mut Reading,
        asked: Asked<'_>,
    ) -> Result<Option<Stop>, sqlx::Error> {
        let enough = self.call.enough.clone();
        let mut wanted = true;
        // A stream sends its statement when it is first asked.
        let mut is_sent = false;
        loop {
            // A fast server never lets the stream wait, and then nothing else in this task would go on.
            tokio::task::coop::consume_budget().await;
            // An answer has columns, so a read goes on until they have come.
            if !wanted && self.effect == Effect::Reads && reading.columns.is_some() {
                return Ok(Some(Stop::Enough));
            }
            let step = tokio::select! {
                biased;
                reason = self.halt.as_mut() => {
                    return Ok(Some(if is_sent { Stop::Because(reason) } else { Stop::Unsent(reason) }));
                }
                () = enough.cancelled(), if wanted => {
                    wanted = false;
                    continue;
                }
                step = async { is_sent = true; steps.next().await } => step.transpose()?,
            };
            let taken = match step {
                None => return Ok(None),
                Some(Either::Left(result)) => self.take_end(reading, &result).await,
                Some(Either::Right(row)) => self.take_row(reading, &row, asked, wanted).await,
            };
            if let Err(reason) = taken {
                return Ok(Some(Stop::Because(reason)));
            }
        }
    }

    async fn take_row(
        &mut self,
        reading: &mut Reading,
        row: &MySqlRow,
        (prepared, outs): Asked<'_>,
        wanted: bool,
    ) -> Result<(), SourceError> {
        self.flush(reading).await?;
        if reading.shapes.is_none() {
            let columns = prepared.named(decode::columns(row.columns()));
            let mut shapes = decode::shapes(row.columns());
            outs::tell(&mut shapes, row.columns(), outs);
            reading.has_instants |= shapes.contains(&Shape::Timestamp);
            reading.shapes = Some(shapes);
            reading.columns = Some(columns.clone());
            self.send(Event::Columns(columns)).await?;
        }
        reading.rows += 1;
        match &reading.shapes {
            Some(shapes) if wanted => {
                let row = decode::row(row, shapes, prepared.wire)?;
                self.send(Event::Row(row)).await
            }
            _ => Ok(()),
        }
    }

    async fn take_end(
        &mut self,
        reading: &mut Reading,
        result: &MySqlQueryResult,
    ) -> Result<(), SourceError> {
        let ended = if reading.shapes.take().is_some() {
            Last::Rows(self.done_with_rows(std::mem::take(&mut reading.rows)))
        } else {
            Last::Silent(self.done_without_rows(result))
        };
        if let Last::Silent(done) = &ended
            && reading.is_block
            && reading.ended.is_some()
            && result.rows_affected() == 0
        {
            if let Some(before) = reading.closing.replace(done.clone()) {
                self.send_end(reading.ended.replace(Last::Silent(before))).await?;
            }
            return Ok(());
        }
        self.flush(reading).await?;
        reading.ended = Some(ended);
        Ok(())
    }

    /// Sends the ends of the results before, now that another one follows.
    async fn flush(&mut self, reading: &mut Reading) -> Result<(), SourceError> {
        self.send_end(reading.ended.take()).await?;
        self.send_end(reading.closing.take().map(Last::Silent)).await
    }

    async fn send_end(&mut self, ended: Option<Last>) -> Result<(), SourceError> {
        match ended {
            None => Ok(()),
            Some(Last::Rows(done)) => self.send(Event::Done(done)).await,
            // Only the last result of a CALL has no columns; of an empty one before it the driver shows none.
            Some(Last::Silent(_)) => {
                self.send(Event::Columns(Arc::from([]))).await?;
                self.send(Event::Done(Done::default())).await
            }
        }
    }

    /// The end of a result set with columns.
    fn done_with_rows(&self, rows: u64) -> Done {
        // The server counts them too, but the driver does not pass it on. RETURNING returns each row that was changed.
        let changed = self.call.plan.changes_rows.then_some(rows);
        Done { rows_affected: changed, last_insert_id: None }
    }

    /// The end of a result without columns.
    fn done_without_rows(&self, result: &MySqlQueryResult) -> Done {
        let changed = result.rows_affected();
        // Of several rows, the server names the first one's key.
        let made = match result.last_insert_id() {
            id if id > 0 && changed == 1 && self.call.plan.changes_rows => Some(id),
            _ => None,
        };
        let made = made.map(|id| i64::try_from(id).map_or(Value::UInt(id), Value::Int));
        match self.call.plan.results {
            Results::One => Done { rows_affected: Some(changed), last_insert_id: made },
            Results::Any => Done { rows_affected: Some(changed), last_insert_id: None },
        }
    }
}
