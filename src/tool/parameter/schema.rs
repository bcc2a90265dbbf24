//! The JSON schema of a parameter, in the subset that every client reads: a plain `type`, no `$schema`, no `anyOf`.

use serde_json::{Map, Value as Json, json};

use super::{CheckedKind, MapValue, Parameter};

pub(super) fn of(parameter: &Parameter) -> Map<String, Json> {
    let mut schema = Map::new();
    let kind = match &parameter.kind {
        CheckedKind::String => "string",
        CheckedKind::Integer => "integer",
        CheckedKind::Float => "number",
        CheckedKind::Boolean => "boolean",
        CheckedKind::Array(_) => "array",
        CheckedKind::Map(_) => "object",
    };
    schema.insert("type".to_owned(), kind.into());
    schema.insert("description".to_owned(), parameter.description.clone().into());
    match &parameter.kind {
        CheckedKind::Array(items) => {
            schema.insert("items".to_owned(), of(items).into());
        }
        CheckedKind::Map(value_type) => {
            let values = match value_type {
                None => json!(true),
                Some(MapValue::String) => json!({"type": "string"}),
                Some(MapValue::Integer) => json!({"type": "integer"}),
                Some(MapValue::Float) => json!({"type": "number"}),
                Some(MapValue::Boolean) => json!({"type": "boolean"}),
            };
            schema.insert("additionalProperties".to_owned(), values);
        }
        _ => {}
    }
    if let Some(choices) = parameter.rules.choices(&parameter.kind) {
        schema.insert("enum".to_owned(), choices.into());
    }
    if let Some(min) = &parameter.rules.min {
        schema.insert("minimum".to_owned(), Json::Number(min.clone()));
    }
    if let Some(max) = &parameter.rules.max {
        schema.insert("maximum".to_owned(), Json::Number(max.clone()));
    }
    if let Some(default) = &parameter.default {
        schema.insert("default".to_owned(), default.clone());
    }
    schema
}
