//! Cells to values, from the bytes that the server sends, by the type of their column.
//!
//! sqlx's own decoders are not used: they know no zero dates and no times beyond a day. The driver keeps a column's type
//! to itself, so it is recognized by the name that it shows and by which Rust types it calls compatible.

mod binary;
mod bit;
mod moment;
mod plain;
#[cfg(test)]
mod tests;
mod told;

use std::{str, sync::Arc};

use sqlx::{
    Column as _, Decode, Row as _, TypeInfo as _,
    mysql::{MySql, MySqlColumn, MySqlRow, MySqlValueRef},
};
use toolbox_source::{Column, ColumnKind, Row, SourceError, Value, json};

use crate::{error, prepared::Wire};
use bit::Bits;
pub(crate) use told::is_called_bytes;

/// What the bytes of a column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Signed,
    Unsigned,
    Bit(Bits),
    Float,
    Double,
    Decimal,
    Date,
    DateTime,
    /// An instant; the session's time zone is UTC.
    Timestamp,
    Time,
    Json,
    Text,
    /// Text whose characters beyond ASCII are in bytes of their own.
    Ascii,
    Bytes,
    /// The type of `SELECT NULL`.
    Null,
}

impl Shape {
    fn of(column: &MySqlColumn) -> Self {
        let kind = column.type_info();
        match kind.name() {
            "BIT" => Self::Bit(Bits::of(column)),
            "FLOAT" => Self::Float,
            "DOUBLE" => Self::Double,
            "DECIMAL" => Self::Decimal,
            "DATE" => Self::Date,
            "DATETIME" => Self::DateTime,
            "TIMESTAMP" => Self::Timestamp,
            "TIME" => Self::Time,
            "JSON" => Self::Json,
            "NULL" => Self::Null,
            "SET" | "ENUM" => Self::Text,
            "YEAR" => Self::Unsigned,
            // The name BOOLEAN stands for TINYINT(1), whose sign it does not show.
            name if name == "BOOLEAN" || name.contains("INT") && !name.contains("POINT") => {
                if <u64 as sqlx::Type<MySql>>::compatible(kind) {
                    Self::Unsigned
                } else {
                    Self::Signed
                }
            }
            _ if <str as sqlx::Type<MySql>>::compatible(kind) => Self::Text,
            _ => Self::Bytes,
        }
    }

    fn kind(self) -> ColumnKind {
        match self {
            Self::Signed | Self::Unsigned | Self::Bit(_) => ColumnKind::Integer,
            Self::Float | Self::Double => ColumnKind::Float,
            Self::Decimal => ColumnKind::Decimal,
            Self::Date | Self::DateTime | Self::Timestamp | Self::Time | Self::Text | Self::Ascii => {
                ColumnKind::Text
            }
            Self::Json => ColumnKind::Json,
            Self::Bytes => ColumnKind::Bytes,
            Self::Null => ColumnKind::Any,
        }
    }
}

/// The columns of a result set, in order, whatever their names.
pub(crate) fn columns(columns: &[MySqlColumn]) -> Arc<[Column]> {
    columns
        .iter()
        .map(|column| Column { name: column.name().to_owned(), kind: Shape::of(column).kind() })
        .collect()
}

/// What the bytes of each column mean.
pub(crate) fn shapes(columns: &[MySqlColumn]) -> Vec<Shape> {
    columns.iter().map(Shape::of).collect()
}

/// The cells of one row.
pub(crate) fn row(row: &MySqlRow, shapes: &[Shape], wire: Wire) -> Result<Row, SourceError> {
    let mut values = Vec::with_capacity(shapes.len());
    for (index, shape) in shapes.iter().enumerate() {
        let cell =
            row.try_get_raw(index).map_err(|error| SourceError::Database(error::database_error(&error)))?;
        // `is_null` is also true for zero dates, which are none.
        let value = match raw(cell) {
            None => Value::Null,
            Some(bytes) => value(*shape, bytes, wire).ok_or_else(|| SourceError::Column {
                column: row.columns().get(index).map(|column| column.name().to_owned()).unwrap_or_default(),
                message: unreadable(*shape, bytes, wire),
            })?,
        };
        values.push(value);
    }
    Ok(values)
}

/// Why a cell has no value, and what to write instead.
fn unreadable(shape: Shape, bytes: &[u8], wire: Wire) -> String {
    match (shape, wire) {
        (Shape::Float, Wire::Text) => {
            "the server rounds a FLOAT to six digits where a statement cannot be prepared; write CAST(column AS DOUBLE)"
                .to_owned()
        }
        (Shape::Bit(_), _) => {
            "the server sends a BIT of an expression as a number or as its digits and does not say which; write \
             column + 0, or declare the parameter of the procedure as BIGINT UNSIGNED"
                .to_owned()
        }
        _ => format!("the server sent {} bytes that are no {shape:?}; write CAST(column AS CHAR)", bytes.len()),
    }
}

/// The bytes of a cell as they came; none for `NULL`.
fn raw(cell: MySqlValueRef<'_>) -> Option<&[u8]> {
    <&[u8] as Decode<MySql>>::decode(cell).ok()
}

fn value(shape: Shape, bytes: &[u8], wire: Wire) -> Option<Value> {
    match shape {
        // The same in both protocols.
        Shape::Text => Some(text(bytes)),
        Shape::Ascii if bytes.is_ascii() => Some(text(bytes)),
        Shape::Ascii | Shape::Bytes => Some(Value::Bytes(bytes.to_owned())),
        Shape::Json => Some(Value::Json(json::compact(str::from_utf8(bytes).ok()?))),
        Shape::Decimal => plain::decimal(str::from_utf8(bytes).ok()?).map(Value::Decimal),
        Shape::Bit(bits) => bits.number(bytes).map(unsigned),
        Shape::Null => None,
        _ => match wire {
            Wire::Binary => binary::value(shape, bytes),
            Wire::Text => plain::value(shape, str::from_utf8(bytes).ok()?),
        },
    }
}

/// Text that is no UTF-8 counts as bytes; a server sends it only where it was told that anything goes.
fn text(bytes: &[u8]) -> Value {
    str::from_utf8(bytes).map_or_else(|_| Value::Bytes(bytes.to_owned()), |text| Value::Text(text.to_owned()))
}

/// An unsigned number has one form where it is also a signed one.
fn unsigned(number: u64) -> Value {
    i64::try_from(number).map_or(Value::UInt(number), Value::Int)
}

/// A single-precision number as the double that has the same shortest digits.
fn single(number: f32) -> Option<Value> {
    number.to_string().parse().ok().map(Value::Float)
}
