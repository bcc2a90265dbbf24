//! One client on standard input and output: a JSON-RPC message a line, nothing else on standard output.

use std::{io, sync::Arc, time::Duration};

use futures::{Sink, StreamExt, stream};
use rmcp::{
    RoleServer, ServiceExt,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    sync::{mpsc, watch},
};
use tokio_util::sync::CancellationToken;

use super::{Shared, mcp::Handler, stop_signal};

/// Longest line that is read, in bytes; a longer one is answered with an error.
const MAX_LINE: u64 = 16 << 20;

/// Lines that wait for standard output.
const LINES_AHEAD: usize = 64;

/// Serves until standard input ends or the process is told to stop, then lets running calls finish.
///
/// # Errors
///
/// What standard input or output says.
pub async fn serve(shared: Arc<Shared>) -> io::Result<()> {
    let (lines, writer) = write_lines();
    let open = Open::default();
    let closing = CancellationToken::new();
    let messages = read_messages(shared.clone(), open.clone(), lines.clone());
    let transport = (message_sink(lines, open.clone()), Box::pin(messages));
    let service = Handler::new(shared.clone()).serve_with_ct(transport, closing.clone());
    let session = async {
        match service.await {
            Ok(session) => {
                let _ended = session.waiting().await;
            }
            // The input ended before a first message, or the first message was none that opens a session.
            Err(error) => tracing::debug!(%error, "no session"),
        }
    };
    tokio::select! {
        () = session => {}
        stopped = stop_signal() => {
            stopped?;
            tracing::warn!("shutting down gracefully");
            shared.drain().await;
            let _answered = tokio::time::timeout(Duration::from_secs(1), open.none()).await;
            closing.cancel();
        }
    }
    shared.drain().await;
    // The writer ends when the session has dropped the last way to it.
    match tokio::time::timeout(Duration::from_secs(1), writer).await {
        Ok(Ok(written)) => written,
        _ => Ok(()),
    }
}

/// How many requests were read and not yet answered.
#[derive(Clone, Debug)]
struct Open(Arc<watch::Sender<usize>>);

impl Default for Open {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl Open {
    fn read(&self, message: &RxJsonRpcMessage<RoleServer>) {
        if matches!(message, JsonRpcMessage::Request(_)) {
            self.0.send_modify(|open| *open += 1);
        }
    }

    fn written(&self, message: &TxJsonRpcMessage<RoleServer>) {
        if matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
            self.0.send_modify(|open| *open = open.saturating_sub(1));
        }
    }

    /// Resolves when every request is answered.
    async fn none(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let mut count = self.0.subscribe();
        let _answered = count.wait_for(|open| *open == 0).await;
    }
}

/// A task that owns standard output, and the way to it. It ends when the last sender is gone.
fn write_lines() -> (mpsc::Sender<String>, tokio::task::JoinHandle<io::Result<()>>) {
    let (sender, mut lines) = mpsc::channel::<String>(LINES_AHEAD);
    let writer = tokio::spawn(async move {
        let mut output = tokio::io::stdout();
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
            lines.send(line).await.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
            open.written(&message);
            Ok(lines)
        }
    }))
}

/// The messages on standard input. A line that is none is answered here, as rmcp would pass over it in silence.
fn read_messages(
    shared: Arc<Shared>,
    open: Open,
    lines: mpsc::Sender<String>,
) -> impl futures::Stream<Item = RxJsonRpcMessage<RoleServer>> + Send {
    let state = (BufReader::new(tokio::io::stdin()), shared, open, lines);
    stream::unfold(state, |(mut input, shared, open, lines)| async move {
        loop {
            let Ok(Some(line)) = read_line(&mut input).await else {
                finish(&shared, &open).await;
                return None;
            };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(&line) {
                Ok(message) => {
                    open.read(&message);
                    return Some((message, (input, shared, open, lines)));
                }
                Err(error) => lines.send(refusal(&line, &error)).await.ok()?,
            }
        }
    })
    .fuse()
}

/// Waits at the end of the input until what was asked is answered, since rmcp cuts calls off soon after the end of its
/// stream. A cancelled request never gets an answer, so after a second it is enough that no call runs.
async fn finish(shared: &Shared, open: &Open) {
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

/// One line without its break, or `None` at the end of the input. A line over [`MAX_LINE`] comes back cut, so it is no
/// message and is refused; the rest of it is dropped.
async fn read_line(input: &mut BufReader<tokio::io::Stdin>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if (&mut *input).take(MAX_LINE).read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') && u64::try_from(line.len()).unwrap_or(u64::MAX) == MAX_LINE {
        let mut rest = Vec::new();
        while (&mut *input).take(MAX_LINE).read_until(b'\n', &mut rest).await? != 0
            && rest.last() != Some(&b'\n')
        {
            rest.clear();
        }
    }
    Ok(Some(line))
}

/// The answer to a line that is no message: a parse error, or an invalid request where it is JSON at least.
fn refusal(line: &[u8], error: &serde_json::Error) -> String {
    let (code, id, message) = match serde_json::from_slice::<serde_json::Value>(line) {
        Err(error) => (-32700, serde_json::Value::Null, format!("parse error: {error}")),
        Ok(serde_json::Value::Array(_)) => {
            (-32600, serde_json::Value::Null, "not supporting batch requests".to_owned())
        }
        Ok(value) => {
            (-32600, value.get("id").cloned().unwrap_or_default(), format!("invalid request: {error}"))
        }
    };
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}
