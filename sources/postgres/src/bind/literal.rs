//! Values as the texts that the server reads for types of several parts, and for types that only it knows.

use toolbox_source::{Value, json};

use super::{hstore, plain};
use crate::{
    decode::digits::push_hexadecimal,
    kind::{Field, Kind},
};

/// The text of a value for a kind of type; `None` for a null.
///
/// # Errors
///
/// What the kind does not take.
pub(super) fn of(value: &Value, kind: &Kind) -> Result<Option<String>, String> {
    let text = match (value, kind) {
        (Value::Null, _) => return Ok(None),
        (Value::Array(items), Kind::Array(element, _)) => list(items, element)?,
        (Value::Array(ranges), Kind::Multirange) => multirange(ranges)?,
        // The vectors of extensions are lists of numbers in brackets, as JSON writes them.
        (Value::Array(_), Kind::Foreign) => json::of_value(value)?,
        (Value::Object(pairs), Kind::Hstore) => hstore::text(pairs)?,
        (Value::Object(given), Kind::Composite(fields)) => row(given, fields)?,
        (Value::Json(text), Kind::Hstore | Kind::Composite(_)) => match json::to_value(text) {
            Ok(map @ Value::Object(_)) => return of(&map, kind),
            _ => plain(value)?,
        },
        (_, Kind::Json | Kind::Jsonb) => super::json_text(value)?,
        (Value::Bytes(bytes), Kind::Bytea) => hexadecimal(bytes),
        _ => plain(value)?,
    };
    Ok(Some(text))
}

/// The text of bytes.
fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::from("\\x");
    for byte in bytes {
        push_hexadecimal(&mut text, *byte);
    }
    text
}

/// The text of an array, every element quoted (<https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>).
pub(super) fn list(items: &[Value], element: &Kind) -> Result<String, String> {
    let mut text = String::from("{");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        match item {
            Value::Array(items) if !matches!(element, Kind::Json | Kind::Jsonb) => {
                text.push_str(&list(items, element)?);
            }
            item => match of(item, element).map_err(|message| format!("entry {}: {message}", index + 1))? {
                None => text.push_str("NULL"),
                Some(item) => quote(&item, '\\', &mut text),
            },
        }
    }
    text.push('}');
    Ok(text)
}

/// The text of a multirange of these ranges, each in its own text form.
fn multirange(ranges: &[Value]) -> Result<String, String> {
    let mut texts = Vec::with_capacity(ranges.len());
    for (index, range) in ranges.iter().enumerate() {
        texts.push(plain(range).map_err(|message| format!("entry {}: {message}", index + 1))?);
    }
    Ok(format!("{{{}}}", texts.join(",")))
}

/// The text of a row, every field quoted (<https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX>). A field
/// that is not given is null.
fn row(given: &[(String, Value)], fields: &[Field]) -> Result<String, String> {
    if let Some((key, _)) = given.iter().find(|(key, _)| fields.iter().all(|field| field.name != *key)) {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        return Err(format!("the type has no field {key:?}; it has {}", names.join(", ")));
    }
    let mut text = String::from("(");
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        let Some((_, value)) = given.iter().find(|(key, _)| *key == field.name) else { continue };
        // What the type of the field does not take is refused here too.
        let value = match super::form(value, &field.kind) {
            Ok(_) => of(value, &field.kind),
            Err(message) => Err(message),
        };
        if let Some(value) = value.map_err(|message| format!("field {:?}: {message}", field.name))? {
            quote(&value, '"', &mut text);
        }
    }
    text.push(')');
    Ok(text)
}

/// Adds a text between double quotes. `before` stands before each double quote of its own; a backslash gets a second one.
pub(super) fn quote(plain: &str, before: char, text: &mut String) {
    text.push('"');
    for character in plain.chars() {
        match character {
            '"' => text.push(before),
            '\\' => text.push('\\'),
            _ => {}
        }
        text.push(character);
    }
    text.push('"');
}
