//! Instants with an offset, such as `2025-01-31T10:00:00+02:00`. `MariaDB` drops the offset with a warning, and `MySQL` does so
//! with forms that it does not know, and then another instant is meant, or none.

use std::future::Future;

use sqlx::{Executor as _, Row as _};
use toolbox_source::{DatabaseError, SourceError};

use super::{Call, Failure, Running, State};
use crate::{
    bind::Argument,
    cancel::{Killer, SETTLE},
    connect::Connection,
    instant::{self, Zone},
    plan::Effect,
};

/// The arguments that are an instant with an offset, with their places.
fn offsets(call: &Call) -> impl Iterator<Item = (usize, &str)> {
    call.arguments.iter().enumerate().filter_map(|(index, argument)| match argument {
        Argument::Text(text) if instant::zone(text) == Some(Zone::Other) => Some((index, text.as_str())),
        _ => None,
    })
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Whether any argument is an instant with an offset.
    pub(super) fn has_offsets(&self) -> bool {
        offsets(self.call).next().is_some()
    }

    /// Whether the statement runs in a transaction that is committed once its answer stands. A `DELETE` by an instant that was
    /// read as another one would take other rows.
    pub(super) fn is_guarded(&self) -> bool {
        self.call.plan.changes_rows && self.has_offsets()
    }

    /// Whether the server has read the offsets. Texts that are no instants to the statement get no warning.
    pub(super) async fn check_offsets(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
    ) -> Result<(), Failure> {
        let offsets: Vec<_> = offsets(self.call).collect();
        let warnings = self.step(killer, state, connection.driver.fetch_all("SHOW WARNINGS")).await?;
        for warning in warnings {
            let said = warning.try_get_unchecked::<String, _>("Message").map_err(Failure::Driver)?;
            let dropped =
                |(_, text): &&(usize, &str)| said.contains("ncorrect") && said.contains(&format!("'{text}'"));
            let Some((index, _)) = offsets.iter().find(dropped) else { continue };
            let changes = match self.effect {
                Effect::Writes if self.is_guarded() => {
                    "; the changes are rolled back, but for those of tables without transactions, such as MyISAM"
                }
                Effect::Writes => "; the statement is complete, and its changes stay",
                Effect::Reads => "",
            };
            let message = format!(
                "the server does not read the offset of this instant; write it in UTC, without an offset{changes}"
            );
            return Err(Failure::Ours(SourceError::Argument { index: *index, message }));
        }
        Ok(())
    }
}

/// Commits, whatever happens to the call: a commit that is stopped halfway leaves its outcome open.
pub(super) async fn commit(connection: &mut Connection, state: &mut State) -> Result<(), Failure> {
    let committed = tokio::time::timeout(SETTLE, connection.driver.execute("COMMIT")).await;
    let Ok(done) = committed else {
        *state = State::Unknown;
        let silence = DatabaseError::new("the server did not answer to COMMIT");
        return Err(Failure::Ours(SourceError::OutcomeUnknown(silence)));
    };
    done.map(drop).map_err(Failure::Driver)
}
