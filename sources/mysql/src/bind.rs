//! Values to arguments. The server converts an argument to what the statement wants; so each value goes out as the type that
//! holds it exactly, or is refused.

mod wire;

use std::{borrow::Cow, cell::OnceCell};

use sqlx::mysql::{MySqlArguments, MySqlTypeInfo};
use toolbox_source::{SourceError, Value, json};

use crate::plan::{Place, divides, limits, places};

/// One value in the form in which it is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    /// Digits that `DECIMAL` holds exactly.
    Decimal(String),
    Text(String),
    Bytes(Vec<u8>),
}

/// Most digits of a `DECIMAL`, and most of them behind the point
/// (<https://dev.mysql.com/doc/refman/9.4/en/precision-math-decimal-characteristics.html>; `MariaDB` allows more of the latter).
const DECIMAL_DIGITS: usize = 65;
const DECIMAL_SCALE: usize = 30;

impl Argument {
    /// About how many bytes it takes in a packet.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Int(_) | Self::UInt(_) | Self::Float(_) => 8,
            Self::Decimal(text) | Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// It as the server would write it, if that is certain.
    pub(crate) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Bool(truth) => Some(Cow::Borrowed(if *truth { "1" } else { "0" })),
            Self::Int(integer) => Some(Cow::Owned(integer.to_string())),
            Self::UInt(integer) => Some(Cow::Owned(integer.to_string())),
            Self::Decimal(text) | Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Null | Self::Float(_) | Self::Bytes(_) => None,
        }
    }

    /// Whether it is a number, or the text of one, that no integer is equal to.
    pub(crate) fn has_fraction(&self) -> bool {
        match self {
            Self::Float(number) => number.fract() != 0.0,
            Self::Decimal(text) | Self::Text(text) => has_fraction(text),
            _ => false,
        }
    }

    fn of(value: &Value, float: impl FnOnce(f64) -> Self) -> Result<Self, String> {
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Int(integer) => Self::Int(*integer),
            Value::UInt(integer) => i64::try_from(*integer).map_or(Self::UInt(*integer), Self::Int),
            Value::Float(number) if !number.is_finite() => {
                return Err(format!("MySQL has no {number}; pass null or a text"));
            }
            Value::Float(number) => float(*number),
            Value::Decimal(digits) => Self::of_digits(digits),
            Value::Text(text) | Value::Json(text) => Self::Text(text.clone()),
            Value::Bytes(bytes) => Self::Bytes(bytes.clone()),
            Value::Array(_) | Value::Object(_) => Self::Text(json::of_value(value)?),
        })
    }
}

impl Argument {
    fn of_digits(digits: &str) -> Self {
        // LIMIT takes no DECIMAL.
        if let Ok(integer) = digits.parse() {
            return Self::Int(integer);
        }
        // What DECIMAL does not hold goes out as text; the server refuses it where it wants a DECIMAL.
        let digits_kept = if fits(digits) { Self::Decimal } else { Self::Text };
        digits_kept(digits.to_owned())
    }
}

/// How the floats of a call are sent. As a literal, a number without an exponent is a `DECIMAL`, which is exact beside columns
/// that are so. Those that the servers write with an exponent stay doubles, whose text is the shorter one. A quotient of
/// decimals has four digits more than what is divided, so beside a division it is a double.
struct Floats {
    places: Vec<Place>,
    /// The places of the arguments of `LIMIT`, which takes integers only.
    limits: Vec<usize>,
    divides: bool,
}

impl Floats {
    fn of(statement: &str) -> Self {
        Self { places: places(statement), limits: limits(statement), divides: divides(statement) }
    }

    fn argument(&self, index: usize, number: f64) -> Argument {
        let digits = number.to_string();
        if self.limits.contains(&index)
            && let Ok(integer) = digits.parse()
        {
            return Argument::Int(integer);
        }
        let is_whole = self.places.get(index) == Some(&Place::Whole);
        let has_exponent = number.abs() >= 1e15 || number.abs() < 1e-4 && number != 0.0;
        let is_negative_zero = number == 0.0 && number.is_sign_negative();
        if (self.divides && !is_whole) || has_exponent || is_negative_zero {
            return Argument::Float(number);
        }
        Argument::Decimal(digits)
    }
}

/// Whether a `DECIMAL` holds all these digits.
fn fits(digits: &str) -> bool {
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let only_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    only_digits(whole)
        && only_digits(fraction)
        && !whole.is_empty()
        && fraction.len() <= DECIMAL_SCALE
        && whole.trim_start_matches('0').len() + fraction.len() <= DECIMAL_DIGITS
}

/// Whether a text is a number that no integer is equal to. The server takes such a text for a number, blanks around it too.
fn has_fraction(text: &str) -> bool {
    let text = text.trim();
    let number = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let Some(number) = text.parse::<f64>().ok().filter(|_| number) else { return false };
    match text.split_once('.') {
        // A double holds no fraction beside many digits.
        Some((_, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
            fraction.bytes().any(|digit| digit != b'0')
        }
        _ => number.fract() != 0.0,
    }
}

/// The arguments of a statement, in order.
pub(crate) fn arguments(statement: &str, values: &[Value]) -> Result<Vec<Argument>, SourceError> {
    let floats = OnceCell::new();
    let one = |(index, value)| {
        let float = |number| floats.get_or_init(|| Floats::of(statement)).argument(index, number);
        Argument::of(value, float).map_err(|message| SourceError::Argument { index, message })
    };
    values.iter().enumerate().map(one).collect()
}

/// The driver's names for types that it shows and does not let anybody make.
#[derive(Clone, Debug)]
pub(crate) struct WireTypes {
    pub(crate) decimal: MySqlTypeInfo,
    /// The type of `NULL` itself, which leaves the type of the expression around it alone.
    pub(crate) null: MySqlTypeInfo,
    pub(crate) settling: Settling,
}

/// When a server settles the type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settling {
    /// When it prepares the statement, or by the first value that it gets (`MySQL`).
    Once,
    /// Never: it looks at each value anew (`MariaDB`).
    Never,
    /// As `Never`, but a null makes bytes of the texts around it, in whatever type it is sent (`MariaDB` 10.6). It stands in the
    /// text of the statement instead.
    NeverButNulls,
}

/// The arguments as the driver sends them.
pub(crate) fn encode<'a>(
    arguments: impl Iterator<Item = (usize, &'a Argument)>,
    types: &WireTypes,
) -> Result<MySqlArguments, SourceError> {
    let mut encoded = MySqlArguments::default();
    for (index, argument) in arguments {
        wire::add(&mut encoded, argument, types)
            .map_err(|error| SourceError::Argument { index, message: error.to_string() })?;
    }
    Ok(encoded)
}

#[cfg(test)]
mod tests {
    use super::{fits, has_fraction};

    #[test]
    fn a_decimal_holds_sixty_five_digits_of_which_thirty_follow_the_point() {
        let (long, small) = ("9".repeat(65), format!("0.{}", "1".repeat(30)));
        for digits in ["0", "-1.10", "00012.5", "5.", &long, &small] {
            assert!(fits(digits), "{digits}");
        }
        for digits in [&format!("{long}.0"), &format!("{small}1"), "1e5", "", "-", ".5", "NaN", "+1"] {
            assert!(!fits(digits), "{digits}");
        }
    }

    #[test]
    fn a_text_has_a_fraction_if_it_is_a_number_that_is_no_integer() {
        for text in ["3.5", "-0.25", " 1.10\n", "15e-1", "12345678901234567890.5", ".5"] {
            assert!(has_fraction(text), "{text}");
        }
        for text in
            ["3", "3.0", "1.", "1.5e1", "1e3", "NaN", "infinity", "", ".", "3.5 m", "1.2.3", "2024-01-02"]
        {
            assert!(!has_fraction(text), "{text}");
        }
    }
}
