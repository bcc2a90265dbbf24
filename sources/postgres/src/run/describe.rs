//! Asks what columns and parameters a statement has.

use std::{future::Future, sync::Arc};

use sqlx::{
    AssertSqlSafe, Column as _, Either, Executor as _, SqlSafeStr as _, Statement as _,
    postgres::{PgStatement, PgTypeInfo},
};
use toolbox_source::{Declared, SourceError};

use super::{Failure, Running, prepare::unless};
use crate::{
    error::{self, Trouble},
    places::Shift,
    prepared::Plain,
    told::Told,
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
    /// What the server was told of the types of its parameters.
    pub(super) told: Vec<Told>,
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
        let mut told: Vec<Told> = Vec::new();
        let mut first = None;
        loop {
            let types: Vec<PgTypeInfo> = told.iter().map(|told| told.type_info()).collect();
            let preparing = self.connection.driver.prepare_with(sql.clone(), &types);
            let error = match unless(self.halt.as_mut(), preparing).await? {
                Ok(statement) => return Ok(Ok(described(text, &statement, told))),
                Err(error) => error,
            };
            let untyped = error::untyped_parameter(&error);
            if error::trouble(&error) == Trouble::Other
                && untyped.is_none()
                && told.iter().any(|told| told.as_doubles().is_some())
            {
                for told in &mut told {
                    *told = told.as_doubles().unwrap_or(*told);
                }
                continue;
            }
            let untold = untyped
                .filter(|index| told.get(*index).is_none_or(|told| *told == Told::Nothing))
                .and_then(|index| Some((index, self.call.declared.get(index)?)));
            let Some((index, declared)) = untold else {
                if error::is_of_unknown_type(&error) {
                    return Ok(Err(error));
                }
                if told.is_empty() && error::wants_type(&error) {
                    told = lists(&self.call.declared);
                    if !told.is_empty() {
                        first = Some(error);
                        continue;
                    }
                }
                // What the server says of the types that it was told would only confuse.
                return Ok(Err(first.unwrap_or(error)));
            };
            if told.is_empty()
                && let Some(found) = self.found(&text).await?
            {
                (told, first) = (found, Some(error));
                continue;
            }
            if told.len() <= index {
                told.resize(index + 1, Told::Nothing);
            }
            if let Some(told) = told.get_mut(index) {
                *told = Told::of(declared);
            }
            first = first.or(Some(error));
        }
    }
}

/// What the server is told where a function takes any type, as in `unnest($1)`: the types of lists, which nothing else settles
/// there. Of other parameters it finds the types of columns, which go before.
fn lists(declared: &[Declared]) -> Vec<Told> {
    let is_list = |declared: &Declared| matches!(declared, Declared::List(_));
    let told = |declared: &Declared| if is_list(declared) { Told::of(declared) } else { Told::Nothing };
    if declared.iter().any(is_list) { declared.iter().map(told).collect() } else { Vec::new() }
}

fn described(text: Arc<str>, statement: &PgStatement, told: Vec<Told>) -> Description {
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
