//! Runs one planned statement, in a task of its own, and sends what it answers.
//!
//! A lost connection is no concern of a caller whose statement can be sent again: a read, or anything that was not sent yet.

mod aftermath;
mod attempt;
mod blame;
mod checks;
mod instants;
mod place;
mod prepare;
mod results;
mod settle;
mod suspects;
mod zone;

use std::{borrow::Cow, future::Future, pin::Pin, time::Duration};

use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Done, SourceError,
    answer::Events,
    lanes::{Connector as _, Lanes, Lease},
};

use crate::{
    bind::Argument,
    connect::Opener,
    error::{self, Trouble},
    plan::{After, Effect, Plan},
    unreadable,
};

/// Everything that the task of one call owns.
pub(crate) struct Call {
    pub(crate) plan: Plan,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) cancel: CancellationToken,
    pub(crate) enough: CancellationToken,
    pub(crate) lanes: Lanes<Opener>,
}

/// Runs the call to its end. The last message comes when the connection is free again.
pub(crate) async fn run(call: Call, lease: Lease<Opener>, events: Events) {
    let halt = events.halted(&call.cancel, call.lanes.closed(), call.timeout);
    let halt = std::pin::pin!(halt);
    let running = Running {
        call: &call,
        events: &events,
        halt,
        effect: call.plan.effect,
        sent: false,
        answered: false,
        sent_arguments: Cow::Borrowed(&call.arguments),
        in_doubt: Vec::new(),
    };
    let outcome = running.finish(lease).await;
    events.finish(outcome).await;
}

/// Why an attempt ended early.
#[derive(Debug)]
enum Failure {
    /// A reason from outside; the statement was stopped.
    Stopped(SourceError),
    /// The server or sqlx said so.
    Driver(sqlx::Error),
    /// We say so.
    Ours(SourceError),
}

/// What the connection is after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Clean,
    Unknown,
}

struct Running<'a, H> {
    call: &'a Call,
    events: &'a Events,
    halt: Pin<&'a mut H>,
    /// What the statement does, as far as is known by now.
    effect: Effect,
    /// Whether this attempt has sent the statement.
    sent: bool,
    /// Whether any attempt has answered something.
    answered: bool,
    /// The arguments as this attempt sends them.
    sent_arguments: Cow<'a, [Argument]>,
    /// The places of those whose offset the server may drop.
    in_doubt: Vec<usize>,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    async fn finish(mut self, mut lease: Lease<Opener>) -> Result<Done, SourceError> {
        let mut retried = false;
        loop {
            if self.call.plan.fresh {
                lease = self.exchange_used(lease).await?;
            }
            self.sent = false;
            let (outcome, state) = self.attempt(&mut lease).await;
            match (state, self.call.plan.after) {
                (State::Clean, After::Keep) => lease.give_back(),
                (State::Clean, After::Discard) => lease.discard().await,
                // The server may still be busy with it; nobody waits.
                (State::Unknown, _) => drop(lease),
            }
            let error = match outcome {
                Ok(done) => return Ok(done),
                Err(Failure::Stopped(error) | Failure::Ours(error)) => return Err(error),
                Err(Failure::Driver(error)) => error,
            };
            let may_write = self.call.plan.access == Access::ReadWrite;
            lease = match error::trouble(&error) {
                Trouble::Lost if !retried && self.may_send_again() => {
                    retried = true;
                    self.take_working(self.lane()).await?
                }
                Trouble::Lost if self.sent && self.effect == Effect::Writes => {
                    return Err(SourceError::OutcomeUnknown(error::database_error(&error)));
                }
                // A function that it calls writes, which the call allows.
                Trouble::ReadOnly if self.effect == Effect::Reads && may_write && !self.answered => {
                    self.effect = Effect::Writes;
                    self.take(Access::ReadWrite).await?
                }
                _ => return Err(self.explain(&error).await),
            };
        }
    }

    /// Whether sending the statement once more cannot do anything twice.
    fn may_send_again(&self) -> bool {
        !self.answered && (!self.sent || self.effect == Effect::Reads)
    }

    fn lane(&self) -> Access {
        match self.effect {
            Effect::Reads => self.call.plan.lane,
            Effect::Writes => self.call.plan.access,
        }
    }

    /// Gives a connection whose session other calls have used for one without a past.
    async fn exchange_used(&mut self, mut lease: Lease<Opener>) -> Result<Lease<Opener>, SourceError> {
        while lease.used {
            lease.discard().await;
            lease = self.take(self.lane()).await?;
        }
        Ok(lease)
    }

    async fn take(&mut self, lane: Access) -> Result<Lease<Opener>, SourceError> {
        let lanes = &self.call.lanes;
        tokio::select! {
            biased;
            reason = self.halt.as_mut() => Err(reason),
            lease = lanes.acquire(lane, &self.call.cancel) => lease,
        }
    }

    /// Takes a connection that gives a sign of life. When one is lost, the idle ones often are too.
    async fn take_working(&mut self, lane: Access) -> Result<Lease<Opener>, SourceError> {
        loop {
            let mut lease = self.take(lane).await?;
            let checked = tokio::select! {
                biased;
                reason = self.halt.as_mut() => return Err(reason),
                checked = self.call.lanes.connector().check(&mut lease) => checked,
            };
            match checked {
                Ok(()) => return Ok(lease),
                Err(error) => tracing::debug!(%error, "a connection was lost while it was idle"),
            }
        }
    }

    /// The error for the caller, with the column that the driver cannot read if that is the reason and there is time to find it.
    async fn explain(&mut self, error: &sqlx::Error) -> SourceError {
        let Some(said) = error::unreadable_type(error) else {
            return SourceError::Database(error::database_error(error));
        };
        tokio::select! {
            biased;
            reason = self.halt.as_mut() => reason,
            found = unreadable::explain(self.call.lanes.connector(), &self.call.plan.text, said) => found,
        }
    }
}
