//! Ranges in the server's text form, from what its `range_send` writes: `[1,5)`, `(,5]`, `empty`. Their bounds have the
//! server's text too, and not the forms that values of their types have alone.

use toolbox_source::Value;

use super::{clock, digits::push_hexadecimal, fixed, float, reader::Reader, text, versioned};
use crate::kind::Kind;

const EMPTY: u8 = 0x01;
const INCLUDES_LOWER: u8 = 0x02;
const INCLUDES_UPPER: u8 = 0x04;
/// A bound that is infinite, or null, is not sent.
const LACKS_LOWER: u8 = 0x08 | 0x20;
const LACKS_UPPER: u8 = 0x10 | 0x40;

pub(super) fn range(reader: &mut Reader<'_>, kind: &Kind) -> Result<String, String> {
    let flags = reader.u8()?;
    if flags & EMPTY != 0 {
        return Ok("empty".to_owned());
    }
    let mut shown = String::with_capacity(reader.left() * 2 + 3);
    shown.push(if flags & INCLUDES_LOWER == 0 { '(' } else { '[' });
    if flags & LACKS_LOWER == 0 {
        push_escaped(&mut shown, &bound(reader, kind)?);
    }
    shown.push(',');
    if flags & LACKS_UPPER == 0 {
        push_escaped(&mut shown, &bound(reader, kind)?);
    }
    shown.push(if flags & INCLUDES_UPPER == 0 { ')' } else { ']' });
    Ok(shown)
}

/// The text that the output function of its type gives a bound.
fn bound(reader: &mut Reader<'_>, kind: &Kind) -> Result<String, String> {
    let bytes = reader.sized()?.ok_or_else(|| "a bound of a range is null".to_owned())?;
    let mut shown = String::new();
    match kind {
        Kind::Bool => shown.push(if fixed::<1>(bytes)? == [0] { 'f' } else { 't' }),
        Kind::Float4 => float::push_single(&mut shown, f32::from_be_bytes(fixed(bytes)?)),
        Kind::Float8 => float::push_double(&mut shown, f64::from_be_bytes(fixed(bytes)?)),
        Kind::Bytea => {
            shown.push_str("\\x");
            for byte in bytes {
                push_hexadecimal(&mut shown, *byte);
            }
        }
        Kind::Json => shown.push_str(text(bytes)?),
        Kind::Jsonb => shown.push_str(versioned(bytes)?),
        Kind::Timestamp => return Ok(clock::timestamp(i64::from_be_bytes(fixed(bytes)?), ' ', "")),
        Kind::TimestampTz => return Ok(clock::timestamp(i64::from_be_bytes(fixed(bytes)?), ' ', "+00")),
        kind => match super::value(bytes, kind)? {
            Value::Text(text) | Value::Decimal(text) => return Ok(text),
            Value::Int(number) => return Ok(number.to_string()),
            Value::UInt(number) => return Ok(number.to_string()),
            _ => return Err("the type has no form as the bound of a range that is read here".to_owned()),
        },
    }
    Ok(shown)
}

/// Quoted where it could be read in another way; then quotes and backslashes are doubled
/// (<https://www.postgresql.org/docs/current/rangetypes.html#RANGETYPES-IO>).
fn push_escaped(shown: &mut String, bound: &str) {
    let is_plain = |byte: u8| {
        !matches!(
            byte,
            b'"' | b'\\' | b'(' | b')' | b'[' | b']' | b',' | b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C
        )
    };
    if !bound.is_empty() && bound.bytes().all(is_plain) {
        shown.push_str(bound);
        return;
    }
    shown.push('"');
    for character in bound.chars() {
        if matches!(character, '"' | '\\') {
            shown.push(character);
        }
        shown.push(character);
    }
    shown.push('"');
}
