//! Values to arguments. The server converts an argument to what the statement wants; so each value goes out as the type that
//! holds it exactly, or is refused.

mod json;

use sqlx::{Arguments as _, mysql::MySqlArguments};
use toolbox_source::{SourceError, Value};

/// The arguments of a statement, in order.
pub(crate) fn arguments(values: &[Value]) -> Result<MySqlArguments, SourceError> {
    let mut arguments = MySqlArguments::default();
    for (index, value) in values.iter().enumerate() {
        bind(&mut arguments, value).map_err(|message| SourceError::Argument { index, message })?;
    }
    Ok(arguments)
}

fn bind(arguments: &mut MySqlArguments, value: &Value) -> Result<(), String> {
    let added = match value {
        // As text, because an integer could change the type of the expression around it.
        Value::Null => arguments.add(None::<String>),
        Value::Bool(truth) => arguments.add(i64::from(*truth)),
        Value::Int(integer) => arguments.add(*integer),
        Value::UInt(integer) => arguments.add(*integer),
        Value::Float(float) if !float.is_finite() => {
            return Err(format!("MySQL has no {float}; pass null or a text"));
        }
        Value::Float(float) => arguments.add(*float),
        // The server reads a text in a number's place as one, with all its digits where the column is a decimal.
        Value::Decimal(text) | Value::Text(text) | Value::Json(text) => arguments.add(text.as_str()),
        Value::Bytes(bytes) => arguments.add(bytes.as_slice()),
        Value::Array(_) | Value::Object(_) => arguments.add(json::text(value)?),
    };
    added.map_err(|error| error.to_string())
}
