//! When text and names need quotes in TOON (specification 4.0, sections 7.2 and 7.3).

use crate::seam::{
    number,
    quote::{self, Escapes},
    scan,
    sink::Sink as _,
};

/// Writes a name: bare if it is an identifier, in which there may be points.
pub(super) fn write_key(out: &mut String, name: &str) {
    let mut bytes = name.bytes();
    let bare = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    if bare {
        out.put(name);
    } else {
        quote::write_as(out, name, Escapes::Toon);
    }
}

/// Writes a text as a cell of a row.
pub(super) fn write(out: &mut String, text: &str) {
    if must_be_quoted(text) {
        quote::write_as(out, text, Escapes::Toon);
    } else {
        out.put(text);
    }
}

/// Whether a text would be read as something else, or would end early, without quotes.
fn must_be_quoted(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return true };
    let looks_like_another = match first {
        b' ' | b'-' | b'#' => true,
        b'+' | b'0'..=b'9' => looks_like_a_number(text),
        b't' | b'f' | b'n' => is_literal(text),
        _ => false,
    };
    looks_like_another || *last == b' ' || scan::any(bytes, is_special)
}

/// The words that stand for values.
pub(super) fn is_literal(text: &str) -> bool {
    matches!(text, "true" | "false" | "null")
}

/// What a bare cell has nowhere.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "joined lazily, so many comparisons are compiled to branches"
)]
pub(super) fn is_special(byte: u8) -> bool {
    (byte < 0x20)
        | (byte == b',')
        | (byte == b':')
        | (byte == b'"')
        | (byte == b'\\')
        | (byte == b'[')
        | (byte == b']')
        | (byte == b'{')
        | (byte == b'}')
}

/// A number, or what a reader may take for one: with a plus, or with needless zeros.
fn looks_like_a_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let significant = unsigned.trim_start_matches('0');
    let starts_with_digit = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    if starts_with_digit(significant) {
        number::form(significant).is_some()
    } else if starts_with_digit(unsigned) {
        // The last zero is one of the number.
        let zeros = unsigned.len() - significant.len();
        unsigned.get(zeros - 1..).is_some_and(|rest| number::form(rest).is_some())
    } else {
        false
    }
}
