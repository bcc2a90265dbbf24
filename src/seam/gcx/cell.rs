//! One cell of GCX1: what a value is in the eyes of JSON, and how that is written.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use toolbox_source::Value;

use super::schema::Letter;
use crate::seam::{float, json, number, quote, scan, sink::Sink};

/// A value as JSON shows it. What JSON has no number for is text, and a JSON cell of a scalar is that scalar.
#[derive(Debug)]
pub(super) enum Cell<'a> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    /// A finite double.
    Float(f64),
    /// The text of a JSON number.
    Digits(&'a str),
    Text(Cow<'a, str>),
    /// A list or an object.
    Nested(&'a Value),
}

/// Whether a value has a cell that stands for the same as its JSON. Bytes have none. Line breaks between the tokens of a JSON
/// text, which sources do not send, would be lost.
pub(in crate::seam) fn admits(value: &Value) -> bool {
    match value {
        Value::Bytes(_) => false,
        Value::Json(text) => !text.bytes().any(|byte| byte < 0x20),
        Value::Array(items) => items.iter().all(admits),
        Value::Object(fields) => fields.iter().all(|(_, field)| admits(field)),
        _ => true,
    }
}

impl<'a> Cell<'a> {
    /// None where the value is not admitted.
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::UInt(value) => Self::UInt(*value),
            Value::Float(value) if value.is_finite() => Self::Float(*value),
            Value::Float(value) if value.is_nan() => Self::Text(Cow::Borrowed("NaN")),
            Value::Float(value) if *value < 0.0 => Self::Text(Cow::Borrowed("-Infinity")),
            Value::Float(_) => Self::Text(Cow::Borrowed("Infinity")),
            Value::Decimal(digits) if number::form(digits).is_some() => Self::Digits(digits),
            Value::Decimal(text) | Value::Text(text) => Self::Text(Cow::Borrowed(text)),
            Value::Json(text) if admits(value) => Self::of_json(text, value),
            Value::Array(_) | Value::Object(_) if admits(value) => Self::Nested(value),
            Value::Json(_) | Value::Array(_) | Value::Object(_) | Value::Bytes(_) => return None,
        })
    }

    fn of_json(text: &'a str, value: &'a Value) -> Self {
        match text {
            "null" => Self::Null,
            "true" => Self::Bool(true),
            "false" => Self::Bool(false),
            _ if number::form(text).is_some() => Self::Digits(text),
            // A damaged JSON cell is text in JSON too.
            _ if !is_json(text) => Self::Text(Cow::Borrowed(text)),
            // A string with half of a surrogate pair is JSON, and stands for no text.
            _ => serde_json::from_str(text).map_or(Self::Nested(value), |text| Self::Text(Cow::Owned(text))),
        }
    }
}

/// Where a cell is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The type of its column under the schema rule; none under the typed rule.
    pub(super) letter: Option<Letter>,
    /// Whether it begins its line.
    pub(super) first: bool,
    /// Whether it is alone in its line.
    pub(super) single: bool,
}

/// Writes the cell of a value. None where the value is not admitted.
pub(super) fn write_value(out: &mut impl Sink, value: &Value, place: Place) -> Option<()> {
    match value {
        // Most cells, written without being turned into anything.
        Value::Int(value) => out.put_int(*value),
        Value::Text(text) => write_text(out, text, place),
        value => write(out, &Cell::of(value)?, place),
    }
    Some(())
}

/// Writes a cell.
pub(super) fn write(out: &mut impl Sink, cell: &Cell<'_>, place: Place) {
    match cell {
        Cell::Null if place.single => out.put("null"),
        Cell::Null => {}
        Cell::Bool(true) => out.put("true"),
        Cell::Bool(false) => out.put("false"),
        Cell::Int(value) => out.put_int(*value),
        Cell::UInt(value) => out.put_uint(*value),
        Cell::Float(value) => float::write(out, *value, float::JSON_PLAIN),
        Cell::Digits(digits) => out.put(digits),
        Cell::Text(text) => write_text(out, text, place),
        Cell::Nested(value) => json::write_value(&mut Escaped(out), value),
    }
}

fn write_text(out: &mut impl Sink, text: &str, place: Place) {
    // Most text is neither escaped nor quoted, and is looked at only once.
    let special = scan::any(text.as_bytes(), is_special);
    if must_be_quoted(text, place) || (special && text.contains('\r')) {
        quote::write(&mut Escaped(out), text);
    } else if special {
        Escaped(out).put(text);
    } else {
        out.put(text);
    }
}

/// Whether a text has to be a JSON string where it stands, the carriage return aside, which readers drop.
fn must_be_quoted(text: &str, place: Place) -> bool {
    let by_its_type = match place.letter {
        None => is_taken_for_json(text),
        Some(Letter::Text) => text.starts_with('"'),
        Some(_) => true,
    };
    by_its_type
        || text.is_empty()
        // A comment, and a new section.
        || (place.first && (text.starts_with('#') || text.starts_with("GCX1")))
        // A line that some readers take for an empty one, which is no row.
        || (place.single && text.trim_ascii().is_empty())
}

/// Whether a text is JSON from end to end, blanks around it allowed. Numbers may be of any size and nesting of any depth: a
/// reader may take them for JSON even if the next one does not.
pub(super) fn is_taken_for_json(text: &str) -> bool {
    // Most text is told by its first byte.
    let blank = [' ', '\t', '\n', '\r'];
    match text.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => number::form(text.trim_end_matches(blank)).is_some(),
        Some(b't' | b'f' | b'n') => matches!(text.trim_end_matches(blank), "true" | "false" | "null"),
        Some(b'"' | b'{' | b'[') => is_json(text),
        Some(b' ' | b'\t' | b'\n' | b'\r') => {
            let rest = text.trim_start_matches(blank);
            !rest.is_empty() && is_taken_for_json(rest)
        }
        _ => false,
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Escapes what would end a cell or a line, and the backslash that does so.
struct Escaped<'a, S>(&'a mut S);

impl<S: Sink> Sink for Escaped<'_, S> {
    fn put(&mut self, piece: &str) {
        let mut rest = piece;
        while let Some((plain, tail)) = rest.find(['\t', '\n', '\\']).and_then(|at| rest.split_at_checked(at))
        {
            self.0.put(plain);
            let mut characters = tail.chars();
            self.0.put(match characters.next() {
                Some('\t') => "\\t",
                Some('\n') => "\\n",
                _ => "\\\\",
            });
            rest = characters.as_str();
        }
        self.0.put(rest);
    }

    fn put_base64(&mut self, bytes: &[u8]) {
        // The alphabet has nothing to escape.
        self.0.put_base64(bytes);
    }
}

/// Whether a byte is one that [`Escaped`] escapes, or a control, of which the carriage return needs care.
fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'\\'
}
