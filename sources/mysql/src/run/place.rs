//! Which column an argument goes into, and which argument the server did not take.

use std::future::Future;

use toolbox_source::SourceError;

use super::{Failure, Running, State};
use crate::{
    bind::Argument,
    cancel::Killer,
    columns::{self, Field, Listed},
    connect::Connection,
    error::{self, Rejected, Trouble},
    plan::{Fill, Spot, Target, targets},
};

/// The column that an argument goes into.
pub(super) struct Filled {
    pub(super) name: String,
    pub(super) is_integer: bool,
    /// Whether the server was asked just now.
    pub(super) is_fresh: bool,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// The column that a target stands for; none if no table has it, or several, or the server does not say.
    pub(super) async fn column(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        target: &Target,
    ) -> Result<Option<Filled>, Failure> {
        let mut found = None;
        for table in &target.tables {
            let known = connection.tables.get(table);
            let is_fresh = known.is_none();
            let listed = match known {
                Some(listed) => listed,
                None => match self.list(connection, killer, state, table).await? {
                    Some(listed) => listed,
                    None => return Ok(None),
                },
            };
            if let Some(field) = field(&listed.fields, &target.column) {
                let filled = Filled { name: field.name.clone(), is_integer: field.is_integer, is_fresh };
                if found.replace(filled).is_some() {
                    return Ok(None);
                }
            }
        }
        Ok(found)
    }

    async fn list(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        table: &str,
    ) -> Result<Option<Listed>, Failure> {
        match self.step(killer, state, columns::list(&mut connection.driver, table)).await {
            Ok(listed) => {
                connection.tables.insert(table, listed.clone());
                Ok(Some(listed))
            }
            // What is wrong with the table shows when the statement itself is prepared.
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
        let plan = &self.call.plan;
        let Some(column) = rejected.column.as_deref().filter(|_| plan.changes_rows) else {
            let value = rejected.value.as_ref().filter(|value| !plan.text.contains(value.as_str()));
            let is_it = |argument: &Argument| matches!(argument, Argument::Text(text) if Some(text) == value);
            return Ok(only(self.call.arguments.iter().map(is_it)));
        };
        let mut meant = Vec::new();
        for (target, argument) in targets(&plan.text).iter().zip(&self.call.arguments) {
            let target = target
                .as_ref()
                .filter(|target| target.fill == Fill::Whole && may_be(rejected, target, argument));
            let name = match target.map(|target| (target, &target.column)) {
                None => None,
                Some((_, Spot::Named(name))) => Some(name.clone()),
                Some((target, Spot::Nth(_))) => {
                    self.column(connection, killer, state, target).await?.map(|column| column.name)
                }
            };
            meant.push(name.is_some_and(|name| name.eq_ignore_ascii_case(column)));
        }
        Ok(only(meant.into_iter()))
    }
}

/// Whether what the server says of the row and the value fits an argument.
fn may_be(rejected: &Rejected, target: &Target, argument: &Argument) -> bool {
    let same_row = match (rejected.row, target.row) {
        (Some(said), Some(row)) => said == row,
        _ => true,
    };
    let same_value = match (&rejected.value, argument) {
        (Some(said), Argument::Text(text)) => said == text,
        _ => true,
    };
    same_row && same_value && (!rejected.is_null || *argument == Argument::Null)
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
