//! Dates and times in their usual form, ISO 8601 with `T` or a blank. Every other form that PostgreSQL takes (`yesterday`,
//! `Jan 5 2026`, names of zones) is left to the server, which costs a second round trip.

use crate::{decode::calendar, kind::Kind};

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// The binary form, if the text is in the usual form and exists.
pub(super) fn binary(text: &str, kind: &Kind) -> Option<Vec<u8>> {
    let text = text.trim();
    match kind {
        Kind::Date => i32::try_from(date(text)?).ok().map(|days| days.to_be_bytes().to_vec()),
        Kind::Time => time(text).map(|time| time.to_be_bytes().to_vec()),
        Kind::Timestamp => match zoned(text)? {
            // What is in UTC has the digits that a column without a zone stands for in this session.
            (moment, 0) => timestamp(moment).map(|moment| moment.to_be_bytes().to_vec()),
            _ => None,
        },
        Kind::TimestampTz => {
            // The session's zone is UTC, so a text without a zone is in UTC.
            let (moment, east) = zoned(text)?;
            (timestamp(moment)? - east).to_be_bytes().to_vec().into()
        }
        _ => None,
    }
}

/// Whether the server would drop an offset that the text has: it reads `10:00+02:00` for a `timestamp` as 10:00.
pub(super) fn loses_offset(text: &str, kind: &Kind) -> bool {
    *kind == Kind::Timestamp
        && zoned(text.trim()).is_some_and(|(moment, east)| east != 0 && timestamp(moment).is_some())
}

fn date(text: &str) -> Option<i64> {
    let [year, month, day] = numbers(text, '-')?;
    if text.len() != 10 {
        return None;
    }
    calendar::days(year, month, day).filter(|_| year > 0)
}

fn time(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let [hours, minutes, seconds] = match clock.len() {
        8 => numbers(clock, ':')?,
        5 if fraction.is_empty() => {
            let [hours, minutes] = numbers(clock, ':')?;
            [hours, minutes, 0]
        }
        _ => return None,
    };
    let is_plain = fraction.len() <= 6 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if hours > 23 || minutes > 59 || seconds > 59 || !is_plain {
        return None;
    }
    let microseconds: i64 = format!("{fraction:0<6}").parse().ok()?;
    Some(((hours * 60 + minutes) * 60 + seconds) * SECOND + microseconds)
}

fn timestamp(text: &str) -> Option<i64> {
    let (day, clock) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    Some(date(day)? * DAY + time(clock)?)
}

/// The text without its zone, and microseconds to the east.
fn zoned(text: &str) -> Option<(&str, i64)> {
    if let Some(moment) = text.strip_suffix(['Z', 'z']) {
        return Some((moment, 0));
    }
    // The date has hyphens of its own, in its first ten bytes.
    let Some(place) = text.rfind(['+', '-']).filter(|place| *place > 10) else { return Some((text, 0)) };
    let (moment, zone) = text.split_at_checked(place)?;
    let (sign, offset) = zone.split_at_checked(1)?;
    let [hours, minutes] = match offset.len() {
        2 => [offset.parse().ok()?, 0],
        5 => numbers(offset, ':')?,
        _ => return None,
    };
    if hours > 15 || minutes > 59 {
        return None;
    }
    let east = (hours * 60 + minutes) * 60 * SECOND;
    Some((moment, if sign == "-" { -east } else { east }))
}

/// Exactly so many numbers without signs.
fn numbers<const N: usize>(text: &str, separator: char) -> Option<[i64; N]> {
    let numbers = text
        .split(separator)
        .map(|number| number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok()).flatten())
        .collect::<Option<Vec<i64>>>()?;
    numbers.try_into().ok()
}
