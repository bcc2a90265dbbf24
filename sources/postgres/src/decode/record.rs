//! Row types without a name. The server sends the type of each field with its value, but not the names, which are in the JSON
//! that it makes of the same value. So both are read side by side: fields of built-in types in our own forms, all others as
//! they stand in the JSON.

use serde::{
    Deserializer as _,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use toolbox_source::{Value, json, names};

use super::{nested, reader::Reader, text, value};
use crate::kind::{JSON, Kind, RECORD, element};

/// Reads a row of a record, or of an array of records, and its JSON.
pub(super) fn beside_json(reader: &mut Reader<'_>, kind: &Kind) -> Result<Value, String> {
    if reader.i32()? != 2 {
        return Err(unlike());
    }
    let _type = reader.u32()?;
    let bytes = reader.sized()?.ok_or_else(unlike)?;
    if reader.u32()? != JSON {
        return Err(unlike());
    }
    let json = text(reader.sized()?.ok_or_else(unlike)?)?;
    match kind {
        Kind::Array(..) => records(bytes, json, DEPTH),
        _ => record(bytes, json, DEPTH),
    }
}

/// How many records may be in each other here, so that no value is too deep for the stack. What is in deeper ones is the
/// server's.
const DEPTH: usize = 64;

/// The fields of one record.
fn record(bytes: &[u8], json: &str, depth: usize) -> Result<Value, String> {
    let Some(depth) = depth.checked_sub(1) else { return rendered(json) };
    let mut reader = Reader::new(bytes);
    let names = members(json)?;
    if usize::try_from(reader.i32()?) != Ok(names.len()) {
        return Err(unlike());
    }
    let unique: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    let unique = names::unique(&unique);
    let mut fields = Vec::with_capacity(names.len());
    for (name, (_, json)) in unique.into_iter().zip(names) {
        let number = reader.u32()?;
        let cell = match reader.sized()? {
            Some(bytes) => field(bytes, number, json.get(), depth)?,
            None => Value::Null,
        };
        fields.push((name, cell));
    }
    reader.end()?;
    Ok(Value::Object(fields))
}

/// A field of the type with this number.
fn field(bytes: &[u8], number: u32, json: &str, depth: usize) -> Result<Value, String> {
    if number == RECORD {
        return record(bytes, json, depth);
    }
    match (Kind::of_number(number).filter(Kind::is_native), element(number)) {
        (Some(kind), _) => value(bytes, &kind),
        (None, Some(RECORD)) => records(bytes, json, depth),
        (None, Some(element)) => match Kind::of_number(element) {
            Some(kind) => value(bytes, &Kind::Array(kind.into(), element)),
            None => rendered(json),
        },
        (None, None) => rendered(json),
    }
}

/// An array of records, whose JSON has a list for each dimension.
fn records(bytes: &[u8], json: &str, depth: usize) -> Result<Value, String> {
    let mut leaves = Vec::new();
    flatten(json, &mut leaves)?;
    let mut leaves = leaves.into_iter();
    let mut reader = Reader::new(bytes);
    let array = nested::array_of(&mut reader, &mut |bytes| {
        let json = leaves.next().ok_or_else(unlike)?;
        bytes.map_or(Ok(Value::Null), |bytes| record(bytes, json, depth))
    })?;
    reader.end()?;
    Ok(array)
}

/// What is in lists of lists, in order.
fn flatten<'a>(json: &'a str, leaves: &mut Vec<&'a str>) -> Result<(), String> {
    if !json.trim_start().starts_with('[') {
        leaves.push(json);
        return Ok(());
    }
    let items: Vec<&RawValue> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    items.into_iter().try_for_each(|item| flatten(item.get(), leaves))
}

/// What the server has written.
fn rendered(json: &str) -> Result<Value, String> {
    if json.starts_with('"') {
        return serde_json::from_str(json).map(Value::Text).map_err(|error| error.to_string());
    }
    Ok(Value::Json(json::compact(json)))
}

/// The members of an object in their order. A record may have two fields of one name.
pub(crate) fn members(json: &str) -> Result<Vec<(String, &RawValue)>, String> {
    struct Read;

    impl<'a> Visitor<'a> for Read {
        type Value = Vec<(String, &'a RawValue)>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a record")
        }

        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }

    serde_json::Deserializer::from_str(json).deserialize_map(Read).map_err(|error| error.to_string())
}

fn unlike() -> String {
    "a record and its JSON are not alike".to_owned()
}
