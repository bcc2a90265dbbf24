//! Cells of GCF as a reader sees them, compared with the values that they were made of.
//!
//! Integers are compared as integers and never through a double, text by code points, doubles by value (1.0 may read as 1, and
//! -0.0 as 0), decimals by their digits.

use toolbox_source::Value;

use crate::seam::{
    number::{self, Form},
    quote::{self, Escapes},
    reader::Reader,
    scan,
};

/// One cell as a reader sees it.
pub(super) enum Token<'a> {
    Null,
    Bool(bool),
    Number(&'a str, Form),
    /// Text without quotes.
    Bare(&'a str),
    /// What stands between quotes, escapes and all.
    Quoted(&'a str),
}

pub(super) fn is_same(token: &Token<'_>, cell: &Value) -> bool {
    match (token, cell) {
        (Token::Null, Value::Null) => true,
        (Token::Bool(token), Value::Bool(cell)) => token == cell,
        (Token::Number(digits, Form::Integer), Value::Int(cell)) => digits.parse() == Ok(*cell),
        (Token::Number(digits, form), Value::Float(cell)) => is_same_double(digits, *form, *cell),
        (Token::Number(digits, _), Value::Decimal(cell)) => digits == cell,
        (Token::Bare(token), Value::Text(cell)) => token == cell,
        (Token::Quoted(token), Value::Text(cell)) => quote::reads_as(token, cell, Escapes::Json),
        _ => false,
    }
}

/// Whether digits stand for a double. Digits alone are an int64, so they must be one that a double holds exactly.
fn is_same_double(digits: &str, form: Form, cell: f64) -> bool {
    const EXACT: u64 = 1 << 53;
    let exact =
        form != Form::Integer || digits.parse::<i64>().is_ok_and(|integer| integer.unsigned_abs() <= EXACT);
    exact && digits.parse() == Ok(cell)
}

/// Reads the next token, which a byte ends that stays.
pub(super) fn next<'a>(reader: &mut Reader<'a>, ends: impl Fn(u8) -> bool) -> Option<Token<'a>> {
    if reader.rest.starts_with('"') {
        return reader.quoted().map(Token::Quoted);
    }
    // A control ends bare text wherever it stands (a line break ends the row), and a quote cannot be part of it. Whether it
    // ended where it should is seen by whoever expects what follows.
    let token = reader.until(|byte| byte < 0x20 || byte == b'"' || ends(byte))?;
    classified(token)
}

/// Takes the next token of a row, if it is this cell in a spelling that most cells have. To know what must be there is faster
/// than to look for the end of the token and then ask what it is, and no token is taken that would not be found in that way.
/// Where nothing is taken, nothing is said about the cell.
#[inline]
pub(super) fn known(reader: &mut Reader<'_>, cell: &Value) -> Option<()> {
    let rest = match cell {
        Value::Null => reader.rest.strip_prefix('-')?,
        Value::Text(text) => {
            let rest = reader.rest.strip_prefix(text.as_str())?;
            (!scan::any(text.as_bytes(), ends_row_cell) && is_text(text)).then_some(rest)?
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
    matches!(rest.as_bytes().first(), Some(b'|' | b'\n')).then_some(())?;
    reader.rest = rest;
    Some(())
}

/// What ends bare text in a row. A quote does, though no reader takes what follows.
fn ends_row_cell(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'|'
}

/// What a token without quotes stands for.
fn classified(token: &str) -> Option<Token<'_>> {
    match token {
        "-" => return Some(Token::Null),
        "true" => return Some(Token::Bool(true)),
        "false" => return Some(Token::Bool(false)),
        _ => {}
    }
    if let Some(form) = number::form(token) {
        return Some(Token::Number(token, form));
    }
    is_bare(token).then_some(Token::Bare(token))
}

/// Whether [`classified`] says bare text, told by the first byte most of the time.
fn is_text(token: &str) -> bool {
    let is_another_kind = match token.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => token == "-" || number::form(token).is_some(),
        Some(b't' | b'f') => matches!(token, "true" | "false"),
        _ => false,
    };
    !is_another_kind && is_bare(token)
}

/// Whether a reader takes a token that is no value of another kind for text, wherever in a line it stands. It would lose
/// blanks at the ends, and take a line that begins with one of these for a comment, a section, a row with an attachment or an
/// attachment.
fn is_bare(token: &str) -> bool {
    let bytes = token.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    let begins_line = matches!(first, b'#' | b'@' | b'.' | b' ');
    let marks = matches!(token, "~" | "^") || (token.starts_with("^{") && *last == b'}');
    !begins_line && !marks && *last != b' '
}
