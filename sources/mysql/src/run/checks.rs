//! What is refused before the statement is sent, because the server would do worse: close the connection, or round a number.

use std::future::Future;

use sqlx::{AssertSqlSafe, Executor as _, SqlSafeStr as _, Statement as _};
use toolbox_source::{ColumnKind, SourceError};

use super::{Failure, Running, State};
use crate::{
    bind::Argument,
    cancel::Killer,
    connect::Connection,
    decode,
    error::{self, Trouble},
    plan::Targets,
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Refuses what the server would not take; it would close the connection without a word about the reason.
    pub(super) fn check_size(&self, connection: &Connection) -> Result<(), Failure> {
        let arguments: usize = self.call.arguments.iter().map(Argument::size).sum();
        let size = self.call.plan.text.len() + arguments;
        // What a packet holds beside them: types, lengths, a header.
        let beside = 64 + 16 * self.call.arguments.len();
        let largest = usize::try_from(connection.largest_packet).unwrap_or(usize::MAX);
        if size.saturating_add(beside) <= largest {
            return Ok(());
        }
        Err(Failure::Ours(SourceError::Refused(format!(
            "the statement and its arguments take {size} bytes, and the server takes {largest} at once \
             (max_allowed_packet); send less, or ask the operator to raise it"
        ))))
    }

    /// Refuses a number with a fraction for a column of integers, which the server would round.
    pub(super) async fn check_fractions(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<(), Failure> {
        let plan = &self.call.plan;
        let arguments = self.call.arguments.iter().enumerate();
        let fractions: Vec<usize> =
            arguments.filter(|(_, argument)| argument.has_fraction()).map(|(index, _)| index).collect();
        if !plan.changes_rows || fractions.is_empty() {
            return Ok(());
        }
        let targets = Targets::of(&plan.text);
        let Some(table) = targets.table else { return Ok(()) };
        for index in fractions {
            let Some(Some(column)) = targets.columns.get(index) else { continue };
            let quoted = column.replace('`', "``");
            let sql = AssertSqlSafe(format!("SELECT `{quoted}` FROM {table}")).into_sql_str();
            // What is wrong with the table shows when the statement itself is prepared.
            let prepared = match self.step(killer, state, connection.driver.prepare(sql)).await {
                Ok(statement) => decode::columns(statement.columns()),
                Err(Failure::Driver(error)) if error::trouble(&error) == Trouble::Refused => continue,
                Err(failure) => return Err(failure),
            };
            if prepared.first().is_some_and(|column| column.kind == ColumnKind::Integer) {
                let message = format!("the column {column} holds integers; pass a number without a fraction");
                return Err(Failure::Ours(SourceError::Argument { index, message }));
            }
        }
        Ok(())
    }
}
