//! Numbers for numeric types: exact, or refused.

use std::{fmt::Display, str::FromStr};

use toolbox_source::Value;

/// An integer in the range of its type.
pub(super) fn integer<T: TryFrom<i128> + Display>(value: &Value, name: &str) -> Result<T, String> {
    let whole = match value {
        Value::Int(integer) => Some(i128::from(*integer)),
        Value::UInt(integer) => Some(i128::from(*integer)),
        Value::Float(float) => whole(&digits(*float)),
        Value::Decimal(text) | Value::Text(text) | Value::Json(text) => whole(text.trim()),
        _ => None,
    };
    let Some(whole) = whole else {
        return Err(match value {
            Value::Float(_) | Value::Decimal(_) => {
                format!("the statement takes a whole number ({name}) here, and this one has a fraction")
            }
            _ => format!(
                "the statement takes a whole number ({name}) here, and the value is of kind {}",
                value.kind()
            ),
        });
    };
    T::try_from(whole).map_err(|_| format!("{whole} is beyond the range of {name}"))
}

/// The integer that a text spells, with a fraction of zeros at most.
fn whole(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.bytes().all(|digit| digit == b'0') { whole.parse().ok() } else { None }
}

pub(super) fn double(value: &Value) -> Result<f64, String> {
    match value {
        Value::Float(float) => Ok(*float),
        _ => float(value, "double precision"),
    }
}

pub(super) fn single(value: &Value) -> Result<f32, String> {
    float(value, "real")
}

/// The nearest number of a type. As for the server, one beyond its range is no infinity, and one that is too small is no zero.
fn float<T: FromStr + Copy>(value: &Value, name: &str) -> Result<T, String>
where
    f64: From<T>,
{
    let text = match value {
        Value::Int(integer) => integer.to_string(),
        Value::UInt(integer) => integer.to_string(),
        Value::Float(float) => digits(*float),
        Value::Decimal(text) | Value::Text(text) | Value::Json(text) => text.trim().to_owned(),
        _ => {
            return Err(format!(
                "the statement takes a number here, and the value is of kind {}",
                value.kind()
            ));
        }
    };
    let number: T =
        text.parse().map_err(|_| "the statement takes a number here, and the text is none".to_owned())?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let is = |digits: std::ops::RangeInclusive<u8>| mantissa.bytes().any(|byte| digits.contains(&byte));
    let double = f64::from(number);
    if (double.is_infinite() && is(b'0'..=b'9')) || (double == 0.0 && is(b'1'..=b'9')) {
        return Err(format!("the number is beyond the range of {name}"));
    }
    Ok(number)
}

/// The shortest digits that give the same double, without an exponent.
pub(super) fn digits(float: f64) -> String {
    if float.is_nan() {
        "NaN".to_owned()
    } else if float.is_infinite() {
        if float > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else {
        float.to_string()
    }
}

/// Most digits before the point of a numeric, and most after it (<https://www.postgresql.org/docs/current/datatype-numeric.html>).
const WHOLE: usize = 131_072;
const SCALE: usize = 16_383;

/// The binary form of a numeric, with the scale that the digits show.
pub(super) fn numeric(value: &Value) -> Result<Vec<u8>, String> {
    let text = match value {
        Value::Int(integer) => integer.to_string(),
        Value::UInt(integer) => integer.to_string(),
        Value::Float(float) => digits(*float),
        Value::Decimal(text) | Value::Text(text) | Value::Json(text) => text.trim().to_owned(),
        _ => {
            return Err(format!(
                "the statement takes a number here, and the value is of kind {}",
                value.kind()
            ));
        }
    };
    let special = match text.to_ascii_lowercase().as_str() {
        "nan" => Some(0xC000),
        "infinity" | "inf" | "+infinity" | "+inf" => Some(0xD000),
        "-infinity" | "-inf" => Some(0xF000),
        _ => None,
    };
    if let Some(sign) = special {
        return Ok(header(0, 0, sign, 0));
    }
    let none = || "the statement takes a number here, and the text is none".to_owned();
    let decimal = Digits::read(&text).ok_or_else(none)?;
    decimal.binary().ok_or_else(|| "the number has more digits than numeric takes".to_owned())
}

fn header(groups: u16, weight: i16, sign: u16, scale: u16) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + usize::from(groups) * 2);
    bytes.extend(groups.to_be_bytes());
    bytes.extend(weight.to_be_bytes());
    bytes.extend(sign.to_be_bytes());
    bytes.extend(scale.to_be_bytes());
    bytes
}

/// The digits of a number before and after its point.
struct Digits {
    negative: bool,
    whole: String,
    fraction: String,
}

impl Digits {
    /// Reads `-12.50`, `.5`, `1e-7`.
    fn read(text: &str) -> Option<Self> {
        let (negative, magnitude) = match text.strip_prefix('-') {
            Some(magnitude) => (true, magnitude),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (magnitude, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty()) || !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        let shift = usize::try_from(exponent.unsigned_abs()).ok().filter(|shift| *shift <= WHOLE + SCALE)?;
        let (mut whole, mut fraction) = (whole.to_owned(), fraction.to_owned());
        if exponent >= 0 {
            let moved = shift.min(fraction.len());
            let rest = fraction.split_off(moved);
            whole.push_str(&fraction);
            whole.push_str(&"0".repeat(shift - moved));
            fraction = rest;
        } else {
            let padded = format!("{}{whole}", "0".repeat(shift.saturating_sub(whole.len())));
            let (left, moved) = padded.split_at_checked(padded.len() - shift)?;
            fraction.insert_str(0, moved);
            left.clone_into(&mut whole);
        }
        Some(Self { negative, whole, fraction })
    }

    fn binary(&self) -> Option<Vec<u8>> {
        let whole = self.whole.trim_start_matches('0');
        if whole.len() > WHOLE || self.fraction.len() > SCALE {
            return None;
        }
        let scale = u16::try_from(self.fraction.len()).ok()?;
        let padding = |length: usize| "0".repeat(length.next_multiple_of(4) - length);
        let digits =
            format!("{}{whole}{}{}", padding(whole.len()), self.fraction, padding(self.fraction.len()));
        let mut groups = Vec::with_capacity(digits.len() / 4);
        for group in digits.as_bytes().chunks_exact(4) {
            groups.push(group.iter().fold(0_u16, |sum, digit| sum * 10 + u16::from(digit - b'0')));
        }
        let mut weight = i16::try_from(whole.len().div_ceil(4)).ok()? - 1;
        let leading = groups.iter().take_while(|group| **group == 0).count();
        weight -= i16::try_from(leading).ok()?;
        let trailing = groups.iter().rev().take_while(|group| **group == 0).count();
        let end = groups.len() - trailing;
        let significant = groups.get(leading..end).unwrap_or_default();
        if significant.is_empty() {
            return Some(header(0, 0, 0, scale));
        }
        let sign = if self.negative { 0x4000 } else { 0 };
        let mut bytes = header(u16::try_from(significant.len()).ok()?, weight, sign, scale);
        bytes.extend(significant.iter().flat_map(|group| group.to_be_bytes()));
        Some(bytes)
    }
}
