//! What a source does once, before its first query: apply migrations, open what has to stay open.

use std::{fmt, future::Future, sync::Arc};

use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::{SourceError, answer::lost};

/// Whether it is done. Work that failed is tried again by the next query.
#[derive(Clone, Default)]
pub struct Ready {
    done: Arc<OnceCell<()>>,
}

impl Ready {
    /// Does the work, unless it is done or under way, and waits for its end. It runs in a task of its own, so that a caller
    /// who goes away does not undo it.
    ///
    /// # Errors
    ///
    /// What the work says, or [`SourceError::Cancelled`].
    pub async fn ensure<W>(
        &self,
        cancel: &CancellationToken,
        work: impl FnOnce() -> W + Send + 'static,
    ) -> Result<(), SourceError>
    where
        W: Future<Output = Result<(), SourceError>> + Send + 'static,
    {
        if self.done.initialized() {
            return Ok(());
        }
        let done = self.done.clone();
        let task = tokio::spawn(async move { done.get_or_try_init(work).await.copied() });
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(SourceError::Cancelled),
            ready = task => ready.unwrap_or_else(|_| Err(lost())),
        }
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Ready").field(&self.done.initialized()).finish()
    }
}
