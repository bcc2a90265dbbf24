//! A folder of its own for one run of the program.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

/// A temporary folder that holds what the program reads; removed at the end.
#[derive(Debug)]
pub(crate) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A folder with the repository's own `tools.yaml` and `migrations`, and no database yet.
    pub(crate) fn example() -> Self {
        let workspace = Self::empty();
        let repository = repository();
        fs::copy(repository.join("tools.yaml"), workspace.path().join("tools.yaml")).expect("tools.yaml");
        copy_folder(&repository.join("migrations"), &workspace.path().join("migrations"))
            .expect("migrations");
        workspace
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program, to be run here, with an environment that steers neither it nor its libraries.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.path()).env_remove("RUST_LOG").env_remove("RUST_BACKTRACE");
        command
    }
}

/// The built program.
pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_toolbox"))
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
