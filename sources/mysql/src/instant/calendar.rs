//! The Gregorian calendar of the years 1 to 9999, as far as an offset moves an instant in it.

use std::fmt;

const MINUTES_OF_A_DAY: i32 = 24 * 60;

/// A date and a time that the calendar has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment<'t> {
    year: u16,
    month: u8,
    date: u8,
    /// Of the day.
    minute: i32,
    second: u8,
    /// The digits behind the point; none where there is no point.
    fraction: &'t str,
}

impl<'t> Moment<'t> {
    /// Reads `2024-01-02` and `03:04`, `03:04:05` or `03:04:05.678`.
    pub(super) fn parse(day: &str, clock: &'t str) -> Option<Self> {
        let mut parts = day.split('-');
        let year = parts.next()?.parse().ok().filter(|year| *year > 0)?;
        let month = parts.next()?.parse().ok().filter(|month| (1..=12).contains(month))?;
        let date = parts.next()?.parse().ok().filter(|date| (1..=days(year, month)).contains(date))?;
        let (whole, fraction) =
            clock.split_once('.').map_or((clock, None), |(whole, part)| (whole, Some(part)));
        let mut parts = whole.split(':');
        let mut part = |end: u8| {
            let part = parts.next().filter(|part| part.len() == 2)?;
            part.parse().ok().filter(|number| *number < end)
        };
        let (hour, minute) = (part(24)?, part(60)?);
        let second = part(60);
        let has_all = parts.next().is_none() && (second.is_some() || whole.len() == "03:04".len());
        let is_fraction = match fraction {
            None => true,
            Some(digits) => {
                second.is_some() && !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
            }
        };
        (has_all && is_fraction).then_some(Self {
            year,
            month,
            date,
            minute: i32::from(hour) * 60 + i32::from(minute),
            second: second.unwrap_or(0),
            fraction: fraction.unwrap_or_default(),
        })
    }

    /// So many minutes earlier, less than a day in either direction; none if the calendar ends before.
    pub(super) fn earlier_by(mut self, minutes: i32) -> Option<Self> {
        let minute = self.minute - minutes;
        self.minute = minute.rem_euclid(MINUTES_OF_A_DAY);
        match minute.div_euclid(MINUTES_OF_A_DAY) {
            -1 => self.day_before(),
            1 => self.day_after(),
            _ => Some(self),
        }
    }

    fn day_before(mut self) -> Option<Self> {
        if self.date > 1 {
            self.date -= 1;
            return Some(self);
        }
        (self.year, self.month) =
            if self.month > 1 { (self.year, self.month - 1) } else { (self.year - 1, 12) };
        self.date = days(self.year, self.month);
        (self.year > 0).then_some(self)
    }

    fn day_after(mut self) -> Option<Self> {
        if self.date < days(self.year, self.month) {
            self.date += 1;
            return Some(self);
        }
        self.date = 1;
        (self.year, self.month) =
            if self.month < 12 { (self.year, self.month + 1) } else { (self.year + 1, 1) };
        (self.year < 10_000).then_some(self)
    }

    pub(super) fn is_midnight(&self) -> bool {
        self.minute == 0 && self.second == 0 && self.fraction.bytes().all(|digit| digit == b'0')
    }
}

impl fmt::Display for Moment<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute) = (self.minute / 60, self.minute % 60);
        write!(formatter, "{:04}-{:02}-{:02} ", self.year, self.month, self.date)?;
        write!(formatter, "{hour:02}:{minute:02}:{:02}", self.second)?;
        if self.fraction.is_empty() { Ok(()) } else { write!(formatter, ".{}", self.fraction) }
    }
}

fn days(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
