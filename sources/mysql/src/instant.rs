//! Texts that are an instant with its zone, such as `2024-01-02T03:04:05+02:00`, as other programs write them.

/// The zone behind a date and a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// `Z`, or an offset of zero: the zone of every session.
    Utc,
    Other,
}

/// The zone of a text that begins with a date and a time and ends with a zone.
pub(crate) fn zone(text: &str) -> Option<Zone> {
    let (day, rest) = text.split_at_checked("2024-01-02".len())?;
    let is_day = day.bytes().enumerate().all(|(index, byte)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, zone) = clock.split_at_checked(
        clock.find(|character: char| !character.is_ascii_digit() && !matches!(character, ':' | '.'))?,
    )?;
    if !is_day || clock.len() < "03:04".len() {
        return None;
    }
    let zone = zone.trim_start();
    if zone.eq_ignore_ascii_case("Z") {
        return Some(Zone::Utc);
    }
    let offset = zone.strip_prefix(['+', '-'])?;
    let is_offset = offset.starts_with(|first: char| first.is_ascii_digit())
        && offset.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let is_zero = offset.bytes().all(|byte| matches!(byte, b'0' | b':'));
    is_offset.then_some(if is_zero { Zone::Utc } else { Zone::Other })
}

#[cfg(test)]
mod tests {
    use super::{Zone, zone};

    #[test]
    fn the_zone_of_an_instant_stands_behind_its_time() {
        for text in ["2024-01-02T03:04:05Z", "2024-01-02 03:04:05.123z", "2024-01-02T03:04+00:00"] {
            assert_eq!(zone(text), Some(Zone::Utc), "{text}");
        }
        for text in ["2024-01-02T03:04:05+02:00", "2024-01-02 03:04:05.5-0530", "2024-01-02T03:04:05 +02"] {
            assert_eq!(zone(text), Some(Zone::Other), "{text}");
        }
        for text in [
            "2024-01-02T03:04:05",
            "2024-01-02",
            "2024-01-02 + 1",
            "03:04:05+02:00",
            "2024-01-02T03:04:05+é",
            "é",
            "",
        ] {
            assert_eq!(zone(text), None, "{text}");
        }
    }
}
