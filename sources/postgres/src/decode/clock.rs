//! Dates, times and intervals in the server's text form (`DateStyle` ISO, `IntervalStyle` postgres). Counted in days or
//! microseconds since 2000-01-01; the ends of the ranges are the infinities.

use std::fmt::Write as _;

use super::{
    calendar,
    digits::{push_four, push_two},
};

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

pub(super) fn date(days: i32) -> String {
    match days {
        i32::MAX => "infinity".to_owned(),
        i32::MIN => "-infinity".to_owned(),
        days => {
            let mut text = String::with_capacity(10);
            let era = push_date(&mut text, i64::from(days));
            text.push_str(era);
            text
        }
    }
}

/// The separator stands between date and time, the zone after the time.
pub(super) fn timestamp(microseconds: i64, separator: char, zone: &str) -> String {
    match microseconds {
        i64::MAX => "infinity".to_owned(),
        i64::MIN => "-infinity".to_owned(),
        microseconds => {
            let mut text = String::with_capacity(27);
            let era = push_date(&mut text, microseconds.div_euclid(DAY));
            text.push(separator);
            push_time(&mut text, microseconds.rem_euclid(DAY));
            text.push_str(zone);
            text.push_str(era);
            text
        }
    }
}

pub(super) fn time(microseconds: i64) -> String {
    let mut text = String::with_capacity(15);
    push_time(&mut text, microseconds);
    text
}

/// The zone is counted in seconds to the west.
pub(super) fn time_with_zone(microseconds: i64, west: i32) -> String {
    let mut text = time(microseconds);
    text.push(if west > 0 { '-' } else { '+' });
    let offset = west.unsigned_abs();
    let (hours, minutes, seconds) = (offset / 3_600, offset / 60 % 60, offset % 60);
    // Writing to a String cannot fail.
    let _ = match (minutes, seconds) {
        (0, 0) => write!(text, "{hours:02}"),
        (minutes, 0) => write!(text, "{hours:02}:{minutes:02}"),
        (minutes, seconds) => write!(text, "{hours:02}:{minutes:02}:{seconds:02}"),
    };
    text
}

/// Pushes year, month and day; what is returned comes at the very end.
fn push_date(text: &mut String, days: i64) -> &'static str {
    let (year, month, day) = calendar::date(days);
    let (year, era) = if year > 0 { (year, "") } else { (1 - year, " BC") };
    match u64::try_from(year) {
        Ok(year @ 0..10_000) => push_four(text, year),
        // Writing to a String cannot fail.
        _ => {
            let _ = write!(text, "{year}");
        }
    }
    for part in [month, day] {
        text.push('-');
        push_two(text, part.unsigned_abs());
    }
    era
}

fn push_time(text: &mut String, microseconds: i64) {
    push_clock(text, microseconds.unsigned_abs());
}

/// Hours, which may be many, minutes, seconds and their fraction.
fn push_clock(text: &mut String, microseconds: u64) {
    let seconds = microseconds / SECOND.unsigned_abs();
    match seconds / 3_600 {
        hours @ 0..100 => push_two(text, hours),
        hours => {
            let _ = write!(text, "{hours}");
        }
    }
    for part in [seconds / 60 % 60, seconds % 60] {
        text.push(':');
        push_two(text, part);
    }
    // The zeros at the end are left out.
    let mut rest = microseconds % SECOND.unsigned_abs();
    if rest > 0 {
        text.push('.');
    }
    let mut place = 100_000;
    while rest > 0 {
        text.push(char::from(b'0' + u8::try_from(rest / place).unwrap_or(0)));
        rest %= place;
        place /= 10;
    }
}

/// A sign is written before a part after a negative one, as PostgreSQL does: `-1 days +02:03:00`.
pub(super) fn interval(microseconds: i64, days: i32, months: i32) -> String {
    match (microseconds, days, months) {
        (i64::MAX, i32::MAX, i32::MAX) => return "infinity".to_owned(),
        (i64::MIN, i32::MIN, i32::MIN) => return "-infinity".to_owned(),
        _ => {}
    }
    let mut text = String::new();
    let mut after_negative = false;
    for (count, unit) in [(months / 12, "year"), (months % 12, "mon"), (days, "day")] {
        if count != 0 {
            let blank = if text.is_empty() { "" } else { " " };
            let plus = if after_negative && count > 0 { "+" } else { "" };
            let plural = if count == 1 { "" } else { "s" };
            let _ = write!(text, "{blank}{plus}{count} {unit}{plural}");
            after_negative = count < 0;
        }
    }
    if text.is_empty() || microseconds != 0 {
        if !text.is_empty() {
            text.push(' ');
        }
        if microseconds < 0 {
            text.push('-');
        } else if after_negative {
            text.push('+');
        }
        push_clock(&mut text, microseconds.unsigned_abs());
    }
    text
}
