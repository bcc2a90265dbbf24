//! Rows with nested values as GCF. The lines of the table are written here; what an attachment holds is written by the crate
//! `gcf`, one cell at a time, so that no more than the cells of one row are ever held as trees.
//!
//! ```text
//! GCF profile=generic
//! ## [2]{id,"client>browser","client>mobile",tags}
//! @0 1|Firefox|false|^
//! .tags [2]: a,b
//! 2|Chrome|true|-
//! ```

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use super::{
    constant_columns, is_written_alike,
    text::{self, Place},
    write_cell,
};
use crate::seam::{
    answer::Table,
    room::Room,
    shape,
    sink::Sink as _,
    tree::{self, Cell},
};
use column::{Attached, Column};

mod attachment;
mod check;
mod column;

#[cfg(test)]
mod tests;

pub(super) use check::reads_back;

/// Writes a table of admitted names and values. Gives up as soon as the text is longer than `most` bytes, when a cell is no JSON,
/// and where the crate says no.
pub(super) fn write(table: &Table, most: usize) -> Option<String> {
    let columns = column::of(table)?;
    let mut out = Room::first(most);
    out.put("GCF profile=generic\n## [");
    out.put(itoa::Buffer::new().format(table.rows.len()));
    out.put("]{");
    for (index, (name, column)) in table.names.iter().zip(&columns).enumerate() {
        out.put(if index > 0 { "," } else { "" });
        match column {
            Column::Constant => {
                text::write_name(&mut out, name);
                out.put("=");
                write_scalar_cell(&mut out, table.rows.first()?.get(index)?, Place::Declaration)?;
            }
            Column::Flat(shape) => out.put(&column::keys(&column::paths(name, shape)).join(",")),
            Column::Cells(_) => text::write_name(&mut out, name),
        }
    }
    out.put("}\n");

    let mut room = Room::after(&out, table.rows.len(), most);
    for (index, row) in table.rows.iter().enumerate() {
        room.make(&mut out, index);
        let cells = row.iter().map(tree::opened).collect::<Option<Vec<_>>>()?;
        write_row(&mut out, index, table, &columns, cells)?;
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

fn write_row(
    out: &mut String,
    index: usize,
    table: &Table,
    columns: &[Column],
    cells: Vec<Cell<'_>>,
) -> Option<()> {
    let attaches =
        |(column, cell): (&Column, &Cell<'_>)| matches!((column, cell), (Column::Cells(_), Cell::Nested(_)));
    if columns.iter().zip(&cells).any(attaches) {
        out.put("@");
        out.put(itoa::Buffer::new().format(index));
        out.put(" ");
    }
    let mut is_first = true;
    for (column, cell) in columns.iter().zip(&cells).filter(|(column, _)| !matches!(column, Column::Constant))
    {
        out.put(if is_first { "" } else { "|" });
        is_first = false;
        match (column, cell) {
            (Column::Flat(shape), Cell::Scalar(_)) => out.put(&vec!["-"; shape.count()].join("|")),
            (Column::Flat(_), Cell::Nested(tree)) => write_leaves(out, tree.as_object()?)?,
            (_, Cell::Scalar(value)) => write_cell(out, value, Place::Row)?,
            (Column::Cells(Attached::Line(names)), Cell::Nested(_)) if index == 0 => {
                out.put("^{");
                out.put(&column::keys(names).join(","));
                out.put("}");
            }
            (_, Cell::Nested(_)) => out.put("^"),
        }
    }
    out.put("\n");
    for ((column, name), cell) in columns.iter().zip(&table.names).zip(cells) {
        match (column, cell) {
            (Column::Cells(Attached::Line(_)), Cell::Nested(tree)) => {
                write_leaves(out, tree.as_object()?)?;
                out.put("\n");
            }
            (Column::Cells(Attached::Table(names)), Cell::Nested(tree)) if index > 0 => {
                attachment::write_rows(out, name, names, tree.as_array()?)?;
            }
            (Column::Cells(_), Cell::Nested(tree)) => attachment::write(out, name, tree)?,
            _ => {}
        }
    }
    Some(())
}

/// Writes the scalars of an object as cells.
fn write_leaves(out: &mut String, object: &Map<String, Json>) -> Option<()> {
    let mut is_first = true;
    shape::leaves(object, &mut |leaf| {
        out.put(if is_first { "" } else { "|" });
        is_first = false;
        write_leaf(out, leaf)
    })
}

fn write_leaf(out: &mut String, leaf: &Json) -> Option<()> {
    write_cell(out, &tree::scalar(leaf)?, Place::Row)
}

fn write_scalar_cell(out: &mut String, cell: &toolbox_source::Value, place: Place) -> Option<()> {
    match tree::opened(cell)? {
        Cell::Scalar(value) => write_cell(out, &value, place),
        Cell::Nested(_) => None,
    }
}

/// The columns of scalars that hold one value in every row, ascending.
fn constants(table: &Table) -> Vec<usize> {
    let scalar = |cell| match tree::opened(cell) {
        Some(Cell::Scalar(value)) => Some(value),
        _ => None,
    };
    constant_columns(&table.rows, |a, b| {
        let same = |a: Cow<'_, _>, b: Cow<'_, _>| is_written_alike(&a, &b);
        scalar(a).zip(scalar(b)).is_some_and(|(a, b)| same(a, b))
    })
}
