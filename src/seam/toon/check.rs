//! Reads a TOON table back and compares it with the cells that it was made of.
//!
//! This is a reader in its own right: it follows the grammar and knows nothing of how the writer decides. Integers are compared as
//! integers and never through a double, text by code points, doubles by value, decimals by their digits.

use toolbox_source::Value;

use super::{
    cell,
    text::{is_literal, is_special},
};
use crate::seam::{
    answer::Table,
    number::{self, Form},
    quote::{self, Escapes},
    reader::Reader,
    scan,
};

/// Whether a reader of this text finds the names and cells of this table of scalars, all of them and nothing else.
pub(super) fn reads_back(text: &str, table: &Table) -> bool {
    compare(text, table).is_some()
}

fn compare(text: &str, table: &Table) -> Option<()> {
    let mut reader = Reader { rest: text };
    begin(&mut reader, table)?;
    for (index, name) in table.names.iter().enumerate() {
        reader.expect(if index > 0 { "," } else { "{" })?;
        compare_key(&mut reader, name)?;
    }
    reader.expect("}:")?;
    for row in &table.rows {
        (row.len() == table.names.len()).then_some(())?;
        for (index, cell) in row.iter().enumerate() {
            reader.expect(if index > 0 { "," } else { "\n  " })?;
            compare_cell(&mut reader, cell)?;
        }
    }
    reader.rest.is_empty().then_some(())
}

/// Reads the count of the rows.
pub(super) fn begin(reader: &mut Reader<'_>, table: &Table) -> Option<()> {
    reader.expect("[")?;
    let count = reader.until(|byte| byte == b']')?;
    let canonical = number::form(count) == Some(Form::Integer) && !count.starts_with('-');
    (canonical && count.parse() == Ok(table.rows.len())).then_some(())?;
    reader.expect("]")
}

/// Reads a name, which must be this one.
pub(super) fn compare_key(reader: &mut Reader<'_>, name: &str) -> Option<()> {
    let same = if reader.rest.starts_with('"') {
        quote::reads_as(reader.quoted()?, name, Escapes::Toon)
    } else {
        let key = reader.until(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'.'))?;
        key == name && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    };
    same.then_some(())
}

/// Reads a cell of a row, which must stand for this value.
#[inline]
pub(super) fn compare_cell(reader: &mut Reader<'_>, cell: &Value) -> Option<()> {
    if known(reader, cell).is_some() {
        return Some(());
    }
    let same = if reader.rest.starts_with('"') {
        matches!(cell, Value::Text(text) if quote::reads_as(reader.quoted()?, text, Escapes::Toon))
    } else {
        let end = reader.rest.bytes().position(is_special).unwrap_or(reader.rest.len());
        let (token, rest) = reader.rest.split_at_checked(end)?;
        reader.rest = rest;
        is_same(token, cell)
    };
    same.then_some(())
}

/// Takes the next cell, if it is this one in a spelling that most cells have. To know what must be there is faster than to look
/// for the end of the cell and then ask what it is. Where nothing is taken, nothing is said about the cell.
#[inline]
fn known(reader: &mut Reader<'_>, cell: &Value) -> Option<()> {
    let rest = match cell {
        Value::Null => reader.rest.strip_prefix("null")?,
        Value::Text(text) => {
            if let Some(quoted) = reader.rest.strip_prefix('"') {
                let rest = quoted.strip_prefix(text.as_str())?.strip_prefix('"')?;
                (!scan::any(text.as_bytes(), ends_quoted)).then_some(rest)?
            } else {
                let rest = reader.rest.strip_prefix(text.as_str())?;
                (!scan::any(text.as_bytes(), is_special) && is_text(text)).then_some(rest)?
            }
        }
        Value::Decimal(digits) => {
            number::form(digits)?;
            reader.rest.strip_prefix(digits.as_str())?
        }
        Value::Int(cell) => {
            let (value, rest) = number::leading_int(reader.rest)?;
            (value == *cell).then_some(rest)?
        }
        _ => return None,
    };
    matches!(rest.as_bytes().first(), None | Some(b',' | b'\n')).then_some(())?;
    reader.rest = rest;
    Some(())
}

/// What a text between quotes has only as an escape.
fn ends_quoted(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Whether a token without quotes is read as this value.
fn is_same(token: &str, cell: &Value) -> bool {
    match (token, cell) {
        ("null", Value::Null) | ("true", Value::Bool(true)) | ("false", Value::Bool(false)) => true,
        (token, Value::Text(text)) => token == text && is_text(token),
        (token, cell) => number::form(token).is_some_and(|form| is_same_number(token, form, cell)),
    }
}

fn is_same_number(digits: &str, form: Form, cell: &Value) -> bool {
    match (form, cell) {
        (Form::Integer, Value::Int(cell)) => digits.parse() == Ok(*cell),
        (Form::Integer, Value::UInt(cell)) => digits.parse() == Ok(*cell),
        (_, Value::Decimal(cell)) => digits == cell,
        // Digits alone are an integer where 64 bits hold them.
        (Form::Integer, Value::Float(cell)) => digits == cell::spelled(*cell),
        // Zero is read without its sign.
        (_, Value::Float(cell)) => *cell != 0.0 && digits.parse() == Ok(*cell),
        _ => false,
    }
}

/// Whether a token without special signs is text: no value of another kind, no item of a list, no comment, and not trimmed.
fn is_text(token: &str) -> bool {
    let bytes = token.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    let is_another_kind = match first {
        b' ' | b'-' | b'#' => true,
        b'0'..=b'9' => number::form(token).is_some(),
        b't' | b'f' | b'n' => is_literal(token),
        _ => false,
    };
    !is_another_kind && *last != b' '
}
