//! `tsvector` and `tsquery` in the server's text form, from what its `tsvectorsend` and `tsquerysend` write.

mod query;

use std::fmt::Write as _;

use super::{reader::Reader, text};

pub(super) use query::query;

/// Lexemes in the order of the server, with their places: `'cat':3A 'fat':2,4`.
pub(super) fn vector(reader: &mut Reader<'_>) -> Result<String, String> {
    let mut shown = String::with_capacity(reader.left());
    for index in 0..reader.i32()? {
        if index > 0 {
            shown.push(' ');
        }
        push_quoted(&mut shown, text(reader.terminated()?)?);
        for place in 0..reader.u16()? {
            shown.push(if place == 0 { ':' } else { ',' });
            push_place(&mut shown, reader.u16()?);
        }
    }
    Ok(shown)
}

/// Fourteen bits of place after two bits of weight. D, the lowest weight, goes without saying.
fn push_place(shown: &mut String, place: u16) {
    // Writing to a String cannot fail.
    let _ = write!(shown, "{}", place & 0x3FFF);
    match place >> 14 {
        0 => {}
        1 => shown.push('C'),
        2 => shown.push('B'),
        _ => shown.push('A'),
    }
}

/// Quotes and backslashes are doubled.
fn push_quoted(shown: &mut String, lexeme: &str) {
    shown.push('\'');
    for character in lexeme.chars() {
        if matches!(character, '\'' | '\\') {
            shown.push(character);
        }
        shown.push(character);
    }
    shown.push('\'');
}
