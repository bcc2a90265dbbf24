//! All that a source may know of a call.

use std::{fmt, sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::Value;

/// Whether a statement may change the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It may.
    ReadWrite,
    /// It must not: the database itself refuses, and a gate before it says why.
    ReadOnly,
}

/// Who wrote the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The operator, in the configuration. Planned once, cached.
    Configured,
    /// The caller of the tool. Gated, not cached, and the session is reset after it.
    Model,
}

/// What bounds one call. `None` means unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Most rows of one result that reach the caller.
    pub max_rows: Option<u64>,
    /// Most bytes of one result, counted as JSON. The first row is always sent.
    pub max_bytes: Option<u64>,
    /// Most bytes of one text or bytes cell; a longer one is cut and marked with its full length.
    pub max_cell_bytes: Option<u64>,
    /// Longest run of the statement, from the moment it has a connection.
    pub statement_timeout: Option<Duration>,
}

impl Limits {
    /// The tighter of both in each respect.
    #[must_use]
    pub fn within(self, outer: Self) -> Self {
        fn tighter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, None) => a,
                (None, b) => b,
            }
        }
        Self {
            max_rows: tighter(self.max_rows, outer.max_rows),
            max_bytes: tighter(self.max_bytes, outer.max_bytes),
            max_cell_bytes: tighter(self.max_cell_bytes, outer.max_cell_bytes),
            statement_timeout: tighter(self.statement_timeout, outer.statement_timeout),
        }
    }
}

/// What a parameter is declared to hold. Databases infer the types of parameters from the statement; this is for the places
/// where a statement does not say, such as `$1 IS NULL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// Text.
    Text,
    /// Integers of 64 bits.
    Integer,
    /// Numbers within the range of a double.
    Float,
    /// Booleans.
    Boolean,
    /// Lists of one kind of item.
    List(Box<Declared>),
    /// Maps with text keys.
    Map,
}

/// One statement to run. Its fields are all required, so no query exists without limits and a way to stop it.
pub struct Query {
    /// The statement, one only, with the database's own placeholders.
    pub statement: Arc<str>,
    /// One value for each placeholder, in the order of the declared parameters.
    pub arguments: Vec<Value>,
    /// What each of them is declared to hold, in the same order. Empty where nobody has declared anything.
    pub declared: Arc<[Declared]>,
    /// Whether it may write.
    pub access: Access,
    /// Who wrote it.
    pub origin: Origin,
    /// What bounds it.
    pub limits: Limits,
    /// Stops it: set when the client cancels, disconnects, or the server shuts down.
    pub cancel: CancellationToken,
}

/// Argument values stay out of logs, so they are counted and not shown.
impl fmt::Debug for Query {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Query")
            .field("statement", &self.statement)
            .field("arguments", &self.arguments.len())
            .field("access", &self.access)
            .field("origin", &self.origin)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
