//! Which arguments the server has refused. It says so of a value that its parameter cannot hold, but not of one that the column
//! refuses, or a cast in the statement. Then each argument that may be the one is tried alone, and after that those are named of
//! which the refused value is made.

use std::future::Future;

use sqlx::{AssertSqlSafe, Executor as _, Row as _, postgres::PgConnection};
use toolbox_source::{SourceError, Value};

use super::{
    Call, Failure, Running,
    blame::{Blame, Suspect},
    prepare::unless,
};
use crate::{
    bind, error,
    places::Shift,
    plan::{Target, targets},
    prepared::Prepared,
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// The error that names the arguments that this one is about, if they are found.
    pub(super) async fn refused(
        &mut self,
        refused: &sqlx::Error,
        known: &Prepared,
    ) -> Result<Option<SourceError>, Failure> {
        if error::refused_argument(refused).is_some() {
            return Ok(None);
        }
        let searching = search(self.call, refused, known, &mut self.connection.driver);
        let mut found = unless(self.halt.as_mut(), searching).await?.map_err(Failure::Driver)?;
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return Ok(None);
        }
        Ok(Some(error::arguments(&found, error::database_error(refused, &Shift::default()))))
    }
}

async fn search(
    call: &Call,
    refused: &sqlx::Error,
    known: &Prepared,
    driver: &mut PgConnection,
) -> Result<Vec<usize>, sqlx::Error> {
    for (index, (parameter, argument)) in known.parameters.iter().zip(&call.arguments).enumerate() {
        let name = match &known.plain {
            Some(plain) => plain.parameters.get(index).map(String::as_str),
            None => parameter.is_cast.then_some(&*parameter.name),
        };
        let Some(name) = name else { continue };
        let cast = format!("($1::pg_catalog.text::{name})::pg_catalog.text");
        if is_refused(&cast, bind::text_to_cast(argument, &parameter.kind), refused, driver).await? {
            return Ok(vec![index]);
        }
    }
    let Some(said) = error::refused(refused) else { return Ok(Vec::new()) };
    let blame = Blame::new(&call.statement, &call.arguments, said);
    let (table, fillings) = targets(&call.statement, call.plan.form).unwrap_or_default();
    if fillings.is_empty() {
        return Ok(blame.of_the_rest());
    }
    let columns = columns(&table, driver).await?;
    let mut suspects = Vec::new();
    let mut found = Vec::new();
    for filling in fillings {
        let column = match filling.target {
            Target::Named(name) => columns.iter().find(|column| column.name == name),
            Target::Numbered(place) => columns.get(place),
        };
        let index = filling.parameter;
        let (Some(column), Some(argument)) = (column, call.arguments.get(index)) else { continue };
        let suspect = Suspect { index, column: &column.name, kind: &column.kind, is_whole: filling.is_whole };
        if blame.is_condition(&suspect) {
            continue;
        }
        if *argument == Value::Null {
            if error::refuses_null_in(refused, &column.name) {
                found.push(index);
            }
        } else if let (Some(fits), Some(parameter)) = (column.fits(), known.parameters.get(index))
            && is_refused(&fits, bind::text_to_cast(argument, &parameter.kind), refused, driver).await?
        {
            found.push(index);
        }
        suspects.push(suspect);
    }
    if !found.is_empty() {
        return Ok(found);
    }
    Ok(match blame.constraint() {
        Some((schema, of, constraint)) => {
            let names = columns_of_constraint(&table, (schema, of, constraint), driver).await?;
            blame.of_columns(&suspects, &names)
        }
        None => match blame.partition_key() {
            Some(names) => blame.of_columns(&suspects, &names),
            None => blame.of_types(&suspects),
        },
    })
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
    /// Its type, as the server writes it.
    kind: String,
    /// What limits its values, if anything does.
    limit: Option<Limit>,
}

/// What a column of `varchar(3)`, `numeric(5,2)[]` or `vector(3)` lets through.
struct Limit {
    /// The type, and of a list that of its items.
    of: String,
    is_list: bool,
    /// The modifier of the type, which its cast to itself (`pg_cast`) takes.
    modifier: i32,
    /// The function of that cast.
    cast: String,
    /// How many arguments the function has: the value, the modifier, and whether it may cut.
    arguments: i16,
}

impl Column {
    /// The expression in which the server casts `$1` as it casts what it stores: without cutting.
    fn fits(&self) -> Option<String> {
        let Limit { of, is_list, modifier, cast, arguments } = self.limit.as_ref()?;
        let cuts = if *arguments == 3 { ", false" } else { "" };
        let fit = |value: &str| format!("{cast}({value}, {modifier}{cuts})");
        let text = "$1::pg_catalog.text";
        Some(if *is_list {
            let items = format!("pg_catalog.unnest({text}::{of}[])");
            format!("(SELECT pg_catalog.count({}) FROM {items} AS item)", fit("item"))
        } else {
            format!("{}::pg_catalog.text", fit(&format!("{text}::{of}")))
        })
    }
}

/// The columns of a table. Names of types are in quotes, because `bit` alone is `bit(1)`.
const COLUMNS: &str = "\
SELECT a.attname::pg_catalog.text, pg_catalog.format('\"%s\".\"%s\"', pg_catalog.replace(n.nspname, '\"', '\"\"'),
  pg_catalog.replace(t.typname, '\"', '\"\"')), t.oid <> a.atttypid, a.atttypmod, f.oid::pg_catalog.regproc::pg_catalog.text, f.pronargs,
  pg_catalog.format_type(a.atttypid, a.atttypmod)
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type w ON w.oid = a.atttypid
JOIN pg_catalog.pg_type t ON t.oid = CASE WHEN w.typcategory = 'A' AND w.typelem <> 0 THEN w.typelem ELSE w.oid END
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_cast c ON c.castsource = t.oid AND c.casttarget = t.oid AND a.atttypmod >= 0
LEFT JOIN pg_catalog.pg_proc f ON f.oid = c.castfunc AND f.pronargs IN (2, 3)
WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";

async fn columns(table: &str, driver: &mut PgConnection) -> Result<Vec<Column>, sqlx::Error> {
    let rows = driver.fetch_all(sqlx::query(COLUMNS).bind(table)).await?;
    let column = |row: &sqlx::postgres::PgRow| {
        let limit = match (row.try_get(4)?, row.try_get(5)?) {
            (Some(cast), Some(arguments)) => Some(Limit {
                of: row.try_get(1)?,
                is_list: row.try_get(2)?,
                modifier: row.try_get(3)?,
                cast,
                arguments,
            }),
            _ => None,
        };
        Ok(Column { name: row.try_get(0)?, kind: row.try_get(6)?, limit })
    };
    rows.iter().map(column).collect()
}

/// The columns of a constraint or of a unique index, if it is of this table.
const OF_CONSTRAINT: &str = "\
SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE c.oid = pg_catalog.to_regclass($1) AND n.nspname = $2 AND c.relname = $3 AND a.attnum = ANY (coalesce(
  (SELECT o.conkey FROM pg_catalog.pg_constraint o WHERE o.conrelid = c.oid AND o.conname = $4 LIMIT 1),
  (SELECT i.indkey::pg_catalog.int2[] FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
   WHERE i.indrelid = c.oid AND x.relname = $4 LIMIT 1)))";

async fn columns_of_constraint(
    table: &str,
    (schema, of, constraint): (&str, &str, &str),
    driver: &mut PgConnection,
) -> Result<Vec<String>, sqlx::Error> {
    let question = sqlx::query(OF_CONSTRAINT).bind(table).bind(schema).bind(of).bind(constraint);
    driver.fetch_all(question).await?.iter().map(|row| row.try_get(0)).collect()
}
