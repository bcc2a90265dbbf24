//! Reads the rows of a running statement and sends them on, several at a time where they come faster than one by one.

use std::{future::Future, pin::Pin, sync::Arc, task::Poll};

use futures::StreamExt as _;
use sqlx::{
    Either, Row as _, ValueRef as _,
    postgres::{PgQueryResult, PgRow},
};
use toolbox_source::{
    Column, ColumnKind, DatabaseError, Done, Event, Row, SourceError, Value, answer::Events,
};

use super::{Call, Failure, Progress, State, statement::Steps};
use crate::{decode, error, kind::Kind, plan::Effect, prepared::Prepared};

/// Most rows that are sent together. Between these, nobody looks whether there is a reason to stop.
const TOGETHER: usize = 32;
/// Most bytes of rows that are sent together, unless one row has more.
const BYTES_TOGETHER: usize = 64 * 1024;

/// Why rows are not sent any more.
pub(super) enum Stop {
    /// The reader has enough of a read.
    Enough,
    /// A reason from outside, or a cell that cannot be read.
    Because(SourceError),
    /// A reason that came before the statement was sent.
    Unsent(SourceError),
    /// The row types of a read have other fields than before.
    Changed(SourceError),
}

/// How the reading of rows ended.
pub(super) enum End {
    Complete(Done, State),
    /// The statement is to stop.
    Stopped(Stop),
}

/// The rows of one statement.
pub(super) struct Rows<'a> {
    prepared: &'a Prepared,
    call: &'a Call,
    events: &'a Events,
    announced: &'a mut Option<Arc<[Column]>>,
    progress: &'a mut Progress,
    /// Whether the reader wants more rows.
    wanted: bool,
    /// Whether the next row is the first one of a statement that checks row types.
    checks: bool,
    /// Rows to be sent, or only counted when nobody wants them.
    ready: Vec<Row>,
    count: usize,
    bytes: usize,
    result: Option<PgQueryResult>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        prepared: &'a Prepared,
        call: &'a Call,
        events: &'a Events,
        announced: &'a mut Option<Arc<[Column]>>,
        progress: &'a mut Progress,
    ) -> Self {
        let checks = prepared.checks;
        Self {
            prepared,
            call,
            events,
            announced,
            progress,
            wanted: true,
            checks,
            ready: Vec::new(),
            count: 0,
            bytes: 0,
            result: None,
        }
    }

    /// Reads until the statement is complete or is to stop.
    pub(super) async fn run(
        &mut self,
        steps: &mut Steps<'_>,
        mut halt: Pin<&mut impl Future<Output = SourceError>>,
    ) -> Result<End, Failure> {
        let enough = self.call.enough.cancelled();
        let mut enough = std::pin::pin!(enough);
        // A stream sends its statement when it is first asked.
        let mut is_sent = false;
        loop {
            // Rows that are there already are read without asking for reasons to stop.
            let at_once = if self.count > 0 { futures::poll!(steps.next()) } else { Poll::Pending };
            let step = match at_once {
                Poll::Ready(step) => step,
                Poll::Pending => {
                    if let Some(stop) = self.send(halt.as_mut()).await {
                        return Ok(End::Stopped(stop));
                    }
                    tokio::select! {
                        biased;
                        reason = halt.as_mut() => {
                            return Ok(End::Stopped(if is_sent { Stop::Because(reason) } else { Stop::Unsent(reason) }));
                        }
                        () = enough.as_mut(), if self.wanted => {
                            self.wanted = false;
                            if self.call.plan.effect == Effect::Reads {
                                return Ok(End::Stopped(Stop::Enough));
                            }
                            continue;
                        }
                        step = async { is_sent = true; steps.next().await } => step,
                    }
                }
            };
            let row = match step {
                Some(Ok(Either::Right(row))) => row,
                Some(Ok(Either::Left(ended))) => {
                    self.result = Some(ended);
                    continue;
                }
                // The server had something to tell after the statement was complete.
                Some(Err(error)) if self.result.is_some() && error::is_notification(&error) => {
                    return self.complete(State::Unknown).await;
                }
                Some(Err(error)) => {
                    // Rows before an error are sent, as they would be if they had come alone.
                    return Ok(match self.send(halt).await {
                        Some(earlier) => End::Stopped(earlier),
                        None => return Err(Failure::Driver(error)),
                    });
                }
                None => return self.complete(State::Clean).await,
            };
            if let Err(stop) = self.take(&row) {
                return Ok(End::Stopped(match self.send(halt).await {
                    Some(earlier) => earlier,
                    None => stop,
                }));
            }
            if (self.count >= TOGETHER || self.bytes >= BYTES_TOGETHER)
                && let Some(stop) = self.send(halt.as_mut()).await
            {
                return Ok(End::Stopped(stop));
            }
        }
    }

    /// Takes one row. It comes with its columns if nobody has sent them.
    fn take(&mut self, row: &PgRow) -> Result<(), Stop> {
        if std::mem::take(&mut self.checks) && !has_same_fields(row, self.prepared) {
            let error = fields_changed(&self.prepared.columns);
            return Err(match self.call.plan.effect {
                Effect::Reads => Stop::Changed(error),
                Effect::ChangesRows | Effect::Other => Stop::Because(error),
            });
        }
        *self.progress = Progress::Answering;
        self.count += 1;
        if self.wanted && !self.prepared.columns.is_empty() {
            let (row, bytes) =
                read(row, &self.prepared.kinds, &self.prepared.columns).map_err(Stop::Because)?;
            self.bytes += bytes;
            self.ready.push(row);
        }
        Ok(())
    }

    /// Sends the rows that are ready, unless there is a reason to stop.
    async fn send(&mut self, halt: Pin<&mut impl Future<Output = SourceError>>) -> Option<Stop> {
        if self.count == 0 || self.prepared.rendering.is_some() {
            return None;
        }
        let columns = match self.columns_if_new() {
            Ok(columns) => columns,
            Err(error) => return Some(Stop::Because(error)),
        };
        let rows = std::mem::take(&mut self.ready);
        (self.count, self.bytes) = (0, 0);
        let events = self.events;
        let sending = async {
            // A fast server never lets the stream wait, and dropped rows never wait for a reader.
            tokio::task::coop::consume_budget().await;
            if let Some(columns) = columns {
                events.send(Event::Columns(columns)).await?;
            }
            if rows.is_empty() { Ok(()) } else { events.send_rows(rows).await }
        };
        let sent = tokio::select! {
            biased;
            sent = sending => sent,
            reason = halt => Err(reason),
        };
        sent.err().map(Stop::Because)
    }

    /// The statement is complete: nothing stops it any more.
    async fn complete(&mut self, state: State) -> Result<End, Failure> {
        let columns = self.columns_if_new().map_err(Failure::Ours)?;
        if let Some(columns) = columns {
            let _ = self.events.send(Event::Columns(columns)).await;
        }
        if !self.ready.is_empty() && self.prepared.rendering.is_none() {
            let _ = self.events.send_rows(std::mem::take(&mut self.ready)).await;
        }
        Ok(End::Complete(done(self.call.plan.effect, &self.prepared.columns, self.result.take()), state))
    }

    /// The rows that are to be rendered.
    pub(super) fn held(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.ready)
    }

    /// The columns, if nobody has sent them yet.
    fn columns_if_new(&mut self) -> Result<Option<Arc<[Column]>>, SourceError> {
        let columns = &self.prepared.columns;
        match self.announced {
            Some(announced) if *announced == *columns => Ok(None),
            Some(_) => Err(SourceError::Database(DatabaseError::new(
                "the columns changed while the statement was prepared; call it again",
            ))),
            None => {
                *self.announced = Some(columns.clone());
                Ok(if columns.is_empty() { None } else { Some(columns.clone()) })
            }
        }
    }
}

/// How a complete statement is reported.
pub(super) fn done(effect: Effect, columns: &[Column], result: Option<PgQueryResult>) -> Done {
    let rows_affected = match effect {
        Effect::ChangesRows => result.map(|result| result.rows_affected()),
        // `CREATE TABLE … AS` and `COPY` count rows too.
        Effect::Other if columns.is_empty() => Some(result.map_or(0, |result| result.rows_affected())),
        Effect::Reads | Effect::Other => columns.is_empty().then_some(0),
    };
    Done { rows_affected, last_insert_id: None }
}

/// What the column that the caller does not see says.
fn has_same_fields(row: &PgRow, prepared: &Prepared) -> bool {
    cell(row, prepared.kinds.len(), &Kind::Bool, &mut 0) == Ok(Value::Bool(true))
}

fn fields_changed(columns: &[Column]) -> SourceError {
    let column = columns.iter().find(|column| matches!(column.kind, ColumnKind::Object | ColumnKind::Array));
    SourceError::Column {
        column: column.map(|column| column.name.clone()).unwrap_or_default(),
        message: "the fields of its row type have changed; call it again".to_owned(),
    }
}

/// The cells of a row, and how many bytes the server sent for them.
pub(super) fn read(row: &PgRow, kinds: &[Kind], columns: &[Column]) -> Result<(Row, usize), SourceError> {
    let mut cells = Vec::with_capacity(kinds.len());
    let mut sum = 0;
    for (index, kind) in kinds.iter().enumerate() {
        match cell(row, index, kind, &mut sum) {
            Ok(value) => cells.push(value),
            Err(message) => {
                let column = columns.get(index).map(|column| column.name.clone());
                return Err(SourceError::Column { column: column.unwrap_or_default(), message });
            }
        }
    }
    Ok((cells, sum))
}

/// One cell; its bytes are added to the sum.
#[inline]
fn cell(row: &PgRow, index: usize, kind: &Kind, sum: &mut usize) -> Result<Value, String> {
    // Without `map_err` and the like, which move the large results of sqlx once more for each cell.
    let cell = match row.try_get_raw(index) {
        Ok(cell) => cell,
        Err(error) => return Err(error.to_string()),
    };
    if cell.is_null() {
        return Ok(Value::Null);
    }
    match cell.as_bytes() {
        Ok(bytes) => {
            *sum += bytes.len();
            decode::value(bytes, kind)
        }
        Err(error) => Err(error.to_string()),
    }
}
