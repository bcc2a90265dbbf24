//! When text and names need quotes in GCF (specification 3.6, section 2.4). What is quoted more than that is not canonical,
//! what is quoted less is misread.

use crate::seam::{number, quote, scan, sink::Sink as _};

/// Where a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a row.
    Row,
    /// As the value of a constant column, where a `}` would end the declaration.
    Declaration,
}

/// Writes a name: bare if it is an identifier.
pub(super) fn write_name(out: &mut String, name: &str) {
    let mut bytes = name.bytes();
    let bare = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if bare {
        out.put(name);
    } else {
        quote::write(out, name);
    }
}

/// Whether a text would be read as something else, or would end early, without quotes.
pub(super) fn must_be_quoted(text: &str, place: Place) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return true };
    match first {
        b' ' | b'#' | b'@' | b'.' => return true,
        b'+' | b'-' | b'0'..=b'9' if text == "-" || looks_like_a_number(text) => return true,
        b'~' | b'^' | b't' | b'f' if is_reserved(text) => return true,
        _ => {}
    }
    if !scan::any(bytes, is_conspicuous) {
        return *last == b' ';
    }
    let kinds = bytes.iter().fold(0, |kinds, byte| kinds | kind(*byte));
    *last == b' '
        || kinds & SPECIAL != 0
        || (kinds & BRACE != 0 && place == Place::Declaration)
        || (kinds & BRACKET != 0 && has_array_marker(text))
        || (kinds & BEYOND_ASCII != 0 && text.chars().any(is_invisible))
}

const SPECIAL: u8 = 1;
const BRACE: u8 = 2;
const BRACKET: u8 = 4;
const BEYOND_ASCII: u8 = 8;

/// Whether a byte calls for anything. Most texts have no such byte, which is found out faster than what it calls for.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "joined lazily, so many comparisons are compiled to branches"
)]
fn is_conspicuous(byte: u8) -> bool {
    (byte < 0x20)
        | (byte == b'"')
        | (byte == b'\\')
        | (byte == b'|')
        | (byte == b',')
        | (byte == b'}')
        | (byte == b'[')
        | (byte >= 0x80)
}

/// What a byte calls for. The comma is special in rows too: canonical writers quote it everywhere.
fn kind(byte: u8) -> u8 {
    match byte {
        0..0x20 | b'"' | b'\\' | b'|' | b',' => SPECIAL,
        b'}' => BRACE,
        b'[' => BRACKET,
        0x80.. => BEYOND_ASCII,
        _ => 0,
    }
}

/// The words that stand for values, and the marks of nested values.
fn is_reserved(text: &str) -> bool {
    matches!(text, "~" | "^" | "true" | "false") || (text.starts_with("^{") && text.ends_with('}'))
}

/// A number, or what a reader may take for one: a sign or a leading zero before a digit.
fn looks_like_a_number(text: &str) -> bool {
    let begins_with_digit = |text: &str| text.starts_with(|character: char| character.is_ascii_digit());
    let numeric_like = if let Some(rest) = text.strip_prefix(['+', '-']) {
        begins_with_digit(rest.strip_prefix('.').unwrap_or(rest))
    } else {
        text.strip_prefix('0').is_some_and(begins_with_digit)
    };
    numeric_like || number::form(text).is_some()
}

/// Whether a text holds `[…]`, perhaps blanks, and `:`, which begins an array in other places.
fn has_array_marker(text: &str) -> bool {
    text.split('[').skip(1).any(|after| {
        after.split_once(']').is_some_and(|(_, after)| after.trim_start_matches(' ').starts_with(':'))
    })
}

/// Controls and white space beyond ASCII, which a reader may trim or a transport may change.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{80}'..='\u{9f}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_conspicuous_if_it_calls_for_anything() {
        for byte in u8::MIN..=u8::MAX {
            assert_eq!(is_conspicuous(byte), kind(byte) != 0, "{byte:#x}");
        }
    }
}
