//! Reads a table back with a JSON parser and compares it with the cells that it was made of.

use serde_json::value::RawValue;
use toolbox_source::Value;

use crate::seam::{
    answer::{Answer, Part, Table},
    json,
};

/// Whether a reader of this text finds the result sets of this answer. The notice about a cut is read over.
pub(super) fn reads_back(text: &str, answer: &Answer<'_>) -> bool {
    let tables = &answer.kept.tables;
    if let [table] = tables.as_slice() {
        return is_part(text, table);
    }
    serde_json::from_str::<Vec<&RawValue>>(text).is_ok_and(|read| {
        read.len() == tables.len() && read.iter().zip(tables).all(|(read, table)| is_part(read.get(), table))
    })
}

fn is_part(read: &str, table: &Table) -> bool {
    match table.part {
        Part::Change => is_change(read, table),
        Part::Whole => is_table(read, table, false),
        Part::Cut => is_table(read, table, true),
    }
}

/// Whether this is a JSON object of the names and cells of the only row.
fn is_change(read: &str, table: &Table) -> bool {
    let fields = serde_json::from_str::<indexmap::IndexMap<String, Box<RawValue>>>(read);
    fields.is_ok_and(|fields| {
        let cells: Vec<&RawValue> = fields.values().map(AsRef::as_ref).collect();
        fields.keys().eq(&table.names) && table.rows.iter().all(|row| is_row(&cells, row))
    })
}

fn is_table(read: &str, table: &Table, cut: bool) -> bool {
    let fields = serde_json::from_str::<indexmap::IndexMap<String, &RawValue>>(read);
    let keys: &[&str] = if cut { &["columns", "rows", "truncated"] } else { &["columns", "rows"] };
    fields.is_ok_and(|fields| {
        fields.keys().eq(keys)
            && fields.get("columns").is_some_and(|names| is_names(names.get(), &table.names))
            && fields.get("rows").is_some_and(|rows| is_rows(rows.get(), table))
    })
}

fn is_names(read: &str, names: &[String]) -> bool {
    serde_json::from_str::<Vec<String>>(read).is_ok_and(|read| read == names)
}

fn is_rows(read: &str, table: &Table) -> bool {
    let rows = serde_json::from_str::<Vec<&RawValue>>(read);
    rows.is_ok_and(|rows| {
        rows.len() == table.rows.len()
            && rows.iter().zip(&table.rows).all(|(read, row)| {
                serde_json::from_str::<Vec<&RawValue>>(read.get()).is_ok_and(|cells| is_row(&cells, row))
            })
    })
}

/// Whether the parser's cells have the text that the cells have in JSON.
fn is_row(read: &[&RawValue], row: &[Value]) -> bool {
    let mut expected = String::new();
    read.len() == row.len()
        && read.iter().zip(row).all(|(read, cell)| {
            expected.clear();
            json::write_value(&mut expected, cell);
            read.get() == expected
        })
}
