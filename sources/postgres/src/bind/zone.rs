//! Zones of texts for types that keep none. The server reads `10:00+02:00` for a `time` as 10:00 and says nothing. Sessions are in
//! UTC, so the same text with its zone kept is the same value, unless the zone is another one.

use crate::{kind::Kind, prepared::Parameter};

/// The numbers of `tsmultirange`, `datemultirange` and their arrays, which the statement casts from text.
const MOMENTS: [u32; 2] = [4533, 6152];
const DAYS: [u32; 2] = [4535, 6155];

/// Why a text with another zone than UTC is no value of such a type.
pub(super) fn lost(kind: &Kind) -> &'static str {
    match element(kind) {
        Kind::Date => {
            "the statement takes a date here, which keeps no offset, and in UTC it is another day; pass the day alone"
        }
        Kind::Range(_) | Kind::Multirange => {
            "the statement takes a range here that keeps no offset; pass its bounds in UTC, and days alone"
        }
        Kind::Time => {
            "the statement takes a time without time zone here, which keeps no offset; pass the time in UTC"
        }
        _ => {
            "the statement takes a timestamp without time zone here, which keeps no offset; pass the moment in UTC, or cast the \
             parameter to timestamptz"
        }
    }
}

/// The expression that says whether the server keeps what the text `$1` means; none where the text has no zone to lose.
pub(super) fn kept(kind: &Kind, text: &str) -> Option<String> {
    let list = if matches!(kind, Kind::Array(..)) { "[]" } else { "" };
    let read = |name: &str| format!("$1::pg_catalog.text::pg_catalog.{name}{list}");
    let cast = |name: &str| format!("::pg_catalog.{name}{list}");
    let same = |one: String, other: String| format!("{one} IS NOT DISTINCT FROM {other}");
    match element(kind) {
        Kind::Timestamp => Some(same(read("timestamptz") + &cast("timestamp"), read("timestamp"))),
        // Dates without a time reach further than moments do.
        Kind::Date if has_clock(text) => Some(same(read("timestamptz") + &cast("date"), read("date"))),
        Kind::Time if has_zone(text) => {
            let is_utc = |time: &str| format!("pg_catalog.date_part('timezone', {time}) = 0");
            Some(if list.is_empty() {
                is_utc(&read("timetz"))
            } else {
                let all = format!(
                    "SELECT pg_catalog.bool_and({}) FROM pg_catalog.unnest({}) AS item",
                    is_utc("item"),
                    read("timetz")
                );
                format!("({all}) IS NOT FALSE")
            })
        }
        Kind::Range(bound) if **bound == Kind::Timestamp => Some(kept_bounds("tsrange", "tstzrange", list)),
        Kind::Range(bound) if **bound == Kind::Date && has_clock(text) => {
            Some(kept_bounds("daterange", "tstzrange", list))
        }
        _ => None,
    }
}

/// The same for what the statement itself casts from the text.
pub(super) fn kept_by_cast(parameter: &Parameter, text: &str) -> Option<String> {
    let list = if matches!(parameter.kind, Kind::Array(..)) { "[]" } else { "" };
    let name = match parameter.number {
        number if MOMENTS.contains(&number) => "tsmultirange",
        number if DAYS.contains(&number) => "datemultirange",
        _ => return None,
    };
    has_clock(text).then(|| kept_bounds(name, "tstzmultirange", list))
}

/// The same for the bounds of ranges: what they are as moments has the same bounds in UTC.
fn kept_bounds(name: &str, moments: &str, list: &str) -> String {
    let text = "$1::pg_catalog.text";
    let (kept, moments) = (format!("::pg_catalog.{name}{list}"), format!("::pg_catalog.{moments}{list}"));
    format!("{text}{moments}::pg_catalog.text{list}{kept} IS NOT DISTINCT FROM {text}{kept}")
}

fn element(kind: &Kind) -> &Kind {
    match kind {
        Kind::Array(element, _) => element,
        kind => kind,
    }
}

/// Whether a text tells more than a day.
fn has_clock(text: &str) -> bool {
    text.contains(':') || text.contains(['T', 't']) && text.bytes().filter(u8::is_ascii_digit).count() > 8
}

/// Whether anything behind a clock may be a zone.
fn has_zone(text: &str) -> bool {
    text.split_once(':').is_some_and(|(_, rest)| {
        rest.contains(|part: char| part.is_ascii_alphabetic() || part == '+' || part == '-')
    })
}

#[cfg(test)]
mod tests {
    use super::{has_clock, has_zone};

    #[test]
    fn only_what_may_have_a_zone_is_read_twice() {
        for (text, clock, zone) in [
            ("2024-02-29", false, false),
            ("300000-01-01", false, false),
            ("yesterday", false, false),
            ("today", false, false),
            ("2024-02-29T10:00:00Z", true, true),
            ("20240229T100000+02", true, false),
            ("10:00:00.5", true, false),
            ("10:00+02", true, true),
            ("10:00 Europe/Berlin", true, true),
        ] {
            assert_eq!((has_clock(text), has_zone(text)), (clock, zone), "{text}");
        }
    }
}
