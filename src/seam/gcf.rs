//! The form `gcf`: GCF, generic profile, specification 3.6. Tables of scalars are written and read back here, rows with nested
//! values in `nested`.
//!
//! ```text
//! GCF profile=generic
//! ## [3]{id,name,region=eu,"unit price"}
//! 1|Alice|10.5
//! 2|"007"|1e+300
//! 3|-|0
//! ```
//!
//! A column with one value in all of two or more rows stands in the declaration (section 7.4.7); of columns that all are
//! such, the last stays in the rows. Whether the text may be sent is the guard's decision.

use toolbox_source::Value;

use super::{
    Encoding,
    answer::{Answer, Table},
    float,
    form::Form,
    number, quote,
    room::Room,
    sink::Sink as _,
    tree,
    truncated::Truncated,
};

mod check;
mod nested;
mod text;
mod token;

#[cfg(test)]
mod tests;

/// With this saving no table of scalars was seen to cost more tokens than its JSON, where that repeats its names often enough, in
/// 600,000 random ones; with half of it some were.
const MARGIN: usize = 64;

/// A decimal of so many characters, without an exponent, is less than 10^300, and the largest double is above 10^308.
const FINITE_LENGTH: usize = 300;

/// The form.
pub(super) struct Gcf;

impl Form for Gcf {
    fn encoding(&self) -> Encoding {
        Encoding::Gcf
    }

    fn admits_several(&self) -> bool {
        false
    }

    /// A `>` in a name would read as a path into a nested object (section 7.4.6).
    fn admits_names(&self, names: &[String]) -> bool {
        !names.is_empty() && names.iter().all(|name| !name.contains('>'))
    }

    fn admits_row(&self, row: &[Value]) -> bool {
        row.iter().all(|cell| if tree::is_nested(cell) { tree::admits(cell) } else { admits(cell) })
    }

    fn write(&self, answer: &Answer<'_>, most: usize) -> Option<String> {
        let table = answer.only_table()?;
        let mut text = if answer.kept.nested { nested::write(table, most) } else { write(table, most) }?;
        text.push_str(&answer.truncated.map(Truncated::gcf_comment).unwrap_or_default());
        (text.len() <= most).then_some(text)
    }

    fn reads_back(&self, text: &str, answer: &Answer<'_>) -> bool {
        answer.only_table().is_some_and(|table| {
            if answer.kept.nested { nested::reads_back(text, table) } else { check::reads_back(text, table) }
        })
    }

    /// Attachments cost so many tokens that no saving of bytes tells anything. A row that has one begins with `@`, which nothing
    /// else does.
    fn margin(&self, text: &str) -> Option<usize> {
        (!text.contains("\n@")).then_some(MARGIN)
    }
}

/// Whether a value has a form of its own in a cell that stands for the same as its JSON.
///
/// Numbers of GCF are int64 and binary64. A decimal goes bare, with its own digits, when they are an int64 or have a point
/// and are a finite double when read as one.
fn admits(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => true,
        Value::Float(value) => value.is_finite(),
        Value::Decimal(digits) => match number::form(digits) {
            Some(number::Form::Integer) => digits.parse::<i64>().is_ok(),
            Some(number::Form::Fraction) => {
                digits.len() <= FINITE_LENGTH || digits.parse::<f64>().is_ok_and(f64::is_finite)
            }
            Some(number::Form::Exponent) | None => false,
        },
        Value::UInt(_) | Value::Json(_) | Value::Bytes(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Writes a table of admitted names and values. Gives up as soon as the text is longer than `most` bytes, or when a value
/// is not admitted.
fn write(table: &Table, most: usize) -> Option<String> {
    let constant = constant_columns(&table.rows, is_written_alike);
    let is_constant: Vec<bool> = (0..table.names.len()).map(|index| constant.contains(&index)).collect();
    let mut out = Room::first(most);
    out.put("GCF profile=generic\n## [");
    out.put(itoa::Buffer::new().format(table.rows.len()));
    out.put("]{");
    for (index, (name, is_constant)) in table.names.iter().zip(&is_constant).enumerate() {
        if index > 0 {
            out.put(",");
        }
        text::write_name(&mut out, name);
        if *is_constant {
            out.put("=");
            write_cell(&mut out, table.rows.first()?.get(index)?, text::Place::Declaration)?;
        }
    }
    out.put("}\n");

    let mut room = Room::after(&out, table.rows.len(), most);
    for (index, row) in table.rows.iter().enumerate() {
        room.make(&mut out, index);
        let mut is_first = true;
        for (cell, _) in row.iter().zip(&is_constant).filter(|(_, is_constant)| !**is_constant) {
            if !is_first {
                out.push('|');
            }
            is_first = false;
            write_cell(&mut out, cell, text::Place::Row)?;
        }
        out.push('\n');
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

/// The columns that hold one value in every row, ascending. Few columns survive the second row, so this is cheap.
fn constant_columns<'a>(
    rows: &'a [Vec<Value>],
    is_alike: impl Fn(&'a Value, &'a Value) -> bool,
) -> Vec<usize> {
    let [first, others @ ..] = rows else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let mut candidates: Vec<(usize, &Value)> = first.iter().enumerate().collect();
    for row in others {
        candidates.retain(|(index, value)| row.get(*index).is_some_and(|cell| is_alike(value, cell)));
        if candidates.is_empty() {
            break;
        }
    }
    if candidates.len() == first.len() {
        candidates.pop();
    }
    candidates.into_iter().map(|(index, _)| index).collect()
}

/// Whether two values have one written form, which is what the specification compares: 0, 0.0 and -0.0 have.
#[expect(clippy::float_cmp, reason = "the same double is meant, not a near one")]
fn is_written_alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Text(a), Value::Text(b)) | (Value::Decimal(a), Value::Decimal(b)) => a == b,
        (
            Value::Int(_) | Value::Float(_) | Value::Decimal(_),
            Value::Int(_) | Value::Float(_) | Value::Decimal(_),
        ) => {
            let (mut first, mut second) = (String::new(), String::new());
            write_cell(&mut first, a, text::Place::Row).is_some()
                && write_cell(&mut second, b, text::Place::Row).is_some()
                && first == second
        }
        _ => false,
    }
}

/// Writes a cell; none when the value is not admitted.
fn write_cell(out: &mut String, cell: &Value, place: text::Place) -> Option<()> {
    match cell {
        Value::Null => out.put("-"),
        Value::Bool(true) => out.put("true"),
        Value::Bool(false) => out.put("false"),
        Value::Int(value) => out.put_int(*value),
        Value::Float(value) if *value == 0.0 => out.put("0"),
        Value::Float(value) if value.is_finite() => float::write(out, *value, float::GCF_PLAIN),
        Value::Decimal(digits) => out.put(digits),
        Value::Text(text) if text::must_be_quoted(text, place) => quote::write(out, text),
        Value::Text(text) => out.put(text),
        Value::Float(_)
        | Value::UInt(_)
        | Value::Json(_)
        | Value::Bytes(_)
        | Value::Array(_)
        | Value::Object(_) => {
            return None;
        }
    }
    Some(())
}
