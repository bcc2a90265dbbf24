//! `allowedValues`, `excludedValues`, `minValue`, `maxValue`.
//!
//! A text entry is an anchored regular expression that also matches itself literally, so that `C++` and `a.b` mean what
//! they say; a number compares as a number. Numbers are compared by their digits, never through a double.

use std::cmp::Ordering;

use regex::Regex;
use serde_json::{Number, Value as Json};
use toolbox_source::Value;

use super::{CheckedKind, ParameterFault, bind::shown};

/// Largest exponent that is written out; a double ends below 309, and nothing longer is a number anyone means.
const MOST_ZEROS: usize = 400;

/// The characters that make a text entry more than a word.
const METACHARACTERS: &str = r"\.+*?()|[]{}^$";

/// The checked rules of one parameter.
#[derive(Debug, Default)]
pub(super) struct Rules {
    allowed: Vec<Entry>,
    excluded: Vec<Entry>,
    pub(super) min: Option<Number>,
    pub(super) max: Option<Number>,
}

/// One entry of a list of values.
#[derive(Debug)]
struct Entry {
    written: Json,
    pattern: Option<Regex>,
}

impl Rules {
    pub(super) fn check(
        kind: &CheckedKind,
        allowed: &[Json],
        excluded: &[Json],
        min: Option<Number>,
        max: Option<Number>,
    ) -> Result<Self, Vec<ParameterFault>> {
        let mut faults = Vec::new();
        let mut entries = |field, written: &[Json]| {
            let mut checked = Vec::with_capacity(written.len());
            for (index, entry) in written.iter().enumerate() {
                match Entry::check(kind, entry) {
                    Ok(entry) => checked.push(entry),
                    Err(message) => faults
                        .push(ParameterFault { element: Some(index), ..ParameterFault::new(field, message) }),
                }
            }
            checked
        };
        let allowed = entries("allowedValues", allowed);
        let excluded = entries("excludedValues", excluded);
        for (field, bound) in [("minValue", &min), ("maxValue", &max)] {
            let Some(bound) = bound else { continue };
            if !matches!(kind, CheckedKind::Integer | CheckedKind::Float) {
                let message = format!("{field} belongs to integer and float parameters; remove it");
                faults.push(ParameterFault::new(field, message));
            } else if plain(bound.as_str()).is_none() {
                faults.push(ParameterFault::new(field, format!("{field} is out of range")));
            }
        }
        if let (Some(low), Some(high)) = (&min, &max)
            && compare(low.as_str(), high.as_str()) == Some(Ordering::Greater)
        {
            let message = format!("minValue {low} is above maxValue {high}, so no value would do");
            faults.push(ParameterFault::new("minValue", message));
        }
        if faults.is_empty() { Ok(Self { allowed, excluded, min, max }) } else { Err(faults) }
    }

    /// Whether a value passes.
    ///
    /// # Errors
    ///
    /// Which rule it breaks, as the end of a sentence.
    pub(super) fn allow(&self, argument: &Json, value: &Value) -> Result<(), String> {
        if !self.allowed.is_empty() && !self.allowed.iter().any(|entry| entry.matches(argument, value)) {
            let allowed: Vec<String> = self.allowed.iter().map(|entry| entry.written.to_string()).collect();
            return Err(format!("is not an allowed value; allowed are {}", allowed.join(", ")));
        }
        if self.excluded.iter().any(|entry| entry.matches(argument, value)) {
            return Err(format!("is an excluded value ({})", shown(argument)));
        }
        let Some(number) = number_text(value) else { return Ok(()) };
        if let Some(min) = &self.min
            && compare(&number, min.as_str()) == Some(Ordering::Less)
        {
            return Err(format!("is under the minimum value {min}"));
        }
        if let Some(max) = &self.max
            && compare(&number, max.as_str()) == Some(Ordering::Greater)
        {
            return Err(format!("is above the maximum value {max}"));
        }
        Ok(())
    }

    /// The allowed values as JSON values of the parameter's own type, if every entry is one value and no pattern.
    pub(super) fn choices(&self, kind: &CheckedKind) -> Option<Vec<Json>> {
        let choice = |entry: &Entry| match (&entry.written, kind) {
            (Json::String(text), _) if text.contains(|c| METACHARACTERS.contains(c)) => None,
            (Json::String(text), CheckedKind::Integer | CheckedKind::Float) => {
                text.parse::<Number>().ok().map(Json::Number)
            }
            (Json::String(text), CheckedKind::Boolean) => text.parse().ok().map(Json::Bool),
            (Json::Number(number), CheckedKind::String) => Some(Json::String(number.to_string())),
            (Json::Bool(value), CheckedKind::String) => Some(Json::String(value.to_string())),
            (written, _) => Some(written.clone()),
        };
        if self.allowed.is_empty() {
            return None;
        }
        self.allowed.iter().map(choice).collect()
    }
}

impl Entry {
    fn check(kind: &CheckedKind, written: &Json) -> Result<Self, String> {
        let fits = match kind {
            CheckedKind::String => matches!(written, Json::String(_) | Json::Number(_) | Json::Bool(_)),
            CheckedKind::Integer | CheckedKind::Float => matches!(written, Json::String(_) | Json::Number(_)),
            CheckedKind::Boolean => matches!(written, Json::String(_) | Json::Bool(_)),
            CheckedKind::Array(_) => written.is_array(),
            CheckedKind::Map(_) => written.is_object(),
        };
        if !fits {
            let advice = match kind {
                CheckedKind::Array(_) => {
                    "an entry is compared with the whole array; for rules on its elements write them under items"
                }
                CheckedKind::Map(_) => "an entry is compared with the whole object",
                _ => "it can never equal a value of this type",
            };
            return Err(format!(
                "{} does not fit the parameter, which takes {}: {advice}",
                shown(written),
                kind.noun()
            ));
        }
        let pattern = match written {
            Json::String(text) => Regex::new(&format!("^(?:{text})$")).ok(),
            _ => None,
        };
        Ok(Self { written: written.clone(), pattern })
    }

    fn matches(&self, argument: &Json, value: &Value) -> bool {
        match &self.written {
            Json::String(entry) => {
                let Some(text) = printed(value) else { return false };
                text == *entry || self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(&text))
            }
            Json::Number(entry) => match number_text(value) {
                Some(number) => compare(&number, entry.as_str()) == Some(Ordering::Equal),
                None => printed(value).is_some_and(|text| text == entry.as_str()),
            },
            Json::Bool(entry) => printed(value).is_some_and(|text| text == entry.to_string()),
            entry => entry == argument,
        }
    }
}

/// A scalar value as a text entry sees it.
fn printed(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        number => number_text(number),
    }
}

fn number_text(value: &Value) -> Option<String> {
    match value {
        Value::Int(value) => Some(value.to_string()),
        Value::UInt(value) => Some(value.to_string()),
        Value::Float(value) => Some(format!("{value}")),
        Value::Decimal(digits) => Some(digits.clone()),
        _ => None,
    }
}

/// A JSON number without an exponent, without zeros that say nothing: `1.50e1` → `15`, `-0.0` → `0`. `None` when it is not
/// a number or its exponent is absurd.
pub(super) fn plain(number: &str) -> Option<String> {
    let digits = expanded(number)?;
    let text = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits.as_str()
    };
    Some(if text == "-0" { "0".to_owned() } else { text.to_owned() })
}

/// A JSON number without an exponent and without zeros before it, with all digits behind its point: `1.50e1` → `15.0`. `None`
/// when it is not a number or its exponent is absurd.
pub(super) fn expanded(number: &str) -> Option<String> {
    let (sign, unsigned) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number.strip_prefix('+').unwrap_or(number)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
    let length = i64::try_from(digits.len()).ok()?;
    let is_zero = digits.bytes().all(|digit| digit == b'0');
    if usize::try_from(point.abs()).ok()? > digits.len() + MOST_ZEROS {
        return is_zero.then(|| format!("{sign}0"));
    }
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    let text = if point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else if point >= length {
        format!("{digits}{}", zeros(point - length))
    } else {
        let (whole, fraction) = digits.split_at_checked(usize::try_from(point).ok()?)?;
        format!("{whole}.{fraction}")
    };
    let text = text.trim_start_matches('0');
    let lead = if text.is_empty() || text.starts_with('.') { "0" } else { "" };
    Some(format!("{sign}{lead}{text}"))
}

/// Compares two JSON numbers by their digits.
fn compare(a: &str, b: &str) -> Option<Ordering> {
    let (a, b) = (plain(a)?, plain(b)?);
    let order = match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (Some(a), Some(b)) => magnitude(b, a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => magnitude(&a, &b),
    };
    Some(order)
}

/// Compares two unsigned plain numbers.
fn magnitude(a: &str, b: &str) -> Ordering {
    let split = |number: &str| match number.split_once('.') {
        Some((whole, fraction)) => (whole.to_owned(), fraction.to_owned()),
        None => (number.to_owned(), String::new()),
    };
    let ((a_whole, a_fraction), (b_whole, b_fraction)) = (split(a), split(b));
    // Without zeros in front, the longer whole part is the larger one; fractions without zeros at the end compare as text.
    a_whole
        .len()
        .cmp(&b_whole.len())
        .then_with(|| a_whole.cmp(&b_whole))
        .then_with(|| a_fraction.cmp(&b_fraction))
}
