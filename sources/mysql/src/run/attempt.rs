//! One attempt at a statement on one connection: begin, prepare, read the results, roll back.

use std::future::Future;

use sqlx::Executor as _;
use toolbox_source::{Done, Event, SourceError};

use super::{Failure, Running, State, instants::commit};
use crate::{
    cancel::{self, Killer, SETTLE, Stopped},
    connect::Connection,
    error::{self, Rejected, Trouble},
    plan::{Effect, Scope},
    prepared::Prepared,
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
        connection.used = true;
        let killer = Killer::new(self.call.lanes.clone(), connection.id);
        let mut state = State::Clean;
        let mut outcome = self.steps(connection, &killer, &mut state).await;
        if let Err(Failure::Driver(error)) = &outcome {
            state = match error::trouble(error) {
                Trouble::Lost | Trouble::Garbled | Trouble::Interrupted => State::Unknown,
                Trouble::TimedOut | Trouble::ReadOnly | Trouble::Unpreparable | Trouble::Refused => state,
            };
            if let Some(rejected) = error::rejected(error).filter(|_| state == State::Clean) {
                let rejection = self.rejection(connection, &killer, &mut state, error, &rejected);
                outcome = Err(Box::pin(rejection).await);
            }
        }
        let is_open = self.call.plan.scope == Scope::Reading || outcome.is_err() && self.is_guarded();
        if is_open && state == State::Clean {
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
        self.check_size(connection)?;
        if self.has_instants() {
            Box::pin(self.decide_instants(connection, killer, state)).await?;
        }
        if self.may_be_changed() {
            Box::pin(self.check_numbers(connection, killer, state)).await?;
        }
        if self.is_guarded() {
            self.step(killer, state, connection.driver.execute("START TRANSACTION")).await?;
        }
        let mut prepared = self.prepare(connection, killer, state).await?;
        let outs = self.outs(connection, killer, state).await?;
        self.sent = true;
        let ended = self.results(connection, killer, state, &prepared, &outs).await?;
        self.check_aftermath(connection, killer, state, prepared.wire, &ended).await?;
        if self.is_guarded() {
            commit(connection, state).await?;
        }
        if let Some(seen) = ended.columns.filter(|seen| *seen != prepared.columns) {
            let news = Prepared { columns: seen, ..prepared.clone() };
            connection.statements.insert(&self.call.plan.text, news);
        }
        if ended.is_empty && prepared.columns.is_empty() && self.call.plan.returned.is_some() {
            prepared.columns = self.returned_columns(connection, killer, state).await;
            connection.statements.insert(&self.call.plan.text, prepared.clone());
        }
        if ended.is_empty && (!prepared.columns.is_empty() || self.effect == Effect::Reads) {
            let columns = self.columns_now(connection, killer, state, prepared).await?;
            self.send(Event::Columns(columns)).await.map_err(Failure::Stopped)?;
        }
        Ok(ended.done)
    }

    /// What to say of a value that the server did not take, with the places of its arguments where they can be told.
    async fn rejection(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        error: &sqlx::Error,
        rejected: &Rejected,
    ) -> Failure {
        let mut said = error::database_error(error);
        said.hint = rejected.hint().map(str::to_owned);
        match self.blamed(connection, killer, state, rejected).await {
            Ok(places) => Failure::Ours(SourceError::of_value(&places, said)),
            Err(Failure::Driver(_)) => {
                *state = State::Unknown;
                Failure::Ours(SourceError::Database(said))
            }
            Err(failure) => failure,
        }
    }

    /// The result of a step, or why it was stopped.
    pub(super) async fn step<T>(
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
