//! What a text says as a boolean or a number, by the core schema of YAML 1.2 and no other: `no` is no boolean, `0123` is
//! 123, and digits are never lost.

use serde_json::Number;

/// A boolean.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// A whole number that is not below zero.
pub(super) fn whole(text: &str) -> Option<u64> {
    integer_digits(text)?.parse().ok()
}

/// A number with all its digits. Infinity and NaN are none, since JSON has none.
pub(super) fn number(text: &str) -> Option<Number> {
    let json = integer_digits(text).or_else(|| float_digits(text))?;
    serde_json::from_str(&json).ok()
}

/// An integer in decimal: `5`, `+5`, `0123`, `0x1F`, `0o17`.
fn integer_digits(text: &str) -> Option<String> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            // `from_str_radix` would take a sign.
            let valid = digits.chars().all(|char| char.is_digit(radix));
            return valid.then(|| u128::from_str_radix(digits, radix).ok()).flatten().map(|n| n.to_string());
        }
    }
    let (sign, digits) = sign(text);
    let valid = !digits.is_empty() && digits.chars().all(|char| char.is_ascii_digit());
    valid.then(|| format!("{sign}{}", without_zeros(digits)))
}

/// A float in JSON's spelling: `.5` gets its zero, `1.` too.
fn float_digits(text: &str) -> Option<String> {
    let (sign, unsigned) = sign(text);
    let (digits, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at_checked(at)?,
        None => (unsigned, ""),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let all_digits = |text: &str| text.chars().all(|char| char.is_ascii_digit());
    let valid = all_digits(whole)
        && all_digits(fraction.unwrap_or_default())
        && !(whole.is_empty() && fraction.unwrap_or_default().is_empty());
    let power = exponent.get(1..).unwrap_or_default();
    let power_valid = exponent.is_empty() || {
        let digits = power.strip_prefix(['-', '+']).unwrap_or(power);
        !digits.is_empty() && all_digits(digits)
    };
    if !valid || !power_valid {
        return None;
    }
    let point = match fraction {
        None => String::new(),
        Some("") => ".0".to_owned(),
        Some(fraction) => format!(".{fraction}"),
    };
    Some(format!("{sign}{}{point}{exponent}", without_zeros(whole)))
}

fn sign(text: &str) -> (&str, &str) {
    match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    }
}

fn without_zeros(digits: &str) -> &str {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { "0" } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_core_schema_and_keep_their_digits() {
        for (text, json) in [
            ("5", "5"),
            ("+5", "5"),
            ("-0", "-0"),
            ("0123", "123"),
            ("000", "0"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("9007199254740993", "9007199254740993"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1.10", "1.10"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("1.", "1.0"),
            ("1e5", "1e5"),
            ("1.5E-3", "1.5E-3"),
        ] {
            let expected: Number = serde_json::from_str(json).unwrap();
            assert_eq!(number(text).map(|number| number.to_string()), Some(expected.to_string()), "{text}");
        }
    }

    #[test]
    fn what_the_core_schema_does_not_call_a_number_is_none() {
        for text in [
            "",
            "-",
            ".",
            "e5",
            "1e",
            "1e+",
            "1_000",
            "1:30",
            "0x",
            "0xG",
            "0x+1",
            "0b1",
            ".inf",
            ".nan",
            "2024-01-02",
            "1 ",
            "١",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        for text in ["yes", "no", "on", "off", "y", "1", "tRUE", ""] {
            assert_eq!(boolean(text), None, "{text}");
        }
        assert_eq!(boolean("TRUE"), Some(true));
        assert_eq!(boolean("False"), Some(false));
    }
}
