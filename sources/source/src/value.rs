//! What a cell or an argument may be.

/// One cell of a result, or one argument of a statement.
///
/// Exact by construction: no variant holds an approximation of what the database said. A value that has no variant of
/// its own is [`Value::Text`] in the server's own spelling.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// SQL `NULL`.
    Null,
    /// A boolean, only from databases that have them.
    Bool(bool),
    /// A signed integer of any width.
    Int(i64),
    /// An unsigned integer; sources use it only above `i64::MAX`, so that a number has one form.
    UInt(u64),
    /// A binary floating-point number; may be NaN or infinite.
    Float(f64),
    /// A decimal number with the database's own digits and scale: an optional `-`, digits, an optional `.` and digits.
    Decimal(String),
    /// Text.
    Text(String),
    /// Raw JSON text of one value, key order and number text untouched, without insignificant blanks.
    Json(String),
    /// Bytes that are not text.
    Bytes(Vec<u8>),
    /// A list; elements keep their own types.
    Array(Vec<Value>),
    /// Named fields in their order.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Whether this value is [`Value::Bytes`] or holds one at any depth.
    #[must_use]
    pub fn holds_bytes(&self) -> bool {
        match self {
            Self::Bytes(_) => true,
            Self::Array(items) => items.iter().any(Self::holds_bytes),
            Self::Object(fields) => fields.iter().any(|(_, value)| value.holds_bytes()),
            _ => false,
        }
    }

    /// The name of the variant in the words of the documentation, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) | Self::UInt(_) => "integer",
            Self::Float(_) => "float",
            Self::Decimal(_) => "decimal",
            Self::Text(_) => "text",
            Self::Json(_) => "json",
            Self::Bytes(_) => "bytes",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}
