//! Text between double quotes, as JSON (RFC 8259, section 7) and GCF (specification 3.6, section 2.4) both write it: only
//! `"`, `\` and the controls below U+0020 are escaped, with the short forms where there are any and `\u00xx` elsewhere.

use super::{scan, sink::Sink};

/// Writes a text with its quotes.
pub(super) fn write(out: &mut (impl Sink + ?Sized), text: &str) {
    out.put("\"");
    let mut rest = text;
    while let Some((plain, tail)) =
        scan::first(rest.as_bytes(), is_escaped).and_then(|at| rest.split_at_checked(at))
    {
        out.put(plain);
        let mut characters = tail.chars();
        if let Some(special) = characters.next() {
            put_escaped(out, special);
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

fn put_escaped(out: &mut (impl Sink + ?Sized), special: char) {
    let short = match special {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
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
