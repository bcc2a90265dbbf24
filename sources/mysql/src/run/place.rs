//! Which column an argument goes into.

use std::{future::Future, sync::Arc};

use tokio::time::Instant;
use toolbox_source::SourceError;

use super::{Failure, Running, State};
use crate::{
    cancel::Killer,
    columns::{self, Field, Holds},
    connect::Connection,
    error::{self, Trouble},
    plan::{Spot, Target},
    recent::{Recent, recently},
};

/// The column that an argument goes into.
pub(super) struct Filled {
    pub(super) name: String,
    /// Its type, as the server writes it.
    pub(super) kind: String,
    pub(super) holds: Holds,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// What the column of a target decides; an error is the reason why it does not take the argument. None if it is not known,
    /// or does not decide.
    pub(super) async fn by_column<T>(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        target: &Target,
        decide: impl Fn(&Filled) -> Option<Result<T, String>>,
    ) -> Result<Option<Result<T, String>>, Failure> {
        let now = Instant::now();
        let mut not_before = recently(now);
        loop {
            let column = self.column(connection, killer, state, target, not_before).await?;
            let decided = column.as_ref().and_then(&decide);
            // A list from memory may be older than the column, so what is refused is looked at anew.
            if not_before == now || !matches!(decided, Some(Err(_))) {
                return Ok(decided);
            }
            not_before = now;
        }
    }

    /// The column that a target stands for, as it was no earlier than then; none if no table has it, or several, or the server
    /// does not say.
    pub(super) async fn column(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        target: &Target,
        not_before: Instant,
    ) -> Result<Option<Filled>, Failure> {
        let mut found = None;
        for table in &target.tables {
            let Some(listed) = self.listed(connection, killer, state, table, not_before).await? else {
                return Ok(None);
            };
            if let Some(field) = field(&listed, &target.column) {
                let filled =
                    Filled { name: field.name.clone(), kind: field.kind.clone(), holds: field.holds };
                if found.replace(filled).is_some() {
                    return Ok(None);
                }
            }
        }
        Ok(found)
    }

    /// The columns of a table as they were no earlier than then.
    async fn listed(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        table: &str,
        not_before: Instant,
    ) -> Result<Option<Arc<[Field]>>, Failure> {
        let tables = self.call.lanes.connector().tables();
        let ask = columns::list(&mut connection.driver, table);
        // What is wrong with the table shows when the statement itself is prepared.
        self.recent(killer, state, (tables, table, not_before), ask).await
    }

    /// What the server says of a name, as it was no earlier than then. One call of the source asks, and the others wait for it. None
    /// if the server does not tell.
    pub(super) async fn recent<T: Clone>(
        &mut self,
        killer: &Killer,
        state: &mut State,
        (recent, name, not_before): (&Recent<T>, &str, Instant),
        ask: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<Option<T>, Failure> {
        if let Some(told) = recent.get(name, not_before) {
            return Ok(Some(told));
        }
        let turn = recent.turn(name);
        // Nobody closes it.
        let _turn = tokio::select! {
            biased;
            reason = self.halt.as_mut() => return Err(Failure::Stopped(reason)),
            turn = turn.acquire() => turn.ok(),
        };
        if let Some(told) = recent.get(name, not_before) {
            return Ok(Some(told));
        }
        let asked = Instant::now();
        match self.step(killer, state, ask).await {
            Ok(told) => {
                recent.insert(name, asked, told.clone());
                Ok(Some(told))
            }
            Err(Failure::Driver(error)) if error::trouble(&error) == Trouble::Refused => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}

fn field<'a>(fields: &'a [Field], column: &Spot) -> Option<&'a Field> {
    match column {
        Spot::Named(name) => fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)),
        Spot::Nth(index) => fields.iter().filter(|field| field.is_visible).nth(*index),
    }
}
