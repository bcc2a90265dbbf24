//! Describes the caller's own statement also where sqlx cannot, because it does not know the kind of one of its types: a
//! multirange, or a type of the server's own catalog.

use std::{future::Future, sync::Arc};

use sqlx::{
    AssertSqlSafe, Column as _, Executor as _, Row as _,
    postgres::{PgConnection, PgTypeInfo, types::Oid},
};
use toolbox_source::SourceError;

use super::{
    Failure, Running, State,
    describe::{Cast, Description},
    prepare::unless,
};
use crate::{
    decode::record,
    error::{self, Trouble},
    places::{Shift, in_place, with_placeholders},
    plan::{Form, Scope},
    project::{self, Part},
    told::Told,
    types::Types,
};

/// What the server itself says of a statement that sqlx has prepared and lost.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// The types of its parameters: names for a cast, and numbers.
    pub(super) names: Vec<String>,
    pub(super) numbers: Vec<u32>,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Describes the caller's own statement. A parameter of a type that sqlx does not know becomes a text that the statement
    /// casts. A statement with such a column runs only inside another one.
    pub(super) async fn describe_own(&mut self, text: Arc<str>) -> Result<Description, Failure> {
        match self.describe(text.clone(), Vec::new()).await? {
            Ok(own) => return self.retell(own).await,
            Err(error) if error::is_of_unknown_type(&error) => {}
            Err(error) => return Err(Failure::Driver(error)),
        }
        let lost = self.lost(&text).await?;
        if self.call.plan.form == Form::Call
            && let Some(own) = self.describe_call(&text, &lost).await?
        {
            return Ok(own);
        }
        let loading = Types::load(lost.numbers.iter().copied(), &mut self.connection.driver);
        let types = unless(self.halt.as_mut(), loading).await?.map_err(Failure::Driver)?;
        let places = lost.numbers.iter().zip(&lost.names).enumerate();
        let casts: Vec<Cast> = places
            .filter(|(_, (number, _))| types.is_sent_as_text(**number))
            .map(|(place, (number, name))| Cast { place, number: *number, name: Arc::from(name.as_str()) })
            .collect();
        if casts.is_empty() {
            return self.describe_columns(Description { text, ..Description::default() }, &lost).await;
        }
        let (text, shift) = casting(&text, &casts);
        match self.describe(text.clone(), Vec::new()).await? {
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

    /// The same statement with casts of the parameters whose values are not all sent in binary form, if the server takes it.
    pub(super) async fn with_casts(
        &mut self,
        own: Description,
        types: &Types,
    ) -> Result<Description, Failure> {
        if own.plain.is_some() || !own.casts.is_empty() {
            return Ok(own);
        }
        let places = own.parameters.iter().enumerate();
        let casts: Vec<Cast> = places
            .map(|(place, of)| (place, of, of.oid().map_or(0, |Oid(number)| number)))
            .filter(|(_, _, number)| types.is_sent_as_text(*number))
            .map(|(place, of, number)| {
                let name = Arc::from(types.name_of(number, of));
                Cast { place, number, name }
            })
            .collect();
        if casts.is_empty() {
            return Ok(own);
        }
        let (text, shift) = casting(&own.text, &casts);
        let mut told = own.told.clone();
        for cast in &casts {
            if let Some(told) = told.get_mut(cast.place) {
                *told = Told::Nothing;
            }
        }
        Ok(match self.describe(text, told).await? {
            Ok(casting) => Description { casts, shift, ..casting },
            Err(error) if error::trouble(&error) != Trouble::Other => return Err(Failure::Driver(error)),
            Err(_) => own,
        })
    }

    /// Learns the columns from another statement, in the simple protocol, in which sqlx asks for no types. That protocol has no
    /// parameters, so nulls of their types stand in their places. Nothing of the caller's statement runs.
    async fn describe_columns(&mut self, own: Description, lost: &Lost) -> Result<Description, Failure> {
        let null = |place: usize, is_column: bool| {
            lost.names.get(place).map(|name| in_place(&format!("NULL::{name}"), is_column))
        };
        if self.call.plan.form == Form::Query {
            let (sql, _) = with_placeholders(&project::empty(&own.text), null);
            let asked = first_columns(sql, &mut self.connection.driver);
            let columns = unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)?;
            return columns.map(|columns| Description { columns, ..own }).ok_or_else(unreadable);
        }
        // What follows ends the transaction that a read of the model must stay in; what changes data is refused there before.
        let part = Part::new(&own.text, self.call.plan.form).filter(|_| self.call.plan.scope == Scope::Alone);
        let part = part.ok_or_else(unreadable)?;
        let names = self.told(with_placeholders(&part.names(), null).0).await?.ok_or_else(unreadable)?;
        let names = record::members(&names).map_err(|_| unreadable())?;
        let types = self.told(with_placeholders(&part.types(names.len()), null).0).await?;
        let types = types.as_deref().and_then(numbers).filter(|types| types.len() == names.len());
        let types = types.ok_or_else(unreadable)?;
        let columns = names.iter().map(|(name, _)| name.clone()).zip(types).collect();
        Ok(Description { columns, ..own })
    }

    /// What a query answers by failing. A transaction that is never committed stands for that.
    async fn told(&mut self, sql: String) -> Result<Option<String>, Failure> {
        let driver = &mut self.connection.driver;
        let asked = async {
            let failed = driver.execute(sqlx::raw_sql(AssertSqlSafe(format!("BEGIN; {sql}")))).await;
            driver.execute("ROLLBACK").await?;
            match failed {
                Ok(_) => Ok(None),
                Err(error) => match error.as_database_error() {
                    Some(said) => Ok(project::answer(said.message()).map(str::to_owned)),
                    None => Err(error),
                },
            }
        };
        unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)
    }

    /// What the server says of a statement that sqlx has lost, which the server forgets.
    pub(super) async fn lost(&mut self, text: &str) -> Result<Lost, Failure> {
        let asked = lost(text, &mut self.connection.driver);
        let lost = unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)?;
        lost.ok_or_else(unreadable)
    }
}

/// A statement in which these parameters are cast from texts, and how that moves places.
fn casting(text: &str, casts: &[Cast]) -> (Arc<str>, Shift) {
    let cast = |place: usize, is_column: bool| {
        let Cast { name, .. } = casts.iter().find(|cast| cast.place == place)?;
        Some(in_place(&format!("${}::pg_catalog.text::{name}", place + 1), is_column))
    };
    let (text, shift) = with_placeholders(text, cast);
    (Arc::from(text), shift)
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
SELECT name, ARRAY(
    SELECT pg_catalog.format('%I.%I', s.nspname, t.typname)
    FROM pg_catalog.unnest(parameter_types) WITH ORDINALITY AS p(of, place)
    JOIN pg_catalog.pg_type t ON t.oid = p.of JOIN pg_catalog.pg_namespace s ON s.oid = t.typnamespace ORDER BY p.place
  ), parameter_types::pg_catalog.oid[]::pg_catalog.int8[]
FROM pg_catalog.pg_prepared_statements WHERE statement = $1 AND NOT from_sql ORDER BY prepare_time DESC LIMIT 1";

async fn lost(text: &str, driver: &mut PgConnection) -> Result<Option<Lost>, sqlx::Error> {
    let Some(lost) = driver.fetch_optional(sqlx::query(LOST).bind(text)).await? else { return Ok(None) };
    let (name, names): (String, Vec<String>) = (lost.try_get(0)?, lost.try_get(1)?);
    let numbers: Vec<i64> = lost.try_get(2)?;
    let name = name.replace('"', "\"\"");
    driver.execute(sqlx::raw_sql(AssertSqlSafe(format!("DEALLOCATE \"{name}\"")))).await?;
    let numbers = numbers.into_iter().map(|number| u32::try_from(number).unwrap_or(0)).collect();
    Ok(Some(Lost { names, numbers }))
}

/// The numbers in an array in the server's text form.
fn numbers(array: &str) -> Option<Vec<u32>> {
    let items = array.strip_prefix('{')?.strip_suffix('}')?;
    items.split(',').filter(|item| !item.is_empty()).map(|item| item.parse().ok()).collect()
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
