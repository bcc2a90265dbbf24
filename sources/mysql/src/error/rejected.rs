//! What the server says about a value that it does not take: for which column, and which value.

use std::fmt::Write as _;

use sqlx::Error;

use crate::instant::Instant;

/// A value that the server did not take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rejected {
    /// The column that it was for.
    pub(crate) column: Option<String>,
    /// The value as the server read it.
    pub(crate) value: Option<String>,
    /// The row of the statement, from 1.
    pub(crate) row: Option<usize>,
    /// Whether it is a null.
    pub(crate) is_null: bool,
    /// Whether it has a character that the column's character set lacks.
    pub(crate) is_foreign: bool,
    /// Whether it is no geometry.
    pub(crate) is_shapeless: bool,
}

impl Rejected {
    /// Whether a text is the value as the server writes it: printable ASCII as it is, other bytes as `\\xE6`, and cut where it is
    /// long.
    pub(crate) fn is_value(&self, text: &str) -> bool {
        let Some(said) = &self.value else { return false };
        let mut escaped = String::with_capacity(text.len());
        for byte in text.bytes() {
            match byte {
                b' '..=b'~' => escaped.push(char::from(byte)),
                // Writing to a String cannot fail.
                other => drop(write!(escaped, "\\x{other:02X}")),
            }
        }
        let is_start = |start: &str| text.starts_with(start) || escaped.starts_with(start);
        said == text || *said == escaped || said.strip_suffix("...").is_some_and(is_start)
    }

    /// What to write instead, where a value that this program itself shows is refused, or one of other programs: an instant with its zone.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        if self.is_shapeless {
            return Some(
                "write ST_GeomFromText(?) where a geometry is wanted, and pass a text such as POINT(1 2)",
            );
        }
        let instant = Instant::parse(self.value.as_deref()?)?;
        Some(if instant.is_zulu() {
            "write an instant in UTC without its Z"
        } else {
            "write the instant in UTC, without an offset"
        })
    }
}

/// `ER_BAD_NULL_ERROR`: the one value that it can be is null.
const BAD_NULL: u16 = 1048;

/// `ER_CANT_CREATE_GEOMETRY_OBJECT`, which does not name the column.
const SHAPELESS: u16 = 1416;

/// `ER_CANNOT_CONVERT_STRING` of `MySQL`, which does not name the column.
const FOREIGN: u16 = 3988;

/// `ER_CONSTRAINT_FAILED` of `MariaDB`. The constraint of a column has its name, also the one that a `JSON` is valid.
const CONSTRAINT: u16 = 4025;

/// `ER_CANNOT_CAST_ON_IDENT_ASSIGNMENT_FOR_OPERATION` of `MariaDB`: a number for a `UUID`, for one.
const CAST: u16 = 4078;

/// [`BAD_NULL`], `ER_WARN_DATA_OUT_OF_RANGE`, `WARN_DATA_TRUNCATED`, `ER_TRUNCATED_WRONG_VALUE`,
/// `ER_TRUNCATED_WRONG_VALUE_FOR_FIELD`, `ER_DATA_TOO_LONG`, [`SHAPELESS`], `ER_WRONG_VALUE`,
/// `ER_INVALID_JSON_TEXT`, [`FOREIGN`], [`CONSTRAINT`], [`CAST`].
const NUMBERS: [u16; 12] =
    [BAD_NULL, 1264, 1265, 1292, 1366, 1406, SHAPELESS, 1525, 3140, FOREIGN, CONSTRAINT, CAST];

/// What the server says of the value, if that is what it says.
pub(crate) fn rejected(error: &Error) -> Option<Rejected> {
    let number = super::number(error).filter(|number| NUMBERS.contains(number))?;
    let message = error.as_database_error()?.message();
    Some(Rejected {
        column: match number {
            CONSTRAINT => constrained(message),
            CAST => assigned(message),
            _ => column(message),
        },
        value: value(message),
        row: row(message),
        is_null: number == BAD_NULL,
        is_foreign: number == FOREIGN,
        is_shapeless: number == SHAPELESS,
    })
}

/// The number in `… at row 2`.
fn row(message: &str) -> Option<usize> {
    message.rsplit_once(" at row ")?.1.parse().ok()
}

/// The name in `… for column 'n' at row 1`, ``… for column `s`.`t`.`n` at row 1``, `Column 'n' cannot be null` or, of JSON,
/// `… in value for column 't.n'.`.
fn column(message: &str) -> Option<String> {
    let start = message.rfind("olumn ")? + "olumn ".len();
    let rest = message.get(start..)?;
    let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '`'))?;
    let end =
        rest.find(" at row").or_else(|| rest.find(" cannot be")).unwrap_or(rest.trim_end_matches('.').len());
    let name = rest.get(..end)?.strip_suffix(quote)?;
    let mut name = name.rfind(quote).and_then(|last| name.get(last + 1..))?;
    if message.contains("in value for column") {
        name = name.split_once('.')?.1;
    }
    (!name.is_empty()).then(|| name.to_owned())
}

/// The name in ``CONSTRAINT `t.n` failed for `s`.`t` ``; none in the one of a table.
fn constrained(message: &str) -> Option<String> {
    let name = message.strip_prefix("CONSTRAINT `")?.rsplit_once("` failed for ")?.0;
    Some(name.split_once('.')?.1.to_owned())
}

/// The name in ``Cannot cast 'bigint' as 'uuid' in assignment of `s`.`t`.`n` ``.
fn assigned(message: &str) -> Option<String> {
    let name = message.strip_suffix('`')?;
    name.rfind('`').and_then(|last| name.get(last + 1..)).map(str::to_owned)
}

/// The value in `Incorrect datetime value: '2025-02-30' for column …`.
fn value(message: &str) -> Option<String> {
    // Of a text with a character that has no place, the server tells some bytes.
    if message.contains("string value: '") {
        return None;
    }
    let start = message.find("value: '")? + "value: '".len();
    let rest = message.get(start..)?;
    let end = rest.rfind("' for ").or_else(|| rest.rfind('\''))?;
    rest.get(..end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{Rejected, assigned, column, constrained, row, value};

    // Messages of MySQL 9.7 and MariaDB 11.8.
    #[test]
    fn the_column_the_value_and_the_row_are_those_of_the_message() {
        for (message, name, text, number) in [
            (
                "Incorrect datetime value: '2025-02-30' for column 'ts' at row 1",
                Some("ts"),
                Some("2025-02-30"),
                Some(1),
            ),
            (
                "Incorrect integer value: 'it's' for column `db`.`g`.`n` at row 12",
                Some("n"),
                Some("it's"),
                Some(12),
            ),
            ("Out of range value for column 'a b' at row 2", Some("a b"), None, Some(2)),
            ("Column 'n' cannot be null", Some("n"), None, None),
            ("Incorrect DATE value: 'abc'", None, Some("abc"), None),
            (
                "Invalid JSON text: \"Invalid value.\" at position 0 in value for column 'r.the j'.",
                Some("the j"),
                None,
                None,
            ),
            (
                "Incorrect string value: '\\xF0\\x9F\\xA6\\x8A' for column `s`.`t`.`l` at row 1",
                Some("l"),
                None,
                Some(1),
            ),
            ("Data truncated for column '' at row 1", None, None, Some(1)),
            ("no such thing", None, None, None),
        ] {
            let found = (column(message), value(message), row(message));
            let expected = (name.map(str::to_owned), text.map(str::to_owned), number);
            assert_eq!(found, expected, "{message}");
        }
        for (message, name) in [
            ("CONSTRAINT `r.the j` failed for `s`.`r`", Some("the j")),
            ("CONSTRAINT `whole` failed for `s`.`r`", None),
        ] {
            assert_eq!(constrained(message).as_deref(), name, "{message}");
        }
        let message = "Cannot cast 'bigint' as 'uuid' in assignment of `s`.`t`.`the id`";
        assert_eq!(assigned(message).as_deref(), Some("the id"));
    }

    #[test]
    fn a_value_is_known_by_what_the_server_shows_of_it() {
        for (said, text, is_it) in [
            ("abc", "abc", true),
            ("\\xE6\\x97\\xA5b", "日b", true),
            ("a\\x09b", "a\tb", true),
            ("a\\x09b", "a\\x09b", true),
            ("na\\xC3...", "naïve", true),
            ("2010-00-00 05:00:00", "10:00:00.5", false),
            ("ab", "abc", false),
        ] {
            let rejected = Rejected { value: Some(said.to_owned()), ..Rejected::default() };
            assert_eq!(rejected.is_value(text), is_it, "{said}");
        }
    }
}
