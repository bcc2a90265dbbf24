//! Arguments in the driver's own form.

use sqlx::{
    Arguments as _, Encode, MySql, Type,
    encode::IsNull,
    error::BoxDynError,
    mysql::{MySqlArguments, MySqlTypeInfo},
};

use super::{Argument, Kind};

/// A text that is sent as another type than `VARCHAR`.
pub(super) struct Typed<'a> {
    text: Option<&'a str>,
    kind: &'a MySqlTypeInfo,
}

impl Type<MySql> for Typed<'_> {
    fn type_info() -> MySqlTypeInfo {
        <str as Type<MySql>>::type_info()
    }
}

impl Encode<'_, MySql> for Typed<'_> {
    fn encode_by_ref(&self, buffer: &mut Vec<u8>) -> Result<IsNull, BoxDynError> {
        self.text.map_or(Ok(IsNull::Yes), |text| <&str as Encode<'_, MySql>>::encode_by_ref(&text, buffer))
    }

    fn produces(&self) -> Option<MySqlTypeInfo> {
        Some(self.kind.clone())
    }
}

/// Adds an argument. `decimal` is the driver's name for `DECIMAL`, which it shows and does not let anybody make.
pub(super) fn add(
    encoded: &mut MySqlArguments,
    argument: &Argument,
    kind: Kind,
    decimal: &MySqlTypeInfo,
) -> Result<(), BoxDynError> {
    match (argument, kind) {
        (Argument::Null, Kind::Int) => encoded.add(None::<i64>),
        (Argument::Null, Kind::UInt) => encoded.add(None::<u64>),
        (Argument::Null, Kind::Float) => encoded.add(None::<f64>),
        (Argument::Null, Kind::Decimal) => encoded.add(Typed { text: None, kind: decimal }),
        (Argument::Null, Kind::Text) => encoded.add(None::<&str>),
        (Argument::Null, Kind::Bytes) => encoded.add(None::<&[u8]>),
        (Argument::Int(integer), _) => encoded.add(*integer),
        (Argument::UInt(integer), _) => encoded.add(*integer),
        (Argument::Float(float), _) => encoded.add(*float),
        (Argument::Decimal(digits), _) => encoded.add(Typed { text: Some(digits), kind: decimal }),
        (Argument::Text(text), _) => encoded.add(text.as_str()),
        (Argument::Bytes(bytes), _) => encoded.add(bytes.as_slice()),
    }
}
