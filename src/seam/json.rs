//! Rows as JSON: one compact object a row, its fields in column order, written straight from [`Value`].
//!
//! Text has only the escapes that JSON demands. What JSON cannot say as a number is text: `NaN` and the infinities, and a
//! decimal whose digits are no JSON number.

use serde::de::IgnoredAny;
use toolbox_source::Value;

use super::{float, number, quote, sink::Sink};

/// What stands before each cell of a row: a brace or a comma, and the name.
#[derive(Clone, Debug)]
pub(super) struct Keys(Vec<String>);

impl Keys {
    /// The keys of rows with these names, which are unique.
    pub(super) fn new(names: &[String]) -> Self {
        let keys = names.iter().enumerate().map(|(index, name)| {
            let mut key = String::from(if index == 0 { "{" } else { "," });
            quote::write(&mut key, name);
            key.push(':');
            key
        });
        Self(keys.collect())
    }

    /// How many cells a row has.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Writes a row. It has as many cells as there are keys.
pub(super) fn write_row(out: &mut impl Sink, keys: &Keys, row: &[Value]) {
    if row.is_empty() {
        out.put("{");
    }
    for (key, cell) in keys.0.iter().zip(row) {
        out.put(key);
        write_value(out, cell);
    }
    out.put("}");
}

/// Writes cells as a list, without their names.
pub(super) fn write_list(out: &mut impl Sink, cells: &[Value]) {
    out.put("[");
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.put(",");
        }
        write_value(out, cell);
    }
    out.put("]");
}

/// Writes a value.
pub(super) fn write_value(out: &mut impl Sink, value: &Value) {
    match value {
        Value::Null => out.put("null"),
        Value::Bool(true) => out.put("true"),
        Value::Bool(false) => out.put("false"),
        Value::Int(value) => out.put_int(*value),
        Value::UInt(value) => out.put_uint(*value),
        Value::Float(value) if value.is_finite() => float::write(out, *value, float::JSON_PLAIN),
        Value::Float(value) => out.put(match value {
            value if value.is_nan() => "\"NaN\"",
            value if value.is_sign_negative() => "\"-Infinity\"",
            _ => "\"Infinity\"",
        }),
        Value::Decimal(digits) if number::form(digits).is_some() => out.put(digits),
        // A source promises valid JSON; a damaged cell must not damage the row around it.
        Value::Json(json) if serde_json::from_str::<IgnoredAny>(json).is_ok() => out.put(json),
        Value::Decimal(text) | Value::Text(text) | Value::Json(text) => out.put_quoted(text),
        Value::Bytes(bytes) => {
            out.put("\"");
            out.put_base64(bytes);
            out.put("\"");
        }
        Value::Array(items) => write_list(out, items),
        Value::Object(fields) => {
            out.put("{");
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    out.put(",");
                }
                out.put_quoted(name);
                out.put(":");
                write_value(out, field);
            }
            out.put("}");
        }
    }
}
