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
    /// How many rows the statement changed, if it was a write. It ran to its end.
    pub changed: Option<u64>,
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
        match changed {
            None => {}
            // A procedure counts its last statement only.
            Some(0) => {
                hint.push_str("; the statement itself ran to its end, so do not repeat it if it writes");
            }
            Some(changed) => {
                let _ = write!(
                    hint,
                    "; the statement itself was completed and changed {changed} rows, so do not repeat it"
                );
            }
        }
        Self { rows, hint, changed }
    }

    /// The notice as the last JSON block.
    pub(super) fn json_block(&self) -> String {
        let mut block = String::from("{\"toolbox/truncated\":");
        self.write_json(&mut block);
        block.put("}");
        block
    }

    /// What the notice says as a JSON object.
    pub(super) fn write_json(&self, out: &mut String) {
        out.put("{\"rows\":");
        out.put(itoa::Buffer::new().format(self.rows));
        out.put(",\"hint\":");
        quote::write(out, &self.hint);
        out.put("}");
    }

    /// The notice as a comment line of GCF, which readers drop.
    pub(super) fn gcf_comment(&self) -> String {
        format!("# truncated after {} rows: {}\n", self.rows, self.hint)
    }
}
