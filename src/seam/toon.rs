//! The form `toon`: TOON, specification 4.0. Tables are written and read back here, lists of rows with nested values in `list`.
//!
//! ```text
//! [3]{id,name,"unit price"}:
//!   1,Alice,10.5
//!   2,"007",null
//!   3,"a,b",0
//! ```
//!
//! Whether the text may be sent is the guard's decision.

use toolbox_source::Value;

use super::{
    Encoding,
    answer::{Answer, Table},
    form::Form,
    room::Room,
    sink::Sink as _,
    tree,
    truncated::Truncated,
};

mod cell;
mod check;
mod list;
mod nested;
mod text;

#[cfg(test)]
mod tests;

/// The form.
pub(super) struct Toon;

impl Form for Toon {
    fn encoding(&self) -> Encoding {
        Encoding::Toon
    }

    fn admits_several(&self) -> bool {
        false
    }

    fn admits_names(&self, names: &[String]) -> bool {
        !names.is_empty()
    }

    fn admits_row(&self, row: &[Value]) -> bool {
        row.iter().all(|cell| if tree::is_nested(cell) { tree::admits(cell) } else { cell::admits(cell) })
    }

    fn write(&self, answer: &Answer<'_>, most: usize) -> Option<String> {
        let table = answer.only_table()?;
        let text = if answer.kept.nested { nested::write(table, most) } else { write(table, most) }?;
        (text.len() <= most).then_some(text)
    }

    fn reads_back(&self, text: &str, answer: &Answer<'_>) -> bool {
        answer.only_table().is_some_and(|table| {
            if answer.kept.nested { nested::reads_back(text, table) } else { check::reads_back(text, table) }
        })
    }

    /// A list repeats all names, and may cost twice the tokens of its JSON with fewer bytes. A table costs more than its rows
    /// save, however many there are, where a name is part of the tokens around it: `{"":"` is one.
    fn margin(&self, _: &str) -> Option<usize> {
        None
    }

    fn notice_follows(&self, _: &Truncated) -> bool {
        true
    }
}

/// Writes a table of scalars. Gives up as soon as the text is longer than `most` bytes, or when a value is not admitted.
fn write(table: &Table, most: usize) -> Option<String> {
    let mut out = begin(table, most);
    for (index, name) in table.names.iter().enumerate() {
        out.put(if index > 0 { "," } else { "{" });
        text::write_key(&mut out, name);
    }
    out.put("}:");

    let mut room = Room::after(&out, table.rows.len(), most);
    for (index, row) in table.rows.iter().enumerate() {
        room.make(&mut out, index);
        out.put("\n  ");
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                out.push(',');
            }
            cell::write(&mut out, cell)?;
        }
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

/// The count, with which both forms begin.
fn begin(table: &Table, most: usize) -> String {
    let mut out = Room::first(most);
    out.put("[");
    out.put(itoa::Buffer::new().format(table.rows.len()));
    out.put("]");
    out
}
