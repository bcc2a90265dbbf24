//! A source whose tools run SQL that the model writes. Once it answers, the log says what such SQL could do by its account,
//! which only another account prevents. It must not know tools or calls.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures::future::BoxFuture;
use toolbox_source::{Query, RowStream, Source, SourceError};

/// A source, and whether its account is still to be looked at.
#[derive(Debug)]
pub(super) struct Watched {
    name: String,
    source: Arc<dyn Source>,
    due: AtomicBool,
}

impl Watched {
    /// A source that is not looked at until somebody says so.
    pub(super) fn new(name: &str, source: Arc<dyn Source>) -> Self {
        Self { name: name.to_owned(), source, due: AtomicBool::new(false) }
    }

    /// Looks at the account, once, as soon as the source answers anything.
    pub(super) fn watch(&self) {
        self.due.store(true, Ordering::Relaxed);
    }

    /// Looks at the account if that is due, while the answer goes its way.
    fn answered(&self) {
        // Most answers find it done, and then nothing is written.
        if self.due.load(Ordering::Relaxed) && self.due.swap(false, Ordering::Relaxed) {
            tokio::spawn(warn_of_powers(self.name.clone(), self.source.clone()));
        }
    }
}

impl Source for Watched {
    fn query(&self, query: Query) -> BoxFuture<'_, Result<RowStream, SourceError>> {
        Box::pin(async move {
            let answer = self.source.query(query).await;
            match &answer {
                Ok(_) | Err(SourceError::Database(_)) => self.answered(),
                Err(_) => {}
            }
            answer
        })
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), SourceError>> {
        Box::pin(async move {
            self.source.ping().await?;
            self.answered();
            Ok(())
        })
    }

    fn powers(&self) -> BoxFuture<'_, Result<Vec<String>, SourceError>> {
        self.source.powers()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.source.close()
    }
}

async fn warn_of_powers(name: String, source: Arc<dyn Source>) {
    match source.powers().await {
        Ok(powers) if powers.is_empty() => {}
        Ok(powers) => tracing::warn!(
            source = name,
            "tools of this source run SQL that the model writes, and its account {}; give the source an account with no \
             more rights than its tools need",
            powers.join(", ")
        ),
        Err(error) => {
            tracing::debug!(source = name, %error, "cannot tell what the account of this source may do");
        }
    }
}
