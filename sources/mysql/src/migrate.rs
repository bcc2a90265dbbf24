//! Applies the migrations that the operator named, on a connection of their own.
//!
//! Programs that start at once wait for each other at a lock of the server, and the later ones find everything applied.
//! DDL commits by itself on these servers, so a migration that fails halfway stays half applied and is marked so.

use std::path::Path;

use sqlx::{Connection as _, migrate::MigrateError, mysql::MySqlConnection};
use toolbox_migrations::Folder;
use toolbox_source::{Access, SourceError};

use crate::{connect::Opener, error};

/// How long to wait for another program that migrates, in seconds.
const LOCK_WAIT: u32 = 60;

/// Brings the database to the state that the folder describes.
pub(crate) async fn apply(opener: &Opener, path: &Path) -> Result<(), SourceError> {
    let mut folder = Folder::read(path).await?;
    let Some(database) = opener.settings().database.as_deref() else {
        return Err(SourceError::Migration(
            "the source names no database; set its field database to the one that the migrations are for"
                .to_owned(),
        ));
    };
    // sqlx would wait without end, in a way that MariaDB does not know.
    folder.migrator().set_locking(false);
    let mut driver = opener.open(Access::ReadWrite).await?.driver;
    let applied = apply_locked(&mut folder, &mut driver, database).await;
    if let Err(error) = driver.close().await {
        tracing::debug!(%error, "the connection of the migrations was not closed cleanly");
    }
    applied.map_err(|error| match error {
        Trouble::Locked => SourceError::Migration(format!(
            "another program has been migrating the database for more than {LOCK_WAIT} seconds; try again"
        )),
        Trouble::Failed(error) => folder.explain(&error, error::database_error),
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
    folder: &mut Folder,
    driver: &mut MySqlConnection,
    database: &str,
) -> Result<(), Trouble> {
    if folder.is_applied(driver).await {
        return Ok(());
    }
    // Names of locks belong to the whole server and hold up to 64 characters, as many as these make. Closing the connection
    // frees the lock.
    let lock: Option<i64> =
        sqlx::query_scalar("SELECT CAST(GET_LOCK(CONCAT('toolbox-', SHA2(?, 224)), ?) AS SIGNED)")
            .bind(database)
            .bind(LOCK_WAIT)
            .fetch_one(&mut *driver)
            .await?;
    if lock != Some(1) {
        return Err(Trouble::Locked);
    }
    folder.migrator().run_direct(None, driver, false).await.map_err(Trouble::Failed)
}
