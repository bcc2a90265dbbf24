//! Numbers that a reader would round, as text: [`NumberFormat::Safe`].
//!
//! A reader that takes JSON numbers for doubles (IEEE 754 binary64) keeps every integer up to 2^53−1 and every decimal of up
//! to 15 significant digits within the range of normal doubles. All other numbers become text with the same digits, at any
//! depth: in arrays, in objects and inside JSON. A floating-point number is a double and stays as it is.

use serde::de::IgnoredAny;
use toolbox_source::{Event, Value};

use super::{NumberFormat, number};

/// The largest integer that no other one rounds to (`Number.MAX_SAFE_INTEGER` of ECMAScript): 2^53−1.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// How many significant digits every double keeps (`DBL_DIG` of C).
const MAX_DIGITS: usize = 15;

/// An event with its numbers in the wished form.
pub(super) fn event(mut event: Event, numbers: NumberFormat) -> Event {
    match (numbers, &mut event) {
        (NumberFormat::Safe, Event::Row(row)) => row.iter_mut().for_each(value),
        (NumberFormat::Safe, Event::Done(done)) => done.last_insert_id.iter_mut().for_each(value),
        (NumberFormat::Safe, Event::Columns(_)) | (NumberFormat::Digits, _) => {}
    }
    event
}

fn value(cell: &mut Value) {
    match cell {
        Value::Int(integer) if integer.unsigned_abs() > MAX_INTEGER => {
            *cell = Value::Text(integer.to_string());
        }
        Value::UInt(integer) if *integer > MAX_INTEGER => *cell = Value::Text(integer.to_string()),
        Value::Decimal(digits) if !survives(digits) => *cell = Value::Text(std::mem::take(digits)),
        Value::Json(text) => json(text),
        Value::Array(items) => items.iter_mut().for_each(value),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| value(field)),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::UInt(_)
        | Value::Float(_)
        | Value::Decimal(_)
        | Value::Text(_)
        | Value::Bytes(_) => {}
    }
}

/// Whether a number in digits is the same number after it was a double. What is no number is none that could change.
fn survives(digits: &str) -> bool {
    let Some(form) = number::form(digits) else { return true };
    if form == number::Form::Integer {
        let magnitude = digits.trim_start_matches('-');
        return magnitude.parse::<u64>().is_ok_and(|magnitude| magnitude <= MAX_INTEGER);
    }
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let significant = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').count();
    // Below the normal doubles there are fewer digits, and beyond the largest there is nothing.
    let in_range = significant == 0 || digits.parse::<f64>().is_ok_and(f64::is_normal);
    significant <= MAX_DIGITS && in_range
}

/// Puts quotes around the numbers of a JSON text that do not survive. Text that is no JSON is sent as text, so it stays.
fn json(text: &mut String) {
    let mut safe = String::new();
    let mut copied = 0;
    for (start, end) in Numbers::of(text) {
        let digits = text.get(start..end).unwrap_or_default();
        if !survives(digits) {
            safe.push_str(text.get(copied..start).unwrap_or_default());
            safe.push('"');
            safe.push_str(digits);
            safe.push('"');
            copied = end;
        }
    }
    if copied > 0 && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        safe.push_str(text.get(copied..).unwrap_or_default());
        *text = safe;
    }
}

/// Where the numbers of a JSON text begin and end, those inside of strings left out.
struct Numbers<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Numbers<'t> {
    fn of(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    /// Goes on while the bytes are of a kind.
    fn skip_while(&mut self, kind: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| kind(**byte)).count();
    }

    /// Goes on to the end of a string whose first quote was read.
    fn skip_string(&mut self) {
        loop {
            self.skip_while(|byte| byte != b'"' && byte != b'\\');
            match self.bytes.get(self.at) {
                Some(b'\\') => self.at += 2,
                Some(_) => {
                    self.at += 1;
                    return;
                }
                None => return,
            }
        }
    }
}

impl Iterator for Numbers<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            self.skip_while(|byte| byte != b'"' && byte != b'-' && !byte.is_ascii_digit());
            if *self.bytes.get(self.at)? == b'"' {
                self.at += 1;
                self.skip_string();
                continue;
            }
            let start = self.at;
            self.skip_while(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
            return Some((start, self.at));
        }
    }
}

#[cfg(test)]
mod tests;
