//! `numeric`: groups of four decimal digits, the place of the first group, a sign, and the scale to show.

use std::fmt::Write as _;

use toolbox_source::Value;

use super::reader::Reader;

const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xC000;
const INFINITY: u16 = 0xD000;
const MINUS_INFINITY: u16 = 0xF000;

/// Digits in a group.
const WIDTH: usize = 4;

pub(super) fn value(reader: &mut Reader<'_>) -> Result<Value, String> {
    let count = usize::from(reader.u16()?);
    let weight = i32::from(reader.i16()?);
    let sign = reader.u16()?;
    let scale = usize::from(reader.u16()?);
    let groups = (0..count).map(|_| reader.u16()).collect::<Result<Vec<u16>, String>>()?;
    let special = match sign {
        0 | NEGATIVE => None,
        NAN => Some("NaN"),
        INFINITY => Some("Infinity"),
        MINUS_INFINITY => Some("-Infinity"),
        _ => return Err("a numeric has an unknown sign".to_owned()),
    };
    if let Some(word) = special {
        return Ok(Value::Text(word.to_owned()));
    }
    // The group whose last digit stands at 10^(4·place); places beyond the groups hold zeros.
    let group = |place: i32| {
        usize::try_from(weight - place).ok().and_then(|index| groups.get(index)).copied().unwrap_or(0)
    };
    let mut digits = String::with_capacity(count * WIDTH + scale + 8);
    if sign == NEGATIVE {
        digits.push('-');
    }
    if weight < 0 {
        digits.push('0');
    } else {
        for place in (0..=weight).rev() {
            // Writing to a String cannot fail.
            let _ = if place == weight {
                write!(digits, "{}", group(place))
            } else {
                write!(digits, "{:04}", group(place))
            };
        }
    }
    if scale > 0 {
        digits.push('.');
        let end = digits.len() + scale;
        let mut place = -1;
        while digits.len() < end {
            let _ = write!(digits, "{:04}", group(place));
            place -= 1;
        }
        digits.truncate(end);
    }
    Ok(Value::Decimal(digits))
}
