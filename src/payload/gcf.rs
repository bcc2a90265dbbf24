//! GCF, generic profile, in; typed rows out.
//!
//! Tables of scalars are read here, and whatever holds nested values by the crate `gcf` (`nested`). Decimals in rows keep all their
//! digits.

use super::{Sheet, Unreadable};

mod nested;
mod scalar;
mod table;

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
        None => nested::read(text)?,
    };
    Ok(sheets.into_iter().map(|sheet| Sheet { truncated, ..sheet }).collect())
}

#[cfg(test)]
mod tests;
