//! Durations as Go writes them, since the values of `queryParams` are those of a Go driver: `30s`, `1m30s`, `1.5h`, `250ms`.

use std::time::Duration;

/// The units of <https://pkg.go.dev/time#ParseDuration>, in seconds. The longer name stands before its own prefix.
const UNITS: [(&str, f64); 7] =
    [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];

/// Reads a duration longer than zero.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let (number, after) = rest.split_at_checked(digits)?;
        let (unit, length) = UNITS.iter().find(|(unit, _)| after.starts_with(unit))?;
        seconds += number.parse::<f64>().ok()? * length;
        rest = after.strip_prefix(unit)?;
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse;

    #[test]
    fn a_duration_is_a_sum_of_numbers_with_units() {
        for (text, milliseconds) in
            [("30s", 30_000), ("1m30s", 90_000), ("1.5h", 5_400_000), ("250ms", 250), ("2m", 120_000)]
        {
            assert_eq!(parse(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn a_number_without_a_unit_and_a_duration_of_nothing_are_none() {
        for text in ["", "30", "s", "0s", "-1s", "1x", "1s2", "1..5s", "9e9s"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
