//! Tables as `serde_json` values, for the forms that a crate writes and reads.
//!
//! A tree takes many times the memory of its text, so only results up to [`MOST_BYTES`] are made into one. What a reader
//! found is compared as text: the JSON of what was read must be the JSON of the table, byte for byte, so no digit, no order of
//! keys and no repeated key can get lost unseen.

use serde_json::{Map, Number, Value as Json};
use toolbox_source::Value;

use super::{
    answer::Table,
    json,
    number::{self, Form},
};

/// The largest result that is made into a tree, in bytes of its JSON: more than the context of a model holds.
pub(super) const MOST_BYTES: usize = 1024 * 1024;

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
    admits_at(value, MOST_LEVELS)
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

/// The rows as a list of objects. None where a cell is not admitted, or is damaged JSON.
pub(super) fn of(table: &Table) -> Option<Json> {
    let row = |row: &Vec<Value>| {
        let cells = table.names.iter().zip(row).map(|(name, cell)| Some((name.clone(), value(cell)?)));
        cells.collect::<Option<Map<String, Json>>>().map(Json::Object)
    };
    table.rows.iter().map(row).collect::<Option<Vec<Json>>>().map(Json::Array)
}

fn value(value_: &Value) -> Option<Json> {
    Some(match value_ {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(value) => Json::Number((*value).into()),
        Value::UInt(value) => Json::Number((*value).into()),
        Value::Float(value) => Json::Number(Number::from_f64(*value)?),
        Value::Decimal(digits) => Json::Number(digits.parse().ok()?),
        Value::Text(text) => Json::String(text.clone()),
        Value::Json(text) => serde_json::from_str(text).ok()?,
        Value::Array(items) => Json::Array(items.iter().map(value).collect::<Option<_>>()?),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| Some((name.clone(), value(field)?)));
            Json::Object(fields.collect::<Option<_>>()?)
        }
        Value::Bytes(_) => return None,
    })
}

/// Whether what a reader found is this table.
pub(super) fn is(read: Json, table: &Table) -> bool {
    let Json::Array(read) = read else { return false };
    let (mut found, mut expected) = (String::new(), String::new());
    read.len() == table.rows.len()
        && read.into_iter().zip(&table.rows).all(|(read, row)| {
            let Json::Object(read) = read else { return false };
            if !read.keys().eq(&table.names) {
                return false;
            }
            let read: Vec<Value> = read.into_iter().map(|(_, cell)| typed(cell)).collect();
            found.clear();
            json::write_row(&mut found, &table.keys, &read);
            expected.clear();
            json::write_row(&mut expected, &table.keys, row);
            found == expected
        })
}

/// What was read as a value: digits alone are an integer, other numbers are doubles.
fn typed(read: Json) -> Value {
    match read {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => number_of(&number),
        Json::String(text) => Value::Text(text),
        Json::Array(items) => Value::Array(items.into_iter().map(typed).collect()),
        Json::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, field)| (name, typed(field))).collect())
        }
    }
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
