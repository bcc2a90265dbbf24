//! Applies the migrations that the operator named, on a connection of their own. sqlx holds an advisory lock meanwhile, so
//! that two programs that start at once apply each of them once.

use std::path::Path;

use sqlx::{Connection as _, migrate::MigrateError, postgres::PgConnection};
use toolbox_migrations::Folder;
use toolbox_source::SourceError;

use crate::{
    connect::{Opener, Purpose},
    error,
    places::Shift,
};

/// Brings the database to the state that the folder describes.
pub(crate) async fn apply(opener: &Opener, path: &Path) -> Result<(), SourceError> {
    let mut folder = Folder::read(path).await?;
    let mut connection = opener.open(Purpose::Control).await?;
    let applied = apply_all(&mut folder, &mut connection).await;
    let closed = connection.close().await;
    applied
        .map_err(|error| folder.explain(&error, |cause| error::database_error(cause, &Shift::default())))?;
    closed
        .map_err(|error| SourceError::Migration(error::database_error(&error, &Shift::default()).to_string()))
}

async fn apply_all(folder: &mut Folder, connection: &mut PgConnection) -> Result<(), MigrateError> {
    if folder.is_applied(connection).await {
        return Ok(());
    }
    folder.migrator().run_direct(None, connection, false).await
}
