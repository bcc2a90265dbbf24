//! Rows as a list of TOON, in which each row repeats all names. The crate `toon-format` writes and reads it row by row, so that no
//! more than one row is ever held as a tree.
//!
//! ```text
//! [2]:
//!   - id: 1
//!     tags[2]: a,b
//!   - id: 2
//!     tags: []
//! ```

use serde_json::Value as Json;

use super::begin;
use crate::seam::{answer::Table, room::Room, sink::Sink as _, tree};

/// What the crate writes around the first of two items, if the second one is null: so the first is never a table of its own.
const BEFORE: &str = "[2]:\n";
const AFTER: &str = "\n  - null";

/// What each row begins with. Whatever belongs to it is indented further.
const ITEM: &str = "\n  - ";

/// Writes rows. Gives up as soon as the text is longer than `most` bytes, and where the crate says no.
pub(super) fn write(table: &Table, most: usize) -> Option<String> {
    let mut out = begin(table, most);
    out.put(":");
    let mut room = Room::after(&out, table.rows.len(), most);
    for (index, row) in table.rows.iter().enumerate() {
        room.make(&mut out, index);
        let items = Json::Array(vec![tree::of_row(table, row)?, Json::Null]);
        let text = toon_format::encode_default(&items).ok()?;
        out.put("\n");
        out.put(text.strip_prefix(BEFORE)?.strip_suffix(AFTER)?);
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

/// Whether the crate finds the names and cells of these rows in what follows the count.
pub(super) fn reads_back(text: &str, table: &Table) -> bool {
    let Some(mut rest) = text.strip_prefix(':') else { return false };
    let read = table.rows.iter().all(|row| {
        let Some(item) = rest.strip_prefix(ITEM) else { return false };
        let (item, others) = item.split_at(item.find(ITEM).unwrap_or(item.len()));
        rest = others;
        // An empty line between rows is none, and would be seen in the whole only.
        if item.ends_with(['\n', '\r', ' ']) {
            return false;
        }
        let document = format!("[1]:{ITEM}{item}");
        let read = toon_format::decode_strict::<Json>(&document);
        read.is_ok_and(|read| matches!(read.as_array().map(Vec::as_slice), Some([read]) if tree::is_row(read, table, row)))
    });
    read && rest.is_empty()
}
