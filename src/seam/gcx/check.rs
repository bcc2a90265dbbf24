//! Reads a GCX1 text back and compares it with the cells that it was made of.
//!
//! This is a reader in its own right: it follows the grammar and the two cell rules, and knows nothing of how the writer
//! decides. Numbers are compared as the kind that the value has: integers as integers, decimals by their digits, doubles bit
//! by bit.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use toolbox_source::Value;

use super::Header;
use crate::seam::{
    answer::Table,
    json,
    number::{self, Form},
    scan,
};

/// Whether a reader of this text finds these result sets under this header, all of their cells and nothing else.
pub(in crate::seam) fn reads_back(text: &str, sheets: &[Table], header: &Header<'_>) -> bool {
    compare(text, sheets, header).is_some()
}

fn compare(text: &str, sheets: &[Table], header: &Header<'_>) -> Option<()> {
    let mut rest = text;
    for (index, sheet) in sheets.iter().enumerate() {
        let (line, rows) = rest.split_once('\n')?;
        let number = (sheets.len() > 1).then_some(index + 1);
        let types = compare_header(line, sheet, header, number)?;
        rest = compare_rows(rows, sheet, types)?;
    }
    rest.is_empty().then_some(())
}

/// Compares a header line, and gives the letters of the columns: none under the typed rule.
fn compare_header<'a>(
    line: &'a str,
    sheet: &Table,
    header: &Header<'_>,
    number: Option<usize>,
) -> Option<&'a [u8]> {
    let mut pairs = line.strip_prefix("GCX1 ")?.split(' ').map(|pair| pair.split_once('='));
    let ("tool", tool) = pairs.next()?? else { return None };
    let tool = tool.strip_prefix(header.tool)?;
    match number {
        Some(number) => (tool.strip_prefix('.')?.parse() == Ok(number)).then_some(())?,
        None => tool.is_empty().then_some(())?,
    }
    let ("fields", fields) = pairs.next()?? else { return None };
    // What a reader would unescape is not looked for in the names: then they are not the same.
    (!line.contains(['\\', '\t', '\r']) && fields.split(',').eq(sheet.names.iter().map(String::as_str)))
        .then_some(())?;

    let (mut rows, mut truncated, mut types) = (None, false, &[][..]);
    for pair in pairs {
        match pair? {
            ("rows", count) if rows.is_none() => rows = Some(count.parse::<usize>().ok()?),
            ("truncated", "true") if !truncated => truncated = true,
            ("types", letters) if types.is_empty() && letters.len() == sheet.names.len() => {
                types = letters.as_bytes();
            }
            _ => return None,
        }
    }
    (rows == Some(sheet.rows.len()) && truncated == header.truncated).then_some(types)
}

/// Compares the rows of a section, and gives what follows them.
fn compare_rows<'a>(text: &'a str, sheet: &Table, types: &[u8]) -> Option<&'a str> {
    let mut rest = text;
    for row in &sheet.rows {
        // A comment, a header or an empty line is no row.
        if row.len() != sheet.names.len() || rest.starts_with(['#', '\n']) || rest.starts_with("GCX1") {
            return None;
        }
        let mut letters = types.iter();
        for (column, value) in row.iter().enumerate() {
            let letter = letters.next().copied();
            let ends = if column + 1 == row.len() { '\n' } else { '\t' };
            if let Some(after) = known(rest, letter, value).and_then(|after| after.strip_prefix(ends)) {
                rest = after;
                continue;
            }
            let (cell, after) = next_cell(rest)?;
            rest = after.strip_prefix(ends)?;
            compare_cell(&cell, letter, value)?;
        }
    }
    // Another row would be read as one, so there must be none.
    (rest.is_empty() || rest.starts_with("GCX1 ")).then_some(rest)
}

/// What follows this value, if a text begins with it in a spelling that most cells have and under this letter stands for it. To
/// know what must be there is faster than to look for the end of the cell and then ask what it is. What follows must be what ends
/// a cell; where that is not so, or nothing is given, nothing is said about the cell.
#[inline]
fn known<'a>(text: &'a str, letter: Option<u8>, value: &Value) -> Option<&'a str> {
    match value {
        // An empty cell is null under every letter.
        Value::Null => Some(text),
        Value::Text(cell) => {
            let rest = text.strip_prefix(cell.as_str())?;
            let is_text = match letter {
                None => is_plain(cell),
                Some(letter) => letter == b's' && !cell.is_empty() && !cell.starts_with('"'),
            };
            (is_text && !scan::any(cell.as_bytes(), is_special)).then_some(rest)
        }
        Value::Int(cell) if matches!(letter, None | Some(b'i' | b'd' | b'j')) => {
            let (read, rest) = number::leading_int(text)?;
            (read == *cell).then_some(rest)
        }
        Value::Decimal(digits) if matches!(letter, None | Some(b'd' | b'j')) => {
            number::form(digits)?;
            text.strip_prefix(digits.as_str())
        }
        _ => None,
    }
}

/// Whether the typed rule takes a cell for the text that it is, as far as its first byte and numbers tell.
fn is_plain(cell: &str) -> bool {
    match cell.as_bytes().first() {
        None | Some(b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'{' | b'[') => false,
        Some(b'-' | b'0'..=b'9') => number::form(cell.trim_end_matches(' ')).is_none(),
        Some(b't' | b'f' | b'n') => !matches!(cell.trim_end_matches(' '), "true" | "false" | "null"),
        Some(_) => true,
    }
}

/// What ends a cell or is no part of it, and what begins an escape.
fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'\\'
}

/// The next cell without its escapes, and what follows it. A carriage return is dropped by readers, so there must be none.
fn next_cell(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let first = text.bytes().position(is_special)?;
    let ends = |byte| matches!(byte, b'\t' | b'\n');
    if ends(*text.as_bytes().get(first)?) {
        let (cell, rest) = text.split_at_checked(first)?;
        return Some((Cow::Borrowed(cell), rest));
    }
    let (token, rest) = text.split_at_checked(text.bytes().position(ends)?)?;
    (!token.contains('\r')).then(|| (Cow::Owned(unescape(token)), rest))
}

/// Undoes the escapes of a cell.
fn unescape(token: &str) -> String {
    let mut plain = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some(other) => other,
                None => break,
            },
            other => other,
        });
    }
    plain
}

/// What a reader takes a cell for.
enum Read<'a> {
    Null,
    Bool(bool),
    Number(&'a str, Form),
    Text(Cow<'a, str>),
    /// The text of a list or an object.
    Nested(&'a str),
}

fn compare_cell(cell: &str, letter: Option<u8>, value: &Value) -> Option<()> {
    let read = match letter {
        None => typed(cell),
        Some(b's') if cell.is_empty() => Read::Null,
        Some(b's') if cell.starts_with('"') => Read::Text(serde_json::from_str(cell).ok()?),
        Some(b's') => Read::Text(Cow::Borrowed(cell)),
        Some(letter) => {
            let read = typed(cell);
            let admitted = match (letter, &read) {
                (b'i', Read::Number(digits, Form::Integer)) => digits.parse::<i64>().is_ok(),
                (b'f', Read::Number(digits, _)) => digits.parse().is_ok_and(f64::is_finite),
                // Bare text is no JSON.
                (b'j', Read::Text(_)) => cell.starts_with('"'),
                (b'i' | b'f' | b'd' | b'b', Read::Null)
                | (b'd', Read::Number(..))
                | (b'b', Read::Bool(_))
                | (b'j', _) => true,
                _ => false,
            };
            admitted.then_some(read)?
        }
    };
    is_same(&read, value).then_some(())
}

/// The typed rule: nothing is null, JSON is what it says, anything else is text.
fn typed(cell: &str) -> Read<'_> {
    let blank = [' ', '\t', '\n', '\r'];
    let json = match cell.as_bytes().first() {
        None => return Read::Null,
        Some(b' ' | b'\t' | b'\n' | b'\r') => cell.trim_matches(blank),
        Some(_) => cell.trim_end_matches(blank),
    };
    match json.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => {
            if let Some(form) = number::form(json) {
                return Read::Number(json, form);
            }
        }
        Some(b'n') if json == "null" => return Read::Null,
        Some(b't') if json == "true" => return Read::Bool(true),
        Some(b'f') if json == "false" => return Read::Bool(false),
        Some(b'"') => match serde_json::from_str(json) {
            Ok(text) => return Read::Text(text),
            // Half of a surrogate pair is JSON all the same, and stands for no text.
            Err(_) if is_json(json) => return Read::Nested(json),
            Err(_) => {}
        },
        Some(b'{' | b'[') if is_json(json) => return Read::Nested(json),
        _ => {}
    }
    Read::Text(Cow::Borrowed(cell))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Whether what was read is this value, as JSON shows it.
fn is_same(read: &Read<'_>, value: &Value) -> bool {
    match (read, value) {
        (Read::Null, Value::Null) => true,
        (Read::Bool(read), Value::Bool(value)) => read == value,
        (Read::Number(digits, Form::Integer), Value::Int(value)) => digits.parse() == Ok(*value),
        (Read::Number(digits, Form::Integer), Value::UInt(value)) => digits.parse() == Ok(*value),
        (Read::Number(digits, _), Value::Float(value)) => {
            digits.parse::<f64>().is_ok_and(|read| read.to_bits() == value.to_bits())
        }
        (Read::Number(digits, _), Value::Decimal(value) | Value::Json(value)) => digits == value,
        (Read::Text(read), Value::Text(value)) => read == value,
        (Read::Text(read), Value::Decimal(value)) => read == value && number::form(value).is_none(),
        (Read::Text(read), Value::Float(value)) => match read.as_ref() {
            "NaN" => value.is_nan(),
            "Infinity" => *value == f64::INFINITY,
            "-Infinity" => *value == f64::NEG_INFINITY,
            _ => false,
        },
        (Read::Null, Value::Json(json)) => json == "null",
        (Read::Bool(read), Value::Json(json)) => json == if *read { "true" } else { "false" },
        (Read::Text(read), Value::Json(json)) => match serde_json::from_str::<Cow<'_, str>>(json) {
            Ok(text) => read == &text,
            // Damaged JSON is text.
            Err(_) => read == json && !is_json(json),
        },
        (Read::Nested(read), Value::Json(json)) => read == json,
        (Read::Nested(read), Value::Array(_) | Value::Object(_)) => {
            let mut json = String::with_capacity(read.len());
            json::write_value(&mut json, value);
            *read == json
        }
        _ => false,
    }
}
