//! Describes the caller's own statement also where sqlx cannot, because it does not know the kind of one of its types: a
//! multirange, or a type of the server's own catalog.

use std::{future::Future, sync::Arc};

use sqlx::{
    AssertSqlSafe, Column as _, Executor as _, Row as _,
    postgres::{PgConnection, PgTypeInfo, types::Oid},
};
use toolbox_source::{
    SourceError,
    scan::{Lexicon, Tokens},
};

use super::{Failure, Running, State, describe::Description, prepare::unless};
use crate::{
    error::{self, Trouble},
    places::with_placeholders,
    project,
    types::Types,
};

/// What the server itself says of a statement that sqlx has prepared and lost.
#[derive(Debug, Default)]
struct Lost {
    /// The types of its parameters: names for a cast, and numbers.
    names: Vec<String>,
    numbers: Vec<u32>,
    /// The first of its columns that is a multirange: its place, from 1, and its type. From PostgreSQL 16 on.
    column: Option<(i64, String)>,
}

impl Lost {
    /// The error for a statement whose columns have no names outside of it.
    fn unreadable(&self) -> Failure {
        let Some((place, of)) = &self.column else { return unreadable() };
        let message = format!(
            "column {place} of the result: its type {of} cannot be read beside a part of a WITH that changes data; write it as \
             column::text"
        );
        Failure::Ours(SourceError::Refused(message))
    }
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Describes the caller's own statement. A parameter of a type that sqlx does not know becomes a text that the statement
    /// casts. A statement with such a column runs only inside another one.
    pub(super) async fn describe_own(&mut self, text: Arc<str>) -> Result<Description, Failure> {
        match self.describe(text.clone()).await? {
            Ok(own) => return Ok(own),
            Err(error) if error::is_of_unknown_type(&error) => {}
            Err(error) => return Err(Failure::Driver(error)),
        }
        let lost = self.lost(&text).await?;
        let loading = Types::load(lost.numbers.iter().copied(), &mut self.connection.driver);
        let types = unless(self.halt.as_mut(), loading).await?.map_err(Failure::Driver)?;
        let places = lost.numbers.iter().enumerate();
        let casts: Vec<(usize, u32)> = places
            .filter(|(_, number)| types.holds_multirange(**number))
            .map(|(place, number)| (place, *number))
            .collect();
        if casts.is_empty() {
            return self.describe_columns(Description { text, ..Description::default() }, &lost).await;
        }
        let cast = |place: usize| {
            let name = lost.names.get(place).filter(|_| casts.iter().any(|(cast, _)| *cast == place))?;
            Some(format!("(${}::pg_catalog.text::{name})", place + 1))
        };
        let (text, shift) = with_placeholders(&text, cast);
        let text: Arc<str> = Arc::from(text);
        match self.describe(text.clone()).await? {
            Ok(own) => Ok(Description { casts, shift, ..own }),
            Err(error) if error::is_of_unknown_type(&error) => {
                let lost = self.lost(&text).await?;
                let own = Description { text, casts, shift, ..Description::default() };
                self.describe_columns(own, &lost).await
            }
            Err(error) if error::trouble(&error) != Trouble::Other => Err(Failure::Driver(error)),
            Err(_) => Err(unreadable()),
        }
    }

    /// Learns the columns from another statement, in the simple protocol, in which sqlx asks for no types. That protocol has no
    /// parameters, so nulls of their types stand in their places.
    async fn describe_columns(&mut self, own: Description, lost: &Lost) -> Result<Description, Failure> {
        let Some(columns) = project::columns(&own.text, self.call.plan.form) else {
            return Err(self.out_parameter().await?.map_or_else(|| lost.unreadable(), Failure::Ours));
        };
        let (sql, _) =
            with_placeholders(&columns, |place| lost.names.get(place).map(|name| format!("(NULL::{name})")));
        let asked = first_columns(sql, &mut self.connection.driver);
        match unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)? {
            Some(columns) => Ok(Description { columns, ..own }),
            None => Err(unreadable()),
        }
    }

    /// What the server says of a statement that sqlx has lost, which the server forgets.
    async fn lost(&mut self, text: &str) -> Result<Lost, Failure> {
        let asked = lost(text, &mut self.connection.driver);
        let lost = unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)?;
        lost.ok_or_else(unreadable)
    }

    /// The error that names the parameter of a called procedure that sqlx cannot read.
    async fn out_parameter(&mut self) -> Result<Option<SourceError>, Failure> {
        let Some(name) = called(&self.call.statement) else { return Ok(None) };
        let asked = self.connection.driver.fetch_optional(sqlx::query(OUT_PARAMETER).bind(name));
        let Some(row) = unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)? else {
            return Ok(None);
        };
        let column: String = row.try_get(0).map_err(Failure::Driver)?;
        let of: String = row.try_get(1).map_err(Failure::Driver)?;
        Ok(Some(unreadable_of_call(column, &of)))
    }
}

/// The error for a parameter of a called procedure.
pub(super) fn unreadable_of_call(column: String, of: &str) -> SourceError {
    let message = format!(
        "its type {of} cannot be read from a CALL; declare this parameter of the procedure as text and assign {column}::text"
    );
    SourceError::Column { column, message }
}

/// The error for a statement whose types cannot be named.
pub(super) fn unreadable() -> Failure {
    let message = "the statement has a column or an argument of a type that is not read in this form of statement (a multirange, \
                   or an internal type of the server); write the column as column::text and the argument as $1::text::the_type";
    Failure::Stopped(SourceError::Refused(message.to_owned()), State::Clean)
}

/// The session's statement of this text, which sqlx has prepared and lost.
const LOST: &str = "\
SELECT s.name, s.parameter_types::pg_catalog.text[], s.parameter_types::pg_catalog.oid[]::pg_catalog.int8[], c.place, c.of
FROM pg_catalog.pg_prepared_statements s LEFT JOIN LATERAL (
    SELECT r.place, r.of
    FROM pg_catalog.jsonb_array_elements_text(nullif(pg_catalog.to_jsonb(s) -> 'result_types', 'null')) WITH ORDINALITY AS r(of, place)
    JOIN pg_catalog.pg_type t ON t.oid = r.of::pg_catalog.regtype
    WHERE t.typtype = 'm' ORDER BY r.place LIMIT 1
) AS c ON true
WHERE s.statement = $1 AND NOT s.from_sql ORDER BY s.prepare_time DESC LIMIT 1";

async fn lost(text: &str, driver: &mut PgConnection) -> Result<Option<Lost>, sqlx::Error> {
    let Some(lost) = driver.fetch_optional(sqlx::query(LOST).bind(text)).await? else { return Ok(None) };
    let (name, names): (String, Vec<String>) = (lost.try_get(0)?, lost.try_get(1)?);
    let numbers: Vec<i64> = lost.try_get(2)?;
    let (place, of): (Option<i64>, Option<String>) = (lost.try_get(3)?, lost.try_get(4)?);
    let name = name.replace('"', "\"\"");
    driver.execute(sqlx::raw_sql(AssertSqlSafe(format!("DEALLOCATE \"{name}\"")))).await?;
    let numbers = numbers.into_iter().map(|number| u32::try_from(number).unwrap_or(0)).collect();
    Ok(Some(Lost { names, numbers, column: place.zip(of) }))
}

/// The columns of a query of one row; `None` if the server does not take it.
async fn first_columns(
    sql: String,
    driver: &mut PgConnection,
) -> Result<Option<Vec<(String, u32)>>, sqlx::Error> {
    let row = match driver.fetch_optional(sqlx::raw_sql(AssertSqlSafe(sql))).await {
        Ok(row) => row,
        Err(error) if error.as_database_error().is_some() => None,
        Err(error) => return Err(error),
    };
    let number = |of: &PgTypeInfo| of.oid().map_or(0, |Oid(number)| number);
    Ok(row.map(|row| {
        row.columns().iter().map(|column| (column.name().to_owned(), number(column.type_info()))).collect()
    }))
}

/// The first multirange among the parameters of the one procedure of this name.
const OUT_PARAMETER: &str = "\
SELECT coalesce(p.proargnames[a.place], ''), pg_catalog.format_type(a.number, NULL)
FROM pg_catalog.pg_proc p CROSS JOIN LATERAL pg_catalog.unnest(p.proallargtypes) WITH ORDINALITY AS a(number, place)
JOIN pg_catalog.pg_type t ON t.oid = a.number
WHERE p.oid = pg_catalog.to_regproc($1) AND p.proargmodes[a.place] IN ('o', 'b') AND t.typtype = 'm'
ORDER BY a.place LIMIT 1";

/// The name of the procedure that a text calls, as it is spelled.
fn called(text: &str) -> Option<&str> {
    let mut tokens = Tokens::new(text, &Lexicon::POSTGRES);
    let verb = tokens.next().filter(|verb| verb.is_word("CALL"))?;
    let open = tokens.find(|token| token.is_symbol("("))?;
    text.get(verb.end()..open.start).map(str::trim)
}
