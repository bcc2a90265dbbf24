//! Values as JSON text for `json` and `jsonb`.

use toolbox_source::Value;

/// A text is taken as JSON text already: the server reads it. Everything else is written as JSON.
pub(super) fn text(value: &Value) -> Result<String, String> {
    if let Value::Text(text) = value {
        return Ok(text.clone());
    }
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text)
}

fn write(value: &Value, text: &mut String) -> Result<(), String> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Value::Int(integer) => text.push_str(&integer.to_string()),
        Value::UInt(integer) => text.push_str(&integer.to_string()),
        Value::Float(float) if float.is_finite() => text.push_str(&float.to_string()),
        Value::Float(float) => return Err(format!("{float} has no form in JSON; pass it as text")),
        Value::Decimal(number) | Value::Json(number) => text.push_str(number),
        Value::Text(plain) => quote(plain, text)?,
        Value::Bytes(_) => return Err("bytes have no form in JSON; pass base64 text".to_owned()),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text)?;
            }
            text.push(']');
        }
        Value::Object(fields) => {
            text.push('{');
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                quote(name, text)?;
                text.push(':');
                write(field, text)?;
            }
            text.push('}');
        }
    }
    Ok(())
}

fn quote(plain: &str, text: &mut String) -> Result<(), String> {
    text.push_str(&serde_json::to_string(plain).map_err(|error| error.to_string())?);
    Ok(())
}
