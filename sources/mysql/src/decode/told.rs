//! What the server tells of a column and the driver keeps to itself. It shows it in what it writes for debugging alone.

use sqlx::{Column as _, mysql::MySqlColumn};

/// The number of the collation of bytes.
const BYTES: &str = "63";

/// What is told of a column
/// (<https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__column__definition__flags.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) width: u32,
    /// Whether it has the flag `BINARY`.
    pub(super) is_binary: bool,
    /// Whether its collation is that of bytes.
    pub(super) is_bytes: bool,
}

impl Default for Told {
    /// What is safe to believe where nothing is told: no cell that could be digits is taken for a number, and nothing for text.
    fn default() -> Self {
        Self { width: 0, is_binary: true, is_bytes: true }
    }
}

impl Told {
    pub(super) fn of(column: &MySqlColumn) -> Option<Self> {
        let told = format!("{:?}", column.type_info());
        let after = |name: &str| told.split_once(name).map(|(_, rest)| rest);
        let (width, _) = after("max_size: Some(")?.split_once(')')?;
        let (flags, _) = after("flags: ColumnFlags(")?.split_once(')')?;
        let collation = after("collation: Collation(").and_then(|rest| Some(rest.split_once(')')?.0));
        Some(Self {
            width: width.parse().ok()?,
            is_binary: flags.split('|').any(|flag| flag.trim() == "BINARY"),
            is_bytes: collation == Some(BYTES),
        })
    }
}

/// Whether a column has the collation of bytes and is not marked as such.
pub(crate) fn is_called_bytes(column: &MySqlColumn) -> bool {
    Told::of(column).is_some_and(|told| told.is_bytes && !told.is_binary)
}
