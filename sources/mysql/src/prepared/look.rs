//! What texts look like to the server.

use crate::plan::Place;

/// What a text looks like to the server, which settles a type by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Text,
    /// Up to 11 digits; such a number may be a day.
    Digits,
    /// Up to 18 digits; such a number may be a moment.
    LongDigits,
    HugeDigits,
    Negative,
    Fraction,
    Day,
    Clock,
    Moment,
}

/// Whether a text is kept from the type of what stands beside it, into which the server would convert it: beside a column of days
/// `12` is a null, beside one of integers `abc` is 0. A document may be compared as one, or be shown as one. What is compared as a
/// time or as a number of many digits is not the same as a text.
pub(super) fn stays_text(text: &str, place: Place) -> bool {
    /// A double holds so many digits.
    const EXACT: usize = 15;
    let may_be_document = text.starts_with(['{', '[', '"']);
    match place {
        Place::Chosen => !may_be_document,
        Place::ChosenToCompare => {
            let has_many_digits = text.bytes().filter(u8::is_ascii_digit).count() > EXACT;
            !may_be_document
                && match Look::of(text) {
                    Look::Text | Look::Day | Look::Moment => true,
                    Look::Clock => false,
                    Look::Digits | Look::LongDigits | Look::HugeDigits | Look::Negative | Look::Fraction => {
                        !has_many_digits
                    }
                }
        }
        Place::Read | Place::Item => true,
        // Beside a year it would be an integer, and as a time the number of its digits. More digits than a double holds are kept.
        Place::Computed => !matches!(Look::of(text), Look::LongDigits | Look::HugeDigits),
        Place::Whole | Place::Other => false,
    }
}

impl Look {
    pub(super) fn of(text: &str) -> Self {
        let text = text.trim();
        let (is_negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if !rest.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return Self::Text;
        }
        if rest.bytes().all(|byte| byte.is_ascii_digit()) {
            return match rest.len() {
                19.. => Self::HugeDigits,
                _ if is_negative => Self::Negative,
                12.. => Self::LongDigits,
                _ => Self::Digits,
            };
        }
        if rest.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte))
            && rest.parse::<f64>().is_ok()
        {
            return Self::Fraction;
        }
        match rest.split_once(':') {
            Some((before, _)) if before.bytes().all(|byte| byte.is_ascii_digit()) => Self::Clock,
            Some(_) => Self::Moment,
            None if rest.contains('-') => Self::Day,
            None => Self::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Look;

    #[test]
    fn texts_are_told_apart_by_what_a_server_may_take_them_for() {
        for (text, look) in [
            ("abc", Look::Text),
            ("", Look::Text),
            ("-", Look::Text),
            ("12abc", Look::Text),
            (" 12", Look::Digits),
            ("20240102", Look::Digits),
            ("20240102030405", Look::LongDigits),
            ("99999999999999999999999", Look::HugeDigits),
            ("-1", Look::Negative),
            ("1.5", Look::Fraction),
            ("-.5e-3", Look::Fraction),
            ("2024-01-02", Look::Day),
            ("10:00:00.5", Look::Clock),
            ("2024-01-02T03:04:05Z", Look::Moment),
        ] {
            assert_eq!(Look::of(text), look, "{text}");
        }
    }
}
