//! The forms of a number in JSON (RFC 8259, section 6), which are those of GCF too.

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

    proptest! {
        /// `serde_json` is the judge of what a number is. It skips blanks around a value, which are no part of a number.
        #[test]
        fn a_number_is_what_a_json_parser_takes_for_one(text in "[-+0-9.eE]{0,8}") {
            let judged = serde_json::from_str::<serde_json::Number>(&text).is_ok();
            prop_assert_eq!(form(&text).is_some(), judged, "{:?}", text);
        }
    }
}
