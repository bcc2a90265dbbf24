//! From a JSON argument to a value.

use serde_json::{Map, Number, Value as Json};
use toolbox_source::Value;

use super::{CheckedKind, MapValue, Parameter, rule};

/// Most characters of an argument that a message repeats.
const SHOWN: usize = 40;

impl Parameter {
    /// The value of a given argument, after every rule of the parameter.
    ///
    /// # Errors
    ///
    /// What is wrong, as the end of a sentence.
    pub(super) fn value(&self, argument: &Json) -> Result<Value, String> {
        let value = match &self.kind {
            CheckedKind::String => match argument {
                Json::String(text) => Value::Text(text.clone()),
                other => return Err(self.mismatch(other)),
            },
            CheckedKind::Integer => integer(argument).ok_or_else(|| self.mismatch(argument))?,
            CheckedKind::Float => float(argument).ok_or_else(|| self.mismatch(argument))?,
            CheckedKind::Boolean => boolean(argument).ok_or_else(|| self.mismatch(argument))?,
            CheckedKind::Array(items) => match argument {
                Json::Array(elements) => Value::Array(list(items, elements)?),
                other => return Err(self.mismatch(other)),
            },
            CheckedKind::Map(value_type) => match argument {
                Json::Object(fields) => Value::Json(map(*value_type, fields)?),
                other => return Err(self.mismatch(other)),
            },
        };
        self.rules.allow(argument, &value)?;
        Ok(value)
    }

    fn mismatch(&self, argument: &Json) -> String {
        format!("must be {}, not {}", self.kind.noun(), shown(argument))
    }
}

/// An argument in a message: its kind, and its text where that is short and tells something.
pub(super) fn shown(argument: &Json) -> String {
    match argument {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => cut(number.as_str()),
        Json::String(text) => format!("the string {}", Json::String(cut(text))),
        Json::Array(_) => "an array".to_owned(),
        Json::Object(_) => "an object".to_owned(),
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN).chain(['…']).collect()
}

/// An integer, from a number without a fraction or from the decimal text of an integer.
fn integer(argument: &Json) -> Option<Value> {
    let digits = match argument {
        Json::Number(number) => whole(number.as_str())?,
        Json::String(text) if is_integer_text(text) => text.clone(),
        _ => return None,
    };
    if let Ok(value) = digits.parse::<i64>() {
        return Some(Value::Int(value));
    }
    digits.parse::<u64>().ok().map(Value::UInt)
}

/// An optional minus and digits: what clients send that round large numbers on the way out.
fn is_integer_text(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digits of a JSON number that has no fraction by value (`5`, `5.0`, `1e2`), as an integer's.
fn whole(number: &str) -> Option<String> {
    if is_integer_text(number) {
        return Some(number.to_owned());
    }
    let plain = rule::plain(number)?;
    match plain.split_once('.') {
        None => Some(plain),
        Some(_) => None,
    }
}

/// A number: a double when a double is written with exactly these digits, else a decimal with all of them, zeros at its end
/// included: `1.10`. One zero behind the point is how many programs write a whole double.
fn float(argument: &Json) -> Option<Value> {
    let text = match argument {
        Json::Number(number) => number.as_str(),
        Json::String(text) => text.parse::<Number>().ok().map(|_| text.as_str())?,
        _ => return None,
    };
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
    let digits = rule::expanded(text)?;
    // `{}` writes the shortest digits that give the same double, without an exponent.
    let shortest = format!("{value}");
    let is_double = digits.strip_prefix(shortest.as_str()).is_some_and(|rest| matches!(rest, "" | ".0"));
    Some(if is_double { Value::Float(value) } else { Value::Decimal(digits) })
}

fn boolean(argument: &Json) -> Option<Value> {
    match argument {
        Json::Bool(value) => Some(Value::Bool(*value)),
        Json::String(text) if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        Json::String(text) if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        _ => None,
    }
}

fn list(items: &Parameter, elements: &[Json]) -> Result<Vec<Value>, String> {
    let bind = |(index, element): (usize, &Json)| match element {
        Json::Null => Ok(Value::Null),
        element => items.value(element).map_err(|message| format!("element {} {message}", index + 1)),
    };
    elements.iter().enumerate().map(bind).collect()
}

/// A map as JSON text, keys in the caller's order, number text untouched.
fn map(value_type: Option<MapValue>, fields: &Map<String, Json>) -> Result<String, String> {
    let Some(value_type) = value_type else {
        return Ok(json_text(fields));
    };
    let mut checked = Map::new();
    for (key, value) in fields {
        let converted = match (value_type, value) {
            (_, Json::Null) => Some(Json::Null),
            (MapValue::String, Json::String(_)) => Some(value.clone()),
            (MapValue::Integer, value) => integer(value).and_then(|value| number(&value)),
            (MapValue::Float, value) => float(value).and_then(|value| number(&value)),
            (MapValue::Boolean, value) => match boolean(value) {
                Some(Value::Bool(value)) => Some(Json::Bool(value)),
                _ => None,
            },
            (MapValue::String, _) => None,
        };
        let noun = match value_type {
            MapValue::String => "a string",
            MapValue::Integer => "an integer",
            MapValue::Float => "a number",
            MapValue::Boolean => "true or false",
        };
        let converted =
            converted.ok_or_else(|| format!("key {key:?} must be {noun}, not {}", shown(value)))?;
        checked.insert(key.clone(), converted);
    }
    Ok(json_text(&checked))
}

/// The JSON number of a bound integer or float, with its own digits.
fn number(value: &Value) -> Option<Json> {
    let digits = match value {
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Float(value) => format!("{value}"),
        Value::Decimal(digits) => digits.clone(),
        _ => return None,
    };
    digits.parse::<Number>().ok().map(Json::Number)
}

fn json_text(fields: &Map<String, Json>) -> String {
    // A map of JSON values always has a JSON text.
    serde_json::to_string(fields).unwrap_or_default()
}
