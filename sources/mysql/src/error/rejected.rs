//! What the server says about a value that it does not take: for which column, and which value.

use std::fmt::Write as _;

use sqlx::Error;

use crate::{bind::Argument, instant::Instant};

/// A value that the server did not take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rejected {
    pub(crate) subject: Subject,
    /// The value as the server read it.
    pub(crate) value: Option<String>,
    /// The row of the statement, from 1.
    pub(crate) row: Option<usize>,
    pub(crate) kind: Kind,
}

/// What the server says the value was for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Subject {
    /// It does not say.
    #[default]
    Unknown,
    /// A column, or a parameter of a procedure or a function.
    Column(String),
    /// Columns that a constraint is about.
    Columns(Vec<String>),
    /// A unique key.
    Key(String),
    /// A constraint with a condition.
    Check(String),
    /// A function, and which of its arguments, from 0.
    Function(String, Option<usize>),
    /// An expression, as the server writes it.
    Expression(String),
}

/// Which values it can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Any that is not null.
    #[default]
    Any,
    Null,
    /// A text.
    Text,
    /// A text that is to be JSON, which no path into it is.
    Json,
    /// A text that is to be a path into JSON, which no document is.
    Path,
    /// A text with a character that a character set lacks.
    Foreign,
    /// No geometry, for a column of them.
    Shapeless,
    Zero,
}

impl Kind {
    /// Whether an argument can be such a value.
    pub(crate) fn is_of(self, argument: &Argument) -> bool {
        match self {
            Self::Any | Self::Shapeless => *argument != Argument::Null,
            Self::Null => *argument == Argument::Null,
            Self::Text => matches!(argument, Argument::Text(_)),
            Self::Json => matches!(argument, Argument::Text(text) if !text.starts_with('$')),
            Self::Path => matches!(argument, Argument::Text(text) if !text.starts_with(['{', '['])),
            Self::Foreign => matches!(argument, Argument::Text(text) if !text.is_ascii()),
            Self::Zero => match argument {
                Argument::Float(number) => *number == 0.0,
                argument => argument.text().is_some_and(|text| text.parse() == Ok(0.0)),
            },
        }
    }
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
        if self.kind == Kind::Shapeless {
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

/// What the server says of the value, if that is what it says. The numbers are those that `error` has the addresses of.
pub(crate) fn rejected(error: &Error) -> Option<Rejected> {
    let number = super::number(error)?;
    let message = error.as_database_error()?.message();
    let (subject, kind) = meaning(number, message)?;
    let value = match number {
        DUPLICATE => entry(message),
        NO_PARTITION => message.rsplit_once(" for value ").map(|(_, value)| value.to_owned()),
        _ => value(message),
    };
    Some(Rejected { subject, value, row: row(message), kind })
}

/// `ER_DUP_ENTRY`
const DUPLICATE: u16 = 1062;

/// `ER_NO_PARTITION_FOR_GIVEN_VALUE`
const NO_PARTITION: u16 = 1526;

fn meaning(number: u16, message: &str) -> Option<(Subject, Kind)> {
    let of_column = || column(message).map_or(Subject::Unknown, Subject::Column);
    let of_function =
        || function(message).map_or(Subject::Unknown, |(name, item)| Subject::Function(name, item));
    Some(match number {
        // ER_BAD_NULL_ERROR
        1048 => (of_column(), Kind::Null),
        // ER_WARN_DATA_OUT_OF_RANGE, WARN_DATA_TRUNCATED, ER_TRUNCATED_WRONG_VALUE, ER_TRUNCATED_WRONG_VALUE_FOR_FIELD,
        // ER_DATA_TOO_LONG, ER_WRONG_VALUE, ER_INVALID_JSON_TEXT
        1264 | 1265 | 1292 | 1366 | 1406 | 1525 | 3140 => (of_column(), Kind::Any),
        // ER_CANNOT_CONVERT_STRING of MySQL, which does not name the column
        3988 => (Subject::Unknown, Kind::Foreign),
        // ER_CANT_CREATE_GEOMETRY_OBJECT, which does not name the column
        1416 => (Subject::Unknown, Kind::Shapeless),
        // ER_CANNOT_CAST_ON_IDENT_ASSIGNMENT_FOR_OPERATION of MariaDB: a number for a UUID, for one
        4078 => (assigned(message).map_or(Subject::Unknown, Subject::Column), Kind::Any),
        // ER_CONSTRAINT_FAILED of MariaDB. The constraint of a column has its name, also the one that a JSON is valid.
        4025 => (constrained(message)?, Kind::Any),
        // ER_CHECK_CONSTRAINT_VIOLATED of MySQL
        3819 => (Subject::Check(between(message, "constraint '", "' is violated")?.to_owned()), Kind::Any),
        DUPLICATE => (key(message)?, Kind::Any),
        // ER_NO_REFERENCED_ROW_2
        1452 => (foreign_key(message)?, Kind::Any),
        // ER_DATA_OUT_OF_RANGE
        1690 => (Subject::Expression(between(message, " in '", "'")?.to_owned()), Kind::Any),
        // ER_DIVISION_BY_ZERO
        1365 => (Subject::Unknown, Kind::Zero),
        // ER_DATETIME_FUNCTION_OVERFLOW; ER_SRS_NOT_FOUND; the argument of NTILE, of MariaDB
        NO_PARTITION | 1441 | 3548 | 4024 => (Subject::Unknown, Kind::Any),
        // ER_WRONG_ARGUMENTS, ER_WRONG_VALUE_FOR_TYPE; longitudes and latitudes
        1210 | 1411 | 3616 | 3617 | 3731 | 3732 => (of_function(), Kind::Any),
        // ER_INVALID_JSON_TEXT_IN_PARAM, and those of MariaDB
        3141 | 4036..=4040 => (of_function(), Kind::Json),
        // ER_INVALID_JSON_PATH, ER_INVALID_JSON_PATH_WILDCARD, ER_JSON_VACUOUS_PATH, and those of MariaDB
        3143 | 3149 | 3153 | 4041..=4045 => (of_function(), Kind::Path),
        // ER_GIS_INVALID_DATA; other arguments of functions of JSON
        3037 | 3142 | 3144..=3158 | 4046 => (of_function(), Kind::Text),
        // ER_JT_VALUE_OUT_OF_RANGE and its neighbors
        3665..=3669 => (Subject::Function("JSON_TABLE".to_owned(), Some(0)), Kind::Text),
        // Regular expressions of MariaDB, and of MySQL; ER_USER_LOCK_WRONG_NAME and ER_USER_LOCK_OVERLONG_NAME
        1139 | 3685..=3700 | 3057 | 4163 => (Subject::Unknown, Kind::Text),
        _ => return None,
    })
}

/// What stands between two pieces of a message, up to the last of the second.
fn between<'m>(message: &'m str, before: &str, after: &str) -> Option<&'m str> {
    Some(message.split_once(before)?.1.rsplit_once(after)?.0)
}

/// The value in `Duplicate entry '1-a' for key 't.n'`.
fn entry(message: &str) -> Option<String> {
    between(message, "entry '", "' for key ").map(str::to_owned)
}

/// The key in `Duplicate entry '1' for key 't.n'`, which `MariaDB` writes without the table.
fn key(message: &str) -> Option<Subject> {
    let name = message.rsplit_once("for key '")?.1.strip_suffix('\'')?;
    Some(Subject::Key(name.split_once('.').map_or(name, |(_, key)| key).to_owned()))
}

/// The columns in ``… FOREIGN KEY (`a`, `b`) REFERENCES …``.
fn foreign_key(message: &str) -> Option<Subject> {
    let listed = message.split_once("FOREIGN KEY (")?.1.split_once(')')?.0;
    Some(Subject::Columns(listed.split(',').map(|name| name.trim().trim_matches('`').to_owned()).collect()))
}

/// The function in `… for function f`, `… argument 2 to function 'f' …` or `Incorrect arguments to f`, and which argument of
/// it, from 0.
fn function(message: &str) -> Option<(String, Option<usize>)> {
    let (before, after) =
        message.rsplit_once(" function ").or_else(|| message.split_once(" arguments to "))?;
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let name: String =
        after.trim_start_matches('\'').chars().take_while(|character| is_part(*character)).collect();
    let item = before
        .rsplit_once("argument ")
        .and_then(|(_, item)| item.split(' ').next()?.parse::<usize>().ok()?.checked_sub(1));
    (!name.is_empty()).then_some((name, item))
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

/// The column in ``CONSTRAINT `t.n` failed for `s`.`t` ``, or the name in the one of a table.
fn constrained(message: &str) -> Option<Subject> {
    let name = between(message, "CONSTRAINT `", "` failed for ")?;
    Some(match name.split_once('.') {
        Some((_, column)) => Subject::Columns(vec![column.to_owned()]),
        None => Subject::Check(name.to_owned()),
    })
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
    use super::{Kind, Rejected, Subject, assigned, column, meaning, row, value};

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
        let message = "Cannot cast 'bigint' as 'uuid' in assignment of `s`.`t`.`the id`";
        assert_eq!(assigned(message).as_deref(), Some("the id"));
    }

    #[test]
    fn the_subject_is_what_the_value_was_for() {
        let function = |name: &str, item| Subject::Function(name.to_owned(), item);
        let columns = |names: [&str; 2]| Subject::Columns(names.map(str::to_owned).to_vec());
        for (number, message, subject, kind) in [
            (
                4025,
                "CONSTRAINT `r.the j` failed for `s`.`r`",
                Subject::Columns(vec!["the j".to_owned()]),
                Kind::Any,
            ),
            (4025, "CONSTRAINT `whole` failed for `s`.`r`", Subject::Check("whole".to_owned()), Kind::Any),
            (3819, "Check constraint 'a b' is violated.", Subject::Check("a b".to_owned()), Kind::Any),
            (1062, "Duplicate entry '1-it's' for key 't.n'", Subject::Key("n".to_owned()), Kind::Any),
            (1062, "Duplicate entry '' for key 'PRIMARY'", Subject::Key("PRIMARY".to_owned()), Kind::Any),
            (
                1452,
                "Cannot add or update a child row: a foreign key constraint fails (`s`.`t`, CONSTRAINT `f` FOREIGN KEY (`a`, `b c`) REFERENCES `p` (`x`, `y`))",
                columns(["a", "b c"]),
                Kind::Any,
            ),
            (
                1690,
                "BIGINT UNSIGNED value is out of range in '(`s`.`t`.`n` - cast(? as signed))'",
                Subject::Expression("(`s`.`t`.`n` - cast(? as signed))".to_owned()),
                Kind::Any,
            ),
            (
                1411,
                "Incorrect string value: 'x' for function uuid_to_bin",
                function("uuid_to_bin", None),
                Kind::Any,
            ),
            (1210, "Incorrect arguments to ntile", function("ntile", None), Kind::Any),
            (
                3141,
                "Invalid JSON text in argument 2 to function json_contains: \"Missing a name.\" at position 1.",
                function("json_contains", Some(1)),
                Kind::Json,
            ),
            (
                4038,
                "Syntax error in JSON text in argument 1 to function 'json_extract' at position 2",
                function("json_extract", Some(0)),
                Kind::Json,
            ),
            (
                3143,
                "Invalid JSON path expression. The error is around character position 1.",
                Subject::Unknown,
                Kind::Path,
            ),
            (1365, "Division by 0", Subject::Unknown, Kind::Zero),
        ] {
            assert_eq!(meaning(number, message), Some((subject, kind)), "{message}");
        }
        assert_eq!(meaning(1064, "You have an error in your SQL syntax"), None);
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
