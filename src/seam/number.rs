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
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let rest = digits(unsigned)?;
    if unsigned.starts_with('0') && unsigned.len() - rest.len() > 1 {
        return None;
    }
    let (form, rest) = match rest.strip_prefix('.') {
        Some(fraction) => (Form::Fraction, digits(fraction)?),
        None => (Form::Integer, rest),
    };
    if rest.is_empty() {
        return Some(form);
    }
    let exponent = rest.strip_prefix(['e', 'E'])?;
    let rest = digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))?;
    rest.is_empty().then_some(Form::Exponent)
}

/// What follows one or more digits.
fn digits(text: &str) -> Option<&str> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(count..).filter(|_| count > 0)
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
        float::write(&mut spelled, value, float::JSON_PLAIN_BELOW);
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

    proptest! {
        /// `serde_json` is the judge of what a number is. It skips blanks around a value, which are no part of a number.
        #[test]
        fn a_number_is_what_a_json_parser_takes_for_one(text in "[-+0-9.eE]{0,8}") {
            let judged = serde_json::from_str::<serde_json::Number>(&text).is_ok();
            prop_assert_eq!(form(&text).is_some(), judged, "{:?}", text);
        }
    }
}
