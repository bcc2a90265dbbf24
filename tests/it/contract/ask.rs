//! Questions to a source, and what leaves the server.

pub(crate) use toolbox_asking::{Ask, Set, ask, collect, text};

use toolbox::seam::{self, Encoded, Encoding};
use toolbox_source::{Source, SourceError};

/// The answer as it leaves the server.
pub(crate) trait Sent {
    /// In JSON.
    async fn sent(self, source: &dyn Source) -> Result<Encoded, SourceError>;
}

impl Sent for Ask {
    async fn sent(self, source: &dyn Source) -> Result<Encoded, SourceError> {
        let limits = *self.limits();
        seam::encode(self.stream(source).await?, Encoding::Json.into(), &limits).await
    }
}
