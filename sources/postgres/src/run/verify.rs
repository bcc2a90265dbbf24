//! Whether the parameters of a statement still have the types with which it was prepared.
//!
//! The server prepares a statement anew when a table changes, but keeps the types of its parameters and casts them to those of
//! the columns: a decimal for a column that was `real` and is `numeric` now would lose its digits without a word. So a
//! statement that writes asks again, now and then, if a cast could lose something of its arguments. And a value that the
//! server refuses may be refused only by a type that its column had before.

use std::{future::Future, time::Duration};

use sqlx::{AssertSqlSafe, Executor as _, Row as _, ValueRef as _, postgres::PgConnection};
use toolbox_source::{DatabaseError, SourceError};

use super::{Failure, Progress, Running, State, describe, prepare::unless};
use crate::{
    bind, error,
    plan::{self, Effect, Scope},
    prepared::Prepared,
};

/// How long the types of parameters are trusted.
const TRUSTED: Duration = Duration::from_secs(10);

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Asks for the types of the parameters again, if the statement writes what a cast could change, and nobody has asked for
    /// some time.
    pub(super) async fn verify(&mut self, known: &mut Prepared) -> Result<(), Failure> {
        if self.call.plan.effect == Effect::Reads || known.verified.elapsed() < TRUSTED {
            return Ok(());
        }
        let arguments = self.call.arguments.iter().zip(known.parameters.iter());
        let mut arguments = arguments.map(|(value, parameter)| bind::survives(value, parameter));
        if arguments.all(|survives| survives) {
            return Ok(());
        }
        if self.have_changed(known).await? == Some(true) {
            return Err(changed());
        }
        known.verified = tokio::time::Instant::now();
        self.connection.statements.insert(&self.call.statement, &self.call.declared, known.clone());
        Ok(())
    }

    /// What a failure is after all, if a value was refused, here or by the server, which changed nothing: a statement of an
    /// earlier call whose parameters have other types by now is to be prepared anew, and an argument is to be named.
    pub(super) async fn reconsider(&mut self, failure: Failure) -> Failure {
        let (is_about_a_value, is_ours) = match &failure {
            Failure::Driver(error) => {
                (self.progress == Progress::Sent && error::is_about_a_value(error), false)
            }
            Failure::Ours(SourceError::Argument { .. }) => (true, true),
            _ => (false, false),
        };
        if !is_about_a_value || self.call.plan.scope != Scope::Alone {
            return failure;
        }
        let Some(known) = self.connection.statements.get(&self.call.statement, &self.call.declared) else {
            return failure;
        };
        if self.is_known && self.call.plan.repeatable {
            match self.have_changed(&known).await {
                Ok(Some(true)) => return changed(),
                // The server does not take the statement any more, and says why when it is prepared anew.
                Ok(None) if is_ours => return changed(),
                Ok(_) => {}
                Err(newer) => return self.settled(failure, newer),
            }
        }
        let Failure::Driver(error) = &failure else { return failure };
        match self.refused(error, &known).await {
            Ok(Some(named)) => Failure::Stopped(named, State::Clean),
            Ok(None) => failure,
            Err(newer) => self.settled(failure, newer),
        }
    }

    /// The failure of a statement that has failed for sure, whatever became of the connection since.
    fn settled(&self, failure: Failure, newer: Failure) -> Failure {
        match newer {
            Failure::Driver(_) => Failure::Stopped(failure.into_error(self.shift), State::Unknown),
            newer => newer,
        }
    }

    /// Whether the server infers other types for the parameters than it did; `None` if it does not tell.
    async fn have_changed(&mut self, known: &Prepared) -> Result<Option<bool>, Failure> {
        let asked = parameter_types(&self.call.statement, &known.told, &mut self.connection.driver);
        let types = unless(self.halt.as_mut(), asked).await?.map_err(Failure::Driver)?;
        let expected: Vec<String> =
            known.parameters.iter().map(|parameter| parameter.number.to_string()).collect();
        Ok(types.map(|types| types != format!("{{{}}}", expected.join(","))))
    }
}

fn changed() -> Failure {
    let message = "the types of the parameters have changed; call it again";
    Failure::Changed(SourceError::Database(DatabaseError::new(message)))
}

/// The numbers of the types that the parameters of a statement have now, as an array in the server's text form; `None` for
/// one that the server does not take any more.
async fn parameter_types(
    text: &str,
    told: &[u32],
    driver: &mut PgConnection,
) -> Result<Option<String>, sqlx::Error> {
    let text = plan::without_end(text);
    let told: Vec<&str> = told.iter().map(|number| describe::told_name(*number)).collect();
    let told = if told.is_empty() { String::new() } else { format!("({})", told.join(", ")) };
    let sql = format!(
        "PREPARE toolbox_types{told} AS {text}\n; SELECT parameter_types::pg_catalog.oid[]::pg_catalog.text \
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
