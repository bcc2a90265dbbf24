//! Rows with nested values as TOON: a table where all objects of a column have one shape, and else a list.
//!
//! ```text
//! [2]{id,client{browser,mobile}}:
//!   1,Firefox,false
//!   2,Chrome,true
//! ```

use serde_json::{Map, Value as Json};

use super::{begin, cell, check, list, text};
use crate::seam::{
    answer::Table,
    reader::Reader,
    room::Room,
    shape::{self, Fit, Shape},
    sink::Sink as _,
    tree::{self, Cell},
};

/// What rows become.
enum Layout {
    Table(Vec<Column>),
    List,
}

/// A column of a table.
enum Column {
    /// Scalars.
    Cells,
    /// A column for each scalar of its objects.
    Group(Shape),
}

/// Writes rows. Gives up as soon as the text is longer than `most` bytes, when a cell is no JSON, and where the crate says no.
pub(super) fn write(table: &Table, most: usize) -> Option<String> {
    match layout(table)? {
        Layout::Table(columns) => write_table(table, &columns, most),
        Layout::List => list::write(table, most),
    }
}

/// Whether a reader of this text finds the names and cells of these rows, all of them and nothing else.
pub(super) fn reads_back(text: &str, table: &Table) -> bool {
    let mut reader = Reader { rest: text };
    if check::begin(&mut reader, table).is_none() {
        return false;
    }
    if reader.rest.starts_with('{') {
        compare(reader, table).is_some()
    } else {
        list::reads_back(reader.rest, table)
    }
}

/// What rows must be (section 9.3). None where they must be a table in which the order of keys would be lost, and where a cell
/// cannot be opened.
fn layout(table: &Table) -> Option<Layout> {
    let mut columns: Vec<Option<Column>> = table.names.iter().map(|_| None).collect();
    let mut reorders = false;
    for row in &table.rows {
        for (column, cell) in columns.iter_mut().zip(row) {
            match (&column, tree::opened(cell)?) {
                (None, Cell::Scalar(_)) => *column = Some(Column::Cells),
                (None, Cell::Nested(Json::Object(object))) => match Shape::of(&object) {
                    Some(shape) => *column = Some(Column::Group(shape)),
                    None => return Some(Layout::List),
                },
                (Some(Column::Cells), Cell::Scalar(_)) => {}
                (Some(Column::Group(shape)), Cell::Nested(Json::Object(object))) => {
                    match shape.fit(&object) {
                        Fit::Same => {}
                        Fit::Reordered => reorders = true,
                        Fit::Other => return Some(Layout::List),
                    }
                }
                _ => return Some(Layout::List),
            }
        }
    }
    if reorders { None } else { columns.into_iter().collect::<Option<_>>().map(Layout::Table) }
}

fn write_table(table: &Table, columns: &[Column], most: usize) -> Option<String> {
    let mut out = begin(table, most);
    for (index, (name, column)) in table.names.iter().zip(columns).enumerate() {
        out.put(if index > 0 { "," } else { "{" });
        text::write_key(&mut out, name);
        if let Column::Group(shape) = column {
            write_group(&mut out, shape);
        }
    }
    out.put("}:");

    let mut room = Room::after(&out, table.rows.len(), most);
    for (index, row) in table.rows.iter().enumerate() {
        room.make(&mut out, index);
        let mut before = "\n  ";
        for cell in row {
            match tree::opened(cell)? {
                Cell::Scalar(value) => {
                    out.put(std::mem::replace(&mut before, ","));
                    cell::write(&mut out, &value)?;
                }
                Cell::Nested(tree) => shape::leaves(tree.as_object()?, &mut |leaf| {
                    out.put(std::mem::replace(&mut before, ","));
                    cell::write(&mut out, &tree::scalar(leaf)?)
                })?,
            }
        }
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

fn write_group(out: &mut String, shape: &Shape) {
    for (index, (name, nested)) in shape.fields().iter().enumerate() {
        out.put(if index > 0 { "," } else { "{" });
        text::write_key(out, name);
        if let Some(nested) = nested {
            write_group(out, nested);
        }
    }
    out.put("}");
}

/// Reads a table. Which columns are groups, and of which names, is for the text to say: it must be what the first row has.
fn compare(mut reader: Reader<'_>, table: &Table) -> Option<()> {
    let mut columns = Vec::with_capacity(table.names.len());
    for (index, (name, cell)) in table.names.iter().zip(table.rows.first()?).enumerate() {
        reader.expect(if index > 0 { "," } else { "{" })?;
        check::compare_key(&mut reader, name)?;
        columns.push(if reader.rest.starts_with('{') {
            let Cell::Nested(Json::Object(object)) = tree::opened(cell)? else { return None };
            let shape = Shape::of(&object)?;
            compare_group(&mut reader, &shape)?;
            Column::Group(shape)
        } else {
            Column::Cells
        });
    }
    reader.expect("}:")?;
    for row in &table.rows {
        (row.len() == columns.len()).then_some(())?;
        let mut before = "\n  ";
        for (column, cell) in columns.iter().zip(row) {
            reader.expect(std::mem::replace(&mut before, ","))?;
            match (column, tree::opened(cell)?) {
                (Column::Cells, Cell::Scalar(value)) => check::compare_cell(&mut reader, &value)?,
                (Column::Group(shape), Cell::Nested(Json::Object(object))) => {
                    (shape.fit(&object) == Fit::Same).then_some(())?;
                    compare_object(&mut reader, &object)?;
                }
                _ => return None,
            }
        }
    }
    reader.rest.is_empty().then_some(())
}

fn compare_group(reader: &mut Reader<'_>, shape: &Shape) -> Option<()> {
    for (index, (name, nested)) in shape.fields().iter().enumerate() {
        reader.expect(if index > 0 { "," } else { "{" })?;
        check::compare_key(reader, name)?;
        if let Some(nested) = nested {
            compare_group(reader, nested)?;
        }
    }
    reader.expect("}")
}

fn compare_object(reader: &mut Reader<'_>, object: &Map<String, Json>) -> Option<()> {
    let mut before = "";
    shape::leaves(object, &mut |leaf| {
        reader.expect(std::mem::replace(&mut before, ","))?;
        check::compare_cell(reader, &tree::scalar(leaf)?)
    })
}
