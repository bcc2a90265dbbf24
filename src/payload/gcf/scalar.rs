//! One scalar of GCF.

use toolbox_source::Value;

use crate::seam;

/// Reads a scalar; none for the signs of nested and of absent values.
pub(super) fn read(token: &str) -> Result<Option<Value>, String> {
    Ok(Some(match token {
        "-" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "~" => return Ok(None),
        "" => return Err("empty, expected a value; null is -".to_owned()),
        _ if token.starts_with('^') => return Ok(None),
        _ if token.starts_with('"') => Value::Text(quoted(token)?),
        _ => match seam::number(token) {
            None => Value::Text(token.to_owned()),
            Some(value @ (Value::Int(_) | Value::Float(_))) => value,
            Some(_) => number(token)?,
        },
    }))
}

/// Reads a text between quotes.
pub(super) fn quoted(token: &str) -> Result<String, String> {
    serde_json::from_str(token).map_err(|_| format!("{token}, which is no text between quotes"))
}

/// A number that is no 64-bit integer, and is not spelled as JSON spells a double.
fn number(token: &str) -> Result<Value, String> {
    match token.parse::<f64>() {
        Ok(double) if double.is_finite() && token.contains(['.', 'e', 'E']) => {
            let same = token.to_ascii_lowercase().replace("e+", "e") == format!("{double:e}");
            Ok(if same { Value::Float(double) } else { Value::Decimal(token.to_owned()) })
        }
        _ => Err(format!("{token}, which is neither an integer of 64 bits nor a finite double")),
    }
}
