//! What the server is told of the types of parameters that it cannot tell: the type that it finds where they are not only tested
//! for null, or else what they are declared to hold.

use sqlx::postgres::{PgTypeInfo, types::Oid};
use toolbox_source::Declared;

/// What the server is told of the type of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Told {
    #[default]
    Nothing,
    /// The number of the type that holds what the parameter is declared to hold.
    Declared(u32),
    /// The number of the type that the server finds where the parameter is not only tested for null.
    Found(u32),
}

/// The numbers of `numeric[]` and `float8[]`. A list of fractions keeps its digits in the first, but only the second goes
/// together with another array of doubles (`&&`), since the server casts no array by itself.
const NUMERIC_LIST: u32 = 1231;
const FLOAT8_LIST: u32 = 1022;

impl Told {
    pub(crate) fn of(declared: &Declared) -> Self {
        Self::Declared(number_of(declared))
    }

    pub(crate) fn type_info(self) -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(match self {
            Self::Nothing => 0,
            Self::Declared(number) | Self::Found(number) => number,
        }))
    }

    /// Another type for a list of fractions, if it can have one.
    pub(crate) fn as_doubles(self) -> Option<Self> {
        (self == Self::Declared(NUMERIC_LIST)).then_some(Self::Declared(FLOAT8_LIST))
    }

    /// The name of such a type for `PREPARE`, which infers what is `unknown`.
    pub(crate) fn name(self) -> &'static str {
        let Self::Declared(number) = self else { return "unknown" };
        match number {
            25 => "pg_catalog.text",
            20 => "pg_catalog.int8",
            1700 => "pg_catalog.numeric",
            16 => "pg_catalog.bool",
            3802 => "pg_catalog.jsonb",
            1009 => "pg_catalog.text[]",
            1016 => "pg_catalog.int8[]",
            NUMERIC_LIST => "pg_catalog.numeric[]",
            FLOAT8_LIST => "pg_catalog.float8[]",
            1000 => "pg_catalog.bool[]",
            3807 => "pg_catalog.jsonb[]",
            _ => "unknown",
        }
    }
}

/// The number of the type that holds what a parameter is declared to hold (`pg_type.dat`). Lists of lists have the type of
/// their innermost lists.
fn number_of(declared: &Declared) -> u32 {
    match declared {
        Declared::Text => 25,
        Declared::Integer => 20,
        // It keeps all digits, and the server casts it to the others by itself.
        Declared::Float => 1700,
        Declared::Boolean => 16,
        Declared::Map => 3802,
        Declared::List(items) => match items.as_ref() {
            Declared::Text => 1009,
            Declared::Integer => 1016,
            Declared::Float => NUMERIC_LIST,
            Declared::Boolean => 1000,
            Declared::Map => 3807,
            list @ Declared::List(_) => number_of(list),
        },
    }
}
