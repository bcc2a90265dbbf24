//! Nested cells as `serde_json` values, for the forms that a crate writes and reads: one cell, or the cells of one row, at a time.
//!
//! A tree takes many times the memory of its text, so none is kept longer than its row, and a longer cell than [`MOST_BYTES`]
//! is made into none. A tree is compared with its cell as text: the JSON of the one must be the JSON of the other, byte for byte
//! but for escapes in strings (`é` may be `\\u00e9` there), so no digit, no order of keys and no repeated key can get lost unseen.

use std::borrow::Cow;

use serde_json::{Map, Number, Value as Json};
use toolbox_source::Value;

use super::{
    answer::Table,
    json,
    number::{self, Form},
    quote,
    reader::Reader,
    sink::{Count, Sink},
};

/// The longest cell that is made into a tree, in bytes of its JSON: the length at which cells are cut unless told otherwise.
const MOST_BYTES: usize = 1024 * 1024;

/// How deeply a cell may be nested. Readers of GCF must take 32 levels (specification 3.6), and two of them are the rows and the
/// row. This bounds the recursion of all that handle trees, too.
const MOST_LEVELS: usize = 30;

/// Whether a value may need more than a cell.
pub(super) fn is_nested(value: &Value) -> bool {
    matches!(value, Value::Json(_) | Value::Array(_) | Value::Object(_))
}

/// Whether a value may become part of a tree: nested within bounds, and of numbers that a reader which knows int64 and binary64
/// finds again with all their digits. Decimals within lists are not, and nothing is that holds bytes.
pub(super) fn admits(value: &Value) -> bool {
    let mut size = Count::default();
    match value {
        Value::Json(text) => size.0 = text.len(),
        Value::Array(_) | Value::Object(_) => json::write_value(&mut size, value),
        _ => {}
    }
    size.0 <= MOST_BYTES && admits_at(value, MOST_LEVELS)
}

fn admits_at(value: &Value, levels: usize) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => true,
        Value::Float(value) => value.is_finite(),
        Value::UInt(_) | Value::Decimal(_) | Value::Bytes(_) => false,
        Value::Json(text) => admits_json(text, levels),
        Value::Array(items) => levels > 0 && items.iter().all(|item| admits_at(item, levels - 1)),
        Value::Object(fields) => levels > 0 && fields.iter().all(|(_, field)| admits_at(field, levels - 1)),
    }
}

/// The same for the text of a JSON value. What is no JSON is not found out here.
fn admits_json(text: &str, levels: usize) -> bool {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(at) =
        rest.find(['"', '[', '{', ']', '}', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
        && let Some((_, found)) = rest.split_at_checked(at)
    {
        rest = match found.bytes().next() {
            Some(b'"') => after_string(found),
            Some(b'[' | b'{') => {
                depth += 1;
                found.get(1..).unwrap_or_default()
            }
            Some(b']' | b'}') => {
                depth = depth.saturating_sub(1);
                found.get(1..).unwrap_or_default()
            }
            _ => {
                let end = found.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
                let (digits, rest) =
                    found.split_at_checked(end.unwrap_or(found.len())).unwrap_or((found, ""));
                if !is_kept(digits) {
                    return false;
                }
                rest
            }
        };
        if depth > levels {
            return false;
        }
    }
    true
}

/// What follows a string that begins here.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.and_then(|end| text.get(end + 2..)).unwrap_or_default()
}

/// What follows a string that begins here and is this text, whatever it escapes; none if it is another one.
fn after_same<'a>(json: &'a str, text: &str) -> Option<&'a str> {
    let mut reader = Reader { rest: json };
    let inside = reader.quoted()?;
    let read: String = serde_json::from_str(json.get(..inside.len() + 2)?).ok()?;
    (read == text).then_some(reader.rest)
}

/// Whether a reader that knows int64 and binary64 gives these digits back.
fn is_kept(digits: &str) -> bool {
    match number::form(digits) {
        Some(Form::Integer) => digits != "-0" && digits.parse::<i64>().is_ok(),
        Some(Form::Fraction) => digits.parse().is_ok_and(|double: f64| {
            let mut shortest = String::new();
            json::write_value(&mut shortest, &Value::Float(double));
            shortest == digits
        }),
        Some(Form::Exponent) | None => false,
    }
}

/// What a cell holds.
pub(super) enum Cell<'a> {
    /// A value that is not nested. JSON may be one.
    Scalar(Cow<'a, Value>),
    /// A list or an object.
    Nested(Json),
}

/// What a cell holds. None where it is not admitted, or damaged JSON, or where a tree does not hold the same.
pub(super) fn opened(cell: &Value) -> Option<Cell<'_>> {
    if !is_nested(cell) {
        return Some(Cell::Scalar(Cow::Borrowed(cell)));
    }
    let tree = of(cell).filter(|tree| is(tree, cell))?;
    Some(match scalar(&tree) {
        Some(value) => Cell::Scalar(Cow::Owned(value)),
        None => Cell::Nested(tree),
    })
}

/// A row as an object. None where one of its cells cannot be opened.
pub(super) fn of_row(table: &Table, row: &[Value]) -> Option<Json> {
    let cells = table.names.iter().zip(row).map(|(name, cell)| Some((name.clone(), of(cell)?)));
    cells.collect::<Option<Map<String, Json>>>().map(Json::Object)
}

/// Whether a tree is an object with the names and cells of this row.
pub(super) fn is_row(tree: &Json, table: &Table, row: &[Value]) -> bool {
    tree.as_object().is_some_and(|tree| {
        tree.keys().eq(&table.names) && tree.values().zip(row).all(|(tree, cell)| is(tree, cell))
    })
}

/// Whether the JSON of a tree is the JSON of this cell.
pub(super) fn is(tree: &Json, cell: &Value) -> bool {
    let expected = match cell {
        Value::Json(text) => Cow::Borrowed(text),
        cell => {
            let mut text = String::new();
            json::write_value(&mut text, cell);
            Cow::Owned(text)
        }
    };
    let mut rest = Rest(Some(&expected));
    write(&mut rest, tree);
    rest.0 == Some("")
}

/// The value of a tree that is neither a list nor an object: digits alone are an integer, other numbers are doubles.
pub(super) fn scalar(tree: &Json) -> Option<Value> {
    Some(match tree {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => number_of(number),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(_) | Json::Object(_) => return None,
    })
}

fn of(cell: &Value) -> Option<Json> {
    Some(match cell {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(value) => Json::Number((*value).into()),
        Value::UInt(value) => Json::Number((*value).into()),
        Value::Float(value) => Json::Number(Number::from_f64(*value)?),
        Value::Decimal(digits) => Json::Number(digits.parse().ok()?),
        Value::Text(text) => Json::String(text.clone()),
        Value::Json(text) => serde_json::from_str(text).ok()?,
        Value::Array(items) => Json::Array(items.iter().map(of).collect::<Option<_>>()?),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| Some((name.clone(), of(field)?)));
            Json::Object(fields.collect::<Option<_>>()?)
        }
        Value::Bytes(_) => return None,
    })
}

fn number_of(number: &Number) -> Value {
    if let Some(value) = number.as_i64() {
        Value::Int(value)
    } else if let Some(value) = number.as_u64() {
        Value::UInt(value)
    } else {
        number.as_f64().map_or_else(|| Value::Decimal(number.to_string()), Value::Float)
    }
}

fn write(out: &mut impl Sink, tree: &Json) {
    match tree {
        Json::Null => out.put("null"),
        Json::Bool(value) => out.put(if *value { "true" } else { "false" }),
        Json::Number(number) => json::write_value(out, &number_of(number)),
        Json::String(text) => out.put_quoted(text),
        Json::Array(items) => {
            out.put("[");
            for (index, item) in items.iter().enumerate() {
                out.put(if index > 0 { "," } else { "" });
                write(out, item);
            }
            out.put("]");
        }
        Json::Object(fields) => {
            out.put("{");
            for (index, (name, field)) in fields.iter().enumerate() {
                out.put(if index > 0 { "," } else { "" });
                out.put_quoted(name);
                out.put(":");
                write(out, field);
            }
            out.put("}");
        }
    }
}

/// Whether a cell may spell a string with escapes that a form does without.
pub(super) fn may_unescape(cell: &Value) -> bool {
    match cell {
        Value::Json(text) => text.contains("\\u") || text.contains("\\/"),
        Value::Array(items) => items.iter().any(may_unescape),
        Value::Object(fields) => fields.iter().any(|(_, field)| may_unescape(field)),
        _ => false,
    }
}

/// What is left of a text of which the pieces that were put are the beginning; none if they are not.
struct Rest<'a>(Option<&'a str>);

impl Sink for Rest<'_> {
    fn put(&mut self, piece: &str) {
        self.0 = self.0.and_then(|rest| rest.strip_prefix(piece));
    }

    fn put_quoted(&mut self, text: &str) {
        let Some(rest) = self.0 else { return };
        quote::write(self, text);
        self.0 = self.0.or_else(|| after_same(rest, text));
    }

    fn put_base64(&mut self, _: &[u8]) {
        // A tree holds no bytes.
        self.0 = None;
    }
}
