//! Scalars of TOON: what can be said, and how.

use std::ops::Range;

use toolbox_source::Value;

use super::text;
use crate::seam::{
    float,
    number::{self, Form},
    sink::Sink as _,
};

/// Whether a value has a form of its own in a cell that stands for the same as its JSON.
///
/// Numbers have no exponent and no needless zeros (section 2), so decimals go bare only when their digits are those of an integer
/// of 64 bits or of a double.
pub(super) fn admits(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Text(_) => true,
        Value::Float(value) => {
            let is_zero_with_sign = *value == 0.0 && value.is_sign_negative();
            value.is_finite() && !is_zero_with_sign && has_its_own_digits(*value)
        }
        Value::Decimal(digits) => match number::form(digits) {
            Some(Form::Integer | Form::Fraction) if digits != "-0" => is_canonical(digits),
            _ => false,
        },
        Value::Json(_) | Value::Bytes(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Whether a whole double is written with the digits that it has. A reader would take others for an integer of 64 bits that has
/// them.
fn has_its_own_digits(value: f64) -> bool {
    /// From −2^63 to 2^64.
    const INTEGERS: Range<f64> = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;
    const ALL_EXACT_BELOW: f64 = 9_007_199_254_740_992.0;
    !INTEGERS.contains(&value) || value.abs() < ALL_EXACT_BELOW || spelled(value) == format!("{value:.0}")
}

fn is_canonical(digits: &str) -> bool {
    let is_integer = digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok();
    is_integer || digits.parse().is_ok_and(|double: f64| double.is_finite() && spelled(double) == digits)
}

/// The digits of a double.
pub(super) fn spelled(value: f64) -> String {
    let mut digits = String::new();
    float::write(&mut digits, value, float::TOON_PLAIN);
    digits
}

/// Writes a cell; none when the value is nested, or no number of TOON.
pub(super) fn write(out: &mut String, cell: &Value) -> Option<()> {
    match cell {
        Value::Null => out.put("null"),
        Value::Bool(true) => out.put("true"),
        Value::Bool(false) => out.put("false"),
        Value::Int(value) => out.put_int(*value),
        Value::UInt(value) => out.put_uint(*value),
        Value::Float(value) if value.is_finite() => float::write(out, *value, float::TOON_PLAIN),
        Value::Decimal(digits) => out.put(digits),
        Value::Text(text) => text::write(out, text),
        Value::Float(_) | Value::Json(_) | Value::Bytes(_) | Value::Array(_) | Value::Object(_) => {
            return None;
        }
    }
    Some(())
}
