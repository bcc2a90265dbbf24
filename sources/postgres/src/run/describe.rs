//! Asks what columns and parameters a statement has.

use std::{future::Future, sync::Arc};

use sqlx::{
    AssertSqlSafe, Column as _, Either, Executor as _, SqlSafeStr as _, Statement as _,
    postgres::{PgStatement, PgTypeInfo, types::Oid},
};
use toolbox_source::{Declared, SourceError};

use super::{Failure, Running, prepare::unless};
use crate::{
    error::{self, Trouble},
    places::Shift,
    prepared::Plain,
};

/// What a statement answers and takes.
#[derive(Debug, Default)]
pub(super) struct Description {
    /// The statement.
    pub(super) text: Arc<str>,
    /// Names and numbers of types.
    pub(super) columns: Vec<(String, u32)>,
    /// Empty for a statement that cannot run as it is.
    pub(super) parameters: Vec<PgTypeInfo>,
    /// The numbers of the types that the server was told its parameters have, 0 where it was told nothing.
    pub(super) told: Vec<u32>,
    /// The parameters that the text casts from `text`.
    pub(super) casts: Vec<Cast>,
    /// How these casts move places.
    pub(super) shift: Shift,
    /// How it runs in the protocol without parameters.
    pub(super) plain: Option<Plain>,
    /// Whether sqlx can run the statement itself.
    pub(super) runs: bool,
}

/// A parameter that the statement casts from `text`.
#[derive(Clone, Debug)]
pub(super) struct Cast {
    /// Its place, from 0.
    pub(super) place: usize,
    /// The type to which it is cast: its number, and its name.
    pub(super) number: u32,
    pub(super) name: Arc<str>,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Describes a statement. Where the server cannot tell the type of a parameter, as in `$1 IS NULL OR kind = $1`, it is
    /// told what the parameter is declared to hold. The inner error is the server's about this text.
    pub(super) async fn describe(
        &mut self,
        text: Arc<str>,
    ) -> Result<Result<Description, sqlx::Error>, Failure> {
        let sql = AssertSqlSafe(text.clone()).into_sql_str();
        let mut told: Vec<u32> = Vec::new();
        let mut first = None;
        loop {
            let types: Vec<PgTypeInfo> =
                told.iter().map(|number| PgTypeInfo::with_oid(Oid(*number))).collect();
            let preparing = self.connection.driver.prepare_with(sql.clone(), &types);
            let error = match unless(self.halt.as_mut(), preparing).await? {
                Ok(statement) => return Ok(Ok(described(text, &statement, told))),
                Err(error) => error,
            };
            if error::trouble(&error) == Trouble::Other
                && told.contains(&NUMERIC_LIST)
                && error::untyped_parameter(&error).is_none()
            {
                for number in told.iter_mut().filter(|number| **number == NUMERIC_LIST) {
                    *number = FLOAT8_LIST;
                }
                continue;
            }
            let untold = error::untyped_parameter(&error)
                .filter(|index| told.get(*index).is_none_or(|number| *number == UNTOLD))
                .and_then(|index| Some((index, self.call.declared.get(index)?)));
            let Some((index, declared)) = untold else {
                if error::is_of_unknown_type(&error) {
                    return Ok(Err(error));
                }
                // What the server says of the types that it was told would only confuse.
                return Ok(Err(first.unwrap_or(error)));
            };
            if told.len() <= index {
                told.resize(index + 1, UNTOLD);
            }
            if let Some(number) = told.get_mut(index) {
                *number = number_of(declared);
            }
            first = first.or(Some(error));
        }
    }
}

/// The number of a type of which the server is told nothing.
const UNTOLD: u32 = 0;

/// The numbers of `numeric[]` and `float8[]`. A list of fractions keeps its digits in the first, but only the second goes
/// together with another array of doubles (`&&`), since the server casts no array by itself.
const NUMERIC_LIST: u32 = 1231;
const FLOAT8_LIST: u32 = 1022;

/// The number of the type that holds what a parameter is declared to hold (`pg_type.dat`). Lists of lists have the type of
/// their innermost lists.
fn number_of(declared: &Declared) -> u32 {
    match declared {
        Declared::Text => 25,
        Declared::Integer => 20,
        // It keeps all digits, and the server casts it to the others by itself.
        Declared::Float => 1700,
        Declared::Boolean => 16,
        Declared::Map => 3802,
        Declared::List(items) => match items.as_ref() {
            Declared::Text => 1009,
            Declared::Integer => 1016,
            Declared::Float => NUMERIC_LIST,
            Declared::Boolean => 1000,
            Declared::Map => 3807,
            list @ Declared::List(_) => number_of(list),
        },
    }
}

/// The name of such a type for `PREPARE`, which infers what is `unknown`.
pub(super) fn told_name(number: u32) -> &'static str {
    match number {
        25 => "pg_catalog.text",
        20 => "pg_catalog.int8",
        1700 => "pg_catalog.numeric",
        16 => "pg_catalog.bool",
        3802 => "pg_catalog.jsonb",
        1009 => "pg_catalog.text[]",
        1016 => "pg_catalog.int8[]",
        NUMERIC_LIST => "pg_catalog.numeric[]",
        FLOAT8_LIST => "pg_catalog.float8[]",
        1000 => "pg_catalog.bool[]",
        3807 => "pg_catalog.jsonb[]",
        _ => "unknown",
    }
}

fn described(text: Arc<str>, statement: &PgStatement, told: Vec<u32>) -> Description {
    let number = |of: &PgTypeInfo| of.oid().map_or(0, |oid| oid.0);
    let columns = statement
        .columns()
        .iter()
        .map(|column| (column.name().to_owned(), number(column.type_info())))
        .collect();
    let parameters = match statement.parameters() {
        Some(Either::Left(types)) => types.to_vec(),
        _ => Vec::new(),
    };
    Description { text, columns, parameters, told, runs: true, ..Description::default() }
}
