//! Cells of the text protocol, and decimals, which are text in both.

use toolbox_source::Value;

use super::{Shape, moment};

pub(super) fn value(shape: Shape, text: &str) -> Option<Value> {
    match shape {
        Shape::Signed => text.parse().ok().map(Value::Int),
        Shape::Unsigned => text.parse().ok().map(super::unsigned),
        Shape::Double => text.parse().ok().map(Value::Float),
        Shape::Date => moment::parse_day(text).map(|day| Value::Text(moment::date(day))),
        Shape::DateTime => datetime(text, ""),
        Shape::Timestamp => datetime(text, "Z"),
        Shape::Time => {
            let (negative, clock) = text.strip_prefix('-').map_or((false, text), |clock| (true, clock));
            Some(Value::Text(moment::time(negative, moment::parse_clock(clock)?)))
        }
        // The server writes six digits of a FLOAT, which are not those of the number.
        Shape::Float
        | Shape::Bit(_)
        | Shape::Decimal
        | Shape::Json
        | Shape::Text
        | Shape::Ascii
        | Shape::Bytes
        | Shape::Null => None,
    }
}

fn datetime(text: &str, zone: &str) -> Option<Value> {
    let (day, clock) = text.split_once(' ')?;
    let (day, clock) = (moment::parse_day(day)?, moment::parse_clock(clock)?);
    Some(Value::Text(moment::datetime(day, clock, zone)))
}

/// The digits of a decimal. `ZEROFILL` pads with zeros, which a number does not have.
pub(super) fn decimal(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, part)| (whole, Some(part)));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !fraction.is_none_or(all_digits) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(match fraction {
        Some(fraction) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{whole}"),
    })
}

#[cfg(test)]
mod tests {
    use toolbox_source::Value;

    use super::{Shape, decimal, value};

    #[test]
    fn decimals_keep_their_digits_and_lose_their_padding() {
        for (text, digits) in
            [("1.10", "1.10"), ("-0.50", "-0.50"), ("00042.00", "42.00"), ("0", "0"), ("000", "0")]
        {
            assert_eq!(decimal(text).as_deref(), Some(digits));
        }
        for text in ["", "-", ".5", "1.", "1e5", "NaN", "1.2.3"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn the_text_protocol_gives_the_values_of_the_prepared_one() {
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        assert_eq!(value(Shape::Unsigned, "18446744073709551615"), Some(Value::UInt(u64::MAX)));
        assert_eq!(value(Shape::DateTime, "2024-01-02 03:04:05.120000"), text("2024-01-02T03:04:05.12"));
        assert_eq!(value(Shape::Timestamp, "2024-01-02 03:04:05"), text("2024-01-02T03:04:05Z"));
        assert_eq!(value(Shape::DateTime, "0000-00-00 00:00:00"), text("0000-00-00 00:00:00"));
        assert_eq!(value(Shape::Time, "-838:59:59.000001"), text("-838:59:59.000001"));
        assert_eq!(value(Shape::Double, "0.1"), Some(Value::Float(0.1)));
        assert_eq!(value(Shape::Float, "16777200"), None);
        assert_eq!(value(Shape::Signed, "5x"), None);
        assert_eq!(value(Shape::Date, "2024-01"), None);
    }
}
