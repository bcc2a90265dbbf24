//! Why an attempt ended, and in which other way another one may do.

use toolbox_source::SourceError;

use crate::{
    error::{self, Trouble},
    places::Shift,
};

/// Why an attempt ended early.
pub(super) enum Failure {
    /// A reason for which no other attempt is made.
    Stopped(SourceError, State),
    /// The server or sqlx said so.
    Driver(sqlx::Error),
    /// We say so, and nothing runs.
    Ours(SourceError),
    /// The statement does not fit the row types, or the types of its parameters, that the server has now.
    Changed(SourceError),
}

impl Failure {
    /// Whether the statement may do once it is prepared anew, which is tried once. `is_old` says that it was prepared by an
    /// earlier call, and may be sent again.
    fn may_be_stale(&self, is_old: bool, progress: Progress) -> bool {
        match self {
            Self::Stopped(..) | Self::Ours(_) => false,
            Self::Changed(_) => true,
            Self::Driver(error) => {
                progress != Progress::Answering
                    && (error::trouble(error) == Trouble::StalePlan || (is_old && error::may_be_stale(error)))
            }
        }
    }

    pub(super) fn into_error(self, shift: &Shift) -> SourceError {
        match self {
            Self::Stopped(error, _) | Self::Ours(error) | Self::Changed(error) => error,
            Self::Driver(error) => SourceError::Database(error::database_error(&error, shift)),
        }
    }
}

/// How far an attempt came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The statement was not sent yet.
    Preparing,
    /// It was sent, and nothing came back.
    Sent,
    /// Rows came back.
    Answering,
}

/// What the connection is after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It waits for the next statement.
    Clean,
    /// Nobody knows.
    Unknown,
}

/// How a statement runs: as it does by default, until the server does not take that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ways {
    /// Whether it was prepared anew for this call.
    is_renewed: bool,
    /// Whether it runs without checking the types of its parameters: the server could not run the text that does.
    pub(super) is_unguarded: bool,
    /// Whether records come as JSON alone: the server has no binary form of a field.
    pub(super) plain_records: bool,
}

/// What comes before another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// The statements of the connection are forgotten, and the transaction ends.
    Anew,
    /// Nothing: the statement runs without guards.
    Unguarded,
}

impl Ways {
    /// The way in which another attempt may do, each tried once. `is_old` says that the statement was prepared by an earlier
    /// call, and may be sent again.
    pub(super) fn other(
        &mut self,
        failure: &Failure,
        is_old: bool,
        is_guarded: bool,
        progress: Progress,
    ) -> Option<Other> {
        let is_sent = |is: fn(&sqlx::Error) -> bool| matches!(failure, Failure::Driver(error) if progress == Progress::Sent && is(error));
        if !self.plain_records && is_sent(error::has_no_binary_form) {
            self.plain_records = true;
            return Some(Other::Anew);
        }
        if !self.is_renewed && failure.may_be_stale(is_old, progress) {
            self.is_renewed = true;
            return Some(Other::Anew);
        }
        // A guard that fails again where nothing has changed is none.
        let is_no_guard = is_sent(error::may_be_stale) || matches!(failure, Failure::Changed(_));
        if is_guarded && !self.is_unguarded && is_no_guard {
            self.is_unguarded = true;
            return Some(Other::Unguarded);
        }
        None
    }
}
