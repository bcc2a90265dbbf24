//! How a statement ended that was to be stopped.

use std::future::Future;

use futures::{StreamExt as _, stream::BoxStream};
use toolbox_source::{DatabaseError, SourceError};

use super::{Failure, Running, results::Step};
use crate::{
    cancel,
    error::{self, Trouble},
    plan::Effect,
};

/// How a statement ended that was to be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// The server says that it stopped it.
    Stopped,
    /// It failed for another reason.
    Failed,
    /// It was done before the order to stop could reach it.
    Complete,
    /// It has not ended.
    Running,
}

/// Reads what a statement that was to be stopped has still sent.
pub(super) async fn settle(steps: &mut BoxStream<'_, Result<Step, sqlx::Error>>) -> Settled {
    loop {
        // A fast server never lets the stream wait, and then the time would not run out.
        tokio::task::coop::consume_budget().await;
        match steps.next().await {
            Some(Ok(_)) => {}
            Some(Err(error)) if error::trouble(&error) == Trouble::Interrupted => return Settled::Stopped,
            Some(Err(_)) => return Settled::Failed,
            None => return Settled::Complete,
        }
    }
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Why a statement has no answer that was to be stopped for this reason. One that ran out of time and was not stopped must
    /// not be taken for one that was.
    pub(super) fn stopped(&self, reason: SourceError, settled: Settled) -> Failure {
        // What is not committed does not stay.
        let is_late =
            self.effect == Effect::Writes && matches!(reason, SourceError::Timeout(_)) && !self.is_guarded();
        match settled {
            Settled::Complete if is_late => Failure::Ours(SourceError::Database(DatabaseError::new(
                "the statement ran out of time and was complete before it could be stopped, so its changes stay",
            ))),
            Settled::Running if is_late => Failure::Ours(SourceError::OutcomeUnknown(DatabaseError::new(
                "the statement ran out of time, and the server did not stop it",
            ))),
            Settled::Running => Failure::Stopped(cancel::still_running(reason)),
            _ => Failure::Stopped(reason),
        }
    }
}
