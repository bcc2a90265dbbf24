//! Asks what columns and parameters a statement has, also where sqlx cannot tell.

use std::{future::Future, sync::Arc};

use sqlx::{
    AssertSqlSafe, Column as _, Either, Executor as _, Row as _, SqlSafeStr as _, Statement as _,
    postgres::{PgConnection, PgStatement, PgTypeInfo, types::Oid},
};
use toolbox_source::{
    Declared, SourceError,
    scan::{Lexicon, TokenKind, Tokens},
};

use super::{Failure, Running, State, prepare::unless};
use crate::{error, plan::Form};

/// What a statement answers and takes.
#[derive(Debug, Default)]
pub(super) struct Description {
    /// Names and numbers of types.
    pub(super) columns: Vec<(String, u32)>,
    /// Empty for a statement that cannot run as it is.
    pub(super) parameters: Vec<PgTypeInfo>,
    /// Whether sqlx can run the statement itself.
    pub(super) runs: bool,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Describes a statement. Where the server cannot tell the type of a parameter, as in `$1 IS NULL OR kind = $1`, it is
    /// told what the parameter is declared to hold. The inner error is the server's about this text.
    pub(super) async fn describe(
        &mut self,
        text: Arc<str>,
    ) -> Result<Result<Description, sqlx::Error>, Failure> {
        let sql = AssertSqlSafe(text).into_sql_str();
        let mut told: Vec<PgTypeInfo> = Vec::new();
        let mut first = None;
        loop {
            let preparing = self.connection.driver.prepare_with(sql.clone(), &told);
            let error = match unless(self.halt.as_mut(), preparing).await? {
                Ok(statement) => return Ok(Ok(described(&statement))),
                Err(error) => error,
            };
            let untold = error::untyped_parameter(&error)
                .filter(|index| told.get(*index).is_none_or(|of| *of == UNTOLD))
                .and_then(|index| Some((index, self.call.declared.get(index)?)));
            let Some((index, declared)) = untold else {
                // What the server says of the types that it was told would only confuse.
                return Ok(Err(first.unwrap_or(error)));
            };
            if told.len() <= index {
                told.resize(index + 1, UNTOLD);
            }
            if let Some(of) = told.get_mut(index) {
                *of = PgTypeInfo::with_oid(Oid(number_of(declared)));
            }
            first = first.or(Some(error));
        }
    }

    /// Describes the caller's own statement, also if it has types of which sqlx does not know the kind. Then it runs only
    /// inside another one.
    pub(super) async fn describe_own(&mut self) -> Result<Description, Failure> {
        let text = self.call.statement.clone();
        let form = self.call.plan.form;
        match self.describe(text.clone()).await? {
            Ok(own) => Ok(own),
            Err(error) if error::is_of_unknown_type(&error) => {
                let asked = around_sqlx(&text, form, &mut self.connection.driver);
                match unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)? {
                    Some(columns) => Ok(Description { columns, ..Description::default() }),
                    None => Err(unreadable()),
                }
            }
            Err(error) => Err(Failure::Driver(error)),
        }
    }
}

/// The type of a parameter of which the server is told nothing.
const UNTOLD: PgTypeInfo = PgTypeInfo::with_oid(Oid(0));

/// The number of the type that holds what a parameter is declared to hold (`pg_type.dat`). Lists of lists have the type of
/// their innermost lists.
fn number_of(declared: &Declared) -> u32 {
    match declared {
        Declared::Text => 25,
        Declared::Integer => 20,
        Declared::Float => 701,
        Declared::Boolean => 16,
        Declared::Map => 3802,
        Declared::List(items) => match items.as_ref() {
            Declared::Text => 1009,
            Declared::Integer => 1016,
            Declared::Float => 1022,
            Declared::Boolean => 1000,
            Declared::Map => 3807,
            list @ Declared::List(_) => number_of(list),
        },
    }
}

/// The error for a statement whose types cannot be named.
pub(super) fn unreadable() -> Failure {
    let message = "the statement has a column or an argument of a type that is not read in this form of statement (a multirange, \
                   or an internal type of the server); write the column as column::text and the argument as $1::text::the_type";
    Failure::Stopped(SourceError::Refused(message.to_owned()), State::Clean)
}

fn described(statement: &PgStatement) -> Description {
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
    Description { columns, parameters, runs: true }
}

/// The session's statement of this text, which sqlx has prepared and lost: its name and the types of its parameters.
const LOST: &str = "\
SELECT name, parameter_types::pg_catalog.text[] FROM pg_catalog.pg_prepared_statements
WHERE statement = $1 AND NOT from_sql ORDER BY prepare_time DESC LIMIT 1";

/// Learns the columns of a query from one row of nulls, in the simple protocol, in which sqlx asks for no types. Nothing of
/// the query runs: the join is never true. That protocol has no parameters, so nulls of their types stand in their places.
async fn around_sqlx(
    text: &str,
    form: Form,
    driver: &mut PgConnection,
) -> Result<Option<Vec<(String, u32)>>, sqlx::Error> {
    let Some(lost) = driver.fetch_optional(sqlx::query(LOST).bind(text)).await? else { return Ok(None) };
    let (name, types): (String, Vec<String>) = (lost.try_get(0)?, lost.try_get(1)?);
    let name = name.replace('"', "\"\"");
    driver.execute(sqlx::raw_sql(AssertSqlSafe(format!("DEALLOCATE \"{name}\"")))).await?;
    if form != Form::Query {
        return Ok(None);
    }
    let text = with_nulls(text, &types);
    let text = text.trim_end_matches(|character: char| character.is_whitespace() || character == ';');
    let sql = format!("SELECT r.* FROM (SELECT 1) AS one LEFT JOIN (\n{text}\n) AS r ON false");
    let row = match driver.fetch_optional(sqlx::raw_sql(AssertSqlSafe(sql))).await {
        Ok(row) => row,
        Err(error) if error.as_database_error().is_some() => None,
        Err(error) => return Err(error),
    };
    Ok(row.map(|row| {
        let number = |of: &PgTypeInfo| of.oid().map_or(0, |oid| oid.0);
        row.columns().iter().map(|column| (column.name().to_owned(), number(column.type_info()))).collect()
    }))
}

/// The text with a null of its type for each parameter.
fn with_nulls(text: &str, types: &[String]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for token in Tokens::new(text, &Lexicon::POSTGRES) {
        let TokenKind::Placeholder(Some(number)) = token.kind else { continue };
        let Some(of) = number.checked_sub(1).and_then(|index| types.get(index)) else { continue };
        replaced.push_str(text.get(copied..token.start).unwrap_or_default());
        replaced.push_str("(NULL::");
        replaced.push_str(of);
        replaced.push(')');
        copied = token.end();
    }
    replaced.push_str(text.get(copied..).unwrap_or_default());
    replaced
}
