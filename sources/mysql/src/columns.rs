//! What the columns of a table are, as the server lists them to everyone who may use them.
//!
//! All connections of a source share the lists (`recent`). Temporary tables of one connection cannot be among them: whatever
//! may make one (`CREATE`, `CALL`, a stored function) has its connection closed after the call.

mod limit;

use std::sync::Arc;

use sqlx::{AssertSqlSafe, Executor as _, Row as _, mysql::MySqlConnection};

pub(crate) use limit::refuses;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Its type, as the server writes it: `int(10) unsigned`.
    pub(crate) kind: String,
    pub(crate) holds: Holds,
    /// Whether an `INSERT` without a list of columns fills it.
    pub(crate) is_visible: bool,
}

/// What a column holds, as far as it matters to its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Numbers without a fraction.
    Integers,
    /// `DATETIME` and `TIMESTAMP`.
    Moments,
    Days,
    Times,
    /// Texts and bytes, as they come.
    Texts,
    /// Geometry of any type.
    Shapes,
    Others,
}

/// Asks for the columns of a table, in order.
pub(crate) async fn list(driver: &mut MySqlConnection, table: &str) -> Result<Arc<[Field]>, sqlx::Error> {
    // It takes any right to the columns, while a SELECT of them takes the right to read them.
    let rows = driver.fetch_all(AssertSqlSafe(format!("SHOW COLUMNS FROM {table}"))).await?;
    let field = |row: &sqlx::mysql::MySqlRow| {
        let kind: String = row.try_get_unchecked(1)?;
        Ok(Field {
            name: row.try_get_unchecked(0)?,
            holds: holds(&kind),
            kind,
            is_visible: !row.try_get_unchecked::<String, _>(5)?.to_ascii_uppercase().contains("INVISIBLE"),
        })
    };
    rows.iter().map(field).collect()
}

/// What a column holds whose type the server writes so, such as `int(10) unsigned`.
fn holds(kind: &str) -> Holds {
    let kind = kind.to_ascii_lowercase();
    let end = kind.find(['(', ' ']).unwrap_or(kind.len());
    let (name, rest) = kind.split_at_checked(end).unwrap_or((&kind, ""));
    match name {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "bit" | "year" => Holds::Integers,
        "decimal"
            if rest.starts_with('(')
                && rest.split_once(')').is_some_and(|(size, _)| size.ends_with(",0")) =>
        {
            Holds::Integers
        }
        "datetime" | "timestamp" => Holds::Moments,
        "date" => Holds::Days,
        "time" => Holds::Times,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "binary" | "varbinary"
        | "tinyblob" | "blob" | "mediumblob" | "longblob" | "enum" | "set" | "json" => Holds::Texts,
        "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
        | "multipolygon" | "geometrycollection" | "geomcollection" => Holds::Shapes,
        _ => Holds::Others,
    }
}

#[cfg(test)]
mod tests {
    use super::{Holds, holds};

    #[test]
    fn the_name_of_a_type_tells_what_a_column_holds() {
        for (kinds, expected) in [
            (
                &[
                    "int",
                    "int(11)",
                    "bigint(20) unsigned",
                    "TINYINT(1)",
                    "year(4)",
                    "bit(8)",
                    "decimal(5,0) unsigned",
                ][..],
                Holds::Integers,
            ),
            (&["datetime", "timestamp(6)", "datetime /* mariadb-5.3 */"], Holds::Moments),
            (&["date"], Holds::Days),
            (&["time(3)"], Holds::Times),
            (&["varchar(10)", "enum('int')", "set('a,0')", "longtext", "json"], Holds::Texts),
            (&["point", "geometry /*!80003 SRID 0 */", "geomcollection"], Holds::Shapes),
            (&["decimal(5,2)", "double", "float unsigned", "uuid", "vector(3)", ""], Holds::Others),
        ] {
            for kind in kinds {
                assert_eq!(holds(kind), expected, "{kind}");
            }
        }
    }
}
