//! Floats with the digits that the server shows (`extra_float_digits` 1): the shortest that give the same number, of these
//! the nearest ones, and of two that are as near the even ones. It takes no digits that lie exactly between two numbers,
//! although they read back to the even one of them.

use std::fmt::Write as _;

/// A single has so many digits after its first one before two numbers with as many digits can be as near.
const UNRIVALED_SINGLE: usize = 6;
/// The same for a double.
const UNRIVALED_DOUBLE: usize = 15;
/// A double needs no more digits than these after its first one, and a single never as many.
const MOST: usize = 16;

/// The double with the digits of the single: 0.1 stays 0.1.
pub(super) fn widen(single: f32) -> f64 {
    let exact = f64::from(single);
    if single.is_finite() { digits_of_single(single).parse().unwrap_or(exact) } else { exact }
}

/// The digits of a double, with an exponent where it is below -4 or above 14.
pub(super) fn push_double(text: &mut String, double: f64) {
    push(text, &digits_of_double(double), 15);
}

/// The digits of a single, with an exponent where it is below -4 or above 5.
pub(super) fn push_single(text: &mut String, single: f32) {
    push(text, &digits_of_single(single), 6);
}

/// Digits with one before the point, and an exponent.
fn digits_of_double(double: f64) -> String {
    let reads_back = |text: &str| text.parse() == Ok(double) && !lies_between_doubles(text);
    chosen(format!("{double:e}"), UNRIVALED_DOUBLE, |places| format!("{double:.places$e}"), reads_back)
}

/// Digits with one before the point, and an exponent.
fn digits_of_single(single: f32) -> String {
    let reads_back = |text: &str| text.parse() == Ok(single) && !lies_between_singles(text, single);
    chosen(format!("{single:e}"), UNRIVALED_SINGLE, |places| format!("{single:.places$e}"), reads_back)
}

/// The digits that the server shows, where `rounded` are those with so many places. Rust chooses the shortest ones too, but
/// looks at neither the middles nor the even ones.
fn chosen(
    shortest: String,
    unrivaled: usize,
    rounded: impl Fn(usize) -> String,
    reads_back: impl Fn(&str) -> bool,
) -> String {
    let places = shortest.split_once('e').and_then(|(mantissa, _)| mantissa.split_once('.'));
    let places = places.map_or(0, |(_, places)| places.len());
    let is_right = reads_back(&shortest);
    if is_right && places < unrivaled {
        return shortest;
    }
    let nearest = rounded(places);
    if reads_back(&nearest) {
        return nearest;
    }
    // Below a power of two the numbers are denser, so the nearest digits may be those of another number.
    if is_right {
        return shortest;
    }
    (places + 1..=MOST).map(rounded).find(|text| reads_back(text)).unwrap_or(shortest)
}

/// Whether digits that read back to a single lie in the middle of it and its neighbor. The middle is exact in a double.
fn lies_between_singles(text: &str, single: f32) -> bool {
    let Ok(double) = text.parse::<f64>() else { return false };
    let neighbor = if double > f64::from(single) { single.next_up() } else { single.next_down() };
    let middle = f64::midpoint(f64::from(single), f64::from(neighbor));
    double.to_bits() == middle.to_bits()
}

/// Whether digits lie in the middle of two doubles: those middles are the odd numbers of 54 bits times a power of two. Only
/// integers are tried, since other middles have more digits than the shortest ones of a double.
fn lies_between_doubles(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once('e') else { return false };
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

/// Pushes such digits as the server writes them: with an exponent, of two digits at least, only below -4 and from a limit on.
fn push(text: &mut String, digits: &str, limit: i32) {
    let Some((mantissa, exponent)) = digits.split_once('e') else {
        text.push_str(match digits {
            "inf" => "Infinity",
            "-inf" => "-Infinity",
            _ => "NaN",
        });
        return;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..limit).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        // Writing to a String cannot fail.
        let _ = write!(text, "{mantissa}e{sign}{:02}", exponent.unsigned_abs());
        return;
    }
    let positive = mantissa.trim_start_matches('-');
    if positive.len() < mantissa.len() {
        text.push('-');
    }
    let digits = positive.replace('.', "");
    let Ok(after_first) = usize::try_from(exponent) else {
        let zeros = usize::try_from(-1 - exponent).unwrap_or(0);
        text.push_str("0.");
        text.push_str(&"0".repeat(zeros));
        text.push_str(&digits);
        return;
    };
    match digits.split_at_checked(after_first + 1) {
        Some((whole, "")) => text.push_str(whole),
        Some((whole, fraction)) => {
            text.push_str(whole);
            text.push('.');
            text.push_str(fraction);
        }
        None => {
            text.push_str(&digits);
            text.push_str(&"0".repeat(after_first + 1 - digits.len()));
        }
    }
}
