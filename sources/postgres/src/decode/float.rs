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

/// The shortest digits that give the same double, as the server writes it (`extra_float_digits` 1): with an exponent of two
/// digits at least where it is below -4 or above 14.
pub(super) fn push_double(text: &mut String, double: f64) {
    if double.is_nan() {
        text.push_str("NaN");
        return;
    }
    if double.is_infinite() {
        text.push_str(if double > 0.0 { "Infinity" } else { "-Infinity" });
        return;
    }
    let scientific = format!("{double:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Writing to a String cannot fail.
    let _ = if (-4..15).contains(&exponent) {
        write!(text, "{double}")
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(text, "{mantissa}e{sign}{:02}", exponent.unsigned_abs())
    };
}
