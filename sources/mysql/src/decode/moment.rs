//! The text of dates and times: ISO 8601 where the moment exists, as the server writes it where it does not.

use std::fmt::Write as _;

/// A day; any part may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) year: u16,
    pub(super) month: u8,
    /// The day of the month.
    pub(super) date: u8,
}

/// A time of day, or a span of time of up to 838 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) hours: u32,
    pub(super) minutes: u8,
    pub(super) seconds: u8,
    pub(super) micros: u32,
}

impl Day {
    /// Whether it is a zero date or a partial one, which no calendar has.
    fn is_partial(self) -> bool {
        self.month == 0 || self.date == 0
    }
}

/// `2024-02-29`.
pub(super) fn date(day: Day) -> String {
    let mut text = String::with_capacity(10);
    write_day(&mut text, day);
    text
}

/// `2024-01-02T03:04:05.123456` and the given zone; a zero or partial date as the server writes it, with a blank and no
/// zone: `0000-00-00 00:00:00`.
pub(super) fn datetime(day: Day, clock: Clock, zone: &str) -> String {
    let mut text = String::with_capacity(27);
    write_day(&mut text, day);
    text.push(if day.is_partial() { ' ' } else { 'T' });
    write_clock(&mut text, clock);
    if !day.is_partial() {
        text.push_str(zone);
    }
    text
}

/// `-838:59:59.5`.
pub(super) fn time(negative: bool, clock: Clock) -> String {
    let mut text = String::with_capacity(17);
    if negative {
        text.push('-');
    }
    write_clock(&mut text, clock);
    text
}

fn write_day(text: &mut String, day: Day) {
    // Writing to a String cannot fail.
    let _ = write!(text, "{:04}-{:02}-{:02}", day.year, day.month, day.date);
}

fn write_clock(text: &mut String, clock: Clock) {
    let _ = write!(text, "{:02}:{:02}:{:02}", clock.hours, clock.minutes, clock.seconds);
    if clock.micros != 0 {
        let fraction = format!("{:06}", clock.micros);
        let _ = write!(text, ".{}", fraction.trim_end_matches('0'));
    }
}

/// Reads `2024-02-29`.
pub(super) fn parse_day(text: &str) -> Option<Day> {
    let mut parts = text.split('-');
    let day = Day {
        year: parts.next()?.parse().ok()?,
        month: parts.next()?.parse().ok()?,
        date: parts.next()?.parse().ok()?,
    };
    parts.next().is_none().then_some(day)
}

/// Reads `838:59:59.123456`.
pub(super) fn parse_clock(text: &str) -> Option<Clock> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let micros = format!("{fraction:0<6}");
    let clock = Clock {
        hours: parts.next()?.parse().ok()?,
        minutes: parts.next()?.parse().ok()?,
        seconds: parts.next()?.parse().ok()?,
        micros: micros.parse().ok().filter(|_| micros.len() == 6)?,
    };
    parts.next().is_none().then_some(clock)
}
