//! SQLite as a source of the toolbox.

use std::{path::PathBuf, time::Duration};

/// What the configuration says about one SQLite database.
#[derive(Clone, Debug)]
pub struct Options {
    /// A path, `:memory:`, or a `file:` URI.
    pub database: String,
    /// Folder of sqlx migrations, applied when the source first connects. Naming one also lets the file be created.
    pub migrations: Option<PathBuf>,
    /// Whether every statement is read-only, whoever wrote it.
    pub read_only: bool,
    /// Most connections of both lanes together.
    pub max_connections: usize,
    /// How long a call waits for a free connection.
    pub acquire_timeout: Duration,
}
