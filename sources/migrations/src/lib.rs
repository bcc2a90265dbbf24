//! A folder of migrations, as the field `migrations` of a source names it.
//!
//! sqlx reads the files and notes in a table of the database what was applied. How a database keeps two programs that start
//! at once from applying the same migration, and whether a migration that fails leaves half of itself, differs by database:
//! each source applies the [`Folder`] in its own way.

use std::path::{Path, PathBuf};

use sqlx::migrate::{Migrate, MigrateError, Migration, Migrator};
use toolbox_source::{DatabaseError, SourceError};

/// The table in which sqlx notes what was applied.
const TABLE: &str = "_sqlx_migrations";

/// The migrations of one folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    migrator: Migrator,
}

impl Folder {
    /// Reads the files of a folder.
    ///
    /// # Errors
    ///
    /// [`SourceError::Migration`] when it is no folder, or when the name of a file is not one of a migration.
    pub async fn read(path: &Path) -> Result<Self, SourceError> {
        let shown = path.display();
        if !path.is_dir() {
            let message = format!("{shown} is no folder; paths are relative to the working directory");
            return Err(SourceError::Migration(message));
        }
        let migrator = Migrator::new(path).await.map_err(|error| {
            SourceError::Migration(format!("the folder {shown} cannot be read: {}", one_line(&error)))
        })?;
        Ok(Self { path: path.to_owned(), migrator })
    }

    /// What applies them. `Migrator::run_direct` is the form that can run in a task.
    pub fn migrator(&mut self) -> &mut Migrator {
        &mut self.migrator
    }

    /// Those that bring the database forward, in the order in which they apply.
    #[must_use]
    pub fn forward(&self) -> Vec<&Migration> {
        let mut forward: Vec<&Migration> =
            self.migrator.iter().filter(|migration| !migration.migration_type.is_down_migration()).collect();
        forward.sort();
        forward
    }

    /// Whether everything is applied as it stands in the folder. This only reads, so it works for accounts and on databases
    /// that may not be written; whatever is not right is reported by the run that follows.
    pub async fn is_applied(&self, connection: &mut impl Migrate) -> bool {
        let Ok(applied) = connection.list_applied_migrations(TABLE).await else { return false };
        let Ok(None) = connection.dirty_version(TABLE).await else { return false };
        let forward = self.forward();
        applied.len() == forward.len()
            && forward.iter().all(|migration| {
                applied
                    .iter()
                    .any(|done| done.version == migration.version && done.checksum == migration.checksum)
            })
    }

    /// Why they could not be applied. `describe` says what the database itself says.
    #[must_use]
    pub fn explain(
        &self,
        error: &MigrateError,
        describe: impl Fn(&sqlx::Error) -> DatabaseError,
    ) -> SourceError {
        let shown = self.path.display();
        SourceError::Migration(match error {
            MigrateError::ExecuteMigration(cause, version) => {
                let name = self.forward().into_iter().find(|migration| migration.version == *version);
                let name = name.map_or_else(String::new, |migration| format!(" ({})", migration.description));
                format!("version {version}{name} of {shown}: {}", describe(cause))
            }
            MigrateError::Execute(cause) => format!("{shown}: {}", describe(cause)),
            MigrateError::Dirty(version) => format!(
                "version {version} of {shown} failed halfway before; undo what it did and delete its row from {TABLE}"
            ),
            MigrateError::VersionMissing(version) => format!(
                "version {version} was applied to the database, but {shown} holds no such file; put it back"
            ),
            MigrateError::VersionMismatch(version) => format!(
                "version {version} of {shown} was changed after it was applied; restore the file and put the change into \
                 a new one"
            ),
            error => format!("{shown}: {}", one_line(error)),
        })
    }
}

fn one_line(error: &MigrateError) -> String {
    DatabaseError::new(&error.to_string()).message
}
