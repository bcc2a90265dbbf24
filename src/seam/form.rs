//! What the guard wants to know of a form other than JSON.

use std::panic::RefUnwindSafe;

use toolbox_source::Value;

use super::{Encoding, answer::Answer, gcf::Gcf, gcx, table::Columns, toon::Toon, truncated::Truncated};

/// A form in which an answer may be sent instead of its JSON. It decides nothing: it says what it can hold, writes, and
/// reads back.
pub(super) trait Form: RefUnwindSafe + Sync {
    /// Its name.
    fn encoding(&self) -> Encoding;

    /// Whether it can hold more than one result set, and results of statements without rows.
    fn admits_several(&self) -> bool;

    /// Whether these unique names can be columns.
    fn admits_names(&self, names: &[String]) -> bool;

    /// Whether every cell of a row has a form of its own that stands for the same as its JSON.
    fn admits_row(&self, row: &[Value]) -> bool;

    /// Writes an answer of admitted names and cells. Gives up when the text is longer than `most` bytes.
    fn write(&self, answer: &Answer<'_>, most: usize) -> Option<String>;

    /// Whether a reader of this text finds the names and cells of this answer, all of them and nothing else.
    fn reads_back(&self, text: &str, answer: &Answer<'_>) -> bool;

    /// How many bytes this text must save for no result to be known that costs more tokens than its JSON, where that
    /// repeats its names often enough. None where no saving is enough, so that tokens have to be counted.
    fn margin(&self, text: &str) -> Option<usize>;

    /// Whether this cut is said in a block after the text, as JSON does, and not only within it.
    fn notice_follows(&self, _: &Truncated) -> bool {
        false
    }
}

/// The forms among which a wish lets choose, best readable first.
pub(super) fn candidates(wish: Encoding) -> Vec<&'static dyn Form> {
    match wish {
        Encoding::Json => Vec::new(),
        Encoding::Table => vec![&Columns],
        Encoding::Gcf => vec![&Gcf],
        Encoding::Gcx => vec![&Gcx],
        Encoding::Toon => vec![&Toon],
        Encoding::Auto => vec![&Columns, &Gcf, &Gcx],
    }
}

/// All forms but JSON, in the order of the documentation.
pub(super) fn all() -> Vec<&'static dyn Form> {
    vec![&Columns, &Gcf, &Gcx, &Toon]
}

/// GCX1, of which the module knows result sets and nothing of answers.
struct Gcx;

impl Gcx {
    fn header<'a>(answer: &Answer<'a>) -> gcx::Header<'a> {
        gcx::Header { tool: answer.tool, truncated: answer.truncated.is_some() }
    }
}

impl Form for Gcx {
    fn encoding(&self) -> Encoding {
        Encoding::Gcx
    }

    fn admits_several(&self) -> bool {
        true
    }

    fn admits_names(&self, names: &[String]) -> bool {
        gcx::admits_names(names)
    }

    fn admits_row(&self, row: &[Value]) -> bool {
        row.iter().all(gcx::admits)
    }

    fn write(&self, answer: &Answer<'_>, most: usize) -> Option<String> {
        gcx::write(&answer.kept.tables, &Self::header(answer), most)
    }

    fn reads_back(&self, text: &str, answer: &Answer<'_>) -> bool {
        gcx::reads_back(text, &answer.kept.tables, &Self::header(answer))
    }

    /// Names and cells of the header are what GCX1 adds, so a saving is worth something only beyond it: with 66 bytes saved one
    /// of three rows was seen to cost more tokens.
    fn margin(&self, _: &str) -> Option<usize> {
        Some(256)
    }

    /// The header says that the result was cut and nothing more. Whoever wrote must know that it is done.
    fn notice_follows(&self, truncated: &Truncated) -> bool {
        truncated.changed.is_some()
    }
}
