//! The only way from rows to text.
//!
//! [`encode`] is the one place that makes an [`Encoded`], and whatever leaves the server as a result is an `Encoded`. It
//! knows neither databases nor MCP: rows and a choice go in, text blocks come out. The choice of the encoding is a pure
//! function of the rows: same rows, same bytes. [`compare`] measures what a result costs in every form, and gives no text.
//!
//! The road of a result: `collect` reads the stream within the limits, under unique `names`, turns numbers that a reader may
//! round into text where that is wished (`safe`), cuts long cells (`cell`) and writes each row as `json`, or keeps it in an
//! `answer` while another `form` is wished for and possible. Of kept rows `auto` tells from samples which form is best,
//! `table`, `gcf`, `gcx` and `toon` write them, and `guard` decides whether that text may stand in for the JSON; where it must,
//! it counts `tokens`. `truncated` says what was cut. Nested cells become a `tree` for the crates that write them, one row at a
//! time, so a result is held as its rows and one text, and little beside them.

use std::{fmt, str::FromStr};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::block_in_place,
};
use toolbox_source::{Limits, RowStream, SourceError};

mod answer;
mod auto;
mod cell;
mod collect;
mod comparison;
mod float;
mod form;
mod gcf;
mod gcx;
mod guard;
mod json;
mod number;
mod number_format;
mod quote;
mod reader;
mod room;
mod safe;
#[cfg(test)]
mod samples;
mod scan;
mod shape;
mod sink;
mod table;
mod tokens;
mod toon;
mod tree;
mod truncated;

pub use comparison::{Candidate, Comparison, Refusal, compare};
pub(crate) use number::value as number;
pub use number_format::{NumberFormat, UnknownNumberFormat};
pub use truncated::Truncated;

use answer::Answer;
use collect::{Collected, Content};

/// The forms that a result may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One text block a row, a compact JSON object each.
    #[default]
    Json,
    /// One text block, which is JSON too: the names once, then a list a row. Sent whenever it is asked for.
    Table,
    /// GCF, generic profile 3.6, in one block; the JSON where GCF is not smaller or cannot say the same.
    Gcf,
    /// GCX1 in one block, one section a result set; the JSON where GCX1 is not smaller or cannot say the same.
    Gcx,
    /// TOON in one block; the JSON where TOON is not smaller or cannot say the same.
    Toon,
    /// Whichever of JSON, table, GCF and GCX1 costs the fewest tokens.
    Auto,
}

/// How a result should be written.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// The form.
    pub encoding: Encoding,
    /// How numbers are written, in every form.
    pub numbers: NumberFormat,
    /// The name of the tool that was called, for forms that carry it.
    pub tool: &'a str,
}

impl Encoding {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 6] = [Self::Json, Self::Table, Self::Gcf, Self::Gcx, Self::Toon, Self::Auto];

    /// Its name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Table => "table",
            Self::Gcf => "gcf",
            Self::Gcx => "gcx",
            Self::Toon => "toon",
            Self::Auto => "auto",
        }
    }
}

impl From<Encoding> for Wish<'static> {
    /// The form with all digits, of rows that no tool gave.
    fn from(encoding: Encoding) -> Self {
        Self { encoding, numbers: NumberFormat::Digits, tool: "rows" }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that is no encoding, or how it begins if it is long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown response encoding {0:?}: use json, table, gcf, gcx, toon or auto")]
pub struct UnknownEncoding(pub String);

impl UnknownEncoding {
    /// Most characters of the name.
    const SHOWN: usize = 40;
}

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        Self::ALL
            .into_iter()
            .find(|encoding| encoding.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownEncoding(name.chars().take(UnknownEncoding::SHOWN).collect()))
    }
}

/// A result that may leave the server. Only this module can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    blocks: Vec<String>,
    encoding: Encoding,
    json_bytes: usize,
    truncated: Option<Truncated>,
}

impl Encoded {
    /// The text blocks, in order.
    #[must_use]
    pub fn blocks(&self) -> &[String] {
        &self.blocks
    }

    /// The text blocks, in order, for good.
    #[must_use]
    pub fn into_blocks(self) -> Vec<String> {
        self.blocks
    }

    /// The form that was sent, which is JSON where the wished one had to stand back.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Bytes of all blocks together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(String::len).sum()
    }

    /// Bytes of the JSON that the blocks replace, or are.
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        self.json_bytes
    }

    /// How the result was cut, if it was.
    #[must_use]
    pub fn truncated(&self) -> Option<&Truncated> {
        self.truncated.as_ref()
    }
}

/// Reads all rows within the limits and writes them in the wished form, or as JSON where the guard says no.
///
/// # Errors
///
/// What the source reports. Nothing is lost silently: an error in the middle of the rows is an error of the whole.
pub async fn encode(rows: RowStream, wish: Wish<'_>, limits: &Limits) -> Result<Encoded, SourceError> {
    let Collected { content, json_bytes, truncated } =
        collect::read(rows, form::candidates(wish.encoding), wish.numbers, limits).await?;
    let notice = truncated.as_ref().map(Truncated::json_block);
    let json_bytes = json_bytes + notice.as_ref().map_or(0, String::len);
    let (mut blocks, encoding) = match content {
        Content::Blocks(blocks) => (blocks, Encoding::Json),
        Content::Kept(kept, forms) => {
            let answer = Answer { kept: &kept, tool: wish.tool, truncated: truncated.as_ref(), json_bytes };
            match aside(json_bytes, || guard::pick(wish.encoding, &answer, &forms)) {
                Some((encoding, blocks)) => (blocks, encoding),
                None => (kept.into_blocks(), Encoding::Json),
            }
        }
    };
    if encoding == Encoding::Json {
        blocks.extend(notice);
    }
    Ok(Encoded { blocks, encoding, json_bytes, truncated })
}

/// Bytes of JSON from which on the work for another form is long for a thread that others wait for.
const LONG: usize = 64 * 1024;

/// Does the work on a result of this size, where it is long in a way that lets other tasks of this thread move to another one.
fn aside<T>(json_bytes: usize, work: impl FnOnce() -> T) -> T {
    let is_long = json_bytes >= LONG || !tokens::is_ready();
    let can_move = || Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
    if is_long && can_move() { block_in_place(work) } else { work() }
}
