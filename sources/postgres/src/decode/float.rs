//! Floats as the server shows them (`extra_float_digits` 1): the shortest digits that give the same number.

use std::fmt::Write as _;

/// The double whose shortest digits are those that the server shows for the single: 0.1 stays 0.1. The server takes no digits
/// that lie exactly between two singles, although they read back to the even one of them.
pub(super) fn widen(single: f32) -> f64 {
    let exact = f64::from(single);
    if !single.is_finite() {
        return exact;
    }
    let read = |digits: String| digits.parse::<f64>().unwrap_or(exact);
    let shortest = read(single.to_string());
    if !lies_between(shortest, single) {
        return shortest;
    }
    let longer = (1..9).map(|digits| read(format!("{single:.digits$e}")));
    longer.into_iter().find(|double| reads_back(*double, single)).unwrap_or(exact)
}

#[expect(clippy::cast_possible_truncation, reason = "the rounding to a single is what is asked for")]
fn reads_back(double: f64, single: f32) -> bool {
    (double as f32).to_bits() == single.to_bits() && !lies_between(double, single)
}

/// Whether a double lies in the middle of a single and its neighbor. The sum of the two is exact.
fn lies_between(double: f64, single: f32) -> bool {
    let neighbor = if double > f64::from(single) { single.next_up() } else { single.next_down() };
    let middle = f64::midpoint(f64::from(single), f64::from(neighbor));
    double.to_bits() == middle.to_bits()
}

/// The digits of a double, with an exponent of two digits at least where it is below -4 or above 14.
pub(super) fn push_double(text: &mut String, double: f64) {
    push(text, &scientific(double), double, 15);
}

/// Pushes digits with one before the point, as the server shows them: from the exponent `limit` on with it.
fn push(text: &mut String, scientific: &str, double: f64, limit: i32) {
    if double.is_nan() {
        text.push_str("NaN");
        return;
    }
    if double.is_infinite() {
        text.push_str(if double > 0.0 { "Infinity" } else { "-Infinity" });
        return;
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Writing to a String cannot fail.
    let _ = if (-4..limit).contains(&exponent) {
        write!(text, "{double}")
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(text, "{mantissa}e{sign}{:02}", exponent.unsigned_abs())
    };
}

/// The shortest digits of a double that the server takes: 1e23 lies exactly between two doubles, so it is not the text of
/// either.
fn scientific(double: f64) -> String {
    let shortest = format!("{double:e}");
    if !is_between_doubles(&shortest) {
        return shortest;
    }
    let longer = (1..17).map(|digits| format!("{double:.digits$e}"));
    let mut exact = longer.filter(|text| text.parse() == Ok(double) && !is_between_doubles(text));
    exact.next().unwrap_or(shortest)
}

/// Whether digits lie in the middle of two doubles: those middles are the odd numbers of 54 bits times a power of two. Only
/// integers are tried, since other middles have more digits than the shortest ones of a double.
fn is_between_doubles(scientific: &str) -> bool {
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return false };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (Ok(digits), Ok(exponent), Ok(places)) =
        (format!("{whole}{fraction}").parse::<i64>(), exponent.parse::<u32>(), u32::try_from(fraction.len()))
    else {
        return false;
    };
    // A power of two more or less changes nothing.
    let five = exponent.checked_sub(places).and_then(|power| 5_u64.checked_pow(power));
    let odd = five.and_then(|five| u128::from(digits.unsigned_abs()).checked_mul(u128::from(five)));
    odd.is_some_and(|number| number != 0 && (1 << 53..1 << 54).contains(&(number >> number.trailing_zeros())))
}
