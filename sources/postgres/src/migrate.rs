//! Applies the migrations that the operator named, on a connection of their own. sqlx holds an advisory lock meanwhile, so
//! that two programs that start at once apply each of them once.

use std::path::Path;

use sqlx::{
    Connection as _,
    migrate::{MigrateError, Migration, Migrator},
};
use toolbox_source::SourceError;

use crate::{
    connect::{Opener, Purpose},
    error,
};

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
    let mut connection = opener.open(Purpose::Control).await?;
    let applied = migrator.run_direct(None, &mut connection, false).await;
    let closed = connection.close().await;
    applied.map_err(|error| SourceError::Migration(explain(&error, &migrator, folder)))?;
    closed.map_err(|error| {
        SourceError::Migration(error::database_error(&error, error::Shift::default()).to_string())
    })
}

fn explain(error: &MigrateError, migrator: &Migrator, folder: &Path) -> String {
    let shown = folder.display();
    match error {
        MigrateError::ExecuteMigration(cause, version) => {
            let name = ups(migrator).find(|migration| migration.version == *version);
            let name = name.map_or_else(String::new, |migration| format!(" ({})", migration.description));
            format!(
                "version {version}{name} of {shown}: {}",
                error::database_error(cause, error::Shift::default())
            )
        }
        MigrateError::Execute(cause) => {
            format!("{shown}: {}", error::database_error(cause, error::Shift::default()))
        }
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

fn ups(migrator: &Migrator) -> impl Iterator<Item = &Migration> {
    migrator.iter().filter(|migration| !migration.migration_type.is_down_migration())
}

fn one_line(error: &MigrateError) -> String {
    error.to_string().replace(['\r', '\n'], " ")
}
