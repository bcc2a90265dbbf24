//! The calendar: days since 2000-01-01 and dates of the proleptic Gregorian calendar, in which PostgreSQL counts.

/// Days from 0000-03-01 to 2000-01-01.
const EPOCH: i64 = 730_425;
/// Days of four hundred years.
const ERA: i64 = 146_097;

/// Year (0 is 1 BC), month and day. Years are counted from March, so that a leap day ends one.
pub(crate) fn date(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let era = days.div_euclid(ERA);
    let day = days.rem_euclid(ERA);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + carry, month, day)
}

/// Days since 2000-01-01; `None` for a date that does not exist.
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) {
        return None;
    }
    let shifted = if month > 2 { year } else { year - 1 };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * ERA + 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year - EPOCH;
    (date(days) == (year, month, day)).then_some(days)
}
