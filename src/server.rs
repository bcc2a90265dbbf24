//! Starting and stopping. What is served is a [`Catalog`]; how is [`stdio`] or [`http`]; both share the MCP handler.

pub mod http;
pub mod mcp;
mod message;
pub mod stdio;

use std::{sync::Arc, time::Duration};

use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    catalog::Catalog,
    seam::{Encoding, NumberFormat},
};

/// How long running calls may take to finish once the server is told to stop.
pub const GRACE: Duration = Duration::from_secs(10);

/// How long each last step of a stop may take: cancelled calls end, sources close, answers reach their clients. All of them
/// take milliseconds, unless someone does not obey or does not read.
const PARTING: Duration = Duration::from_secs(1);

/// What every connection of the server shares.
#[derive(Debug)]
pub struct Shared {
    /// What is served.
    pub catalog: Arc<Catalog>,
    /// `--response-encoding`.
    pub encoding: Encoding,
    /// `--number-format`.
    pub numbers: NumberFormat,
    /// The calls that run now.
    pub calls: TaskTracker,
    /// Set when running calls must end.
    pub abort: CancellationToken,
}

impl Shared {
    /// Serves a catalog.
    #[must_use]
    pub fn new(catalog: Catalog, encoding: Encoding, numbers: NumberFormat) -> Self {
        Self {
            catalog: Arc::new(catalog),
            encoding,
            numbers,
            calls: TaskTracker::new(),
            abort: CancellationToken::new(),
        }
    }

    /// Lets running calls finish, cancels those that take longer than [`GRACE`], and closes the sources. Ends at most two
    /// [`PARTING`]s after that, even if a source does not obey.
    pub async fn drain(&self) {
        self.calls.close();
        let patience = if self.abort.is_cancelled() { PARTING } else { GRACE };
        if tokio::time::timeout(patience, self.calls.wait()).await.is_err() {
            tracing::warn!(
                calls = self.calls.len(),
                "calls still run after {patience:?}; they are cancelled"
            );
            self.abort.cancel();
            let _obeyed = tokio::time::timeout(PARTING, self.calls.wait()).await;
        }
        let _closed = tokio::time::timeout(PARTING, self.catalog.close()).await;
    }
}

/// The signals that tell the process to stop: SIGTERM and SIGINT. From the moment this exists they no longer end it.
#[derive(Debug)]
pub struct StopSignal {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl StopSignal {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// What the system says when no handler can be installed.
    pub fn listen() -> std::io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
            })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Resolves at the next signal.
    pub async fn received(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
