//! Reads a GCF text of rows with nested values back and compares it with the cells that it was made of.
//!
//! The lines of the table are read here, and what follows a row is read by the crate, one attachment at a time. So no more than
//! one cell is held as a tree.

use serde_json::{Map, Value as Json};
use toolbox_source::Value;

use super::{
    super::{
        check::{begin, compare_cell, compare_name, constant, end},
        token::{self, Token},
    },
    attachment, column,
};
use crate::seam::{
    answer::Table,
    reader::Reader,
    shape::{self, Fit, Shape},
    tree::{self, Cell},
};

/// A column as the declaration and the first row say it is.
enum Column<'a> {
    Constant(Token<'a>),
    Flat(Shape),
    Cells,
    /// Objects follow their rows as a line of scalars.
    Line(Shape),
    /// Lists that name no columns have these.
    Table(&'a str),
}

/// Whether a reader of this text finds the names and cells of this table, all of them and nothing else.
pub(in crate::seam::gcf) fn reads_back(text: &str, table: &Table) -> bool {
    compare(text, table).is_some()
}

fn compare(text: &str, table: &Table) -> Option<()> {
    let mut reader = Reader { rest: text };
    begin(&mut reader, table)?;
    let mut columns = Vec::with_capacity(table.names.len());
    for index in 0..table.names.len() {
        if index > 0 {
            reader.expect(",")?;
        }
        columns.push(compare_declaration(&mut reader, table, index)?);
    }
    reader.expect("}\n")?;
    if columns.iter().all(|column| matches!(column, Column::Constant(_))) {
        return None;
    }
    for (index, row) in table.rows.iter().enumerate() {
        compare_row(&mut reader, index, &table.names, &mut columns, row)?;
    }
    end(&mut reader)
}

/// Reads the declaration of a column: its name, or the paths to all scalars of its first object.
fn compare_declaration<'a>(reader: &mut Reader<'a>, table: &Table, index: usize) -> Option<Column<'a>> {
    let name = table.names.get(index)?;
    let start = reader.rest;
    if compare_name(reader, name).is_some() {
        let is_constant = reader.expect("=").is_some();
        return Some(if is_constant { Column::Constant(constant(reader)?) } else { Column::Cells });
    }
    reader.rest = start;
    let cells = table.rows.iter().filter_map(|row| row.get(index));
    let object = cells.filter_map(tree::opened).find_map(|cell| match cell {
        Cell::Nested(Json::Object(object)) => Some(object),
        _ => None,
    });
    let shape = Shape::of(&object?)
        .filter(|shape| shape.all_names(|name| !name.is_empty() && !name.contains('>')))?;
    for (index, path) in column::paths(name, &shape).iter().enumerate() {
        if index > 0 {
            reader.expect(",")?;
        }
        compare_name(reader, path)?;
    }
    Some(Column::Flat(shape))
}

fn compare_row<'a>(
    reader: &mut Reader<'a>,
    index: usize,
    names: &[String],
    columns: &mut [Column<'a>],
    row: &[Value],
) -> Option<()> {
    (columns.len() == row.len()).then_some(())?;
    let has_attachments = reader.expect("@").is_some();
    if has_attachments {
        reader.expect(itoa::Buffer::new().format(index))?;
        reader.expect(" ")?;
    }
    let mut attached = Vec::new();
    let mut is_first = true;
    for (place, (column, cell)) in columns.iter_mut().zip(row).enumerate() {
        if let Column::Constant(constant) = column {
            let Cell::Scalar(value) = tree::opened(cell)? else { return None };
            token::is_same(constant, &value).then_some(())?;
            continue;
        }
        if !is_first {
            reader.expect("|")?;
        }
        is_first = false;
        if let Column::Flat(shape) = column {
            compare_leaves(reader, shape, cell)?;
        } else if !tree::is_nested(cell) {
            compare_cell(reader, cell)?;
        } else if reader.expect("^").is_some() {
            attached.push(place);
            if reader.rest.starts_with('{') {
                *column = Column::Line(declared_line(reader, cell)?);
            }
        } else {
            let Cell::Scalar(value) = tree::opened(cell)? else { return None };
            compare_cell(reader, &value)?;
        }
    }
    reader.expect("\n")?;
    (has_attachments != attached.is_empty()).then_some(())?;
    for place in attached {
        compare_attachment(reader, index, names.get(place)?, columns.get_mut(place)?, row.get(place)?)?;
    }
    Some(())
}

/// Reads the scalars of an object in columns of their own. A null is a null in all of them, so an object of nulls is none.
fn compare_leaves(reader: &mut Reader<'_>, shape: &Shape, cell: &Value) -> Option<()> {
    match tree::opened(cell)? {
        Cell::Scalar(value) if *value == Value::Null => {
            for index in 0..shape.count() {
                reader.expect(if index > 0 { "|-" } else { "-" })?;
            }
            Some(())
        }
        Cell::Nested(Json::Object(object)) => {
            let is_null = shape::leaves(&object, &mut |leaf| leaf.is_null().then_some(())).is_some();
            (!is_null && shape.fit(&object) == Fit::Same).then_some(())?;
            compare_object(reader, &object)
        }
        _ => None,
    }
}

fn compare_object(reader: &mut Reader<'_>, object: &Map<String, Json>) -> Option<()> {
    let mut is_first = true;
    shape::leaves(object, &mut |leaf| {
        if !is_first {
            reader.expect("|")?;
        }
        is_first = false;
        compare_cell(reader, &tree::scalar(leaf)?)
    })
}

/// Reads the names in `^{a,b,c}`, which must be those of this object of scalars.
fn declared_line(reader: &mut Reader<'_>, cell: &Value) -> Option<Shape> {
    let Cell::Nested(Json::Object(object)) = tree::opened(cell)? else { return None };
    let shape = Shape::of(&object)?;
    reader.expect("{")?;
    for (index, (name, nested)) in shape.fields().iter().enumerate() {
        if index > 0 {
            reader.expect(",")?;
        }
        nested.is_none().then_some(())?;
        compare_name(reader, name)?;
    }
    reader.expect("}")?;
    Some(shape)
}

/// Reads what follows a row for one of its cells.
fn compare_attachment<'a>(
    reader: &mut Reader<'a>,
    row: usize,
    name: &str,
    column: &mut Column<'a>,
    cell: &Value,
) -> Option<()> {
    if let Column::Line(shape) = column {
        let Cell::Nested(Json::Object(object)) = tree::opened(cell)? else { return None };
        (shape.fit(&object) == Fit::Same).then_some(())?;
        compare_object(reader, &object)?;
        return reader.expect("\n");
    }
    reader.expect(".")?;
    compare_name(reader, name)?;
    let attachment = attachment::next(reader)?;
    let columns = match column {
        Column::Table(columns) => Some(*columns),
        _ => None,
    };
    let read = attachment::read(attachment, columns)?;
    if row == 0
        && let Some(columns) = attachment::columns(attachment)
    {
        *column = Column::Table(columns);
    }
    tree::is(&read, cell).then_some(())
}
