//! JSON on the way from and to a database: the text of a cell, and the text of an argument.

use crate::Value;

/// A JSON text without the blanks between its tokens, as [`Value::Json`] holds it: key order and the text of numbers stay.
/// Whether it is JSON is not looked at.
#[must_use]
pub fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let mut copied = 0;
    let (mut in_string, mut escaped) = (false, false);
    for (place, byte) in json.bytes().enumerate() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
        } else if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            compact.push_str(json.get(copied..place).unwrap_or_default());
            copied = place + 1;
        } else {
            in_string = byte == b'"';
        }
    }
    compact.push_str(json.get(copied..).unwrap_or_default());
    compact
}

/// The value that a JSON text stands for: lists and objects in their order, numbers with their digits. A key that is repeated
/// has its last value.
///
/// # Errors
///
/// What is wrong with a text that is no JSON.
pub fn to_value(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map(value).map_err(|error| error.to_string())
}

fn value(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Bool(truth),
        serde_json::Value::Number(number) => {
            number.as_i64().map_or_else(|| Value::Decimal(number.to_string()), Value::Int)
        }
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Array(items) => Value::Array(items.into_iter().map(value).collect()),
        serde_json::Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, field)| (name, value(field))).collect())
        }
    }
}

/// The JSON text of an argument, which is what the JSON types and functions of databases read. Numbers keep their digits.
///
/// # Errors
///
/// What has no form in JSON, and what would do instead.
pub fn of_value(value: &Value) -> Result<String, String> {
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text)
}

fn write(value: &Value, text: &mut String) -> Result<(), String> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Value::Int(integer) => text.push_str(&integer.to_string()),
        Value::UInt(integer) => text.push_str(&integer.to_string()),
        Value::Float(float) => match serde_json::Number::from_f64(*float) {
            Some(number) => text.push_str(&number.to_string()),
            None => return Err(format!("{float} has no form in JSON; pass it as text")),
        },
        Value::Decimal(number) | Value::Json(number) => text.push_str(number),
        Value::Text(plain) => quote(plain, text)?,
        Value::Bytes(_) => return Err("bytes have no form in JSON; pass base64 text".to_owned()),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text)?;
            }
            text.push(']');
        }
        Value::Object(fields) => {
            text.push('{');
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                quote(name, text)?;
                text.push(':');
                write(field, text)?;
            }
            text.push('}');
        }
    }
    Ok(())
}

fn quote(plain: &str, text: &mut String) -> Result<(), String> {
    text.push_str(&serde_json::to_string(plain).map_err(|error| error.to_string())?);
    Ok(())
}
