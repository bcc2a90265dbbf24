//! Applies the migrations that the operator named, on a connection of their own.
//!
//! sqlx takes no lock for SQLite, so two programs that start at once would both apply the same migration. Here everything
//! between two migrations that refuse a transaction (`-- no-transaction`) runs inside one transaction that holds the write
//! lock from its begin on: the second program waits, and then finds everything applied.

use std::{path::Path, time::Duration};

use sqlx::{Connection as _, migrate::MigrateError, sqlite::SqliteConnection};
use toolbox_migrations::Folder;
use toolbox_source::{Access, SourceError};

use crate::{
    connect::{Missing, Opener},
    error,
};

/// How long to wait for another program that migrates.
const LOCK_WAIT: Duration = Duration::from_mins(1);

/// Brings the database to the state that the folder describes.
pub(crate) async fn apply(opener: &Opener, path: &Path) -> Result<(), SourceError> {
    let mut folder = Folder::read(path).await?;
    let mut connection = opener.open(Access::ReadWrite, Missing::Create, LOCK_WAIT).await?;
    let applied = apply_all(&mut folder, &mut connection).await;
    let closed = connection.close().await;
    applied.map_err(|error| folder.explain(&error, error::database_error))?;
    closed.map_err(|error| SourceError::Migration(error::database_error(&error).to_string()))
}

async fn apply_all(folder: &mut Folder, connection: &mut SqliteConnection) -> Result<(), MigrateError> {
    if folder.is_applied(connection).await {
        return Ok(());
    }
    // Each run ends at a migration of its own kind, so that the list is a sequence of runs in transactions and alone.
    let mut runs: Vec<(i64, Mode)> = Vec::new();
    for migration in folder.forward() {
        let mode = if migration.no_tx { Mode::Alone } else { Mode::Transaction };
        match runs.last_mut() {
            Some((last, Mode::Transaction)) if mode == Mode::Transaction => *last = migration.version,
            _ => runs.push((migration.version, mode)),
        }
    }
    let migrator = folder.migrator();
    for (last, mode) in runs {
        match mode {
            Mode::Alone => migrator.run_direct(Some(last), connection, false).await?,
            Mode::Transaction => {
                let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
                migrator.run_direct(Some(last), &mut *transaction, false).await?;
                transaction.commit().await?;
            }
        }
    }
    // An empty folder still checks what was applied before.
    migrator.run_direct(None, connection, false).await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Transaction,
    Alone,
}
