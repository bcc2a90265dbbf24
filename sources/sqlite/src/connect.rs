//! Opens connections and sets them up. It knows the file; it must not know calls.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sqlx::{
    ConnectOptions as _, Connection as _, Executor as _,
    sqlite::{SqliteConnectOptions, SqliteConnection, SqliteOperation},
};
use toolbox_source::{Access, DatabaseError, SourceError, lanes::Connector};

use crate::{
    cancel::Stop,
    config::{Cache, Location, Opening, Place},
    error::{self, Trouble},
    prepared::Statements,
};

/// Rows that sqlx's thread reads ahead of the task that takes them.
const ROWS_AHEAD: usize = 32;

/// Bytes that `SQLite` may have in use at once, in all connections of the process together. A statement that needs more fails,
/// as `SELECT randomblob(900000000)` does, instead of the process. A text or blob is there about twice when it is read.
const HEAP: u64 = 512 << 20;

/// Reads the schema and nothing else: it fails where the file is no database.
pub(crate) const LOOK: &str = "SELECT 1 FROM sqlite_schema LIMIT 0";

/// Opens connections to one database.
#[derive(Debug)]
pub(crate) struct Opener {
    location: Location,
}

/// What happens when the file is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is created.
    Create,
    /// It is an error.
    Refuse,
}

/// One connection.
pub(crate) struct Connection {
    pub(crate) driver: SqliteConnection,
    pub(crate) stop: Stop,
    pub(crate) inserts: Inserts,
    pub(crate) statements: Statements,
}

/// Sees the rows that a statement inserts into its own table. `SQLite` reports the last row id of the connection after every
/// statement; only the update hook tells whether it is of this statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inserts(Arc<Mutex<Watch>>);

#[derive(Debug, Default)]
struct Watch {
    table: String,
    row_id: Option<i64>,
}

impl Inserts {
    /// Watches one table from now on; the empty name is none.
    pub(crate) fn watch(&self, table: &str) {
        let mut watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.clone_into(&mut watch.table);
        watch.row_id = None;
    }

    /// The id of the row inserted last.
    pub(crate) fn row_id(&self) -> Option<i64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).row_id
    }

    fn note(&self, table: &str, row_id: i64) {
        let mut watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if watch.table.eq_ignore_ascii_case(table) {
            watch.row_id = Some(row_id);
        }
    }
}

impl Opener {
    pub(crate) fn new(location: Location) -> Self {
        Self { location }
    }

    pub(crate) fn location(&self) -> &Location {
        &self.location
    }

    /// Opens a connection that lets `SQLite` itself wait for locks.
    pub(crate) async fn open(
        &self,
        access: Access,
        missing: Missing,
        busy: Duration,
    ) -> Result<SqliteConnection, SourceError> {
        if let Place::File(path) = &self.location.place
            && path.is_dir()
        {
            // SQLite would call it an error of the disk.
            let message = format!("{} is a folder; name a file in it", path.display());
            return Err(SourceError::Connect(DatabaseError::new(&message)));
        }
        let options = self.options(access, missing).busy_timeout(busy);
        options.connect().await.map_err(|error| SourceError::Connect(self.explain(&error, missing)))
    }

    fn options(&self, access: Access, missing: Missing) -> SqliteConnectOptions {
        let location = &self.location;
        let creates = missing == Missing::Create || location.opening == Opening::Creating;
        let read_only = access == Access::ReadOnly || location.opening == Opening::ReadOnly;
        let mut options = SqliteConnectOptions::new()
            .row_buffer_size(ROWS_AHEAD)
            .immutable(location.immutable)
            .shared_cache(location.cache == Cache::Shared)
            .foreign_keys(true)
            .disable_statement_logging();
        options = match &location.place {
            Place::File(path) => options
                .filename(plain(path))
                .read_only(read_only || location.immutable)
                .create_if_missing(creates),
            // The VFS "memdb" shares a database between the connections of a process under its name, as a file would be,
            // so readers do not wait for each other as they do in a shared cache.
            Place::Memory(name) => options.filename(name).vfs("memdb").create_if_missing(true),
        };
        // Of the process, and a lower one of the URI wins.
        options = options.pragma("hard_heap_limit", HEAP.to_string());
        for (name, value) in &location.pragmas {
            // Pragmas that change the file itself are for connections that may.
            let changes_file = matches!(name.as_str(), "journal_mode" | "auto_vacuum" | "page_size");
            if !(read_only && changes_file) {
                options = options.pragma(name.clone(), value.clone());
            }
        }
        if read_only {
            options = options.pragma("query_only", "ON");
        }
        options
    }

    /// Adds what the file system knows to an error of opening.
    fn explain(&self, error: &sqlx::Error, missing: Missing) -> DatabaseError {
        let mut explained = error::database_error(error);
        if let (Trouble::CannotOpen, Place::File(path)) = (error::trouble(error), &self.location.place) {
            explained.hint = Some(why_not_opened(path, missing));
        }
        explained
    }
}

/// A path that `SQLite` cannot take for a URI or for a database in memory.
fn plain(path: &Path) -> PathBuf {
    let looks_special = path.to_str().is_some_and(|path| path.starts_with("file:") || path.starts_with(':'));
    if looks_special { Path::new(".").join(path) } else { path.to_owned() }
}

fn why_not_opened(path: &Path, missing: Missing) -> String {
    let shown = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
    if path.exists() {
        format!("{shown} exists but cannot be opened; check its permissions and those of its folder")
    } else if path.starts_with("~") {
        format!("{shown} does not exist; ~ is not expanded, so write the home folder in full")
    } else if let Some(folder) = folder {
        format!("the folder {} does not exist; create it first", folder.display())
    } else if missing == Missing::Create {
        format!("{shown} cannot be created; check the permissions of its folder")
    } else {
        format!(
            "{shown} does not exist; paths are relative to the working directory, and a missing file is created only for \
             a source with migrations"
        )
    }
}

impl Connector for Opener {
    type Connection = Connection;

    async fn connect(&self, access: Access) -> Result<Connection, SourceError> {
        let mut driver = self.open(access, Missing::Refuse, self.location.busy_timeout).await?;
        let stop = Stop::default();
        let inserts = Inserts::default();
        let set_up = async {
            // From here on waiting for locks is ours, so that a cancelled call does not wait on.
            driver.execute("PRAGMA busy_timeout = 0").await?;
            stop.install(&mut driver).await?;
            if access == Access::ReadWrite {
                let watched = inserts.clone();
                driver.lock_handle().await?.set_update_hook(move |change| {
                    if change.operation == SqliteOperation::Insert {
                        watched.note(change.table, change.rowid);
                    }
                });
            }
            Ok::<(), sqlx::Error>(())
        };
        set_up.await.map_err(|error| SourceError::Connect(error::database_error(&error)))?;
        Ok(Connection { driver, stop, inserts, statements: Statements::default() })
    }

    /// A file does not go away like a server; the thread of the connection may.
    async fn check(&self, connection: &mut Connection) -> Result<(), SourceError> {
        connection.driver.ping().await.map_err(|error| SourceError::Connect(error::database_error(&error)))
    }

    async fn close(&self, connection: Connection) {
        if let Err(error) = connection.driver.close().await {
            tracing::debug!(%error, "a connection was not closed cleanly");
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Connection").field("statements", &self.statements).finish_non_exhaustive()
    }
}
