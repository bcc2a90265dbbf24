//! Rows with nested values as GCF, which the crate `gcf` writes and reads: flattened columns, attachments, keyed maps.

use crate::seam::{answer::Table, tree};

/// Writes a table. None where it is too large, or the crate says no.
pub(super) fn write(table: &Table, json_bytes: usize) -> Option<String> {
    let tree = if json_bytes <= tree::MOST_BYTES { tree::of(table)? } else { return None };
    gcf::encode_generic(&tree).ok()
}

/// Whether the crate finds this table in the text.
pub(super) fn reads_back(text: &str, table: &Table) -> bool {
    gcf::decode_generic(text).is_ok_and(|read| tree::is(read, table))
}
