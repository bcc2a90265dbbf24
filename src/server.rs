//! Starting and stopping. What is served is a [`Catalog`]; how is [`stdio`] or [`http`]; both share the MCP handler.

pub mod http;
pub mod mcp;
pub mod stdio;

use std::{sync::Arc, time::Duration};

use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{catalog::Catalog, seam::Encoding};

/// How long running calls may take to finish once the server is told to stop.
pub const GRACE: Duration = Duration::from_secs(10);

/// What every connection of the server shares.
#[derive(Debug)]
pub struct Shared {
    /// What is served.
    pub catalog: Arc<Catalog>,
    /// `--response-encoding`.
    pub encoding: Encoding,
    /// The calls that run now.
    pub calls: TaskTracker,
    /// Set when running calls must end.
    pub abort: CancellationToken,
}

impl Shared {
    /// Serves a catalog.
    #[must_use]
    pub fn new(catalog: Catalog, encoding: Encoding) -> Self {
        Self {
            catalog: Arc::new(catalog),
            encoding,
            calls: TaskTracker::new(),
            abort: CancellationToken::new(),
        }
    }

    /// Lets running calls finish, cancels those that take longer than [`GRACE`], and closes the sources.
    pub async fn drain(&self) {
        self.calls.close();
        if tokio::time::timeout(GRACE, self.calls.wait()).await.is_err() {
            tracing::warn!(calls = self.calls.len(), "calls still run after {GRACE:?}; they are cancelled");
            self.abort.cancel();
            // A cancelled call ends within milliseconds; a source that does not obey must not keep the process.
            let _obeyed = tokio::time::timeout(Duration::from_secs(1), self.calls.wait()).await;
        }
        self.catalog.close().await;
    }
}

/// Resolves when the process is told to stop: SIGTERM or SIGINT.
///
/// # Errors
///
/// What the system says when no handler can be installed.
pub async fn stop_signal() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut interrupt) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
