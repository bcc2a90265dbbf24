//! Arguments in the driver's own form.

use sqlx::{
    Arguments as _, Encode, MySql, Type,
    encode::IsNull,
    error::BoxDynError,
    mysql::{MySqlArguments, MySqlTypeInfo},
};

use super::{Argument, WireTypes};

/// A text, or nothing, that is sent as another type than `VARCHAR`.
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

pub(super) fn add(
    encoded: &mut MySqlArguments,
    argument: &Argument,
    types: &WireTypes,
) -> Result<(), BoxDynError> {
    match argument {
        Argument::Null => encoded.add(Typed { text: None, kind: &types.null }),
        Argument::Bool(truth) => encoded.add(i64::from(*truth)),
        Argument::Int(integer) => encoded.add(*integer),
        Argument::UInt(integer) => encoded.add(*integer),
        Argument::Float(float) => encoded.add(*float),
        Argument::Decimal(digits) => encoded.add(Typed { text: Some(digits), kind: &types.decimal }),
        Argument::Text(text) => encoded.add(text.as_str()),
        Argument::Bytes(bytes) => encoded.add(bytes.as_slice()),
    }
}
