//! What the columns of a table are, as the server lists them to everyone who may use them.

use std::{collections::HashMap, sync::Arc, time::Duration};

use sqlx::{AssertSqlSafe, Executor as _, Row as _, mysql::MySqlConnection};
use tokio::time::Instant;

/// For how long a list is taken from memory, and most lists that are kept.
const TRUSTED: Duration = Duration::from_mins(1);
const MOST: usize = 100;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Whether a fraction has no place in it.
    pub(crate) is_integer: bool,
    /// Whether an `INSERT` without a list of columns fills it.
    pub(crate) is_visible: bool,
}

/// The columns of one table, in order.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) fields: Arc<[Field]>,
    learned: Instant,
}

/// The tables that a connection has asked about, by their names in quotes.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    known: HashMap<String, Listed>,
}

impl Tables {
    /// The columns of a table, if they were listed within the last minute.
    pub(crate) fn get(&self, table: &str) -> Option<Listed> {
        self.known.get(table).filter(|listed| listed.learned.elapsed() < TRUSTED).cloned()
    }

    pub(crate) fn insert(&mut self, table: &str, listed: Listed) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(table.to_owned(), listed);
    }

    pub(crate) fn remove(&mut self, table: &str) {
        self.known.remove(table);
    }
}

/// Asks for the columns of a table.
pub(crate) async fn list(driver: &mut MySqlConnection, table: &str) -> Result<Listed, sqlx::Error> {
    // It takes any right to the columns, while a SELECT of them takes the right to read them.
    let rows = driver.fetch_all(AssertSqlSafe(format!("SHOW COLUMNS FROM {table}"))).await?;
    let field = |row: &sqlx::mysql::MySqlRow| {
        Ok(Field {
            name: row.try_get_unchecked(0)?,
            is_integer: is_integer(&row.try_get_unchecked::<String, _>(1)?),
            is_visible: !row.try_get_unchecked::<String, _>(5)?.to_ascii_uppercase().contains("INVISIBLE"),
        })
    };
    let fields = rows.iter().map(field).collect::<Result<_, sqlx::Error>>()?;
    Ok(Listed { fields, learned: Instant::now() })
}

/// Whether a type as the server writes it, such as `int(10) unsigned`, holds integers only.
fn is_integer(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let end = kind.find(['(', ' ']).unwrap_or(kind.len());
    let (name, rest) = kind.split_at_checked(end).unwrap_or((&kind, ""));
    match name {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "bit" | "year" => true,
        "decimal" => {
            rest.starts_with('(') && rest.split_once(')').is_some_and(|(size, _)| size.ends_with(",0"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_integer;

    #[test]
    fn the_types_of_integers_are_told_by_their_names() {
        for kind in [
            "int",
            "int(11)",
            "bigint(20) unsigned",
            "TINYINT(1)",
            "year(4)",
            "bit(8)",
            "decimal(5,0) unsigned",
        ] {
            assert!(is_integer(kind), "{kind}");
        }
        for kind in [
            "decimal(5,2)",
            "double",
            "float unsigned",
            "point",
            "varchar(10)",
            "enum('int')",
            "set('a,0')",
            "",
        ] {
            assert!(!is_integer(kind), "{kind}");
        }
    }
}
