//! The other end of a [`RowStream`]: a task that runs one statement and sends what it answers.
//!
//! The task owns its connection, so that a caller who goes away leaves it in the hands of someone who knows its state.

use std::{fmt, future::Future, time::Duration, vec};

use futures::stream::{self, StreamExt as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{DatabaseError, Done, Event, Row, RowStream, SourceError, Value};

/// Messages that wait for their reader. More rows wait in the connection, so this only evens out the two.
const MESSAGES_AHEAD: usize = 8;

/// Bytes of text and bytes in one message from which on few of them matter.
const LARGE: usize = 64 * 1024;

/// What the task says.
#[derive(Debug)]
enum Message {
    /// More follows.
    Event(Event),
    /// Rows that came together. More follows.
    Rows(Vec<Row>),
    /// The end of the last result set, or an error.
    Last(Result<Done, SourceError>),
}

/// Where the task of one call sends what it answers.
pub struct Events {
    sender: mpsc::Sender<Message>,
}

impl Events {
    /// Sends an event, as soon as the reader has room for it. More follows. A large row waits until its reader has taken
    /// all that was sent before, so that only few of them are in memory.
    ///
    /// # Errors
    ///
    /// [`SourceError::Cancelled`] when the reader is gone.
    pub async fn send(&self, event: Event) -> Result<(), SourceError> {
        let size = if let Event::Row(row) = &event { size(row) } else { 0 };
        self.put(Message::Event(event), size).await
    }

    /// Sends rows that came together, which costs as much as sending one. Large ones wait as in [`Events::send`].
    ///
    /// # Errors
    ///
    /// [`SourceError::Cancelled`] when the reader is gone.
    pub async fn send_rows(&self, rows: Vec<Row>) -> Result<(), SourceError> {
        let size = rows.iter().map(|row| size(row)).sum();
        self.put(Message::Rows(rows), size).await
    }

    async fn put(&self, message: Message, size: usize) -> Result<(), SourceError> {
        let places = if size > LARGE { MESSAGES_AHEAD } else { 1 };
        let mut free = self.sender.reserve_many(places).await.map_err(|_| SourceError::Cancelled)?;
        if let Some(place) = free.next() {
            place.send(message);
        }
        Ok(())
    }

    /// Sends the end of the last result set, or why there is none. Nothing may follow. A reader that is gone wants no
    /// answer.
    pub async fn finish(&self, outcome: Result<Done, SourceError>) {
        let _ = self.sender.send(Message::Last(outcome)).await;
    }

    /// Waits for the first reason to stop the statement: the call is cancelled, the source is closed, the reader is gone, or
    /// the time is up.
    pub async fn halted(
        &self,
        cancel: &CancellationToken,
        closed: &CancellationToken,
        timeout: Option<Duration>,
    ) -> SourceError {
        let time_is_up = async {
            match timeout {
                Some(timeout) => {
                    tokio::time::sleep(timeout).await;
                    SourceError::Timeout(timeout)
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => SourceError::Cancelled,
            () = closed.cancelled() => SourceError::Cancelled,
            () = self.sender.closed() => SourceError::Cancelled,
            error = time_is_up => error,
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Events").field("wanted", &!self.sender.is_closed()).finish_non_exhaustive()
    }
}

/// Bytes of text and bytes in a row.
fn size(row: &[Value]) -> usize {
    let bytes = row.iter().map(|value| match value {
        Value::Text(text) | Value::Json(text) | Value::Decimal(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Array(items) => size(items),
        _ => 0,
    });
    bytes.sum()
}

/// Starts the task of a call and waits for its first word. `enough` is the token that [`RowStream::enough`] sets, which the
/// task watches.
///
/// # Errors
///
/// An error that comes before any event.
pub async fn answer<T>(
    enough: CancellationToken,
    task: impl FnOnce(Events) -> T,
) -> Result<RowStream, SourceError>
where
    T: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(MESSAGES_AHEAD);
    tokio::spawn(task(Events { sender }));
    let mut answer = Answer { receiver, rows: Vec::new().into_iter(), complete: false };
    let first = answer.next().await.unwrap_or_else(|| Err(lost()))?;
    let rest =
        stream::unfold(answer, |mut answer| async { answer.next().await.map(|event| (event, answer)) });
    Ok(RowStream::new(stream::once(async { Ok(first) }).chain(rest).boxed(), enough))
}

/// The events of one statement, as its task sends them.
struct Answer {
    receiver: mpsc::Receiver<Message>,
    /// Rows that came together and are not taken yet.
    rows: vec::IntoIter<Row>,
    complete: bool,
}

impl Answer {
    /// The next event. A task that ended without its last word, by a panic, is an error too.
    async fn next(&mut self) -> Option<Result<Event, SourceError>> {
        if self.complete {
            return None;
        }
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Ok(Event::Row(row)));
            }
            match self.receiver.recv().await.unwrap_or_else(|| Message::Last(Err(lost()))) {
                Message::Event(event) => return Some(Ok(event)),
                Message::Rows(rows) => self.rows = rows.into_iter(),
                Message::Last(outcome) => {
                    self.complete = true;
                    return Some(outcome.map(Event::Done));
                }
            }
        }
    }
}

/// What becomes of a call whose task has ended without a word.
pub(crate) fn lost() -> SourceError {
    SourceError::Database(DatabaseError::new(
        "the statement ended without an answer, by a defect of the toolbox; whether its changes stayed is unknown",
    ))
}
