//! Questions to a source, and what leaves the server.

pub(crate) use toolbox_asking::{Ask, Set, ask, collect, text};

use toolbox::seam::{self, Encoded, Encoding};
use toolbox_source::{Source, SourceError};

/// An answer as it leaves the server.
pub(crate) trait Leaves {
    /// In JSON.
    async fn encoded(self, source: &dyn Source) -> Result<Encoded, SourceError>;

    /// Where this encoding is wished for.
    async fn encoded_as(self, encoding: Encoding, source: &dyn Source) -> Result<Encoded, SourceError>;

    /// The blocks of JSON of a statement that works.
    async fn json(self, source: &dyn Source) -> Vec<String>;
}

impl Leaves for Ask {
    async fn encoded(self, source: &dyn Source) -> Result<Encoded, SourceError> {
        self.encoded_as(Encoding::Json, source).await
    }

    async fn encoded_as(self, encoding: Encoding, source: &dyn Source) -> Result<Encoded, SourceError> {
        let limits = *self.limits();
        seam::encode(self.stream(source).await?, encoding.into(), &limits).await
    }

    async fn json(self, source: &dyn Source) -> Vec<String> {
        let shown = format!("{self:?}");
        self.encoded(source).await.unwrap_or_else(|error| panic!("{error}: {shown}")).into_blocks()
    }
}
