//! The forms of a number in JSON (RFC 8259, section 6), which are those of GCF too.

use toolbox_source::Value;

use super::float;

/// What the text of a number looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Digits only, with or without a minus.
    Integer,
    /// Digits, a point and digits.
    Fraction,
    /// Anything with an exponent.
    Exponent,
}

/// The form of a text that is a number from end to end; none for every other text, such as `007`, `+1`, `.5` and `NaN`.
pub(super) fn form(text: &str) -> Option<Form> {
    let unsigned = match text.as_bytes() {
        [b'-', unsigned @ ..] | unsigned => unsigned,
    };
    let (form, rest) = match unsigned {
        [b'0', b'0'..=b'9', ..] => return None,
        unsigned => match after_digits(unsigned)? {
            [b'.', fraction @ ..] => (Form::Fraction, after_digits(fraction)?),
            rest => (Form::Integer, rest),
        },
    };
    match rest {
        [] => Some(form),
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            after_digits(exponent)?.is_empty().then_some(Form::Exponent)
        }
        _ => None,
    }
}

/// What follows one or more digits.
fn after_digits(text: &[u8]) -> Option<&[u8]> {
    let [b'0'..=b'9', rest @ ..] = text else { return None };
    let mut rest = rest;
    while let [b'0'..=b'9', others @ ..] = rest {
        rest = others;
    }
    Some(rest)
}

/// Reads the digits at the beginning of a text, all of them, as an int64, and gives what follows them. None where they are not the
/// one spelling that an int64 has: without needless zeros, and without a minus before zero.
#[inline]
pub(super) fn leading_int(text: &str) -> Option<(i64, &str)> {
    /// With one digit more a number may be beyond 64 bits.
    const MOST_DIGITS: usize = 19;
    let (negative, unsigned) = match text.as_bytes() {
        [b'-', unsigned @ ..] => (true, unsigned),
        unsigned => (false, unsigned),
    };
    let mut magnitude = 0_u64;
    let mut rest = unsigned;
    while let [digit @ b'0'..=b'9', others @ ..] = rest {
        magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        rest = others;
    }
    let count = unsigned.len() - rest.len();
    let canonical = match unsigned {
        [b'0', ..] => count == 1 && !negative,
        _ => (1..=MOST_DIGITS).contains(&count),
    };
    if !canonical {
        return None;
    }
    let value = if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }?;
    Some((value, text.get(text.len() - rest.len()..)?))
}

/// What the text of a number stands for: the value that is written as the same text again. None for other text.
pub(crate) fn value(text: &str) -> Option<Value> {
    let form = form(text)?;
    let is_zero_with_sign = text == "-0";
    if form == Form::Integer && !is_zero_with_sign {
        if let Ok(value) = text.parse() {
            return Some(Value::Int(value));
        }
        if let Ok(value) = text.parse() {
            return Some(Value::UInt(value));
        }
    } else if let Ok(value) = text.parse::<f64>()
        && value.is_finite()
    {
        let mut spelled = String::with_capacity(text.len());
        float::write(&mut spelled, value, float::JSON_PLAIN);
        if spelled == text {
            return Some(Value::Float(value));
        }
    }
    Some(Value::Decimal(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forms_are_told_apart() {
        for (text, expected) in [
            ("0", Some(Form::Integer)),
            ("-0", Some(Form::Integer)),
            ("-12", Some(Form::Integer)),
            ("1.10", Some(Form::Fraction)),
            ("-0.5", Some(Form::Fraction)),
            ("1e5", Some(Form::Exponent)),
            ("1.5E+300", Some(Form::Exponent)),
            ("", None),
            ("-", None),
            ("+1", None),
            (".5", None),
            ("5.", None),
            ("007", None),
            ("1e", None),
            ("1e+", None),
            ("1 ", None),
            ("NaN", None),
            ("１", None),
        ] {
            assert_eq!(form(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_number_is_the_value_that_is_written_as_the_same_text() {
        let decimal = |digits: &str| Some(Value::Decimal(digits.to_owned()));
        for (text, expected) in [
            ("0", Some(Value::Int(0))),
            ("-9223372036854775808", Some(Value::Int(i64::MIN))),
            ("9223372036854775808", Some(Value::UInt(9_223_372_036_854_775_808))),
            ("-9223372036854775809", decimal("-9223372036854775809")),
            ("0.1", Some(Value::Float(0.1))),
            ("0.10", decimal("0.10")),
            ("1.0", decimal("1.0")),
            ("1e+21", Some(Value::Float(1e21))),
            ("1e21", decimal("1e21")),
            ("1e400", decimal("1e400")),
            ("1e", None),
            ("", None),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        assert!(matches!(value("-0"), Some(Value::Float(zero)) if zero == 0.0 && zero.is_sign_negative()));
    }

    #[test]
    fn the_digits_at_the_beginning_are_an_integer_if_it_has_64_bits() {
        for (text, expected) in [
            ("0|", Some((0, "|"))),
            ("12", Some((12, ""))),
            ("-7|x", Some((-7, "|x"))),
            ("9223372036854775807|", Some((i64::MAX, "|"))),
            ("-9223372036854775808é", Some((i64::MIN, "é"))),
            ("9223372036854775808|", None),
            ("-9223372036854775809|", None),
            ("9999999999999999999|", None),
            // 2^64 + 1 and 2^128 + 1, which are 1 where digits are lost.
            ("18446744073709551617|", None),
            ("340282366920938463463374607431768211457|", None),
            ("-0|", None),
            ("007|", None),
            ("00|", None),
            ("1.5|", Some((1, ".5|"))),
            ("|", None),
            ("-|", None),
            ("+1|", None),
            ("", None),
        ] {
            assert_eq!(leading_int(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_int64_is_read_with_all_its_digits(value in any::<i64>(), shift in 0..64_u32) {
            let value = value >> shift;
            let text = format!("{value}\t5");
            prop_assert_eq!(leading_int(&text), Some((value, "\t5")));
        }

        /// `serde_json` is the judge of what a number is. It skips blanks around a value, which are no part of a number.
        #[test]
        fn a_number_is_what_a_json_parser_takes_for_one(text in "[-+0-9.eE]{0,8}") {
            let judged = serde_json::from_str::<serde_json::Number>(&text).is_ok();
            prop_assert_eq!(form(&text).is_some(), judged, "{:?}", text);
        }
    }
}
