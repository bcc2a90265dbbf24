//! Whether the parameters of a statement that changes data still have the types with which it was prepared.
//!
//! The server prepares a statement anew when a table changes, but keeps the types of its parameters and casts them to those of
//! the columns: a decimal for a column that was `real` and is `numeric` now would lose its digits without a word.

use std::{future::Future, time::Duration};

use sqlx::{AssertSqlSafe, Executor as _, Row as _, ValueRef as _, postgres::PgConnection};
use toolbox_source::{DatabaseError, SourceError};

use super::{Failure, Running, prepare::unless};
use crate::{kind::Kind, plan::Effect, prepared::Prepared};

/// How long the types of parameters are trusted.
const TRUSTED: Duration = Duration::from_secs(10);

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Asks for the types of the parameters again, if the statement writes and nobody has asked for some time.
    pub(super) async fn verify(&mut self, known: &mut Prepared) -> Result<(), Failure> {
        let writes = self.call.plan.effect == Effect::ChangesRows;
        // Whatever becomes of its column, a text is what was sent.
        let is_cast = known.parameters.iter().any(|parameter| parameter.kind != Kind::Text);
        if !writes || !is_cast || known.verified.elapsed() < TRUSTED {
            return Ok(());
        }
        let text = self.call.statement.clone();
        let asked = parameter_types(&text, &mut self.connection.driver);
        let types = unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)?;
        let expected: Vec<String> =
            known.parameters.iter().filter_map(|parameter| Some(parameter.of.oid()?.0.to_string())).collect();
        if types.is_some_and(|types| types != format!("{{{}}}", expected.join(","))) {
            let message = "the types of the parameters have changed; call it again";
            return Err(Failure::Changed(SourceError::Database(DatabaseError::new(message))));
        }
        known.verified = tokio::time::Instant::now();
        self.connection.statements.insert(text, known.clone());
        Ok(())
    }
}

/// The numbers of the types that the parameters of a statement have now, as an array in the server's text form; `None` for
/// one that the server does not take any more.
async fn parameter_types(text: &str, driver: &mut PgConnection) -> Result<Option<String>, sqlx::Error> {
    let text = text.trim_end_matches(|character: char| character.is_whitespace() || character == ';');
    let sql = format!(
        "PREPARE toolbox_types AS {text}\n; SELECT parameter_types::pg_catalog.oid[]::pg_catalog.text \
         FROM pg_catalog.pg_prepared_statements WHERE name = 'toolbox_types'; DEALLOCATE toolbox_types"
    );
    match driver.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql))).await {
        Ok(rows) => {
            let Some(row) = rows.first() else { return Ok(None) };
            let cell = row.try_get_raw(0)?;
            Ok(if cell.is_null() { None } else { cell.as_str().ok().map(str::to_owned) })
        }
        Err(error) if error.as_database_error().is_some() => Ok(None),
        Err(error) => Err(error),
    }
}
