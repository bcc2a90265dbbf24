//! Cells to values, by the stored type of each cell. A column's declared type changes nothing.

use std::sync::Arc;

use sqlx::{
    Column as _, Decode, Row as _, TypeInfo as _, ValueRef as _,
    sqlite::{Sqlite, SqliteColumn, SqliteRow, SqliteValueRef},
};
use toolbox_source::{Column, ColumnKind, DatabaseError, Row, SourceError, Value};

use crate::error;

/// The columns of a prepared statement, in order, whatever their names.
pub(crate) fn columns(columns: &[SqliteColumn]) -> Arc<[Column]> {
    columns.iter().map(|column| Column { name: column.name().to_owned(), kind: ColumnKind::Any }).collect()
}

/// The cells of one row. Text that is no UTF-8 counts as bytes. The driver's copy of the row ends here, since it may be large.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the row is dropped before its cells wait for their reader"
)]
pub(crate) fn row(row: SqliteRow, columns: &[Column]) -> Result<Row, SourceError> {
    if row.columns().len() != columns.len() {
        let message = "the columns changed while the statement ran; call it again";
        return Err(SourceError::Database(DatabaseError::new(message)));
    }
    columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cell = row
                .try_get_raw(index)
                .map_err(|error| SourceError::Database(error::database_error(&error)))?;
            value(cell).map_err(|message| SourceError::Column { column: column.name.clone(), message })
        })
        .collect()
}

fn value(cell: SqliteValueRef<'_>) -> Result<Value, String> {
    if cell.is_null() {
        return Ok(Value::Null);
    }
    let kind = cell.type_info().into_owned();
    let value = match kind.name() {
        "INTEGER" => <i64 as Decode<Sqlite>>::decode(cell).map(Value::Int),
        "REAL" => <f64 as Decode<Sqlite>>::decode(cell).map(Value::Float),
        "TEXT" => <Vec<u8> as Decode<Sqlite>>::decode(cell).map(|bytes| {
            String::from_utf8(bytes).map_or_else(|error| Value::Bytes(error.into_bytes()), Value::Text)
        }),
        "BLOB" => <Vec<u8> as Decode<Sqlite>>::decode(cell).map(Value::Bytes),
        unknown => return Err(format!("the driver reports the unknown type {unknown}")),
    };
    value.map_err(|error| error.to_string())
}
