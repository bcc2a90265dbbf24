//! Finite doubles as text: the fewest digits that give the same double, in the notation of each encoding.

use std::ops::Range;

use super::sink::Sink;

/// The magnitudes that JSON writes without an exponent: the rule of Go's encoder and of ECMAScript's `Number::toString`.
pub(super) const JSON_PLAIN: Range<f64> = 1e-6..1e21;

/// Those of GCF (specification 3.6, section 2.3.1): below 2^53, so that a token of digits alone is always an exact integer.
pub(super) const GCF_PLAIN: Range<f64> = 1e-6..9_007_199_254_740_992.0;

/// Those of TOON (specification 4.0, section 2), which writes no exponents.
pub(super) const TOON_PLAIN: Range<f64> = 0.0..f64::INFINITY;

/// Writes a finite double. `plain` is one of the constants above. Negative zero is `-0`.
pub(super) fn write(out: &mut impl Sink, value: f64, plain: Range<f64>) {
    let magnitude = value.abs();
    let plain = magnitude == 0.0 || plain.contains(&magnitude);
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value);
    if plain && !text.contains('e') {
        out.put(text.strip_suffix(".0").unwrap_or(text));
        return;
    }

    let (sign, unsigned) = if value < 0.0 { ("-", text.trim_start_matches('-')) } else { ("", text) };
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // The mantissa before an `e` has one digit before its point; without an `e` the number is at least 2^53 here.
    let exponent =
        exponent.parse::<i32>().unwrap_or_default() + i32::try_from(whole.len()).unwrap_or_default() - 1;
    let mut digits = String::with_capacity(24);
    digits.push_str(whole);
    digits.push_str(fraction);
    let digits = digits.trim_end_matches('0');
    let (first, others) = digits.split_at_checked(1).unwrap_or((digits, ""));

    out.put(sign);
    if !plain {
        out.put(first);
        if !others.is_empty() {
            out.put(".");
            out.put(others);
        }
        out.put(if exponent < 0 { "e-" } else { "e+" });
        out.put(itoa::Buffer::new().format(exponent.unsigned_abs()));
    } else if exponent < 0 {
        out.put("0.");
        (1..exponent.unsigned_abs()).for_each(|_| out.put("0"));
        out.put(digits);
    } else {
        out.put(digits);
        (digits.len()..=exponent.unsigned_abs() as usize).for_each(|_| out.put("0"));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json(value: f64) -> String {
        let mut text = String::new();
        write(&mut text, value, JSON_PLAIN);
        text
    }

    fn gcf(value: f64) -> String {
        let mut text = String::new();
        write(&mut text, value, GCF_PLAIN);
        text
    }

    /// The right-hand sides are what Go's `encoding/json` and a browser's `JSON.stringify` print (the latter without the
    /// sign of a negative zero).
    #[test]
    fn json_has_the_spelling_of_go_and_ecmascript() {
        for (value, expected) in [
            (1.0, "1"),
            (0.0, "0"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (-1234.5678, "-1234.5678"),
            (1e300, "1e+300"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (1e16, "10000000000000000"),
            (1e-6, "0.000001"),
            (1.5e-6, "0.0000015"),
            (-2.5e-5, "-0.000025"),
            (1e-7, "1e-7"),
            (-1.25e-7, "-1.25e-7"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            // Halfway between two shortest texts: the even one.
            (2_150_688_994_990_321.0 / 8.0, "268836124373790.12"),
        ] {
            assert_eq!(json(value), expected);
        }
    }

    /// Specification 3.6, section 2.3.1, and the folder `numbers` of its conformance cases.
    #[test]
    fn gcf_goes_over_to_an_exponent_at_two_to_the_53() {
        for (value, expected) in [
            (9_007_199_254_740_991.0, "9007199254740991"),
            (9_007_199_254_740_992.0, "9.007199254740992e+15"),
            (-9_007_199_254_740_994.0, "-9.007199254740994e+15"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000"),
            (1e-6, "0.000001"),
            (9.99e-7, "9.99e-7"),
        ] {
            assert_eq!(gcf(value), expected);
        }
    }

    /// What Rust prints, whose digits never end in an exponent.
    #[test]
    fn toon_has_no_exponents() {
        for value in [5e-324, 1.5e-7, -2.5e-300, 1e21, -1.25e22, f64::MAX, 9_007_199_254_740_992.0, -0.0, 0.1]
        {
            let mut text = String::new();
            write(&mut text, value, TOON_PLAIN);
            assert_eq!(text, format!("{value}"));
        }
    }

    proptest! {
        #[test]
        fn every_double_reads_back_to_the_same_bits(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
            prop_assert_eq!(json(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
            prop_assert_eq!(gcf(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }

        #[test]
        fn doubles_of_ordinary_size_read_back_too(value in -1e22..1e22_f64, scale in 1e-9..1.0_f64) {
            let value = value * scale;
            prop_assert_eq!(json(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
            prop_assert_eq!(gcf(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }
}
