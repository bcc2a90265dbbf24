//! Which argument the server has refused. It says so of a value that its parameter cannot hold, but not of one that the column
//! refuses, or a cast in the statement. Then each argument that may be the one is tried alone.

use std::future::Future;

use sqlx::{AssertSqlSafe, Executor as _, Row as _, postgres::PgConnection};
use toolbox_source::{SourceError, Value};

use super::{Call, Failure, Running, prepare::unless};
use crate::{
    bind, error,
    places::Shift,
    plan::{Target, targets},
    prepared::Prepared,
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// The error that names the argument that this one is about, if one is found.
    pub(super) async fn refused(
        &mut self,
        refused: &sqlx::Error,
        known: &Prepared,
    ) -> Result<Option<SourceError>, Failure> {
        if error::refused_argument(refused).is_some() {
            return Ok(None);
        }
        let searching = search(self.call, refused, known, &mut self.connection.driver);
        let found = unless(self.halt.as_mut(), searching).await?.map_err(Failure::Driver)?;
        Ok(found.map(|index| error::argument(index, error::database_error(refused, &Shift::default()))))
    }
}

async fn search(
    call: &Call,
    refused: &sqlx::Error,
    known: &Prepared,
    driver: &mut PgConnection,
) -> Result<Option<usize>, sqlx::Error> {
    for (index, parameter) in known.parameters.iter().enumerate().filter(|(_, parameter)| parameter.is_cast) {
        let Some(argument) = call.arguments.get(index) else { continue };
        let cast = format!("($1::pg_catalog.text::{})::pg_catalog.text", parameter.name);
        if is_refused(&cast, bind::text_to_cast(argument, &parameter.kind), refused, driver).await? {
            return Ok(Some(index));
        }
    }
    let Some((table, targets)) = targets(&call.statement, call.plan.form) else { return Ok(None) };
    if targets.is_empty() {
        return Ok(None);
    }
    let columns = columns(&table, driver).await?;
    for (index, target) in targets {
        let column = match target {
            Target::Named(name) => columns.iter().find(|column| column.name == name),
            Target::Numbered(place) => columns.get(place),
        };
        let (Some(column), Some(argument)) = (column, call.arguments.get(index)) else { continue };
        if *argument == Value::Null {
            if error::refuses_null_in(refused, &column.name) {
                return Ok(Some(index));
            }
        } else if let (Some(fits), Some(parameter)) = (column.fits(), known.parameters.get(index))
            && is_refused(&fits, bind::text_to_cast(argument, &parameter.kind), refused, driver).await?
        {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// Whether the server refuses this expression of a text with the same code.
async fn is_refused(
    expression: &str,
    text: Option<String>,
    refused: &sqlx::Error,
    driver: &mut PgConnection,
) -> Result<bool, sqlx::Error> {
    let Some(text) = text else { return Ok(false) };
    let query = sqlx::query(AssertSqlSafe(format!("SELECT {expression}"))).bind(text);
    match driver.fetch_one(query).await {
        Ok(_) => Ok(false),
        Err(error) if error.as_database_error().is_some() => Ok(error::have_one_code(&error, refused)),
        Err(error) => Err(error),
    }
}

/// A column of a table.
struct Column {
    name: String,
    /// The number of its type.
    of: i64,
    /// What limits its values, or -1.
    modifier: i32,
}

impl Column {
    /// The expression in which the server casts `$1` as it casts what it stores: without cutting.
    fn fits(&self) -> Option<String> {
        let modifier = Some(self.modifier).filter(|modifier| *modifier >= 0)?;
        let (of, implicit, is_list) = match self.of {
            1042 => ("bpchar", ", false", false),
            1043 => ("varchar", ", false", false),
            1560 => ("bit", ", false", false),
            1562 => ("varbit", ", false", false),
            1700 => ("numeric", "", false),
            1014 => ("bpchar", ", false", true),
            1015 => ("varchar", ", false", true),
            1561 => ("bit", ", false", true),
            1563 => ("varbit", ", false", true),
            1231 => ("numeric", "", true),
            _ => return None,
        };
        // In quotes, because `bit` alone is `bit(1)`.
        let fit = |value: &str| format!("pg_catalog.\"{of}\"({value}, {modifier}{implicit})");
        let text = "$1::pg_catalog.text";
        Some(if is_list {
            let items = format!("pg_catalog.unnest({text}::pg_catalog.\"_{of}\")");
            format!("(SELECT pg_catalog.count({}) FROM {items} AS item)", fit("item"))
        } else {
            format!("{}::pg_catalog.text", fit(&format!("{text}::pg_catalog.\"{of}\"")))
        })
    }
}

const COLUMNS: &str = "\
SELECT attname::pg_catalog.text, atttypid::pg_catalog.int8, atttypmod FROM pg_catalog.pg_attribute
WHERE attrelid = pg_catalog.to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum";

async fn columns(table: &str, driver: &mut PgConnection) -> Result<Vec<Column>, sqlx::Error> {
    let rows = driver.fetch_all(sqlx::query(COLUMNS).bind(table)).await?;
    let column = |row: &sqlx::postgres::PgRow| {
        Ok(Column { name: row.try_get(0)?, of: row.try_get(1)?, modifier: row.try_get(2)? })
    };
    rows.iter().map(column).collect()
}
