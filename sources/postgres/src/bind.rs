//! Values to arguments, by the types that the server inferred: sqlx sends every argument in binary form, so each is written
//! here in the form of its type, exactly, or the server itself turns its text into that form, or it is refused.

mod array;
mod convert;
mod hstore;
mod literal;
mod moment;
mod number;
mod survives;
mod zone;

use sqlx::{
    Arguments as _, Encode, Postgres, Type,
    encode::IsNull,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgArguments, PgConnection, PgTypeInfo},
};
use toolbox_source::{SourceError, Value, json};

use crate::{error, kind::Kind, prepared::Parameter};
use convert::{Conversion, check_cast, convert};

/// Why arguments are not bound.
pub(crate) enum Failure {
    /// One of them does not fit.
    Ours(SourceError),
    /// The server could not be asked.
    Driver(sqlx::Error),
}

/// One argument in the form of its type.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    Null,
    Binary(Vec<u8>),
    /// Only the server reads this text.
    Text(String),
}

/// The arguments of a statement, in order. Asks the server where only it can turn a text into a type.
pub(crate) async fn arguments(
    values: &[Value],
    parameters: &[Parameter],
    driver: &mut PgConnection,
) -> Result<PgArguments, Failure> {
    let mut arguments = PgArguments::default();
    for (index, (value, parameter)) in values.iter().zip(parameters).enumerate() {
        let refuse = |message| Failure::Ours(SourceError::Argument { index, message });
        let form = if parameter.is_cast { form_to_cast } else { form };
        let converted = |error| match error {
            Conversion::Refused(said) => Failure::Ours(error::argument(index, said)),
            Conversion::Driver(error) => Failure::Driver(error),
        };
        let bytes = match form(value, &parameter.kind).map_err(refuse)? {
            Form::Null => None,
            Form::Binary(bytes) => {
                if parameter.is_cast {
                    check_cast(&bytes, parameter, driver).await.map_err(converted)?;
                }
                Some(bytes)
            }
            Form::Text(text) => convert(text, parameter, driver).await.map_err(converted)?,
        };
        arguments.add(Raw { of: parameter.of.clone(), bytes }).map_err(|error| refuse(error.to_string()))?;
    }
    Ok(arguments)
}

/// Whether an argument arrives as it was sent, whatever the type of its column has become since the statement was prepared.
pub(crate) fn survives(value: &Value, parameter: &Parameter) -> bool {
    survives::survives(value, &parameter.kind, parameter.number)
}

/// The text from which the server casts to a type of this kind.
pub(crate) fn text_to_cast(value: &Value, kind: &Kind) -> Option<String> {
    match form_to_cast(value, kind) {
        Ok(Form::Binary(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    }
}

/// The texts from which the server casts arguments to the types of their parameters; none for a null.
pub(crate) fn texts(values: &[Value], parameters: &[Parameter]) -> Result<Vec<Option<String>>, SourceError> {
    let text = |(index, (value, parameter)): (usize, (&Value, &Parameter))| {
        let refuse = |message| SourceError::Argument { index, message };
        if parameter.kind != Kind::Multirange {
            form(value, &parameter.kind).map_err(refuse)?;
        }
        literal::of(value, &parameter.kind).map_err(refuse)
    };
    values.iter().zip(parameters).enumerate().map(text).collect()
}

/// The form of a value for a kind of type that the statement casts from `text`.
fn form_to_cast(value: &Value, kind: &Kind) -> Result<Form, String> {
    Ok(literal::of(value, kind)?.map_or(Form::Null, |text| Form::Binary(text.into_bytes())))
}

/// Arguments that are what the server has sent of these types.
pub(crate) fn unchanged(
    cells: impl Iterator<Item = (PgTypeInfo, Option<Vec<u8>>)>,
) -> Result<PgArguments, String> {
    let mut arguments = PgArguments::default();
    for (of, bytes) in cells {
        arguments.add(Raw { of, bytes }).map_err(|error| error.to_string())?;
    }
    Ok(arguments)
}

/// The form of a value for a kind of type.
fn form(value: &Value, kind: &Kind) -> Result<Form, String> {
    if *value == Value::Null {
        return Ok(Form::Null);
    }
    let binary = |bytes: &[u8]| Ok(Form::Binary(bytes.to_owned()));
    match kind {
        Kind::Int2 => binary(&number::integer::<i16>(value, "smallint")?.to_be_bytes()),
        Kind::Int4 => binary(&number::integer::<i32>(value, "integer")?.to_be_bytes()),
        Kind::Int8 => binary(&number::integer::<i64>(value, "bigint")?.to_be_bytes()),
        Kind::Unsigned => binary(&number::integer::<u32>(value, "oid")?.to_be_bytes()),
        Kind::LongUnsigned => binary(&number::integer::<u64>(value, "xid8")?.to_be_bytes()),
        Kind::Float4 => binary(&number::single(value)?.to_be_bytes()),
        Kind::Float8 => binary(&number::double(value)?.to_be_bytes()),
        Kind::Numeric => Ok(Form::Binary(number::numeric(value)?)),
        Kind::Bool => boolean(value),
        Kind::Text => Ok(Form::Binary(plain(value)?.into_bytes())),
        Kind::Json => Ok(Form::Binary(json_text(value)?.into_bytes())),
        Kind::Jsonb => {
            let mut bytes = vec![1];
            bytes.extend(json_text(value)?.into_bytes());
            Ok(Form::Binary(bytes))
        }
        Kind::Bytea => match value {
            Value::Bytes(bytes) => binary(bytes),
            _ => Ok(Form::Text(plain(value)?)),
        },
        Kind::Uuid => {
            let text = plain(value)?;
            Ok(uuid(&text).map_or(Form::Text(text), Form::Binary))
        }
        Kind::Date | Kind::Time | Kind::Timestamp | Kind::TimestampTz => {
            let text = plain(value)?;
            if moment::loses_offset(&text, kind) {
                return Err(zone::lost(kind).to_owned());
            }
            Ok(moment::binary(&text, kind).map_or(Form::Text(text), Form::Binary))
        }
        Kind::Bits => {
            let text = plain(value)?;
            bits(&text).map(Form::Binary).ok_or_else(|| "a bit string consists of 0 and 1".to_owned())
        }
        Kind::Byte => match plain(value)?.as_bytes() {
            [] => binary(&[0]),
            [byte] => binary(&[*byte]),
            _ => Err("the statement takes one byte (\"char\") here, and the text is longer".to_owned()),
        },
        Kind::Array(element, number) => match value {
            Value::Array(items) => array::form(items, element, *number),
            _ => Ok(Form::Text(plain(value)?)),
        },
        _ => Ok(literal::of(value, kind)?.map_or(Form::Null, Form::Text)),
    }
}

/// The text of a value that is no list, map or bytes.
fn plain(value: &Value) -> Result<String, String> {
    let text = match value {
        Value::Text(text) | Value::Json(text) | Value::Decimal(text) => text.clone(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(integer) => integer.to_string(),
        Value::UInt(integer) => integer.to_string(),
        Value::Float(float) => number::digits(*float),
        Value::Null | Value::Bytes(_) | Value::Array(_) | Value::Object(_) => {
            return Err(format!(
                "the statement takes a text here, and the value is of kind {}",
                value.kind()
            ));
        }
    };
    if text.contains('\0') {
        return Err("the text holds a NUL character (U+0000), which PostgreSQL does not store".to_owned());
    }
    Ok(text)
}

fn boolean(value: &Value) -> Result<Form, String> {
    let truth = match value {
        Value::Bool(truth) => Some(*truth),
        Value::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
            "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    };
    truth.map(|truth| Form::Binary(vec![u8::from(truth)])).ok_or_else(|| {
        format!("the statement takes true or false here, and the value is of kind {}", value.kind())
    })
}

/// The usual form of a uuid; others are left to the server.
fn uuid(text: &str) -> Option<Vec<u8>> {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    if groups != [8, 4, 4, 4, 12] {
        return None;
    }
    let digits: Vec<u32> = text
        .chars()
        .filter(|character| *character != '-')
        .map(|digit| digit.to_digit(16))
        .collect::<Option<_>>()?;
    digits
        .chunks_exact(2)
        .map(|pair| {
            pair.iter()
                .try_fold(0_u32, |sum, digit| Some(sum * 16 + digit))
                .and_then(|byte| u8::try_from(byte).ok())
        })
        .collect()
}

fn bits(text: &str) -> Option<Vec<u8>> {
    let mut bytes = i32::try_from(text.len()).ok()?.to_be_bytes().to_vec();
    for group in text.as_bytes().chunks(8) {
        let mut byte = 0;
        for (place, digit) in group.iter().enumerate() {
            match digit {
                b'0' => {}
                b'1' => byte |= 0x80_u8 >> place,
                _ => return None,
            }
        }
        bytes.push(byte);
    }
    Some(bytes)
}

/// Bytes for sqlx to send as they are.
struct Raw {
    of: PgTypeInfo,
    bytes: Option<Vec<u8>>,
}

impl Type<Postgres> for Raw {
    /// Only a name that is never asked for: `produces` always answers.
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("unknown")
    }
}

impl Encode<'_, Postgres> for Raw {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        match &self.bytes {
            Some(bytes) => {
                buffer.extend_from_slice(bytes);
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(self.of.clone())
    }
}

/// A text is taken as JSON text already: the server reads it. Everything else is written as JSON.
fn json_text(value: &Value) -> Result<String, String> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        value => json::of_value(value),
    }
}
