//! The forms that the page shows, and how a cell looks in each. A new form is a line in [`FORMS`].

use toolbox::seam::{Encoded, Encoding};

/// The name of the only column.
pub(super) const COLUMN: &str = "v";

/// A column of the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) heading: &'static str,
    pub(super) encoding: Encoding,
    /// The cell, from the blocks of a table that holds it in each row.
    cell: fn(&[String]) -> &str,
}

pub(super) const FORMS: &[Form] = &[
    Form { heading: "JSON", encoding: Encoding::Json, cell: json_cell },
    Form { heading: "GCF", encoding: Encoding::Gcf, cell: line_cell },
];

/// The cell of an answer as the page shows it.
pub(super) fn shown(form: &Form, encoded: &Encoded) -> String {
    if encoded.encoding() == form.encoding { code((form.cell)(encoded.blocks())) } else { "JSON".to_owned() }
}

/// What stands after the name in the first row.
pub(super) fn json_cell(blocks: &[String]) -> &str {
    let row = blocks.first().expect("a row");
    let cell = row.strip_prefix(&format!("{{\"{COLUMN}\":")).and_then(|rest| rest.strip_suffix('}'));
    cell.unwrap_or_else(|| panic!("no cell in {row}"))
}

/// The first line after a header of two lines.
fn line_cell(blocks: &[String]) -> &str {
    blocks.first().and_then(|block| block.lines().nth(2)).expect("a header and rows")
}

/// A code span of Markdown in a table.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
