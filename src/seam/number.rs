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
    #[derive(Clone, Copy)]
    enum State {
        Start,
        Minus,
        Zero,
        Whole,
        Point,
        Fraction,
        E,
        Sign,
        Exponent,
    }

    let mut state = State::Start;
    for byte in text.bytes() {
        state = match (state, byte) {
            (State::Start, b'-') => State::Minus,
            (State::Start | State::Minus, b'0') => State::Zero,
            (State::Start | State::Minus, b'1'..=b'9') | (State::Whole, b'0'..=b'9') => State::Whole,
            (State::Zero | State::Whole, b'.') => State::Point,
            (State::Point | State::Fraction, b'0'..=b'9') => State::Fraction,
            (State::Zero | State::Whole | State::Fraction, b'e' | b'E') => State::E,
            (State::E, b'+' | b'-') => State::Sign,
            (State::E | State::Sign | State::Exponent, b'0'..=b'9') => State::Exponent,
            _ => return None,
        };
    }
    match state {
        State::Zero | State::Whole => Some(Form::Integer),
        State::Fraction => Some(Form::Fraction),
        State::Exponent => Some(Form::Exponent),
        State::Start | State::Minus | State::Point | State::E | State::Sign => None,
    }
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
