//! One client on standard input and output: a JSON-RPC message a line, nothing else on standard output.
//!
//! Requests are served as they come, before an `initialize` too, as the peer does; each runs on its own, so answers may come
//! in another order.

use std::{collections::HashSet, io, pin::pin, sync::Arc, time::Duration};

use futures::{Sink, StreamExt, stream};
use rmcp::{
    RoleServer,
    model::{ClientNotification, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage, serve_directly_with_ct},
};
use serde_json::Value as Json;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{mpsc, watch},
};
use tokio_util::sync::CancellationToken;

use super::{
    PARTING, Shared,
    mcp::Handler,
    message::{Message, Refusal},
};

/// Longest line that is read, in bytes; a longer one is answered with an error.
pub const MAX_LINE: usize = 16 << 20;

/// Lines that wait for the output.
const LINES_AHEAD: usize = 64;

/// Serves until the input ends or `stop` resolves, then lets running calls finish.
///
/// # Errors
///
/// What the output says.
pub async fn serve(
    shared: Arc<Shared>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let (lines, writer) = write_lines(output);
    let open = Open::default();
    let closing = CancellationToken::new();
    let reader = Reader {
        input: BufReader::new(input),
        shared: shared.clone(),
        open: open.clone(),
        lines: lines.clone(),
    };
    let transport = (message_sink(lines, open.clone()), Box::pin(reader.messages()));
    let session = serve_directly_with_ct(Handler::new(shared.clone()), transport, None, closing.clone());
    let mut finished = pin!(async {
        let _ended = session.waiting().await;
        shared.drain().await;
        // The writer ends when the session has dropped the last way to it, and the client has read what it was sent.
        writer.await.unwrap_or_else(|error| Err(io::Error::other(error)))
    });
    tokio::select! {
        written = &mut finished => return written,
        () = stop => {}
    }
    tracing::warn!("shutting down gracefully");
    shared.drain().await;
    let _answered = tokio::time::timeout(PARTING, open.none()).await;
    closing.cancel();
    // A client that does not read must not keep us.
    tokio::time::timeout(PARTING, finished).await.unwrap_or(Ok(()))
}

/// The requests that were read and are neither answered nor cancelled.
#[derive(Clone, Debug)]
struct Open(Arc<watch::Sender<HashSet<RequestId>>>);

impl Default for Open {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(HashSet::new())))
    }
}

impl Open {
    /// Takes note of a message. False for a request whose id is in use: its answer could not be told from the other's.
    fn read(&self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                let mut fresh = false;
                self.0.send_modify(|open| fresh = open.insert(request.id.clone()));
                fresh
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.close(id);
                }
                true
            }
            _ => true,
        }
    }

    fn answered(&self, message: &TxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Response(response) => self.close(&response.id),
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.close(id);
                }
            }
            _ => {}
        }
    }

    fn close(&self, id: &RequestId) {
        self.0.send_if_modified(|open| open.remove(id));
    }

    /// Resolves when every request is answered.
    async fn none(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let mut open = self.0.subscribe();
        let _answered = open.wait_for(HashSet::is_empty).await;
    }
}

/// A task that owns the output, and the way to it. It ends when the last sender is gone.
fn write_lines(
    mut output: impl AsyncWrite + Send + Unpin + 'static,
) -> (mpsc::Sender<String>, tokio::task::JoinHandle<io::Result<()>>) {
    let (sender, mut lines) = mpsc::channel::<String>(LINES_AHEAD);
    let writer = tokio::spawn(async move {
        while let Some(mut line) = lines.recv().await {
            line.push('\n');
            output.write_all(line.as_bytes()).await?;
            output.flush().await?;
        }
        Ok(())
    });
    (sender, writer)
}

/// rmcp's messages as lines.
fn message_sink(
    lines: mpsc::Sender<String>,
    open: Open,
) -> impl Sink<TxJsonRpcMessage<RoleServer>, Error = io::Error> + Unpin + Send {
    Box::pin(futures::sink::unfold(lines, move |lines, message: TxJsonRpcMessage<RoleServer>| {
        let open = open.clone();
        async move {
            let line = serde_json::to_string(&message).map_err(io::Error::other)?;
            // First, since the client may use the id again as soon as it has the answer. rmcp waits for what is being sent.
            open.answered(&message);
            lines.send(line).await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
            Ok(lines)
        }
    }))
}

/// The input and what reading it needs.
struct Reader<I> {
    input: BufReader<I>,
    shared: Arc<Shared>,
    open: Open,
    lines: mpsc::Sender<String>,
}

/// One line of the input.
enum Line {
    /// Without its break, or with it.
    Text(Vec<u8>),
    /// Longer than [`MAX_LINE`]; it was read and dropped.
    TooLong,
}

impl<I: AsyncRead + Send + Unpin> Reader<I> {
    /// The messages of the input. A line that is none is answered here.
    fn messages(self) -> impl futures::Stream<Item = RxJsonRpcMessage<RoleServer>> + Send {
        stream::unfold(self, |mut reader| async move {
            loop {
                // An input that fails has ended too.
                let Ok(Some(line)) = reader.line().await else {
                    reader.finish().await;
                    return None;
                };
                match reader.message(&line) {
                    Ok(Some(message)) => return Some((message, reader)),
                    Ok(None) => {}
                    // When nobody reads the answers, there is no session any more.
                    Err(refusal) => reader.lines.send(refusal.to_string()).await.ok()?,
                }
            }
        })
        .fuse()
    }

    /// The message in a line; nothing where there is none to be answered.
    fn message(&self, line: &Line) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
        let Line::Text(line) = line else {
            let text = format!("parse error: the line is longer than {MAX_LINE} bytes");
            return Err(Refusal::new(&Json::Null, -32700, &text));
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let request = match Message::read(line)? {
            Message::Request(request) => request,
            // One that says nothing to us needs no understanding.
            Message::Notification => {
                return Ok(serde_json::from_slice(line).ok().filter(|message| self.open.read(message)));
            }
            Message::Response => return Ok(None),
        };
        let id = request.id.clone();
        let text = request.complete()?;
        let message = serde_json::from_slice(text.as_deref().unwrap_or(line))
            .map_err(|error| Refusal::new(&id, -32600, &format!("invalid request: {error}")))?;
        if self.open.read(&message) {
            Ok(Some(message))
        } else {
            Err(Refusal::new(&id, -32600, "invalid request: a request with this id is not answered yet"))
        }
    }

    /// Waits at the end of the input until what was asked is answered, since rmcp cuts calls off soon after the end of its
    /// stream. Should an answer get lost, it is enough, after a second, that no call runs.
    async fn finish(&mut self) {
        let Self { shared, open, .. } = self;
        let calls = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            shared.calls.close();
            shared.calls.wait().await;
        };
        tokio::select! {
            () = open.none() => {}
            () = calls => {}
        }
    }

    /// One line, or nothing at the end of the input.
    async fn line(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        if !self.piece(&mut line).await? {
            return Ok(None);
        }
        if line.len() <= MAX_LINE {
            return Ok(Some(Line::Text(line)));
        }
        while line.last() != Some(&b'\n') {
            line.clear();
            if !self.piece(&mut line).await? {
                break;
            }
        }
        Ok(Some(Line::TooLong))
    }

    /// Reads up to the next line break, but at most one byte more than a line may have. False at the end of the input.
    async fn piece(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX).saturating_add(1);
        Ok((&mut self.input).take(most).read_until(b'\n', line).await? != 0)
    }
}
