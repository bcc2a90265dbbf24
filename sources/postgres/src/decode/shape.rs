//! `pg_lsn`, `tid` and the geometric types, in the server's text form.

use super::{float::push_double, reader::Reader};
use crate::kind::Shape;

/// Two hexadecimal numbers of 32 bits.
pub(super) fn log_position(reader: &mut Reader<'_>) -> Result<String, String> {
    let (high, low) = (reader.u32()?, reader.u32()?);
    // Nine digits after the slash since PostgreSQL 19 only.
    Ok(format!("{high:X}/{low:X}"))
}

/// A block and a place in it.
pub(super) fn tuple_place(reader: &mut Reader<'_>) -> Result<String, String> {
    Ok(format!("({},{})", reader.u32()?, reader.u16()?))
}

pub(super) fn geometric(reader: &mut Reader<'_>, shape: Shape) -> Result<String, String> {
    let mut text = String::new();
    match shape {
        Shape::Point => push_points(&mut text, reader, 1)?,
        Shape::Line => {
            text.push('{');
            push_numbers(&mut text, reader, 3)?;
            text.push('}');
        }
        Shape::Segment => {
            text.push('[');
            push_points(&mut text, reader, 2)?;
            text.push(']');
        }
        Shape::Box => push_points(&mut text, reader, 2)?,
        Shape::Path => {
            let (open, close) = if reader.u8()? == 0 { ('[', ']') } else { ('(', ')') };
            text.push(open);
            let count = reader.i32()?;
            push_points(&mut text, reader, count)?;
            text.push(close);
        }
        Shape::Polygon => {
            text.push('(');
            let count = reader.i32()?;
            push_points(&mut text, reader, count)?;
            text.push(')');
        }
        Shape::Circle => {
            text.push('<');
            push_points(&mut text, reader, 1)?;
            text.push(',');
            push_numbers(&mut text, reader, 1)?;
            text.push('>');
        }
    }
    Ok(text)
}

fn push_points(text: &mut String, reader: &mut Reader<'_>, count: i32) -> Result<(), String> {
    for index in 0..count {
        text.push_str(if index > 0 { ",(" } else { "(" });
        push_numbers(text, reader, 2)?;
        text.push(')');
    }
    Ok(())
}

fn push_numbers(text: &mut String, reader: &mut Reader<'_>, count: u32) -> Result<(), String> {
    for index in 0..count {
        if index > 0 {
            text.push(',');
        }
        push_double(text, f64::from_bits(reader.u64()?));
    }
    Ok(())
}
