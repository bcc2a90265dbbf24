//! The forms that the page shows, and how a cell looks in each. A new form is a line in [`FORMS`].

use toolbox::seam::{Encoded, Encoding};

use super::ROWS;

/// The name of the only column.
pub(super) const COLUMN: &str = "v";

/// A column of the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) heading: &'static str,
    pub(super) encoding: Encoding,
    /// The cell, from the blocks of a table that holds it in each row.
    cell: fn(&[String]) -> String,
}

pub(super) const FORMS: &[Form] = &[
    Form { heading: "JSON", encoding: Encoding::Json, cell: json_cell },
    Form { heading: "GCF", encoding: Encoding::Gcf, cell: |blocks| lines_cell(blocks, 2) },
    Form { heading: "GCX", encoding: Encoding::Gcx, cell: |blocks| lines_cell(blocks, 1) },
];

/// The cell of an answer as the page shows it.
pub(super) fn shown(form: &Form, encoded: &Encoded) -> String {
    if encoded.encoding() == form.encoding { code(&(form.cell)(encoded.blocks())) } else { "JSON".to_owned() }
}

/// What stands after the name in the first row.
pub(super) fn json_cell(blocks: &[String]) -> String {
    let row = blocks.first().expect("a row");
    let cell = row.strip_prefix(&format!("{{\"{COLUMN}\":")).and_then(|rest| rest.strip_suffix('}'));
    cell.unwrap_or_else(|| panic!("no cell in {row}")).to_owned()
}

/// The lines of the first row after a header of so many lines. All rows are the same, and so have as many.
fn lines_cell(blocks: &[String], header: usize) -> String {
    let lines: Vec<&str> = blocks.first().expect("a block").lines().skip(header).collect();
    assert_eq!(lines.len() % ROWS, 0, "{lines:?}");
    lines[..lines.len() / ROWS].join(" ⏎ ")
}

/// A code span of Markdown in a table. Controls are shown by their pictures.
pub(super) fn code(text: &str) -> String {
    let picture = |char: char| match u32::from(char) {
        control @ 0..0x20 => char::from_u32(0x2400 + control).expect("a picture"),
        _ => char,
    };
    let text: String = text.replace('|', "\\|").chars().map(picture).collect();
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
