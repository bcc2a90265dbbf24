//! What the commands without a tool read: text from standard input, and rows in it.

use std::io::Read as _;

use anyhow::Context as _;

use crate::payload::{self, Sheet};

/// All of standard input.
pub(super) fn text() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
    String::from_utf8(bytes).map_err(|error| {
        anyhow::anyhow!("standard input is not UTF-8 text: byte {}", error.utf8_error().valid_up_to() + 1)
    })
}

/// JSON rows from standard input.
pub(super) fn rows() -> anyhow::Result<Vec<Sheet>> {
    let sheets = payload::json::read(&text()?).context("standard input holds no JSON rows")?;
    warn_of_cuts(&sheets);
    if sheets.len() > 1 {
        tracing::warn!("the rows have different fields, so they are {} result sets", sheets.len());
    }
    Ok(sheets)
}

/// Says that rows are missing where the payload says so.
pub(super) fn warn_of_cuts(sheets: &[Sheet]) {
    if sheets.iter().any(|sheet| sheet.truncated) {
        tracing::warn!("the result was cut where it came from: rows are missing");
    }
}
