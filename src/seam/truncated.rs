//! How a cut result says that it is cut, where the model sees it.

use std::fmt::Write as _;

use super::{quote, sink::Sink as _};

/// How a result was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncated {
    /// How many rows were sent.
    pub rows: u64,
    /// Why, and what to do about it. One line.
    pub hint: String,
}

/// The limit that cut a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// `maxRows`.
    Rows(u64),
    /// `maxBytes`.
    Bytes(u64),
}

impl Truncated {
    /// The notice for a result of `rows` rows. `changed` is how many rows a write changed, if the statement was one.
    pub(super) fn new(rows: u64, limit: Limit, changed: Option<u64>) -> Self {
        let mut hint = match limit {
            Limit::Rows(limit) => format!(
                "the result has more rows than the limit of {limit} (maxRows); narrow the query, aggregate, or ask for \
                 the next rows"
            ),
            Limit::Bytes(limit) => format!(
                "the result is larger than the limit of {limit} bytes of JSON (maxBytes); select fewer columns, narrow \
                 the query, or ask for the next rows"
            ),
        };
        if let Some(changed) = changed {
            let _ = write!(
                hint,
                "; the statement itself was completed and changed {changed} rows, so do not repeat it"
            );
        }
        Self { rows, hint }
    }

    /// The notice as the last JSON block.
    pub(super) fn json_block(&self) -> String {
        let mut block = String::from("{\"toolbox/truncated\":{\"rows\":");
        block.put(itoa::Buffer::new().format(self.rows));
        block.put(",\"hint\":");
        quote::write(&mut block, &self.hint);
        block.put("}}");
        block
    }

    /// The notice as a comment line of GCF, which readers drop.
    pub(super) fn gcf_comment(&self) -> String {
        format!("# truncated after {} rows: {}\n", self.rows, self.hint)
    }
}
