//! Maps for `hstore`, in the text form that the server reads (PostgreSQL documentation, "hstore External Representation").

use toolbox_source::Value;

use super::{literal::quote, plain};

/// The pairs, every key and value quoted. Values are texts, so numbers and booleans go as theirs.
pub(super) fn text(fields: &[(String, Value)]) -> Result<String, String> {
    let mut text = String::new();
    for (index, (key, value)) in fields.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        quote(&plain(&Value::Text(key.clone()))?, '\\', &mut text);
        text.push_str("=>");
        match value {
            Value::Null => text.push_str("NULL"),
            value => {
                let plain = plain(value).map_err(|message| format!("key {key:?}: {message}"))?;
                quote(&plain, '\\', &mut text);
            }
        }
    }
    Ok(text)
}
