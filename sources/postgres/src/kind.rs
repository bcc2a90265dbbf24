//! What a type of PostgreSQL is to us: how its binary form is read and written. It must not know connections.

use std::sync::Arc;

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
    /// Text after a version byte.
    JsonPath,
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
    /// `pg_lsn`.
    LogPosition,
    /// `tid`.
    TuplePlace,
    Geometric(Shape),
    /// `pg_snapshot` and `txid_snapshot`.
    Snapshot,
    /// `tsvector`.
    SearchVector,
    /// `tsquery`.
    SearchQuery,
    /// A range of a kind that `has_bounds`.
    Range(Arc<Kind>),
    /// An array, with the number of its elements' type.
    Array(Arc<Kind>, u32),
    /// A row type with a name.
    Composite(Arc<[Field]>),
    /// A row type without a name: only its values say which fields they have.
    Record,
    /// A record or an array of records, in a row with the JSON that the server makes of it.
    BesideJson(Arc<Kind>),
    /// The extension's type of pairs.
    Hstore,
    /// A multirange, which sqlx does not know.
    Multirange,
    /// Only the server knows how to write it.
    Foreign,
}

/// A field of a row type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// The number of its type.
    pub(crate) number: u32,
    pub(crate) kind: Kind,
}

/// The geometric types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Point,
    Line,
    Segment,
    Box,
    Path,
    Polygon,
    Circle,
}

/// The number of `text`.
pub(crate) const TEXT: u32 = 25;
/// The number of `json`.
pub(crate) const JSON: u32 = 114;
/// The number of `record`.
pub(crate) const RECORD: u32 = 2249;

/// The number of the elements' type of an array of a built-in type that has a kind.
pub(crate) fn element(number: u32) -> Option<u32> {
    #[rustfmt::skip]
    const ARRAYS: [(u32, u32); 58] = [
        (143, 142), (199, JSON), (271, 5069), (629, 628), (651, 650), (719, 718), (775, 774), (1000, 16),
        (1001, 17), (1002, 18), (1003, 19), (1005, 21), (1006, 22), (1007, 23), (1009, TEXT), (1010, 27),
        (1011, 28), (1012, 29), (1013, 30), (1014, 1042), (1015, 1043), (1016, 20), (1017, 600), (1018, 601),
        (1019, 602), (1020, 603), (1021, 700), (1022, 701), (1027, 604), (1028, 26), (1040, 829), (1041, 869),
        (1115, 1114), (1182, 1082), (1183, 1083), (1185, 1184), (1187, 1186), (1231, 1700), (1263, 2275),
        (1270, 1266), (1561, 1560), (1563, 1562), (2201, 1790), (2287, RECORD), (2949, 2970), (2951, 2950),
        (3221, 3220), (3643, 3614), (3645, 3615), (3807, 3802), (3905, 3904), (3907, 3906), (3909, 3908),
        (3911, 3910), (3913, 3912), (3927, 3926), (4073, 4072), (5039, 5038),
    ];
    ARRAYS.iter().find(|(array, _)| *array == number).map(|(_, element)| *element)
}

impl Kind {
    /// What a built-in type is, by its number; `None` where only the catalog says it.
    pub(crate) fn of_number(number: u32) -> Option<Self> {
        Some(match number {
            16 => Self::Bool,
            17 => Self::Bytea,
            18 => Self::Byte,
            20 => Self::Int8,
            21 => Self::Int2,
            22 => Self::Array(Arc::new(Self::Int2), 21),
            23 => Self::Int4,
            // name, text, xml, unknown, char(n), varchar, refcursor, cstring; and void, whose form is empty.
            19 | TEXT | 142 | 705 | 1042 | 1043 | 1790 | 2275 | 2278 => Self::Text,
            26 | 28 | 29 => Self::Unsigned,
            27 => Self::TuplePlace,
            30 => Self::Array(Arc::new(Self::Unsigned), 26),
            JSON => Self::Json,
            600 => Self::Geometric(Shape::Point),
            601 => Self::Geometric(Shape::Segment),
            602 => Self::Geometric(Shape::Path),
            603 => Self::Geometric(Shape::Box),
            604 => Self::Geometric(Shape::Polygon),
            628 => Self::Geometric(Shape::Line),
            650 | 869 => Self::Network,
            700 => Self::Float4,
            701 => Self::Float8,
            718 => Self::Geometric(Shape::Circle),
            774 | 829 => Self::Hardware,
            1082 => Self::Date,
            1083 => Self::Time,
            1114 => Self::Timestamp,
            1184 => Self::TimestampTz,
            1186 => Self::Interval,
            1266 => Self::TimeTz,
            1560 | 1562 => Self::Bits,
            1700 => Self::Numeric,
            RECORD => Self::Record,
            2950 => Self::Uuid,
            2970 | 5038 => Self::Snapshot,
            3220 => Self::LogPosition,
            3614 => Self::SearchVector,
            3615 => Self::SearchQuery,
            3802 => Self::Jsonb,
            3904 => Self::Range(Arc::new(Self::Int4)),
            3906 => Self::Range(Arc::new(Self::Numeric)),
            3908 => Self::Range(Arc::new(Self::Timestamp)),
            3910 => Self::Range(Arc::new(Self::TimestampTz)),
            3912 => Self::Range(Arc::new(Self::Date)),
            3926 => Self::Range(Arc::new(Self::Int8)),
            4072 => Self::JsonPath,
            5069 => Self::LongUnsigned,
            _ => return None,
        })
    }

    /// Whether all of it is read by us.
    pub(crate) fn is_native(&self) -> bool {
        match self {
            Self::Record | Self::BesideJson(_) | Self::Hstore | Self::Multirange | Self::Foreign => false,
            Self::Array(element, _) => element.is_native(),
            Self::Composite(fields) => fields.iter().all(|field| field.kind.is_native()),
            _ => true,
        }
    }

    /// Whether the text of its values as bounds of a range is written by us.
    pub(crate) fn has_bounds(&self) -> bool {
        self.is_native() && !matches!(self, Self::Array(..) | Self::Composite(_))
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
            Self::Composite(_) | Self::Record => ColumnKind::Object,
            _ => ColumnKind::Text,
        }
    }
}
