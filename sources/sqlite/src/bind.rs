//! Values to arguments. `SQLite` compares and stores by the type that is bound, so each value is bound as the type that
//! keeps it exactly, or refused.

use sqlx::{Arguments as _, sqlite::SqliteArguments};
use toolbox_source::{SourceError, Value, json};

use crate::plan;

/// The arguments of a statement, in order, and the types in which they are bound.
pub(crate) fn arguments(
    values: &[Value],
    statement: &str,
) -> Result<(SqliteArguments, Vec<Class>), SourceError> {
    let mut arguments = SqliteArguments::default();
    let mut classes = Vec::with_capacity(values.len());
    // Asked for at most once, for a number that no type of SQLite holds.
    let mut numeric = None;
    for (index, value) in values.iter().enumerate() {
        let mut bound = bind(value).map_err(|message| SourceError::Argument { index, message })?;
        if let (Value::Decimal(digits), Bound::Text(_)) = (value, &bound)
            && numeric.get_or_insert_with(|| plan::numeric(statement)).contains(&index)
            && let Ok(real) = digits.parse::<f64>()
        {
            bound = Bound::Real(real);
        }
        classes.push(bound.class());
        match bound {
            Bound::Null => arguments.add(None::<i64>),
            Bound::Integer(integer) => arguments.add(integer),
            Bound::Real(real) => arguments.add(real),
            Bound::Text(text) => arguments.add(text),
            Bound::Blob(bytes) => arguments.add(bytes),
        }
        .map_err(|error| SourceError::Argument { index, message: error.to_string() })?;
    }
    Ok((arguments, classes))
}

/// The name of one of these types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Null,
    Integer,
    Real,
    Text,
    Blob,
}

/// One of the five types of `SQLite`.
#[derive(Clone, Debug, PartialEq)]
enum Bound {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl Bound {
    fn class(&self) -> Class {
        match self {
            Self::Null => Class::Null,
            Self::Integer(_) => Class::Integer,
            Self::Real(_) => Class::Real,
            Self::Text(_) => Class::Text,
            Self::Blob(_) => Class::Blob,
        }
    }
}

fn bind(value: &Value) -> Result<Bound, String> {
    Ok(match value {
        Value::Null => Bound::Null,
        Value::Bool(truth) => Bound::Integer(i64::from(*truth)),
        Value::Int(integer) => Bound::Integer(*integer),
        Value::UInt(integer) => Bound::Integer(i64::try_from(*integer).map_err(|_| {
            format!("{integer} is beyond {}, the largest integer of SQLite; pass it as text", i64::MAX)
        })?),
        Value::Float(real) if real.is_nan() => {
            return Err("SQLite has no NaN and would store null; pass null or the text NaN".to_owned());
        }
        Value::Float(real) => Bound::Real(*real),
        Value::Decimal(digits) => decimal(digits),
        Value::Text(text) | Value::Json(text) => Bound::Text(text.clone()),
        Value::Bytes(bytes) => Bound::Blob(bytes.clone()),
        Value::Array(_) | Value::Object(_) => Bound::Text(json::of_value(value)?),
    })
}

/// An integer where the digits are one, a real where a double holds just these digits, an integer beside zeros behind a point,
/// else text with all of the digits.
fn decimal(digits: &str) -> Bound {
    let normal = normal(digits);
    let integer = normal.parse().map(Bound::Integer);
    match (integer, digits.parse::<f64>()) {
        (Ok(integer), _) if !digits.contains('.') => integer,
        (_, Ok(real)) if real.is_finite() && spells(real, &normal) => Bound::Real(real),
        (Ok(integer), _) => integer,
        _ => Bound::Text(digits.to_owned()),
    }
}

/// Whether these are the digits of a double: the shortest ones that read back to it, or all that it has.
fn spells(real: f64, digits: &str) -> bool {
    /// No double has more digits behind the point.
    const MOST: usize = 1074;
    // Neither form has an exponent.
    normal(&real.to_string()) == digits || digits.len() > 17 && normal(&format!("{real:.MOST$}")) == digits
}

/// The number without zeros that mean nothing: `-0.50` is `-0.5`, `7.00` is `7`, `-0` is `0`.
fn normal(digits: &str) -> String {
    let (sign, magnitude) = digits.strip_prefix('-').map_or(("", digits), |magnitude| ("-", magnitude));
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.trim_end_matches('0');
    match (whole, fraction) {
        ("0", "") => "0".to_owned(),
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}
