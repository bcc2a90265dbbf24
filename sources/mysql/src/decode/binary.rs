//! Cells of the prepared protocol
//! (<https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html>).

use toolbox_source::Value;

use super::{
    Shape,
    moment::{self, Clock, Day},
};

pub(super) fn value(shape: Shape, bytes: &[u8]) -> Option<Value> {
    match shape {
        Shape::Signed => signed(bytes).map(Value::Int),
        Shape::Unsigned => unsigned(bytes).map(super::unsigned),
        Shape::Float => super::single(f32::from_le_bytes(bytes.try_into().ok()?)),
        Shape::Double => Some(Value::Float(f64::from_le_bytes(bytes.try_into().ok()?))),
        Shape::Date => day_and_clock(bytes).map(|(day, _)| Value::Text(moment::date(day))),
        Shape::DateTime => {
            day_and_clock(bytes).map(|(day, clock)| Value::Text(moment::datetime(day, clock, "")))
        }
        Shape::Timestamp => {
            day_and_clock(bytes).map(|(day, clock)| Value::Text(moment::datetime(day, clock, "Z")))
        }
        Shape::Time => time(bytes).map(Value::Text),
        Shape::Bit(_)
        | Shape::Decimal
        | Shape::Json
        | Shape::Text
        | Shape::Ascii
        | Shape::Bytes
        | Shape::Null => None,
    }
}

/// Up to eight bytes, the least significant first.
fn unsigned(bytes: &[u8]) -> Option<u64> {
    let mut padded = [0; 8];
    padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
    (!bytes.is_empty()).then(|| u64::from_le_bytes(padded))
}

/// The same with the sign of the last byte.
fn signed(bytes: &[u8]) -> Option<i64> {
    let fill = if bytes.last()? & 0x80 == 0 { 0 } else { 0xff };
    let mut padded = [fill; 8];
    padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(i64::from_le_bytes(padded))
}

/// A length, year (2), month, day; hour, minute, second; microseconds (4). Zeros at the end are left out.
fn day_and_clock(bytes: &[u8]) -> Option<(Day, Clock)> {
    let fields = counted(bytes, &[0, 4, 7, 11])?;
    let (year, rest) = fields.split_first_chunk()?;
    let (&[month, day, hours, minutes, seconds], rest) = rest.split_first_chunk()?;
    let micros = u32::from_le_bytes(*rest.first_chunk()?);
    let day = Day { year: u16::from_le_bytes(*year), month, date: day };
    Some((day, Clock { hours: u32::from(hours), minutes, seconds, micros }))
}

/// A length, 1 if negative, days (4), hours, minutes, seconds; microseconds (4). Zeros at the end are left out.
fn time(bytes: &[u8]) -> Option<String> {
    let fields = counted(bytes, &[0, 8, 12])?;
    let (negative, rest) = fields.split_first()?;
    let (days, rest) = rest.split_first_chunk()?;
    let (&[hours, minutes, seconds], micros) = rest.split_first_chunk()?;
    let micros = u32::from_le_bytes(micros.try_into().ok()?);
    let hours = u32::from_le_bytes(*days).checked_mul(24)?.checked_add(u32::from(hours))?;
    let clock = Clock { hours, minutes, seconds, micros };
    Some(moment::time(*negative == 1, clock))
}

/// The fields after the length, filled up with the zeros that were left out.
fn counted(bytes: &[u8], lengths: &[usize]) -> Option<[u8; 12]> {
    let (length, fields) = bytes.split_first()?;
    if usize::from(*length) != fields.len() || !lengths.contains(&fields.len()) {
        return None;
    }
    let mut padded = [0; 12];
    padded.get_mut(..fields.len())?.copy_from_slice(fields);
    Some(padded)
}

#[cfg(test)]
mod tests {
    use toolbox_source::Value;

    use super::{Shape, value};

    #[test]
    fn integers_are_little_endian_with_the_sign_of_their_type() {
        assert_eq!(value(Shape::Signed, &[0xff]), Some(Value::Int(-1)));
        assert_eq!(value(Shape::Unsigned, &[0xff]), Some(Value::Int(255)));
        assert_eq!(value(Shape::Unsigned, &[0xff; 8]), Some(Value::UInt(u64::MAX)));
        assert_eq!(value(Shape::Signed, &[0, 0, 0, 0, 0, 0, 0, 0x80]), Some(Value::Int(i64::MIN)));
    }

    // The examples of the protocol's description.
    #[test]
    fn dates_and_times_read_as_the_protocol_describes_them() {
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        let datetime = [0x0b, 0xda, 0x07, 0x0a, 0x11, 0x13, 0x1b, 0x1e, 0x01, 0x00, 0x00, 0x00];
        assert_eq!(value(Shape::DateTime, &datetime), text("2010-10-17T19:27:30.000001"));
        assert_eq!(value(Shape::Date, &[0x04, 0xda, 0x07, 0x0a, 0x11]), text("2010-10-17"));
        let time = [0x0c, 0x01, 0x78, 0x00, 0x00, 0x00, 0x13, 0x1b, 0x1e, 0x01, 0x00, 0x00, 0x00];
        assert_eq!(value(Shape::Time, &time), text("-2899:27:30.000001"));
        assert_eq!(value(Shape::Time, &[0]), text("00:00:00"));
    }

    #[test]
    fn bytes_that_fit_no_form_are_no_value() {
        for (shape, bytes) in [
            (Shape::Signed, &[][..]),
            (Shape::Unsigned, &[0; 9]),
            (Shape::Double, &[0; 4]),
            (Shape::Date, &[]),
            (Shape::Date, &[4, 1]),
            (Shape::DateTime, &[5, 1, 1, 1, 1, 1]),
            (Shape::Time, &[8, 0]),
        ] {
            assert_eq!(value(shape, bytes), None, "{shape:?} {bytes:?}");
        }
    }
}
