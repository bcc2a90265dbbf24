//! The form `table`: JSON with the names once.
//!
//! ```json
//! {"columns":["id","name"],"rows":[[1,"Alice"],[2,null]]}
//! ```
//!
//! A cut result has a third key, `truncated`, which holds what the notice of the other forms says. Several result sets are a
//! list of such tables in order, in which a statement without rows is the object that it is in JSON:
//! `[{"columns":["id"],"rows":[[1]]},{"rows_affected":0}]`.
//!
//! This is JSON cell by cell, so there is no value that it cannot hold, and it is sent whenever it was asked for. The guard
//! looks at it only where nobody asked for it by name.

use super::{
    Encoding,
    answer::{Answer, Part, Table},
    form::Form,
    json, quote,
    room::Room,
    sink::Sink as _,
    truncated::Truncated,
};
use toolbox_source::Value;

mod check;

/// The form.
pub(super) struct Columns;

impl Form for Columns {
    fn encoding(&self) -> Encoding {
        Encoding::Table
    }

    fn admits_several(&self) -> bool {
        true
    }

    fn admits_names(&self, _: &[String]) -> bool {
        true
    }

    fn admits_row(&self, _: &[Value]) -> bool {
        true
    }

    fn write(&self, answer: &Answer<'_>, most: usize) -> Option<String> {
        let text = write(answer);
        (text.len() <= most).then_some(text)
    }

    fn reads_back(&self, text: &str, answer: &Answer<'_>) -> bool {
        check::reads_back(text, answer)
    }

    fn margin(&self, _: &str) -> Option<usize> {
        None
    }
}

/// Writes an answer, whatever it holds.
pub(super) fn write(answer: &Answer<'_>) -> String {
    let mut out = Room::first(answer.json_bytes);
    let several = answer.kept.tables.len() > 1;
    let mut separator = if several { "[" } else { "" };
    for table in &answer.kept.tables {
        out.put(separator);
        separator = ",";
        match table.part {
            Part::Whole => write_table(&mut out, table, None, answer.json_bytes),
            Part::Cut => write_table(&mut out, table, answer.truncated, answer.json_bytes),
            Part::Change => table.rows.iter().for_each(|row| json::write_row(&mut out, &table.keys, row)),
        }
    }
    if several {
        out.put("]");
    }
    out
}

/// Writes a table. As much room is asked for as the whole answer takes as JSON, and no more.
fn write_table(out: &mut String, table: &Table, truncated: Option<&Truncated>, json_bytes: usize) {
    out.put("{\"columns\":[");
    let mut separator = "";
    for name in &table.names {
        out.put(separator);
        separator = ",";
        quote::write(out, name);
    }
    out.put("],\"rows\":[");
    let mut room = Room::after(out, table.rows.len(), json_bytes);
    for (index, row) in table.rows.iter().enumerate() {
        room.make(out, index);
        if index > 0 {
            out.put(",");
        }
        json::write_list(out, row);
    }
    out.put("]");
    if let Some(truncated) = truncated {
        out.put(",\"truncated\":");
        truncated.write_json(out);
    }
    out.put("}");
}
