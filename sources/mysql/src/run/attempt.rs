//! One attempt at a statement on one connection: begin, prepare, read the results, roll back.

use std::{future::Future, sync::Arc};

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, SqlSafeStr as _, Statement as _};
use tokio::time::Instant;
use toolbox_source::{Column, Done, Event, SourceError};

use super::{Failure, Running, State};
use crate::{
    cancel::{self, Killer, SETTLE, Stopped},
    connect::Connection,
    decode,
    error::{self, Trouble},
    plan::Scope,
    prepared::{Prepared, TRUSTED, Wire},
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    pub(super) async fn attempt(&mut self, connection: &mut Connection) -> (Result<Done, Failure>, State) {
        if let Some(mode) = connection.strange_mode.filter(|_| self.call.plan.gated) {
            let message = format!(
                "the server's sql_mode has {mode}, under which SQL from a model cannot be checked; ask the operator to set \
                 sql_mode in queryParams without it, or to configure the statement as a tool"
            );
            return (Err(Failure::Ours(SourceError::Refused(message))), State::Clean);
        }
        let killer = Killer::new(self.call.lanes.connector().clone(), connection.id);
        let mut state = State::Clean;
        let outcome = self.steps(connection, &killer, &mut state).await;
        if let Err(Failure::Driver(error)) = &outcome {
            state = match error::trouble(error) {
                Trouble::Lost | Trouble::Garbled | Trouble::Interrupted => State::Unknown,
                Trouble::TimedOut | Trouble::ReadOnly | Trouble::Unpreparable | Trouble::Refused => state,
            };
        }
        if self.call.plan.scope == Scope::Reading && state == State::Clean {
            let ended = tokio::time::timeout(SETTLE, connection.driver.execute("ROLLBACK")).await;
            if !matches!(ended, Ok(Ok(_))) {
                state = State::Unknown;
            }
        }
        (outcome, state)
    }

    async fn steps(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<Done, Failure> {
        if self.call.plan.scope == Scope::Reading {
            let begin = connection.driver.execute("START TRANSACTION READ ONLY");
            self.step(killer, state, begin).await?;
        }
        let prepared = self.prepare(connection, killer, state).await?;
        let given = sqlx::Arguments::len(&self.call.arguments);
        if prepared.arguments != given {
            // sqlx would hang at the next statement if it noticed this itself.
            let message = format!(
                "the server counts {} arguments in the statement, but {given} are given",
                prepared.arguments
            );
            return Err(Failure::Ours(SourceError::Refused(message)));
        }
        self.sent = true;
        let ended = self.results(connection, killer, state, &prepared).await?;
        if let Some(seen) = ended.columns.filter(|seen| *seen != prepared.columns) {
            let news = Prepared { columns: seen, ..prepared.clone() };
            connection.statements.insert(self.call.plan.text.clone(), news);
        }
        if ended.is_empty && !prepared.columns.is_empty() {
            let columns = self.columns_now(connection, killer, state, prepared).await?;
            self.send(Event::Columns(columns)).await.map_err(Failure::Stopped)?;
        }
        Ok(ended.done)
    }

    /// The result of a step, or why it was stopped.
    async fn step<T>(
        &mut self,
        killer: &Killer,
        state: &mut State,
        step: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, Failure> {
        match cancel::unless(self.halt.as_mut(), killer, step).await {
            Ok(result) => result.map_err(Failure::Driver),
            Err(Stopped { reason, settled }) => {
                if !settled {
                    *state = State::Unknown;
                }
                Err(Failure::Stopped(reason))
            }
        }
    }

    /// Learns the columns and the count of arguments, once for each connection.
    async fn prepare(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<Prepared, Failure> {
        let text = &self.call.plan.text;
        if let Some(known) = connection.statements.get(text) {
            return Ok(known);
        }
        let sql = AssertSqlSafe(text.clone()).into_sql_str();
        let prepared = match self.step(killer, state, connection.driver.prepare(sql)).await {
            Ok(statement) => Prepared {
                columns: decode::columns(statement.columns()),
                arguments: statement
                    .parameters()
                    .map_or(0, |parameters| parameters.right_or_else(<[_]>::len)),
                wire: Wire::Binary,
                learned: Instant::now(),
            },
            Err(Failure::Driver(error))
                if error::trouble(&error) == Trouble::Unpreparable
                    && sqlx::Arguments::len(&self.call.arguments) == 0 =>
            {
                Prepared { columns: Arc::from([]), arguments: 0, wire: Wire::Text, learned: Instant::now() }
            }
            Err(failure) => return Err(failure),
        };
        connection.statements.insert(self.call.plan.text.clone(), prepared.clone());
        Ok(prepared)
    }

    /// The columns of an answer without rows. The driver keeps those of the preparation, which may be those of an earlier
    /// form of a table.
    async fn columns_now(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        prepared: Prepared,
    ) -> Result<Arc<[Column]>, Failure> {
        if prepared.learned.elapsed() < TRUSTED || self.effect == crate::plan::Effect::Writes {
            return Ok(prepared.columns);
        }
        connection.statements.clear();
        self.step(killer, state, connection.driver.clear_cached_statements()).await?;
        Ok(self.prepare(connection, killer, state).await?.columns)
    }

    /// Sends an event, unless there is a reason to stop or nobody to send it to.
    pub(super) async fn send(&mut self, event: Event) -> Result<(), SourceError> {
        self.answered = true;
        tokio::select! {
            biased;
            sent = self.events.send(event) => sent,
            reason = self.halt.as_mut() => Err(reason),
        }
    }
}
