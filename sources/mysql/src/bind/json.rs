//! The JSON text of a list or a map, which is what the JSON functions and columns of the servers read.

use toolbox_source::Value;

pub(super) fn text(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(integer) => integer.to_string(),
        Value::UInt(integer) => integer.to_string(),
        Value::Float(float) => serde_json::Number::from_f64(*float)
            .ok_or_else(|| format!("{float} has no form in JSON; pass it as text"))?
            .to_string(),
        Value::Decimal(number) | Value::Json(number) => number.clone(),
        Value::Text(plain) => quoted(plain)?,
        Value::Bytes(_) => {
            return Err("bytes inside a list or a map have no form in JSON; pass base64 text".to_owned());
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(text).collect::<Result<_, _>>()?;
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            let field = |(name, value): &(String, Value)| Ok(format!("{}:{}", quoted(name)?, text(value)?));
            let fields: Vec<String> = fields.iter().map(field).collect::<Result<_, String>>()?;
            format!("{{{}}}", fields.join(","))
        }
    })
}

fn quoted(plain: &str) -> Result<String, String> {
    serde_json::to_string(plain).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use toolbox_source::Value;

    use super::text;

    #[test]
    fn lists_and_maps_keep_order_digits_and_quotes() {
        let value = Value::Object(vec![
            ("z".to_owned(), Value::Array(vec![Value::Int(i64::MAX), Value::Null, Value::Bool(true)])),
            ("a\"".to_owned(), Value::Text("line\n".to_owned())),
            ("d".to_owned(), Value::Decimal("1.10".to_owned())),
        ]);
        let expected = r#"{"z":[9223372036854775807,null,true],"a\"":"line\n","d":1.10}"#;
        assert_eq!(text(&value).as_deref(), Ok(expected));
        assert!(text(&Value::Array(vec![Value::Bytes(vec![1])])).is_err());
        assert!(text(&Value::Array(vec![Value::Float(f64::NAN)])).is_err());
    }
}
