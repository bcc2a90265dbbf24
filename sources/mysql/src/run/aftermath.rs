//! What makes an answer wrong that looked right: an instant that was read as another one, a connection out of step, and what
//! a routine left in the session.

use std::future::Future;

use sqlx::{Connection as _, Executor as _, Row as _};
use toolbox_source::{DatabaseError, SourceError};

use super::{Failure, Running, State, results::Ended};
use crate::{
    cancel::{Killer, SETTLE},
    connect::Connection,
    error::{self, Trouble},
    plan::{After, Results},
    prepared::Wire,
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Whether the answer stands.
    pub(super) async fn check_aftermath(
        &mut self,
        connection: &mut Connection,
        killer: &Killer,
        state: &mut State,
        wire: Wire,
        ended: &Ended,
    ) -> Result<(), Failure> {
        if *state != State::Clean {
            return Ok(());
        }
        if !self.in_doubt.is_empty() {
            Box::pin(self.check_offsets(connection, killer, state)).await?;
        }
        if wire == Wire::Text {
            // The driver takes a row that begins with a cell of 16 MiB for the end of an answer; the rest of it is still to come.
            let question = tokio::time::timeout(SETTLE, connection.driver.fetch_one("SELECT 'in step'"));
            let answer = match question.await {
                Ok(Err(error)) if error::trouble(&error) == Trouble::Lost => {
                    return Err(Failure::Driver(error));
                }
                Ok(Ok(row)) => row.try_get::<String, _>(0).ok(),
                Ok(Err(_)) | Err(_) => None,
            };
            if answer.as_deref() != Some("in step") {
                *state = State::Unknown;
                return Err(wrong(
                    "a cell of 16 MiB or more cannot be read from a statement that the server does not prepare; send the \
                     SELECT itself, or a part of the cell",
                ));
            }
        }
        if self.call.plan.after == After::Discard && ended.has_instants {
            self.check_zone(connection, killer, state).await?;
        }
        if self.call.plan.results == Results::Any {
            // The driver tells whether a session is in a transaction only to those who would begin one.
            let begins = async {
                match connection.driver.begin_with("DO 0").await {
                    Ok(_open) => Ok(true),
                    Err(sqlx::Error::BeginFailed) => Ok(false),
                    Err(error) => Err(error),
                }
            };
            if self.step(killer, state, begins).await? {
                return Err(wrong(
                    "the statement left a transaction open, which is rolled back, since every call ends with itself; a procedure \
                     has to end it with COMMIT",
                ));
            }
        }
        Ok(())
    }
}

pub(super) fn wrong(message: &str) -> Failure {
    Failure::Ours(SourceError::Database(DatabaseError::new(message)))
}
