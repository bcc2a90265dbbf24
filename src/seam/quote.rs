//! Text between double quotes, as JSON (RFC 8259, section 7), GCF (specification 3.6, section 2.4) and TOON (specification 4.0,
//! section 7.1) write it: only `"`, `\` and the controls below U+0020 are escaped, with the short forms where there are any and
//! `\u00xx` elsewhere.

use super::{scan, sink::Sink};

/// Which short forms there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// `\b` and `\f` too: JSON and GCF.
    Json,
    /// All but these two: TOON.
    Toon,
}

/// Writes a text with its quotes, as JSON and GCF do.
pub(super) fn write(out: &mut (impl Sink + ?Sized), text: &str) {
    write_as(out, text, Escapes::Json);
}

/// Writes a text with its quotes.
#[inline]
pub(super) fn write_as(out: &mut (impl Sink + ?Sized), text: &str, escapes: Escapes) {
    out.put("\"");
    let mut rest = text;
    while let Some((plain, tail)) =
        scan::first(rest.as_bytes(), is_escaped).and_then(|at| rest.split_at_checked(at))
    {
        out.put(plain);
        let mut characters = tail.chars();
        if let Some(special) = characters.next() {
            put_escaped(out, special, escapes);
        }
        rest = characters.as_str();
    }
    out.put(rest);
    out.put("\"");
}

/// Whether a byte of a text must be escaped. All such bytes are ASCII, so they are characters too.
fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// How many bytes [`write`] writes for a text.
pub(super) fn length(text: &str) -> usize {
    let plain = text.len() + "\"\"".len();
    if !scan::any(text.as_bytes(), is_escaped) {
        return plain;
    }
    let added = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | 0x8 | 0xc | b'\n' | b'\r' | b'\t' => "\\n".len() - 1,
        0..0x20 => "\\u0000".len() - 1,
        _ => 0,
    });
    plain + added.sum::<usize>()
}

fn put_escaped(out: &mut (impl Sink + ?Sized), special: char, escapes: Escapes) {
    let short = match special {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{8}' if escapes == Escapes::Json => "\\b",
        '\u{c}' if escapes == Escapes::Json => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        control => {
            let code = u32::from(control);
            out.put(if code < 0x10 { "\\u000" } else { "\\u001" });
            out.put(char::from_digit(code % 0x10, 0x10).unwrap_or('0').encode_utf8(&mut [0; 4]));
            return;
        }
    };
    out.put(short);
}

/// Whether what stands between quotes is read as this text.
pub(super) fn reads_as(quoted: &str, text: &str, escapes: Escapes) -> bool {
    if !quoted.contains('\\') {
        return quoted == text && !quoted.bytes().any(|byte| byte < 0x20);
    }
    let mut quoted = quoted.chars();
    let mut text = text.chars();
    while let Some(character) = quoted.next() {
        let character = match character {
            '\\' => unescape(&mut quoted, escapes),
            '\0'..='\x1f' => return false,
            plain => Some(plain),
        };
        if character.is_none() || text.next() != character {
            return false;
        }
    }
    text.next().is_none()
}

fn unescape(rest: &mut std::str::Chars<'_>, escapes: Escapes) -> Option<char> {
    match rest.next()? {
        same @ ('"' | '\\') => Some(same),
        'b' if escapes == Escapes::Json => Some('\u{8}'),
        'f' if escapes == Escapes::Json => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'u' => {
            let code = (0..4).try_fold(0, |code, _| Some(code * 16 + rest.next()?.to_digit(16)?))?;
            char::from_u32(code)
        }
        _ => None,
    }
}
