//! What a type of PostgreSQL is to us: how its binary form is read and written. It must not know connections.

use std::sync::Arc;

use sqlx::{
    TypeInfo as _,
    postgres::{PgTypeInfo, PgTypeKind},
};
use toolbox_source::ColumnKind;

/// How values of one type are read and written. The numbers of the types are those of `pg_type.dat`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Bool,
    Int2,
    Int4,
    Int8,
    /// `oid`, `xid`, `cid`.
    Unsigned,
    /// `xid8`.
    LongUnsigned,
    Float4,
    Float8,
    Numeric,
    /// Every type whose binary form is its text.
    Text,
    /// `"char"`, one byte.
    Byte,
    Uuid,
    Json,
    Jsonb,
    Bytea,
    Date,
    Time,
    TimeTz,
    Timestamp,
    TimestampTz,
    Interval,
    Network,
    /// `macaddr` and `macaddr8`.
    Hardware,
    Bits,
    /// An array, with the number of its elements' type.
    Array(Arc<Kind>, u32),
    /// A row type, with the names of its fields.
    Composite(Arc<[(String, Kind)]>),
    /// Only the server knows how to write it.
    Foreign,
}

impl Kind {
    /// What a type is.
    pub(crate) fn of(of: &PgTypeInfo) -> Self {
        if let Some(kind) = of.oid().and_then(|oid| Self::of_number(oid.0)) {
            return kind;
        }
        match of.kind() {
            PgTypeKind::Enum(_) => Self::Text,
            // A domain is sent as its base type.
            PgTypeKind::Domain(base) => Self::of(base),
            PgTypeKind::Array(element) => match element.oid() {
                Some(oid) => Self::Array(Arc::new(Self::of(element)), oid.0),
                None => Self::Foreign,
            },
            PgTypeKind::Composite(fields) => {
                Self::Composite(fields.iter().map(|(name, of)| (name.clone(), Self::of(of))).collect())
            }
            PgTypeKind::Simple if is_citext(of.name()) => Self::Text,
            _ => Self::Foreign,
        }
    }

    fn of_number(number: u32) -> Option<Self> {
        Some(match number {
            16 => Self::Bool,
            17 => Self::Bytea,
            18 => Self::Byte,
            20 => Self::Int8,
            21 => Self::Int2,
            23 => Self::Int4,
            // name, text, xml, unknown, char(n), varchar, cstring; and void, whose form is empty.
            19 | 25 | 142 | 705 | 1042 | 1043 | 2275 | 2278 => Self::Text,
            26 | 28 | 29 => Self::Unsigned,
            114 => Self::Json,
            650 | 869 => Self::Network,
            700 => Self::Float4,
            701 => Self::Float8,
            774 | 829 => Self::Hardware,
            1082 => Self::Date,
            1083 => Self::Time,
            1114 => Self::Timestamp,
            1184 => Self::TimestampTz,
            1186 => Self::Interval,
            1266 => Self::TimeTz,
            1560 | 1562 => Self::Bits,
            1700 => Self::Numeric,
            2950 => Self::Uuid,
            3802 => Self::Jsonb,
            5069 => Self::LongUnsigned,
            _ => return None,
        })
    }

    /// Whether all of it is read by us.
    pub(crate) fn is_native(&self) -> bool {
        match self {
            Self::Foreign => false,
            Self::Array(element, _) => element.is_native(),
            Self::Composite(fields) => fields.iter().all(|(_, kind)| kind.is_native()),
            _ => true,
        }
    }

    /// What the cells of a column of this kind hold.
    pub(crate) fn column(&self) -> ColumnKind {
        match self {
            Self::Bool => ColumnKind::Bool,
            Self::Int2 | Self::Int4 | Self::Int8 | Self::Unsigned | Self::LongUnsigned => ColumnKind::Integer,
            Self::Float4 | Self::Float8 => ColumnKind::Float,
            // NaN and the infinities are text, all other values decimals.
            Self::Numeric => ColumnKind::Decimal,
            Self::Json | Self::Jsonb => ColumnKind::Json,
            Self::Bytea => ColumnKind::Bytes,
            Self::Array(..) => ColumnKind::Array,
            Self::Composite(_) => ColumnKind::Object,
            _ => ColumnKind::Text,
        }
    }
}

/// The extension's type, in whatever schema it was installed.
fn is_citext(name: &str) -> bool {
    name.rsplit('.').next() == Some("citext")
}
