//! Applies the migrations that the operator named, on a connection of their own.
//!
//! Programs that start at once wait for each other at a lock of the server, and the later ones find everything applied.
//! DDL commits by itself on these servers, so a migration that fails halfway stays half applied and is marked so.

use std::path::Path;

use sqlx::{
    Connection as _,
    migrate::{Migrate as _, MigrateError, Migration, Migrator},
    mysql::MySqlConnection,
};
use toolbox_source::{Access, SourceError};

use crate::{connect::Opener, error};

/// How long to wait for another program that migrates, in seconds.
const LOCK_WAIT: u32 = 60;

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
    let Some(database) = opener.settings().database.as_deref() else {
        return Err(SourceError::Migration(
            "the source names no database; set its field database to the one that the migrations are for"
                .to_owned(),
        ));
    };
    let mut migrator = Migrator::new(folder).await.map_err(|error| {
        SourceError::Migration(format!("the folder {shown} cannot be read: {}", one_line(&error)))
    })?;
    // sqlx would wait without end, in a way that MariaDB does not know.
    migrator.set_locking(false);
    let mut driver = opener.open(Access::ReadWrite).await?.driver;
    let applied = apply_locked(&migrator, &mut driver, database).await;
    if let Err(error) = driver.close().await {
        tracing::debug!(%error, "the connection of the migrations was not closed cleanly");
    }
    applied.map_err(|error| match error {
        Trouble::Locked => SourceError::Migration(format!(
            "another program has been migrating the database for more than {LOCK_WAIT} seconds; try again"
        )),
        Trouble::Failed(error) => SourceError::Migration(explain(&error, &migrator, folder)),
    })
}

enum Trouble {
    Locked,
    Failed(MigrateError),
}

impl From<sqlx::Error> for Trouble {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(MigrateError::Execute(error))
    }
}

async fn apply_locked(
    migrator: &Migrator,
    driver: &mut MySqlConnection,
    database: &str,
) -> Result<(), Trouble> {
    if is_current(migrator, driver).await {
        return Ok(());
    }
    // Names of locks belong to the whole server and hold up to 64 characters, as many as these make. Closing the connection frees the lock.
    let lock: Option<i64> =
        sqlx::query_scalar("SELECT CAST(GET_LOCK(CONCAT('toolbox-', SHA2(?, 224)), ?) AS SIGNED)")
            .bind(database)
            .bind(LOCK_WAIT)
            .fetch_one(&mut *driver)
            .await?;
    if lock != Some(1) {
        return Err(Trouble::Locked);
    }
    // `Migrator::run` without its trait `Acquire`, whose lifetime keeps it out of tasks.
    migrator.run_direct(None, driver, false).await.map_err(Trouble::Failed)
}

/// Whether everything is applied as it stands in the folder. This only reads, so it works for users who may not write;
/// whatever is not right is reported by the run that follows.
async fn is_current(migrator: &Migrator, driver: &mut MySqlConnection) -> bool {
    let Ok(applied) = driver.list_applied_migrations(TABLE).await else { return false };
    let Ok(None) = driver.dirty_version(TABLE).await else { return false };
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
        MigrateError::Dirty(version) => format!(
            "version {version} of {shown} failed halfway before; undo what it did and delete its row from {TABLE}"
        ),
        MigrateError::VersionMissing(version) => format!(
            "version {version} was applied to the database, but {shown} holds no such file; put it back"
        ),
        MigrateError::VersionMismatch(version) => format!(
            "version {version} of {shown} was changed after it was applied; restore the file and put the change into a new \
             one"
        ),
        error => format!("{shown}: {}", one_line(error)),
    }
}

fn one_line(error: &MigrateError) -> String {
    error::failure(&error.to_string()).message
}
