//! Which arguments a refused value may be, or be made of: `SQLite` tells the columns, the constraint or the function at most.

use sqlx::{
    AssertSqlSafe, Executor as _, Row as _,
    sqlite::{SqliteArguments, SqliteConnection},
};
use toolbox_source::scan::{
    Lexicon, Token, TokenKind, Tokens,
    items::{group, is_name},
    places::Place,
};

use crate::{
    bind::Class,
    plan::{Filling, Spot, Targets, computed, targets},
    replay::Instead,
};

/// What an error says of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    /// A column does not take a value of this type.
    Column { table: String, column: String, class: Class },
    /// The values of these columns stand in the table already.
    Unique { table: String, columns: Vec<String> },
    /// A condition does not hold: its name, or its text.
    Check(String),
    /// No row of the other table has the value.
    ForeignKey,
    /// A row id or a limit is no integer.
    NoInteger,
    /// A text is no JSON.
    NoJson,
    /// A function does not take a value of one of these types.
    Value(&'static [Class]),
}

/// The errors about what functions take, by how they begin, and the types of the values
/// (<https://www.sqlite.org/src/file/src/json.c> and its neighbors).
const OF_FUNCTIONS: [(&str, &[Class]); 10] = [
    ("bad JSON path: ", &[Class::Text]),
    ("JSON path error near ", &[Class::Text]),
    ("JSON cannot hold BLOB values", &[Class::Blob]),
    ("integer overflow", &[Class::Integer]),
    ("ESCAPE expression must be a single character", &[Class::Text]),
    ("LIKE or GLOB pattern too complex", &[Class::Text]),
    ("fts5: syntax error near ", &[Class::Text]),
    ("unterminated string", &[Class::Text]),
    ("argument of ntile ", WINDOWED),
    ("second argument to nth_value ", WINDOWED),
];

/// What counts rows, and takes no null.
const WINDOWED: &[Class] = &[Class::Null, Class::Integer, Class::Real, Class::Text, Class::Blob];

/// The arguments that an error may be about, and what another one in their place would be; none where that cannot be told.
pub(crate) async fn suspects(
    message: &str,
    statement: &str,
    (arguments, classes): (&SqliteArguments, &[Class]),
    driver: &mut SqliteConnection,
) -> Option<(Vec<usize>, Instead)> {
    let said = said(message)?;
    let instead = match &said {
        Said::Column { class: Class::Null, .. } | Said::NoInteger | Said::Value(WINDOWED) => Instead::One,
        _ => Instead::Null,
    };
    let of_classes = |is: &dyn Fn(Class) -> bool| -> Vec<usize> {
        let is_of = |index: &usize| classes.get(*index).is_some_and(|class| is(*class));
        computed(statement).into_iter().filter(is_of).collect()
    };
    let found = match said {
        Said::NoJson => {
            let found = no_json(arguments, classes.len(), driver).await.unwrap_or_default();
            computed(statement).into_iter().filter(|index| found.contains(index)).collect()
        }
        Said::Value(taken) => {
            let found = of_classes(&|class| taken.contains(&class));
            let shown = shown(message, arguments, classes.len(), driver).await.unwrap_or_default();
            let alike: Vec<usize> = found.iter().copied().filter(|index| shown.contains(index)).collect();
            if alike.is_empty() { found } else { alike }
        }
        _ => {
            let Targets { table, fillings } = targets(statement);
            let found = found(&said, &table, &fillings, classes, driver).await.unwrap_or_default();
            if found.is_empty() && said == Said::NoInteger {
                of_classes(&|class| class != Class::Integer)
            } else {
                found
            }
        }
    };
    Some((found, instead))
}

async fn found(
    said: &Said,
    table: &str,
    fillings: &[Filling],
    classes: &[Class],
    driver: &mut SqliteConnection,
) -> Result<Vec<usize>, sqlx::Error> {
    if fillings.is_empty() {
        return Ok(Vec::new());
    }
    // A trigger may write another one.
    let is_written = |of: &str| of.eq_ignore_ascii_case(table);
    let names = match said {
        Said::Column { table, column, .. } if is_written(table) => vec![column.clone()],
        Said::Unique { table, columns } if is_written(table) => columns.clone(),
        Said::Check(text) => in_condition(text, table, driver).await?,
        Said::ForeignKey => {
            column_of("SELECT \"from\" FROM pragma_foreign_key_list(?)", table, driver).await?
        }
        Said::NoInteger => {
            column_of("SELECT name FROM pragma_table_info(?) WHERE pk > 0", table, driver).await?
        }
        _ => return Ok(Vec::new()),
    };
    let columns = if fillings.iter().any(|filling| matches!(filling.spot, Spot::Nth(_))) {
        column_of("SELECT name FROM pragma_table_info(?) ORDER BY cid", table, driver).await?
    } else {
        Vec::new()
    };
    let is_meant = |filling: &&Filling| {
        let name = match &filling.spot {
            Spot::Named(name) => Some(name),
            Spot::Nth(place) => columns.get(*place),
        };
        let class = classes.get(filling.argument).copied().unwrap_or(Class::Null);
        let is_of = match said {
            Said::Column { class: Class::Null, .. } => class == Class::Null,
            // What is made of a value may have another type, and so has the text of a number.
            Said::Column { class: refused, .. } => {
                class == *refused
                    || class == Class::Text && *refused == Class::Real
                    || !matches!(filling.part, None | Some(Place::Chosen)) && class != Class::Null
            }
            Said::NoInteger => !matches!(class, Class::Null | Class::Integer),
            _ => class != Class::Null,
        };
        let is_condition = matches!(filling.part, Some(Place::Whole | Place::ChosenToCompare));
        let is_named = |name: &String| names.iter().any(|other| other.eq_ignore_ascii_case(name));
        is_of && !is_condition && name.is_some_and(is_named)
    };
    let mut found: Vec<usize> = fillings.iter().filter(is_meant).map(|filling| filling.argument).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn said(message: &str) -> Option<Said> {
    if let Some(place) = message.strip_prefix("NOT NULL constraint failed: ") {
        let (table, column) = place.split_once('.')?;
        return Some(Said::Column { table: table.to_owned(), column: column.to_owned(), class: Class::Null });
    }
    if let Some(places) = message.strip_prefix("UNIQUE constraint failed: ") {
        let places: Option<Vec<(&str, &str)>> =
            places.split(", ").map(|place| place.split_once('.')).collect();
        let places = places?;
        let table = places.first()?.0.to_owned();
        return Some(Said::Unique {
            table,
            columns: places.iter().map(|(_, column)| (*column).to_owned()).collect(),
        });
    }
    if let Some(text) = message.strip_prefix("CHECK constraint failed: ") {
        return Some(Said::Check(text.to_owned()));
    }
    match message {
        "FOREIGN KEY constraint failed" => return Some(Said::ForeignKey),
        "datatype mismatch" => return Some(Said::NoInteger),
        "malformed JSON" => return Some(Said::NoJson),
        _ => {}
    }
    if let Some((_, classes)) = OF_FUNCTIONS.iter().find(|(begin, _)| message.starts_with(begin)) {
        return Some(Said::Value(classes));
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
    Some(Said::Column { table: table.to_owned(), column: column.to_owned(), class })
}

/// The arguments that are no JSON, and no paths into it.
async fn no_json(
    arguments: &SqliteArguments,
    count: usize,
    driver: &mut SqliteConnection,
) -> Result<Vec<usize>, sqlx::Error> {
    let is_none = |number| format!("json_valid(?{number}) IS 0 AND substr(?{number}, 1, 1) IS NOT '$'");
    those(is_none, arguments, count, driver).await
}

/// The arguments that the message shows in quotes.
async fn shown(
    message: &str,
    arguments: &SqliteArguments,
    count: usize,
    driver: &mut SqliteConnection,
) -> Result<Vec<usize>, sqlx::Error> {
    let quoted = message.split_once('\'').and_then(|(_, rest)| Some(rest.rsplit_once('\'')?.0));
    let Some(quoted) = quoted else { return Ok(Vec::new()) };
    let literal = quoted.replace('\'', "''");
    those(|number| format!("?{number} IS '{literal}'"), arguments, count, driver).await
}

/// The arguments of which something is true.
async fn those(
    is: impl Fn(usize) -> String,
    arguments: &SqliteArguments,
    count: usize,
    driver: &mut SqliteConnection,
) -> Result<Vec<usize>, sqlx::Error> {
    let asked: Vec<String> = (1..=count).map(is).collect();
    let question = sqlx::query_with(AssertSqlSafe(format!("SELECT {}", asked.join(", "))), arguments.clone());
    let row = driver.fetch_one(question.persistent(false)).await?;
    let mut found = Vec::new();
    for index in 0..count {
        if row.try_get::<bool, _>(index)? {
            found.push(index);
        }
    }
    Ok(found)
}

/// The names in the condition of a constraint, which the error has the name of, or all of its text.
async fn in_condition(
    said: &str,
    table: &str,
    driver: &mut SqliteConnection,
) -> Result<Vec<String>, sqlx::Error> {
    let question = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE";
    let definition = column_of(question, table, driver).await?.pop().unwrap_or_default();
    Ok(condition(&definition, said)
        .unwrap_or_else(|| names(&Tokens::new(said, &Lexicon::SQLITE).collect::<Vec<_>>())))
}

/// The names in the condition of the constraint of this name.
fn condition(definition: &str, constraint: &str) -> Option<Vec<String>> {
    let tokens: Vec<Token<'_>> = Tokens::new(definition, &Lexicon::SQLITE).collect();
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        if first.is_word("CONSTRAINT")
            && let [name, check, condition @ ..] = after
            && check.is_word("CHECK")
            && name.name().is_some_and(|name| name == constraint)
        {
            return group(condition).map(|(inside, _)| names(inside));
        }
        rest = after;
    }
    None
}

fn names(tokens: &[Token<'_>]) -> Vec<String> {
    let names = tokens.iter().filter(|token| is_name(token) && token.kind != TokenKind::Text);
    names.filter_map(|token| Some(token.name()?.into_owned())).collect()
}

/// The texts of one column of a question about a table.
async fn column_of(
    question: &'static str,
    table: &str,
    driver: &mut SqliteConnection,
) -> Result<Vec<String>, sqlx::Error> {
    driver.fetch_all(sqlx::query(question).bind(table)).await?.iter().map(|row| row.try_get(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Said, condition, said};
    use crate::bind::Class;

    #[test]
    fn errors_say_what_a_value_was_for() {
        let column = |class, table: &str, column: &str| Said::Column {
            table: table.to_owned(),
            column: column.to_owned(),
            class,
        };
        for (message, expected) in [
            ("cannot store TEXT value in INTEGER column t.i", Some(column(Class::Text, "t", "i"))),
            ("cannot store REAL value in INT column a b.c d", Some(column(Class::Real, "a b", "c d"))),
            ("NOT NULL constraint failed: t.n", Some(column(Class::Null, "t", "n"))),
            (
                "UNIQUE constraint failed: t.n, t.m",
                Some(Said::Unique { table: "t".to_owned(), columns: vec!["n".to_owned(), "m".to_owned()] }),
            ),
            ("CHECK constraint failed: n > 0", Some(Said::Check("n > 0".to_owned()))),
            ("FOREIGN KEY constraint failed", Some(Said::ForeignKey)),
            ("datatype mismatch", Some(Said::NoInteger)),
            ("malformed JSON", Some(Said::NoJson)),
            ("integer overflow", Some(Said::Value(&[Class::Integer]))),
            ("no such table: t", None),
        ] {
            assert_eq!(said(message), expected, "{message}");
        }
    }

    #[test]
    fn a_named_condition_stands_in_the_definition() {
        let definition = "CREATE TABLE t (n INT CHECK (n > 1), m INT, CONSTRAINT \"a b\" CHECK (n + m < length('x')), CHECK (m > 1))";
        assert_eq!(condition(definition, "a b").unwrap(), ["n", "m", "length"]);
        assert_eq!(condition(definition, "n > 1"), None);
    }
}
