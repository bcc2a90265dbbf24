//! Result sets as GCX1: a header line, then a line a row, cells between tabs.
//!
//! ```text
//! GCX1 tool=list_orders fields=id,name,note rows=2
//! 1<TAB>Alice<TAB>first\tsecond
//! 2<TAB>Bob<TAB>
//! ```
//!
//! GCX1 itself has text only. Two rules for cells, both within its grammar, keep what the text stands for:
//!
//! - *typed*: an empty cell is null, a cell that is JSON is that value, any other cell is text. Text that would be taken for
//!   something else is written as a JSON string.
//! - *schema*: the header's `types` has a letter a column (see [`schema::Letter`]), and text in a column of text is bare
//!   whatever it looks like.
//!
//! The shorter one is taken, and the typed one of two that are equally long. The rule and the letters are a function of the
//! values as JSON shows them, so that what a reader got is written as the same bytes again.
//!
//! The writer knows neither how large the JSON is nor whether GCX1 pays: that is the guard's decision.

use super::{answer::Table, room::Room, sink::Sink as _};
use cell::Place;
use schema::Letter;

mod cell;
mod check;
mod schema;

#[cfg(test)]
mod tests;

pub(super) use cell::admits;
pub(super) use check::reads_back;

/// What the header lines say beside names and rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a> {
    /// The tool that was called. Of several result sets each gets a number: `tool.1`, `tool.2`.
    pub(super) tool: &'a str,
    /// Whether the result was cut. Every section says so, since any of them may be the one that is not complete.
    pub(super) truncated: bool,
}

/// Whether these names can be columns: there are some, they are unique already, and each is a [`word`](is_word).
pub(super) fn admits_names(names: &[String]) -> bool {
    !names.is_empty() && names.iter().all(|name| is_word(name))
}

/// Whether a name reads back from a header line. There blanks, commas and `=` end it, a backslash is lost by readers that
/// unescape twice, and readers differ in what they take for a blank.
fn is_word(name: &str) -> bool {
    let breaks = |character: char| {
        matches!(character, ',' | '=' | '\\' | '\u{feff}')
            || character.is_whitespace()
            || character.is_control()
    };
    !name.is_empty() && !name.contains(breaks)
}

/// Writes result sets of admitted names and values, one section each. Gives up as soon as the text is longer than `most`
/// bytes, or when a name or a value is not admitted.
pub(super) fn write(sheets: &[Table], header: &Header<'_>, most: usize) -> Option<String> {
    if sheets.is_empty() || !is_word(header.tool) {
        return None;
    }
    let mut out = Room::first(most);
    for (index, sheet) in sheets.iter().enumerate() {
        let number = (sheets.len() > 1).then_some(index + 1);
        write_section(&mut out, sheet, header, number, most)?;
    }
    (out.len() <= most).then_some(out)
}

fn write_section(
    out: &mut String,
    sheet: &Table,
    header: &Header<'_>,
    number: Option<usize>,
    most: usize,
) -> Option<()> {
    if !admits_names(&sheet.names) {
        return None;
    }
    let letters = schema::shorter(sheet);
    write_header(out, sheet, header, number, &letters);
    let single = sheet.names.len() == 1;
    let mut room = Room::after(out, sheet.rows.len(), most);
    for (index, row) in sheet.rows.iter().enumerate() {
        room.make(out, index);
        if row.len() != sheet.names.len() {
            return None;
        }
        let mut letters = letters.iter();
        for (column, value) in row.iter().enumerate() {
            if column > 0 {
                out.push('\t');
            }
            let place = Place { letter: letters.next().copied(), first: column == 0, single };
            cell::write_value(out, value, place)?;
        }
        out.push('\n');
        if out.len() > most {
            return None;
        }
    }
    Some(())
}

/// Writes the header line. Its pairs after `tool` and `fields` are in alphabetical order.
fn write_header(
    out: &mut String,
    sheet: &Table,
    header: &Header<'_>,
    number: Option<usize>,
    letters: &[Letter],
) {
    out.put("GCX1 tool=");
    out.put(header.tool);
    if let Some(number) = number {
        out.put(".");
        out.put(itoa::Buffer::new().format(number));
    }
    for (index, name) in sheet.names.iter().enumerate() {
        out.put(if index == 0 { " fields=" } else { "," });
        out.put(name);
    }
    out.put(" rows=");
    out.put(itoa::Buffer::new().format(sheet.rows.len()));
    if header.truncated {
        out.put(" truncated=true");
    }
    if !letters.is_empty() {
        out.put(" types=");
        out.extend(letters.iter().map(|letter| letter.as_char()));
    }
    out.put("\n");
}
