//! What a connection knows of the statements that it has prepared.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::time::Instant;
use toolbox_source::Column;

/// As many statements as sqlx keeps prepared for a connection.
const MOST: usize = 100;

/// For how long the columns of an answer without rows are taken from an earlier preparation. The driver does not show the
/// columns that the server sends with such an answer, and the table may have changed since.
pub(crate) const TRUSTED: Duration = Duration::from_secs(1);

/// One prepared statement.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Its columns, in order; none if it answers without rows, or says so only when it runs (`CALL`).
    pub(crate) columns: Arc<[Column]>,
    /// How many arguments it takes.
    pub(crate) arguments: usize,
    pub(crate) wire: Wire,
    pub(crate) learned: Instant,
}

/// In which form the server sends cells (<https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// The prepared protocol.
    Binary,
    /// The text protocol, for the few statements that cannot be prepared.
    Text,
}

/// The statements of one connection.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    known: HashMap<Arc<str>, Prepared>,
}

impl Statements {
    pub(crate) fn get(&self, text: &str) -> Option<Prepared> {
        self.known.get(text).cloned()
    }

    pub(crate) fn insert(&mut self, text: Arc<str>, prepared: Prepared) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(text, prepared);
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }
}
