//! Maps for `hstore`, in the text form that the server reads (PostgreSQL documentation, "hstore External Representation").

use toolbox_source::Value;

use super::plain;

/// The pairs, every key and value quoted. Values are texts, so numbers and booleans go as theirs.
pub(super) fn text(fields: &[(String, Value)]) -> Result<String, String> {
    let mut text = String::new();
    for (index, (key, value)) in fields.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        quote(&plain(&Value::Text(key.clone()))?, &mut text);
        text.push_str("=>");
        match value {
            Value::Null => text.push_str("NULL"),
            value => quote(&plain(value).map_err(|message| format!("key {key:?}: {message}"))?, &mut text),
        }
    }
    Ok(text)
}

fn quote(plain: &str, text: &mut String) {
    text.push('"');
    for character in plain.chars() {
        if matches!(character, '"' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text.push('"');
}
