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

/// The numbers of `int8`, `int4` and `numeric`.
pub(crate) const INT8: u32 = 20;
pub(crate) const INT4: u32 = 23;
pub(crate) const NUMERIC: u32 = 1700;

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

    /// Another type that holds the same and that the server may take where it does not take this one.
    pub(crate) fn other(self) -> Option<Self> {
        match self {
            Self::Declared(NUMERIC_LIST) => Some(Self::Declared(FLOAT8_LIST)),
            // `date + $1`
            Self::Declared(INT8) => Some(Self::Declared(INT4)),
            _ => None,
        }
    }

    /// The name of such a type for `PREPARE`, which infers what is `unknown`.
    pub(crate) fn name(self) -> &'static str {
        let Self::Declared(number) = self else { return "unknown" };
        match number {
            25 => "pg_catalog.text",
            INT8 => "pg_catalog.int8",
            INT4 => "pg_catalog.int4",
            NUMERIC => "pg_catalog.numeric",
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
        Declared::Integer => INT8,
        // It keeps all digits, and the server casts it to the others by itself.
        Declared::Float => NUMERIC,
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
