//! What is refused before the statement is sent, because the server would do worse: close the connection, or round a number.

use std::future::Future;

use toolbox_source::SourceError;

use super::{Failure, Running, State, place::Filled};
use crate::{
    bind::{Argument, Settling},
    cancel::Killer,
    columns::Holds,
    connect::Connection,
    plan::{Fill, in_values, targets},
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

    /// Refuses an argument in the rows of a query, which `MariaDB` cuts to the width that it had when the statement was prepared:
    /// to nothing.
    pub(super) fn check_rows(&self, connection: &Connection) -> Result<(), Failure> {
        match in_values(&self.call.plan.text).filter(|_| connection.types.settling != Settling::Once) {
            None => Ok(()),
            Some(index) => Err(Failure::Ours(SourceError::Argument {
                index,
                message: "MariaDB takes no argument in VALUES (…) outside of INSERT; write SELECT ? UNION ALL SELECT ?"
                    .to_owned(),
            })),
        }
    }

    /// Whether the statement writes, and has an argument that some columns would change.
    pub(super) fn may_be_changed(&self) -> bool {
        self.call.plan.changes_rows && self.call.arguments.iter().any(may_be_changed)
    }

    /// Refuses a number with a fraction for a column of integers, which the server would round, and one beyond 2^63 for a `TIME`,
    /// in which `MySQL` takes it for a negative one.
    pub(super) async fn check_numbers(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<(), Failure> {
        let targets = targets(&self.call.plan.text, connection.quotes_names);
        for (index, argument) in self.call.arguments.iter().enumerate() {
            let target = targets.get(index).and_then(Option::as_ref);
            let Some(target) = target.filter(|target| {
                !matches!(target.fill, Fill::Compared | Fill::Inside) && may_be_changed(argument)
            }) else {
                continue;
            };
            let refusal = |column: &Filled| match (column.holds, argument) {
                (Holds::Times, Argument::UInt(_)) => {
                    Some(format!("the column {} holds times; pass a text such as 10:00:00", column.name))
                }
                (Holds::Integers, argument) if argument.has_fraction() => Some(format!(
                    "the column {} holds integers; pass a number without a fraction",
                    column.name
                )),
                _ => None,
            };
            let refuses = |column: &Filled| refusal(column).map(Err::<(), _>);
            if let Some(Err(message)) = self.by_column(connection, killer, state, target, refuses).await? {
                return Err(Failure::Ours(SourceError::Argument { index, message }));
            }
        }
        Ok(())
    }
}

/// Whether some columns hold another number than this one after it was written to them.
fn may_be_changed(argument: &Argument) -> bool {
    argument.has_fraction() || matches!(argument, Argument::UInt(_))
}
