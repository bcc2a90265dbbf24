//! Whether the parameters of a statement still have the types with which it was prepared.
//!
//! A statement that writes what a cast could change runs with a guard (`guard`), which costs nothing but what it is made with.
//! Where there can be none, the server is asked for the types, now and then. And a value that the server refuses may be
//! refused only by a type that its column had before.

use std::{collections::BTreeSet, future::Future, sync::Arc, time::Duration};

use sqlx::{
    AssertSqlSafe, Executor as _, Row as _, SqlSafeStr as _, ValueRef as _,
    postgres::{PgConnection, PgTypeInfo},
};
use toolbox_source::{DatabaseError, SourceError};

use super::{Call, Failure, Progress, Running, State, prepare::unless, untyped::as_found};
use crate::{
    bind,
    error::{self, Trouble},
    guard::{self, Names, Terms},
    plan::{self, Effect, Form, Scope},
    prepared::{Guard, Guarded, Prepared},
    told::Told,
};

/// How long the types of parameters are trusted where nothing guards them, in reads too.
const TRUSTED: Duration = Duration::from_secs(10);

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// The statement that is safe to send: a guarded one, if it writes what a cast could change.
    pub(super) async fn secured(&mut self, known: Prepared) -> Result<Prepared, Failure> {
        let Call { plan, .. } = self.call;
        // Of a CALL, the server does not tell in SQL what types it infers.
        if plan.scope != Scope::Alone || plan.form == Form::Call {
            return Ok(known);
        }
        if plan.effect == Effect::Reads {
            return if plan.form == Form::Query { self.trusted(known).await } else { Ok(known) };
        }
        let arguments = self.call.arguments.iter().zip(known.parameters.iter()).enumerate();
        let open = arguments.filter(|(_, (value, parameter))| !bind::survives(value, parameter));
        let mut parameters: BTreeSet<usize> = open.map(|(place, _)| place).collect();
        if parameters.is_empty() {
            return Ok(known);
        }
        match &known.guard {
            Guard::Impossible if known.verified.elapsed() < TRUSTED => return Ok(known),
            Guard::Made(guarded) if !self.ways.is_unguarded && parameters.is_subset(&guarded.parameters) => {
                return Ok(self.under(known.clone(), guarded));
            }
            // At most two guarded texts of one statement.
            Guard::Made(_) => parameters = (0..known.parameters.len()).collect(),
            Guard::Unmade | Guard::Impossible => {}
        }
        let guarded = match known.guard {
            Guard::Impossible => None,
            _ if self.ways.is_unguarded => None,
            _ => self.guarded(&known, parameters).await?.map(Arc::new),
        };
        let guarded = match self.have_changed(&known).await? {
            Some(true) => return Err(changed()),
            Some(false) => guarded,
            None => None,
        };
        let guard = guarded.clone().map_or(Guard::Impossible, Guard::Made);
        self.connection.statements.guard(&self.call.statement, &self.call.declared, &guard);
        Ok(match guarded {
            Some(guarded) => self.under(known, &guarded),
            None => known,
        })
    }

    /// A read with arguments that a cast could change: once a column has another type, they would be compared as what they were
    /// in the old one. Nothing is lost meanwhile, so it is enough to ask for the types now and then.
    async fn trusted(&mut self, known: Prepared) -> Result<Prepared, Failure> {
        let mut arguments = self.call.arguments.iter().zip(known.parameters.iter());
        let survive = arguments.all(|(value, parameter)| bind::survives(value, parameter));
        if survive || known.verified.elapsed() < TRUSTED {
            return Ok(known);
        }
        if self.have_changed(&known).await? == Some(true) {
            return Err(changed());
        }
        self.connection.statements.verify(&self.call.statement, &self.call.declared);
        Ok(known)
    }

    /// A statement as it runs under a guard.
    fn under(&mut self, known: Prepared, guarded: &Guarded) -> Prepared {
        self.is_guarded = true;
        Prepared { text: guarded.text.clone(), shift: guarded.shift.clone(), ..known }
    }

    /// Prepares a statement with guards for these parameters; `None` where that cannot be. What the types rest on is read
    /// before these are asked for again: if it changes in between, the guard fails.
    async fn guarded(
        &mut self,
        known: &Prepared,
        parameters: BTreeSet<usize>,
    ) -> Result<Option<Guarded>, Failure> {
        let Some(names) = Names::of(&self.call.statement) else { return Ok(None) };
        let loading = Terms::load(&names, &mut self.connection.driver);
        let Some(terms) = if_taken(unless(self.halt.as_mut(), loading).await?)? else { return Ok(None) };
        let Call { statement, plan, .. } = self.call;
        let Some((text, shift)) = guard::guarded(&known.text, statement, plan.form, &parameters, &terms)
        else {
            return Ok(None);
        };
        let text: Arc<str> = Arc::from(text);
        let types: Vec<PgTypeInfo> = known.parameters.iter().map(|parameter| parameter.of.clone()).collect();
        let preparing =
            self.connection.driver.prepare_with(AssertSqlSafe(text.clone()).into_sql_str(), &types);
        let is_taken = if_taken(unless(self.halt.as_mut(), preparing).await?)?.is_some();
        let guarded = Guarded { parameters, text, shift: known.shift.and(&shift) };
        Ok(is_taken.then_some(guarded))
    }

    /// What a failure is after all, if a value was refused, here or by the server, which changed nothing: a statement of an
    /// earlier call whose parameters have other types by now is to be prepared anew, and an argument is to be named.
    pub(super) async fn reconsider(&mut self, failure: Failure) -> Failure {
        if let Failure::Driver(error) = &failure
            && self.is_guarded
            && error::is_guard(error)
        {
            // What has answered is not run again.
            return match (changed(), self.progress) {
                (Failure::Changed(error), Progress::Answering) => Failure::Stopped(error, State::Unknown),
                (changed, _) => changed,
            };
        }
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
        let known = self.connection.statements.get(&self.call.statement, &self.call.declared);
        let Some(known) = known.or_else(|| self.unremembered.take()) else { return failure };
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
            Failure::Driver(_) => Failure::Stopped(failure.into_error(&self.shift), State::Unknown),
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

/// What a step has yielded; `None` if the server said that it does not do what it asks for.
fn if_taken<T>(result: Result<T, sqlx::Error>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error::is_of_unknown_type(&error) || error::trouble(&error) == Trouble::Other => {
            Ok(None)
        }
        Err(error) => Err(Failure::Driver(error)),
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
    told: &[Told],
    driver: &mut PgConnection,
) -> Result<Option<String>, sqlx::Error> {
    let text = as_found(plan::without_end(text), told);
    let told: Vec<&str> = told.iter().map(|told| told.name()).collect();
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
