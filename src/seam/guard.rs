//! Whether a compact encoding may stand in for JSON: only if it says the same and is smaller.
//!
//! What can be told from names and cells alone is asked while rows arrive. The rest is asked of the finished text, which is
//! read back and compared with the cells that it was made of; nothing is taken on trust from the writer. Anything that goes
//! wrong on the way, a panic included, is a "no".

use std::panic::{RefUnwindSafe, catch_unwind};

use toolbox_source::Value;

use super::{
    collect::Table,
    gcf::{self, check},
};

/// How many bytes must be saved. With this margin no result of scalars was seen to cost more tokens than its JSON, in
/// 170,000 random ones and two vocabularies; with half of it some were.
const LEAST_SAVING: usize = 64;

/// Whether these names can be columns of a compact form. They are unique already.
pub(super) fn admits_names(names: &[String]) -> bool {
    !names.is_empty() && names.iter().all(|name| gcf::admits_name(name))
}

/// Whether every cell of a row is in the domain of the compact form.
pub(super) fn admits_row(row: &[Value]) -> bool {
    row.iter().all(gcf::admits)
}

/// The table as GCF, if that may stand in for JSON blocks of `json_bytes` bytes. `comment` is a line for the end.
pub(super) fn gcf(table: &Table, comment: &str, json_bytes: usize) -> Option<String> {
    judged(table, comment, json_bytes, gcf::write)
}

/// The guard, for any writer: it gets the table and the bytes that it may use, and may give up.
fn judged<W>(table: &Table, comment: &str, json_bytes: usize, write: W) -> Option<String>
where
    W: Fn(&Table, usize) -> Option<String> + RefUnwindSafe,
{
    let most = json_bytes.checked_sub(LEAST_SAVING)?;
    let attempt = || {
        let mut text = write(table, most)?;
        text.push_str(comment);
        (text.len() <= most && check::reads_back(&text, table)).then_some(text)
    };
    catch_unwind(attempt).unwrap_or_else(|_| {
        tracing::error!("writing a result as GCF panicked, so JSON was sent; please report this");
        None
    })
}

#[cfg(test)]
mod tests;
