//! Whether a form may stand in for JSON: only if it says the same, is smaller, and costs no more tokens.
//!
//! What can be told from names and cells alone is asked while rows arrive. The rest is asked of the finished text, which is
//! read back and compared with the cells that it was made of; nothing is taken on trust from the writer. Anything that goes
//! wrong on the way, a panic included, is a "no". Only `table` is beyond this: it is JSON, and sent whenever it is asked for.

use std::panic::catch_unwind;

use super::{
    Encoding,
    answer::{Answer, Table},
    auto,
    form::Form,
    table, tokens, tree,
    truncated::Truncated,
};

/// The form that may be sent for a wish, with its blocks. `forms` are those that can hold the answer.
pub(super) fn pick(
    wish: Encoding,
    answer: &Answer<'_>,
    forms: &[&'static dyn Form],
) -> Option<(Encoding, Vec<String>)> {
    let ranking = match wish {
        Encoding::Json => return None,
        Encoding::Table => return Some((Encoding::Table, vec![table::write(answer)])),
        Encoding::Gcf | Encoding::Gcx | Encoding::Toon => forms.to_vec(),
        Encoding::Auto => tried(wish, || Some(auto::ranking(answer, forms)))?,
    };
    ranking.into_iter().find_map(|form| Some((form.encoding(), judged(form, answer)?)))
}

/// The guard, for any form.
pub(super) fn judged(form: &dyn Form, answer: &Answer<'_>) -> Option<Vec<String>> {
    tried(form.encoding(), || {
        let mut blocks = Vec::with_capacity(2);
        let notice = answer.truncated.filter(|cut| form.notice_follows(cut)).map(Truncated::json_block);
        let beside = notice.as_ref().map_or(0, String::len);
        let most = answer.json_bytes.checked_sub(1 + beside).filter(|_| answer.rows() > 0)?;

        let text = form.write(answer, most)?;
        let saved = most.checked_sub(text.len())? + 1;
        let is_cheap = tells_tokens(answer) && form.margin(&text).is_some_and(|margin| saved >= margin);
        let reads_back = form.reads_back(&text, answer);
        blocks.push(text);
        blocks.extend(notice);
        (reads_back && (is_cheap || costs_no_more(&blocks, answer))).then_some(blocks)
    })
}

/// Whether the bytes that a form saves tell of the tokens. Those that it saves on escapes do not.
fn tells_tokens(answer: &Answer<'_>) -> bool {
    let may_unescape = |table: &Table| table.rows.iter().flatten().any(tree::may_unescape);
    repeats_names(answer) && !(answer.kept.nested && answer.kept.tables.iter().any(may_unescape))
}

/// Whether JSON repeats so many names in every table that bytes tell of tokens. A name is one token at least and may have any
/// length, so a few long ones are many bytes and hardly any tokens, fewer than a header costs.
fn repeats_names(answer: &Answer<'_>) -> bool {
    const ENOUGH: usize = 32;
    let repeated = |table: &Table| table.rows.len().saturating_sub(1).saturating_mul(table.names.len());
    answer.kept.tables.iter().all(|table| repeated(table) >= ENOUGH)
}

/// Whether blocks cost no more tokens than the JSON.
pub(super) fn costs_no_more(blocks: &[String], answer: &Answer<'_>) -> bool {
    let tokens = blocks.iter().map(|block| tokens::count(block)).sum();
    tokens::reach(answer.json_blocks(), tokens)
}

/// What an attempt gives. A panic gives nothing.
pub(super) fn tried<T>(form: Encoding, attempt: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(std::panic::AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
        tracing::error!("writing a result as {form} panicked, so JSON was sent; please report this");
        None
    })
}

#[cfg(test)]
mod tests;
