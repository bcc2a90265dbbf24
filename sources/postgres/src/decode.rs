//! Cells to values, from the binary form that the server sends (the `*_send` functions of its source). sqlx's own decoders
//! are not used: each of them panics on some value or loses some of it.

pub(crate) mod calendar;
mod clock;
pub(crate) mod digits;
mod float;
mod nested;
mod network;
mod numeric;
mod range;
mod reader;
pub(crate) mod record;
mod shape;
mod snapshot;
mod text_search;

use toolbox_source::{Value, json};

use crate::kind::Kind;
use reader::Reader;

/// Reads one cell that is not null. An error says what is wrong with its bytes.
pub(crate) fn value(bytes: &[u8], kind: &Kind) -> Result<Value, String> {
    Ok(match kind {
        Kind::Bool => Value::Bool(fixed::<1>(bytes)? != [0]),
        Kind::Int2 => Value::Int(i16::from_be_bytes(fixed(bytes)?).into()),
        Kind::Int4 => Value::Int(i32::from_be_bytes(fixed(bytes)?).into()),
        Kind::Int8 => Value::Int(i64::from_be_bytes(fixed(bytes)?)),
        Kind::Unsigned => Value::Int(u32::from_be_bytes(fixed(bytes)?).into()),
        Kind::LongUnsigned => {
            let number = u64::from_be_bytes(fixed(bytes)?);
            i64::try_from(number).map_or(Value::UInt(number), Value::Int)
        }
        Kind::Float4 => Value::Float(float::widen(f32::from_be_bytes(fixed(bytes)?))),
        Kind::Float8 => Value::Float(f64::from_be_bytes(fixed(bytes)?)),
        Kind::Text => Value::Text(text(bytes)?.to_owned()),
        Kind::Byte => Value::Text(byte(u8::from_be_bytes(fixed(bytes)?))),
        Kind::Uuid => Value::Text(uuid(fixed(bytes)?)),
        Kind::Json => Value::Json(json::compact(text(bytes)?)),
        Kind::Jsonb => Value::Json(json::compact(versioned(bytes)?)),
        Kind::JsonPath => Value::Text(versioned(bytes)?.to_owned()),
        Kind::Bytea => Value::Bytes(bytes.to_owned()),
        Kind::Date => Value::Text(clock::date(i32::from_be_bytes(fixed(bytes)?))),
        Kind::Time => Value::Text(clock::time(i64::from_be_bytes(fixed(bytes)?))),
        Kind::Timestamp => Value::Text(clock::timestamp(i64::from_be_bytes(fixed(bytes)?), 'T', "")),
        Kind::TimestampTz => Value::Text(clock::timestamp(i64::from_be_bytes(fixed(bytes)?), 'T', "Z")),
        Kind::Hardware => Value::Text(network::hardware(bytes)),
        kind => return composed(&mut Reader::new(bytes), kind),
    })
}

/// Reads a cell that consists of parts.
fn composed(reader: &mut Reader<'_>, kind: &Kind) -> Result<Value, String> {
    let value = match kind {
        Kind::Numeric => numeric::value(reader)?,
        Kind::TimeTz => Value::Text(clock::time_with_zone(reader.i64()?, reader.i32()?)),
        Kind::Interval => Value::Text(clock::interval(reader.i64()?, reader.i32()?, reader.i32()?)),
        Kind::Network => Value::Text(network::address(reader)?),
        Kind::Bits => Value::Text(bits(reader)?),
        Kind::LogPosition => Value::Text(shape::log_position(reader)?),
        Kind::TuplePlace => Value::Text(shape::tuple_place(reader)?),
        Kind::Geometric(shape) => Value::Text(shape::geometric(reader, *shape)?),
        Kind::Snapshot => Value::Text(snapshot::snapshot(reader)?),
        Kind::SearchVector => Value::Text(text_search::vector(reader)?),
        Kind::SearchQuery => Value::Text(text_search::query(reader)?),
        Kind::Range(bound) => Value::Text(range::range(reader, bound)?),
        Kind::Array(element, _) => nested::array(reader, element)?,
        Kind::Composite(fields) => nested::composite(reader, fields)?,
        Kind::BesideJson(records) => record::beside_json(reader, records)?,
        _ => return Err("the type has no form that is read here".to_owned()),
    };
    reader.end()?;
    Ok(value)
}

/// All the bytes of a cell of a fixed length.
fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], String> {
    bytes.try_into().map_err(|_| format!("the value has {} bytes, and its type {N}", bytes.len()))
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "the text is not UTF-8".to_owned())
}

/// The text after a version byte, which is 1 for all types that have one.
fn versioned(bytes: &[u8]) -> Result<&str, String> {
    match bytes.split_first() {
        Some((1, rest)) => text(rest),
        Some((version, _)) => Err(format!("version {version} of the binary form of its type is unknown")),
        None => Err("the value is shorter than its type".to_owned()),
    }
}

/// The byte 0 is written as nothing, one above 127 as an octal number.
fn byte(byte: u8) -> String {
    match byte {
        0 => String::new(),
        1..=127 => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

fn uuid(bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        digits::push_hexadecimal(&mut text, byte);
    }
    text
}

fn bits(reader: &mut Reader<'_>) -> Result<String, String> {
    let count =
        usize::try_from(reader.i32()?).map_err(|_| "a bit string has a negative length".to_owned())?;
    let bytes = reader.rest();
    if bytes.len() != count.div_ceil(8) {
        return Err("a bit string has another length than it says".to_owned());
    }
    let bit = |byte: u8, place: u32| if byte & (0x80 >> place) == 0 { '0' } else { '1' };
    Ok(bytes.iter().flat_map(|byte| (0..8).map(move |place| bit(*byte, place))).take(count).collect())
}

#[cfg(test)]
mod tests;
