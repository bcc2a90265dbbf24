//! JSON text without the blanks that mean nothing. Key order and the text of numbers stay.

/// Leaves out blanks outside strings. The text is JSON: the server has read it.
pub(crate) fn compact(text: &str) -> String {
    let mut compact = String::with_capacity(text.len());
    let mut in_string = false;
    let mut escaped = false;
    for character in text.chars() {
        if in_string {
            compact.push(character);
            in_string = escaped || character != '"';
            escaped = character == '\\' && !escaped;
        } else if !matches!(character, ' ' | '\t' | '\n' | '\r') {
            compact.push(character);
            in_string = character == '"';
        }
    }
    compact
}
