//! Waiting for locks that other connections and programs hold. SQLite could sleep by itself, but then a cancelled call would
//! sleep on.

use std::time::Duration;

use tokio::time::Instant;
use toolbox_source::DatabaseError;

use crate::error;

/// Pauses between two tries, in milliseconds; the last one repeats.
const PAUSES: [u64; 8] = [1, 2, 5, 10, 15, 20, 25, 50];

/// The pauses of one wait.
#[derive(Debug)]
pub(super) struct Patience {
    until: Instant,
    tries: usize,
}

impl Patience {
    pub(super) fn new(wait: Duration) -> Self {
        Self { until: Instant::now() + wait, tries: 0 }
    }

    /// The next pause; `None` when the wait was long enough.
    pub(super) fn next(&mut self) -> Option<Duration> {
        let left = self.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        let pause = PAUSES.get(self.tries).or(PAUSES.last()).copied().unwrap_or_default();
        self.tries += 1;
        Some(Duration::from_millis(pause).min(left))
    }
}

/// SQLite's own message, and how long we waited.
pub(super) fn held(error: &sqlx::Error, waited: Duration) -> DatabaseError {
    DatabaseError {
        hint: Some(format!(
            "another connection held the lock for all of {waited:?} (busy_timeout); try again"
        )),
        ..error::database_error(error)
    }
}
