//! Applies the migrations that the operator named, on a connection of their own.
//!
//! sqlx takes no lock for SQLite, so two programs that start at once would both apply the same migration. Here everything
//! between two migrations that refuse a transaction (`-- no-transaction`) runs inside one transaction that holds the write
//! lock from its begin on: the second program waits, and then finds everything applied.

use std::{path::Path, time::Duration};

use sqlx::{
    Connection as _,
    migrate::{Migrate as _, MigrateError, Migration, Migrator},
    sqlite::SqliteConnection,
};
use toolbox_source::{Access, SourceError};

use crate::{
    connect::{Missing, Opener},
    error,
};

/// How long to wait for another program that migrates.
const LOCK_WAIT: Duration = Duration::from_mins(1);

/// The table in which sqlx notes what was applied.
const TABLE: &str = "_sqlx_migrations";

/// Brings the database to the state that the folder describes.
pub(crate) async fn apply(opener: &Opener, folder: &Path) -> Result<(), SourceError> {
    let shown = folder.display();
    if !folder.is_dir() {
        return Err(SourceError::Migration(format!(
            "{shown} is no folder; paths are relative to the working directory"
        )));
    }
    let migrator = Migrator::new(folder).await.map_err(|error| {
        SourceError::Migration(format!("the folder {shown} cannot be read: {}", one_line(&error)))
    })?;
    let mut connection = opener.open(Access::ReadWrite, Missing::Create, LOCK_WAIT).await?;
    let applied = apply_all(&migrator, &mut connection).await;
    let closed = connection.close().await;
    applied.map_err(|error| SourceError::Migration(explain(&error, &migrator, folder)))?;
    closed.map_err(|error| SourceError::Migration(error::database_error(&error).to_string()))
}

async fn apply_all(migrator: &Migrator, connection: &mut SqliteConnection) -> Result<(), MigrateError> {
    if is_current(migrator, connection).await {
        return Ok(());
    }
    // Each run ends at a migration of its own kind, so that the list is a sequence of runs in transactions and alone.
    let mut pending: Vec<&Migration> = ups(migrator).collect();
    pending.sort();
    let mut runs: Vec<(i64, Mode)> = Vec::new();
    for migration in pending {
        let mode = if migration.no_tx { Mode::Alone } else { Mode::Transaction };
        match runs.last_mut() {
            Some((last, Mode::Transaction)) if mode == Mode::Transaction => *last = migration.version,
            _ => runs.push((migration.version, mode)),
        }
    }
    for (last, mode) in runs {
        match mode {
            Mode::Alone => run_to(migrator, Some(last), connection).await?,
            Mode::Transaction => {
                let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
                run_to(migrator, Some(last), &mut transaction).await?;
                transaction.commit().await?;
            }
        }
    }
    // An empty folder still checks what was applied before.
    run_to(migrator, None, connection).await
}

/// `Migrator::run_to` without its trait `Acquire`, whose lifetime keeps it out of tasks; sqlx has this function for that reason.
async fn run_to(
    migrator: &Migrator,
    last: Option<i64>,
    connection: &mut SqliteConnection,
) -> Result<(), MigrateError> {
    migrator.run_direct(last, connection, false).await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Transaction,
    Alone,
}

/// Whether everything is applied as it stands in the folder. This only reads, so it works on a database that cannot be
/// written; whatever is not right is reported by the run that follows.
async fn is_current(migrator: &Migrator, connection: &mut SqliteConnection) -> bool {
    let Ok(applied) = connection.list_applied_migrations(TABLE).await else { return false };
    let Ok(None) = connection.dirty_version(TABLE).await else { return false };
    applied.len() == ups(migrator).count()
        && ups(migrator).all(|migration| {
            applied
                .iter()
                .any(|done| done.version == migration.version && done.checksum == migration.checksum)
        })
}

fn ups(migrator: &Migrator) -> impl Iterator<Item = &Migration> {
    migrator.iter().filter(|migration| !migration.migration_type.is_down_migration())
}

fn explain(error: &MigrateError, migrator: &Migrator, folder: &Path) -> String {
    let shown = folder.display();
    match error {
        MigrateError::ExecuteMigration(cause, version) => {
            let name = ups(migrator).find(|migration| migration.version == *version);
            let name = name.map_or_else(String::new, |migration| format!(" ({})", migration.description));
            format!("version {version}{name} of {shown}: {}", error::database_error(cause))
        }
        MigrateError::Execute(cause) => format!("{shown}: {}", error::database_error(cause)),
        MigrateError::VersionMissing(version) => {
            format!(
                "version {version} was applied to the database, but {shown} holds no such file; put it back"
            )
        }
        MigrateError::VersionMismatch(version) => format!(
            "version {version} of {shown} was changed after it was applied; restore the file and put the change into a new one"
        ),
        error => format!("{shown}: {}", one_line(error)),
    }
}

fn one_line(error: &MigrateError) -> String {
    error.to_string().replace(['\r', '\n'], " ")
}
