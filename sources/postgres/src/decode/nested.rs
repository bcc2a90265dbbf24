//! Arrays of any dimension, and row types.

use toolbox_source::Value;

use super::{reader::Reader, value};
use crate::kind::{Field, Kind};

/// Most dimensions of an array in PostgreSQL.
const DIMENSIONS: i32 = 6;

/// Reads one element; it has no bytes if it is null.
type Cell<'a> = dyn FnMut(Option<&[u8]>) -> Result<Value, String> + 'a;

/// Nested lists. Where the indexes begin is not shown.
pub(super) fn array(reader: &mut Reader<'_>, element: &Kind) -> Result<Value, String> {
    array_of(reader, &mut |bytes| cell(bytes, element))
}

/// Nested lists of what is read from the bytes of each element, in order.
pub(super) fn array_of(reader: &mut Reader<'_>, cell: &mut Cell<'_>) -> Result<Value, String> {
    let dimensions = reader.i32()?;
    let _has_nulls = reader.i32()?;
    let _element_type = reader.u32()?;
    if !(0..=DIMENSIONS).contains(&dimensions) {
        return Err(format!("an array has {dimensions} dimensions"));
    }
    let mut lengths = Vec::new();
    for _ in 0..dimensions {
        let length = reader.i32()?;
        let _lower_bound = reader.i32()?;
        lengths.push(usize::try_from(length).map_err(|_| "an array has a negative length".to_owned())?);
    }
    if lengths.is_empty() || lengths.contains(&0) {
        return Ok(Value::Array(Vec::new()));
    }
    // Every element takes four bytes at least, for its length.
    let count = lengths.iter().try_fold(4_usize, |count, length| count.checked_mul(*length));
    if count.is_none_or(|least| least > reader.left()) {
        return Err("an array holds fewer elements than it says".to_owned());
    }
    level(reader, cell, &lengths)
}

fn level(reader: &mut Reader<'_>, cell: &mut Cell<'_>, lengths: &[usize]) -> Result<Value, String> {
    let Some((length, inner)) = lengths.split_first() else {
        return cell(reader.sized()?);
    };
    let mut items = Vec::new();
    for _ in 0..*length {
        items.push(level(reader, cell, inner)?);
    }
    Ok(Value::Array(items))
}

fn cell(bytes: Option<&[u8]>, kind: &Kind) -> Result<Value, String> {
    bytes.map_or(Ok(Value::Null), |bytes| value(bytes, kind))
}

/// The fields by name. The server says how many there are and of which types, so that a type that changed meanwhile is
/// noticed, unless only names changed.
pub(super) fn composite(reader: &mut Reader<'_>, fields: &[Field]) -> Result<Value, String> {
    let changed = || "the fields of its row type have changed; call it again".to_owned();
    if usize::try_from(reader.i32()?) != Ok(fields.len()) {
        return Err(changed());
    }
    let mut named = Vec::with_capacity(fields.len());
    for field in fields {
        if reader.u32()? != field.number {
            return Err(changed());
        }
        named.push((field.name.clone(), cell(reader.sized()?, &field.kind)?));
    }
    Ok(Value::Object(named))
}
