//! Which argument a column has refused, where only one can be meant.

use sqlx::{Executor as _, Row as _, sqlite::SqliteConnection};

use crate::{
    bind::Class,
    plan::{Spot, targets},
};

/// The place of the argument, if the error is about the value of one column. A table without a list of columns in the statement
/// is asked for them.
pub(crate) async fn argument(
    message: &str,
    statement: &str,
    classes: &[Class],
    driver: &mut SqliteConnection,
) -> Option<usize> {
    let (class, table, column) = said(message)?;
    let mut names: Option<Vec<String>> = None;
    let mut meant = Vec::new();
    for (index, spot) in targets(statement) {
        if classes.get(index) != Some(&class) {
            continue;
        }
        let is_it = match spot {
            Spot::Named(name) => name.eq_ignore_ascii_case(column),
            Spot::Nth(place) => {
                if names.is_none() {
                    names = Some(columns(table, driver).await.unwrap_or_default());
                }
                let name = names.as_ref().and_then(|names| names.get(place));
                name.is_some_and(|name| name.eq_ignore_ascii_case(column))
            }
        };
        if is_it {
            meant.push(index);
        }
    }
    match meant.as_slice() {
        [index] => Some(*index),
        _ => None,
    }
}

/// The type of the value, the table and the column of an error of `SQLite`.
fn said(message: &str) -> Option<(Class, &str, &str)> {
    if let Some(place) = message.strip_prefix("NOT NULL constraint failed: ") {
        let (table, column) = place.split_once('.')?;
        return Some((Class::Null, table, column));
    }
    let (class, rest) = message.strip_prefix("cannot store ")?.split_once(" value in ")?;
    let class = match class {
        "INT" | "INTEGER" => Class::Integer,
        "REAL" => Class::Real,
        "TEXT" => Class::Text,
        "BLOB" => Class::Blob,
        _ => return None,
    };
    let (_, place) = rest.split_once(" column ")?;
    let (table, column) = place.split_once('.')?;
    Some((class, table, column))
}

async fn columns(table: &str, driver: &mut SqliteConnection) -> Result<Vec<String>, sqlx::Error> {
    let question = sqlx::query("SELECT name FROM pragma_table_info(?) ORDER BY cid").bind(table);
    driver.fetch_all(question).await?.iter().map(|row| row.try_get(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::said;
    use crate::bind::Class;

    #[test]
    fn errors_name_the_column_and_the_type_of_its_value() {
        for (message, expected) in [
            ("cannot store TEXT value in INTEGER column t.i", Some((Class::Text, "t", "i"))),
            ("cannot store REAL value in INT column a b.c d", Some((Class::Real, "a b", "c d"))),
            ("NOT NULL constraint failed: t.n", Some((Class::Null, "t", "n"))),
            ("UNIQUE constraint failed: t.n", None),
        ] {
            assert_eq!(said(message), expected, "{message}");
        }
    }
}
