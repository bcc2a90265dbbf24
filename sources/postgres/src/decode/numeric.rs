//! `numeric`: groups of four decimal digits, the place of the first group, a sign, and the scale to show.

use toolbox_source::Value;

use super::{
    digits::{push_four, push_up_to_four},
    reader::Reader,
};

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
    let groups = reader.take(count * 2)?.as_chunks().0;
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
        let group = usize::try_from(weight - place).ok().and_then(|index| groups.get(index));
        group.map_or(0, |group| u64::from(u16::from_be_bytes(*group)))
    };
    let mut digits = String::with_capacity(count * WIDTH + scale + 8);
    if sign == NEGATIVE {
        digits.push('-');
    }
    push_up_to_four(&mut digits, if weight < 0 { 0 } else { group(weight) });
    for place in (0..weight).rev() {
        push_four(&mut digits, group(place));
    }
    if scale > 0 {
        digits.push('.');
        let end = digits.len() + scale;
        let mut place = -1;
        while digits.len() < end {
            push_four(&mut digits, group(place));
            place -= 1;
        }
        digits.truncate(end);
    }
    Ok(Value::Decimal(digits))
}
