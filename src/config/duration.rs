//! Durations as Go writes them: `30s`, `500ms`, `1m30s`, `1.5h`, `0`.

use std::time::Duration;

/// Why a text is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DurationFault {
    /// A number without a unit.
    NoUnit,
    /// Below zero.
    Negative,
    /// More than a `u64` of nanoseconds holds: 584 years.
    TooLong,
    /// Anything else.
    Malformed,
}

impl DurationFault {
    /// What to do about it.
    pub(super) fn help(self) -> &'static str {
        match self {
            Self::NoUnit => "write the unit: `30s`, `500ms`, `1m30s`",
            Self::Negative => "write a duration that is not below zero",
            Self::TooLong => "write a shorter one",
            Self::Malformed => "write numbers with units (ns, us, ms, s, m, h): `30s`, `500ms`, `1m30s`",
        }
    }
}

/// Reads a duration.
pub(super) fn parse(text: &str) -> Result<Duration, DurationFault> {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    if unsigned == "0" {
        return Ok(Duration::ZERO);
    }
    if let Some(positive) = text.strip_prefix('-') {
        return parse(positive).and(Err(DurationFault::Negative));
    }
    if unsigned.is_empty() {
        return Err(DurationFault::Malformed);
    }
    let mut rest = unsigned;
    let mut nanoseconds: u64 = 0;
    while !rest.is_empty() {
        let (amount, behind) = split(rest, |char| char.is_ascii_digit() || char == '.');
        let (unit, behind) = split(behind, |char| !char.is_ascii_digit() && char != '.');
        let part = part(amount, unit)?;
        nanoseconds = nanoseconds.checked_add(part).ok_or(DurationFault::TooLong)?;
        rest = behind;
    }
    Ok(Duration::from_nanos(nanoseconds))
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at_checked(text.find(|char| !belongs(char)).unwrap_or(text.len())).unwrap_or((text, ""))
}

/// One number with its unit, in nanoseconds. Digits beyond a nanosecond are cut, as Go does.
fn part(amount: &str, unit: &str) -> Result<u64, DurationFault> {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return Err(DurationFault::Malformed);
    }
    let scale: u64 = match unit {
        "" => return Err(DurationFault::NoUnit),
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err(DurationFault::Malformed),
    };
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| DurationFault::TooLong)? };
    let whole = whole.checked_mul(scale).ok_or(DurationFault::TooLong)?;
    // The largest scale has 13 digits, so more digits of a fraction cannot matter.
    let (mut digits, mut divisor) = (0_u128, 1_u128);
    for digit in fraction.chars().take(13).filter_map(|char| char.to_digit(10)) {
        digits = digits * 10 + u128::from(digit);
        divisor *= 10;
    }
    let fraction = u64::try_from(u128::from(scale) * digits / divisor).map_err(|_| DurationFault::TooLong)?;
    whole.checked_add(fraction).ok_or(DurationFault::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        let cases: [(&str, u64); 11] = [
            ("0", 0),
            ("0s", 0),
            ("30s", 30_000_000_000),
            ("500ms", 500_000_000),
            ("1m30s", 90_000_000_000),
            ("1.5h", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("+2m", 120_000_000_000),
            ("1us2ns", 1_002),
            ("0.1234567899s", 123_456_789),
        ];
        for (text, nanoseconds) in cases {
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanoseconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_with_its_reason() {
        for (text, fault) in [
            ("30", DurationFault::NoUnit),
            ("1m30", DurationFault::NoUnit),
            ("-5s", DurationFault::Negative),
            ("999999999h", DurationFault::TooLong),
            ("", DurationFault::Malformed),
            ("s", DurationFault::Malformed),
            ("30 s", DurationFault::Malformed),
            ("1.2.3s", DurationFault::Malformed),
            ("1d", DurationFault::Malformed),
            ("soon", DurationFault::Malformed),
        ] {
            assert_eq!(parse(text), Err(fault), "{text}");
        }
    }
}
