//! GCF, generic profile, in; typed rows out.
//!
//! Tables of scalars are read here, with all digits of decimals. Whatever holds nested values is read by the crate `gcf`, which
//! rounds numbers to doubles, so numbers that it would round are refused before.

use super::{Sheet, Unreadable, tree};

mod scalar;
mod table;

/// How many levels the crate may be asked to nest. It goes down by recursion.
const MOST_LEVELS: usize = 500;

/// Reads a list of rows.
///
/// # Errors
///
/// What is no GCF of the generic profile, what is no list of objects, and numbers that cannot be kept.
pub fn read(text: &str) -> Result<Vec<Sheet>, Unreadable> {
    let mut truncated = false;
    let mut lines = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .zip(1..)
        .filter(|(line, _)| {
            truncated |= line.starts_with("# truncated after ");
            !line.starts_with("# ") && !line.is_empty()
        })
        .collect::<Vec<_>>()
        .into_iter();
    let header = lines.next().map(|(line, _)| line.split(' ').take(2).collect::<Vec<_>>());
    if header.as_deref() != Some(&["GCF", "profile=generic"]) {
        return Err(Unreadable::new(1, "expected the header \"GCF profile=generic\""));
    }
    let sheets = match table::read(lines)? {
        Some(sheet) => vec![sheet],
        None => nested(text)?,
    };
    Ok(sheets.into_iter().map(|sheet| Sheet { truncated, ..sheet }).collect())
}

fn nested(text: &str) -> Result<Vec<Sheet>, Unreadable> {
    for (line, place) in text.lines().zip(1..) {
        let content = line.trim_start_matches(' ');
        let declares = content.starts_with(['#', '@', '.', '^']);
        let levels =
            if declares { line.matches('>').count() } else { 0 }.max((line.len() - content.len()) / 4);
        if levels > MOST_LEVELS {
            return Err(Unreadable::new(place, format!("nested more than {MOST_LEVELS} levels deep")));
        }
    }
    tree::read(text, ("GCF", ",|=[]{}"), gcf::decode_generic)
}

#[cfg(test)]
mod tests;
