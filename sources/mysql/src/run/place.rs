//! Which column an argument goes into, and which argument the server did not take.

use std::{future::Future, sync::Arc};

use tokio::time::Instant;
use toolbox_source::SourceError;

use super::{Failure, Running, State};
use crate::{
    bind::Argument,
    cancel::Killer,
    columns::{self, Field, Holds},
    connect::Connection,
    error::{self, Rejected, Trouble},
    plan::{Fill, Spot, Target, targets},
    recent::{Recent, recently},
};

/// The column that an argument goes into.
pub(super) struct Filled {
    pub(super) name: String,
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
    async fn column(
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
                let filled = Filled { name: field.name.clone(), holds: field.holds };
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

    /// The place of the argument that the server did not take, if only one can be meant.
    pub(super) async fn place(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        rejected: &Rejected,
    ) -> Result<Option<usize>, Failure> {
        if rejected.is_shapeless {
            return self.shapeless(connection, killer, state).await;
        }
        let plan = &self.call.plan;
        let Some(column) = rejected.column.as_deref().filter(|_| plan.changes_rows) else {
            let is_own = rejected.value.as_ref().is_some_and(|value| plan.text.contains(value.as_str()));
            let is_it = |argument: &Argument| match argument {
                Argument::Text(text) => {
                    !is_own && rejected.is_value(text) || rejected.is_foreign && !text.is_ascii()
                }
                _ => false,
            };
            return Ok(only(self.sent_arguments.iter().map(is_it)));
        };
        let recently = recently(Instant::now());
        // Those that may be meant, and whether the server shows their value: it shows some as it has read them.
        let mut meant: Vec<(usize, bool)> = Vec::new();
        for (index, target) in targets(&plan.text, connection.quotes_names).iter().enumerate() {
            let Some(argument) = self.sent_arguments.get(index) else { break };
            let target = target.as_ref().filter(|target| {
                matches!(target.fill, Fill::Whole | Fill::First | Fill::Inside)
                    && may_be(rejected, target, argument)
            });
            let is_shown = argument.text().is_some_and(|text| rejected.is_value(&text));
            // Another value of the expression may be meant, unless it is shown.
            let target = target.filter(|target| target.fill != Fill::Inside || is_shown);
            let name = match target.map(|target| (target, &target.column)) {
                None => None,
                Some((_, Spot::Named(name))) => Some(name.clone()),
                Some((target, Spot::Nth(_))) => {
                    self.column(connection, killer, state, target, recently).await?.map(|column| column.name)
                }
            };
            if name.is_some_and(|name| name.eq_ignore_ascii_case(column)) {
                meant.push((index, is_shown));
            }
        }
        if meant.iter().any(|(_, is_shown)| *is_shown) {
            meant.retain(|(_, is_shown)| *is_shown);
        }
        Ok(match meant.as_slice() {
            [(index, _)] => Some(*index),
            _ => None,
        })
    }

    /// The place of the argument for the one column of geometry that the statement fills.
    async fn shapeless(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<Option<usize>, Failure> {
        let recently = recently(Instant::now());
        let mut meant = Vec::new();
        let targets = targets(&self.call.plan.text, connection.quotes_names);
        for (index, target) in targets.iter().enumerate().take(self.sent_arguments.len()) {
            let Some(target) = target.as_ref().filter(|target| target.fill == Fill::Whole) else { continue };
            let column = self.column(connection, killer, state, target, recently).await?;
            if column.is_some_and(|column| column.holds == Holds::Shapes) {
                meant.push(index);
            }
        }
        Ok(match meant.as_slice() {
            [index] => Some(*index),
            _ => None,
        })
    }
}

/// Whether what the server says of the row, and of a null, fits an argument.
fn may_be(rejected: &Rejected, target: &Target, argument: &Argument) -> bool {
    let same_row = match (rejected.row, target.row) {
        (Some(said), Some(row)) => said == row,
        _ => true,
    };
    same_row && (!rejected.is_null || *argument == Argument::Null)
}

fn field<'a>(fields: &'a [Field], column: &Spot) -> Option<&'a Field> {
    match column {
        Spot::Named(name) => fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)),
        Spot::Nth(index) => fields.iter().filter(|field| field.is_visible).nth(*index),
    }
}

/// The place of the one that is true; none if several are.
fn only(places: impl Iterator<Item = bool>) -> Option<usize> {
    let mut places = places.enumerate().filter(|(_, is_it)| *is_it).map(|(index, _)| index);
    let first = places.next();
    first.filter(|_| places.next().is_none())
}
