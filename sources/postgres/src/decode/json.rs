//! JSON text without the blanks that mean nothing. Key order and the text of numbers stay.

/// Leaves out blanks outside strings. The text is JSON: the server has read it.
pub(crate) fn compact(text: &str) -> String {
    let mut compact = String::with_capacity(text.len());
    let mut copied = 0;
    let mut in_string = false;
    let mut escaped = false;
    for (place, byte) in text.bytes().enumerate() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
        } else if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            compact.push_str(text.get(copied..place).unwrap_or_default());
            copied = place + 1;
        } else {
            in_string = byte == b'"';
        }
    }
    compact.push_str(text.get(copied..).unwrap_or_default());
    compact
}
