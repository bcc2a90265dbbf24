//! What comes before a statement is sent: its text, its columns, and the OUT arguments of a procedure.

use std::{future::Future, sync::Arc};

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, SqlSafeStr as _, Statement as _};
use tokio::time::Instant;
use toolbox_source::{Column, SourceError};

use super::{Call, Failure, Running, State};
use crate::{
    bind::Settling,
    cancel::Killer,
    connect::Connection,
    decode,
    error::{self, Trouble},
    outs::{self, Out},
    plan::{Effect, Results},
    prepared::{self, Form, Prepared, TRUSTED, Wire},
    recent::recently,
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Learns the columns, once for each connection and form of the statement.
    pub(super) async fn prepare(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<Prepared, Failure> {
        let plan = &self.call.plan;
        let forms = connection.statements.forms(&plan.text, &self.sent_arguments, connection.types.settling);
        if let Some(known) = connection.statements.get(&plan.text, &forms) {
            return Ok(known);
        }
        self.check_rows(connection)?;
        let learned = Instant::now();
        let (text, prepared) = self.prepared_text(connection, killer, state, &forms).await?;
        let none = Arc::from([]);
        let known = Prepared {
            text: text.clone(),
            forms: forms.clone(),
            columns: none,
            renamed: Arc::from([]),
            wire: Wire::Binary,
            is_block: false,
            learned,
        };
        let mut prepared = match prepared {
            Ok(columns) => Prepared { columns, ..known },
            Err(failure) => {
                let block = prepared::block(&known.text);
                match self.columns_of(connection, killer, state, (&block, &forms)).await {
                    Ok(columns) => Prepared { text: block, columns, is_block: true, ..known },
                    // `MySQL` knows no such blocks.
                    Err(Failure::Driver(error)) if error::trouble(&error) == Trouble::Refused => {
                        if forms.iter().any(|form| form.is_sent()) {
                            return Err(failure);
                        }
                        Prepared { wire: Wire::Text, ..known }
                    }
                    Err(failure) => return Err(failure),
                }
            }
        };
        let as_written = prepared::as_written(&self.call.plan.text, &forms);
        if as_written != text && prepared.columns.iter().any(|column| prepared::may_be_renamed(&column.name))
        {
            prepared.renamed =
                self.renamed(connection, killer, state, &as_written, &prepared.columns).await?;
            prepared.columns = prepared.named(prepared.columns.clone());
        }
        connection.statements.insert(&self.call.plan.text, prepared.clone());
        Ok(prepared)
    }

    /// The text that takes arguments of these forms, with its columns. Where the server takes no casts it is one without.
    /// The failure is one of what the server does not prepare at all.
    async fn prepared_text(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        forms: &[Form],
    ) -> Result<(Arc<str>, Result<Arc<[Column]>, Failure>), Failure> {
        let statement = &self.call.plan.text;
        let plain = prepared::text(statement, forms, false);
        let with_casts = prepared::text(statement, forms, true);
        if with_casts != plain {
            match self.columns_of(connection, killer, state, (&with_casts, forms)).await {
                Ok(columns) => return Ok((with_casts, Ok(columns))),
                Err(Failure::Driver(error)) if error::trouble(&error) == Trouble::Refused => {}
                Err(failure) => return Err(failure),
            }
        }
        let is_unpreparable = |failure: &Failure| matches!(failure, Failure::Driver(error) if error::trouble(error) == Trouble::Unpreparable);
        match self.columns_of(connection, killer, state, (&plain, forms)).await {
            Err(failure) if !is_unpreparable(&failure) => Err(failure),
            prepared => Ok((plain, prepared)),
        }
    }

    /// The names that columns have in the text, where it is another one than the statement, each with the one in the statement.
    async fn renamed(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        as_written: &Arc<str>,
        sent: &[Column],
    ) -> Result<Arc<[(String, String)]>, Failure> {
        let sql = AssertSqlSafe(as_written.clone()).into_sql_str();
        let statement = match self.step(killer, state, connection.driver.prepare(sql)).await {
            Ok(statement) => statement,
            Err(Failure::Driver(error)) if error::trouble(&error) == Trouble::Refused => {
                return Ok(Arc::from([]));
            }
            Err(failure) => return Err(failure),
        };
        let written = decode::columns(statement.columns());
        let pairs = sent.iter().zip(written.iter()).filter(|(sent, written)| sent.name != written.name);
        Ok(pairs.map(|(sent, written)| (sent.name.clone(), written.name.clone())).collect())
    }

    /// The columns of a statement as the server tells them when it prepares it.
    async fn columns_of(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        (text, forms): (&Arc<str>, &[Form]),
    ) -> Result<Arc<[Column]>, Failure> {
        let sql = AssertSqlSafe(text.clone()).into_sql_str();
        let statement = self.step(killer, state, connection.driver.prepare(sql)).await?;
        let counted = statement.parameters().map_or(0, |parameters| parameters.right_or_else(<[_]>::len));
        let given = forms.iter().filter(|form| form.is_sent()).count();
        if counted != given {
            // sqlx would hang at the next statement if it noticed this itself.
            return Err(Failure::Ours(SourceError::Refused(format!(
                "the server counts {counted} arguments in the statement, but {given} are given"
            ))));
        }
        Ok(decode::columns(statement.columns()))
    }

    /// The columns of a `RETURNING` that returned nothing. The change is made, so a failure here is none of the statement.
    pub(super) async fn returned_columns(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Arc<[Column]> {
        let Some(query) = &self.call.plan.returned else { return Arc::from([]) };
        let sql = AssertSqlSafe(query.clone()).into_sql_str();
        let failure = match self.step(killer, state, connection.driver.prepare(sql)).await {
            Ok(statement) => return decode::columns(statement.columns()),
            Err(failure) => failure,
        };
        tracing::debug!(?failure, "the columns of an empty RETURNING are not known");
        if let Failure::Driver(error) = &failure
            && error::trouble(error) != Trouble::Refused
        {
            *state = State::Unknown;
        }
        Arc::from([])
    }

    /// The columns of an answer without rows. The driver keeps those of the preparation, which may be those of an earlier
    /// form of a table.
    pub(super) async fn columns_now(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        prepared: Prepared,
    ) -> Result<Arc<[Column]>, Failure> {
        if prepared.learned.elapsed() < TRUSTED || self.effect == Effect::Writes {
            return Ok(prepared.columns);
        }
        connection.statements.clear();
        self.step(killer, state, connection.driver.clear_cached_statements()).await?;
        Ok(self.prepare(connection, killer, state).await?.columns)
    }

    /// The OUT arguments of a call, of which `MySQL` does not tell texts from bytes.
    pub(super) async fn outs(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<Arc<[Out]>, Failure> {
        let Call { plan, arguments, lanes, .. } = self.call;
        let may_answer = plan.results == Results::Any
            && connection.types.settling == Settling::Once
            && !arguments.is_empty();
        let called = if may_answer { outs::called(&plan.text) } else { None };
        let Some((spelled, parts)) = called else { return Ok(Arc::from([])) };
        let procedures = lanes.connector().procedures();
        let ask = outs::list(&mut connection.driver, &parts);
        let known = self.recent(killer, state, (procedures, spelled, recently(Instant::now())), ask).await?;
        Ok(known.unwrap_or_default())
    }
}
