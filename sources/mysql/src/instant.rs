//! Texts that are an instant with its zone, such as `2024-01-02T03:04:05+02:00`, as other programs write them
//! (<https://www.rfc-editor.org/rfc/rfc3339>, and looser forms of ISO 8601).

mod calendar;

use calendar::Moment;

/// A date, a time and a zone. What stands in them is not checked until [`Instant::utc`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instant<'t> {
    day: &'t str,
    /// What stands between the date and the time.
    mark: char,
    clock: &'t str,
    /// Whether a blank stands before the zone.
    gap: bool,
    /// `Z`, or a sign and digits.
    zone: &'t str,
}

/// How `MySQL` 8.0.19 and later reads an instant where it expects a date and a time
/// (<https://dev.mysql.com/doc/refman/9.4/en/date-and-time-literals.html>; the rest as seen with 9.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As it is meant.
    Meant,
    /// It refuses it, or takes a part of it and says so.
    Warned,
    /// Compared with a column, as another instant, without a word.
    Astray,
}

impl<'t> Instant<'t> {
    /// The instant that a text is, blanks around it aside.
    pub(crate) fn parse(text: &'t str) -> Option<Self> {
        let (day, rest) = text.trim_ascii().split_at_checked("2024-01-02".len())?;
        let is_day = day.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        let mark = rest.chars().next().filter(|mark| matches!(mark, 'T' | 't' | ' '))?;
        let rest = rest.get(1..)?;
        let is_of_clock = |character: char| character.is_ascii_digit() || matches!(character, ':' | '.');
        let (clock, behind) = rest.split_at_checked(rest.find(|character| !is_of_clock(character))?)?;
        let zone = behind.trim_ascii_start();
        if !is_day || clock.len() < "03:04".len() {
            return None;
        }
        let is_offset = |zone: &str| {
            let digits = zone.strip_prefix(SIGNS);
            digits.is_some_and(|digits| {
                digits.starts_with(|first: char| first.is_ascii_digit())
                    && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
            })
        };
        let is_zone = zone.eq_ignore_ascii_case("Z") || is_offset(zone);
        is_zone.then_some(Self { day, mark, clock, gap: zone.len() < behind.len(), zone })
    }

    /// Whether its zone is that of every session, so that nothing is lost with it.
    pub(crate) fn is_utc(&self) -> bool {
        self.is_zulu()
            || self.zone.chars().all(|character| matches!(character, '0' | ':') || SIGNS.contains(&character))
    }

    /// Whether its zone is written `Z`.
    pub(crate) fn is_zulu(&self) -> bool {
        self.zone.eq_ignore_ascii_case("Z")
    }

    /// The same instant in UTC, `2024-01-02 01:04:05.50`, with all digits of its fraction. None if the calendar of the years 1
    /// to 9999 does not have it.
    pub(crate) fn utc(&self) -> Option<String> {
        let moment = Moment::parse(self.day, self.clock)?.earlier_by(self.offset()?)?;
        Some(moment.to_string())
    }

    /// The day in UTC, if the instant is written in UTC and is the beginning of one.
    pub(crate) fn whole_day(&self) -> Option<&'t str> {
        let moment = Moment::parse(self.day, self.clock)?;
        (self.is_utc() && moment.is_midnight()).then_some(self.day)
    }

    /// Minutes before UTC.
    fn offset(&self) -> Option<i32> {
        if self.is_zulu() {
            return Some(0);
        }
        let digits = self.zone.strip_prefix(SIGNS)?;
        let (hours, minutes) = match digits.split_once(':') {
            Some((hours, minutes)) => (hours, minutes),
            None => digits
                .split_at_checked(2)
                .filter(|(_, minutes)| !minutes.is_empty())
                .unwrap_or((digits, "00")),
        };
        let number = |digits: &str, end: i32| digits.parse().ok().filter(|number: &i32| *number < end);
        let (hours, minutes) = match (hours.len(), minutes.len()) {
            (1 | 2, 2) => (number(hours, 24)?, number(minutes, 60)?),
            _ => return None,
        };
        let offset = hours * 60 + minutes;
        Some(if self.zone.starts_with('+') { offset } else { -offset })
    }

    /// Whether its fraction is rounded up to a second by `MySQL`, which loses the offset then, wherever it stands.
    pub(crate) fn carries(&self) -> bool {
        let fraction = self.clock.split_once('.').map_or("", |(_, fraction)| fraction);
        fraction.strip_prefix("999999").is_some_and(|rest| rest.starts_with(|digit| digit >= '5'))
    }

    pub(crate) fn reading(&self) -> Reading {
        let is_time = matches!(self.mark, 'T' | ' ');
        if self.is_zulu() {
            // It drops the zone of its own session.
            return if is_time { Reading::Meant } else { Reading::Astray };
        }
        let whole = self.clock.split_once('.').map_or(self.clock, |(whole, _)| whole);
        let has_seconds = whole.split(':').count() == 3;
        if self.mark == ' ' && !has_seconds && !self.zone.starts_with('+') {
            // As likely a span of time, `2024-01-02 10:00-11:00`.
            return Reading::Warned;
        }
        if !is_time || !has_seconds || self.gap || self.carries() || !self.zone.starts_with(['+', '-']) {
            return Reading::Astray;
        }
        let within = self.offset().is_some_and(|offset| offset.abs() <= 14 * 60);
        let is_spelled =
            self.zone.len() == "+02:00".len() && self.zone.get(3..4) == Some(":") && self.zone != "-00:00";
        if within && is_spelled { Reading::Meant } else { Reading::Warned }
    }
}

/// What an offset begins with; ISO 8601 has the minus of typographers too.
const SIGNS: [char; 3] = ['+', '-', '\u{2212}'];

#[cfg(test)]
mod tests {
    use super::{Instant, Reading};

    #[test]
    fn the_zone_of_an_instant_stands_behind_its_time() {
        for text in [
            "2024-01-02T03:04:05Z",
            "2024-01-02 03:04:05.123z",
            "2024-01-02T03:04+00:00",
            "2024-01-02T03:04-00",
        ] {
            assert!(Instant::parse(text).unwrap().is_utc(), "{text}");
        }
        for text in [
            "2024-01-02T03:04:05+02:00",
            " 2024-01-02 03:04:05.5-0530\n",
            "2024-01-02T03:04:05 +02",
            "2024-01-02T03:04:05\u{2212}02",
        ] {
            assert!(!Instant::parse(text).unwrap().is_utc(), "{text}");
        }
        for text in [
            "2024-01-02T03:04:05",
            "2024-01-02",
            "2024-01-02 + 1",
            "03:04:05+02:00",
            "2024-01-02T03:04:05+é",
            "2024-01-02é03:04:05Z",
            "é",
            "",
        ] {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_instant_has_a_text_in_utc_with_all_digits_of_its_fraction() {
        for (text, utc) in [
            ("2024-01-02T03:04:05+02:00", Some("2024-01-02 01:04:05")),
            ("2024-01-02t03:04:05.1234567-0530", Some("2024-01-02 08:34:05.1234567")),
            ("2024-03-01 00:59+01", Some("2024-02-29 23:59:00")),
            ("2023-12-31T23:59:59.999999999-00:01", Some("2024-01-01 00:00:59.999999999")),
            ("2023-02-28T23:00:00-23:59", Some("2023-03-01 22:59:00")),
            ("0001-01-02T00:00:00+23:59", Some("0001-01-01 00:01:00")),
            ("9999-12-31T23:59:59.9Z", Some("9999-12-31 23:59:59.9")),
            ("0001-01-01T00:00:00+00:01", None),
            ("9999-12-31T23:59:59-00:01", None),
            ("2023-02-29T00:00:00Z", None),
            ("2024-13-01T00:00:00Z", None),
            ("2024-01-00T00:00:00Z", None),
            ("0000-01-01T00:00:00Z", None),
            ("2024-01-02T24:00:00Z", None),
            ("2024-01-02T03:60:00Z", None),
            ("2024-01-02T03:04:60Z", None),
            ("2024-01-02T03:04:05.Z", None),
            ("2024-01-02T03:04:05:06Z", None),
            ("2024-01-02T3:04:05Z", None),
            ("2024-01-02T03:04:05+24:00", None),
            ("2024-01-02T03:04:05+02:60", None),
            ("2024-01-02T03:04:05+02:00:00", None),
            ("2024-01-02T03:04:05+020", None),
        ] {
            assert_eq!(Instant::parse(text).unwrap().utc().as_deref(), utc, "{text}");
        }
        let day = |text| Instant::parse(text).unwrap().whole_day();
        assert_eq!(day("2024-01-02T00:00:00.000Z"), Some("2024-01-02"));
        assert_eq!(day("2024-01-02T00:00:00.001Z"), None);
        assert_eq!(day("2024-01-02T02:00:00+02:00"), None);
        assert_eq!(day("2023-02-29T00:00:00Z"), None);
    }

    // As seen with MySQL 9.7.
    #[test]
    fn one_spelling_is_read_by_mysql_as_it_is_meant() {
        for (text, reading) in [
            ("2025-01-31T10:00:00+02:00", Reading::Meant),
            ("2025-01-31 10:00:00.123456-14:00", Reading::Meant),
            ("2025-01-31T10:00:00.999999+02:00", Reading::Meant),
            ("2025-01-31T10:00Z", Reading::Meant),
            ("2025-01-31T10:00:00+0200", Reading::Warned),
            ("2025-01-31T10:00:00+02", Reading::Warned),
            ("2025-01-31T10:00:00+2:00", Reading::Warned),
            ("2025-01-31T10:00:00-00:00", Reading::Warned),
            ("2025-01-31T10:00:00+14:01", Reading::Warned),
            ("2025-01-31 10:00-11:00", Reading::Warned),
            ("2025-01-31t10:00:00+02:00", Reading::Astray),
            ("2025-01-31t10:00:00Z", Reading::Astray),
            ("2025-01-31T10:00+02:00", Reading::Astray),
            ("2025-01-31 10:00+02:00", Reading::Astray),
            ("2025-01-31T10:00:00 +02:00", Reading::Astray),
            ("2025-01-31T10:00:00.9999995+02:00", Reading::Astray),
            ("2025-01-31T10:00:00\u{2212}02:00", Reading::Astray),
        ] {
            assert_eq!(Instant::parse(text).unwrap().reading(), reading, "{text}");
        }
    }
}
