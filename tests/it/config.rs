//! The configuration reader, from files on disk to a `Config` or to the report that a person reads.

mod environment;
mod faults;
mod files;
mod forms;
mod hostile;
mod scalars;

use std::{fs, path::PathBuf};

use tempfile::TempDir;
use toolbox::config::{self, Choice, Config, Files};

/// A folder with configuration files, and variables.
struct Case {
    folder: TempDir,
    files: Vec<PathBuf>,
    variables: Vec<(&'static str, &'static str)>,
    ignore_unknown_tools: bool,
}

impl Case {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { folder, files: Vec::new(), variables: Vec::new(), ignore_unknown_tools: false }
    }

    /// One file named `tools.yaml`.
    fn file(text: &str) -> Self {
        Self::new().and("tools.yaml", text)
    }

    /// One more file.
    fn and(mut self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        self.files.push(path);
        self
    }

    /// One more variable.
    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    fn ignoring_unknown_tools(mut self) -> Self {
        self.ignore_unknown_tools = true;
        self
    }

    fn load(&self) -> Result<Config, config::Faults> {
        self.load_files(Files::Named(self.files.clone()))
    }

    fn load_folder(&self) -> Result<Config, config::Faults> {
        self.load_files(Files::Folder(self.folder.path().to_owned()))
    }

    fn load_files(&self, files: Files) -> Result<Config, config::Faults> {
        let choice = Choice { files, ignore_unknown_tools: self.ignore_unknown_tools };
        config::load(&choice, &|name| {
            self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[track_caller]
    fn good(&self) -> Config {
        match self.load() {
            Ok(config) => config,
            Err(faults) => panic!("unexpected faults:\n{faults}"),
        }
    }

    /// The report, with the folder's path taken out.
    #[track_caller]
    fn report(&self) -> String {
        self.readable(self.load())
    }

    #[track_caller]
    fn readable(&self, result: Result<Config, config::Faults>) -> String {
        match result {
            Ok(config) => panic!("no fault was found: {config:?}"),
            Err(faults) => {
                let folder = self.folder.path().display().to_string();
                faults.to_string().replace(&format!("{folder}/"), "").replace(&folder, "FOLDER")
            }
        }
    }
}

/// A file with one SQLite source, followed by more text.
fn with_source(more: &str) -> String {
    format!("sources: {{shop: {{kind: sqlite, database: shop.db}}}}\n{more}")
}

/// A file with one SQLite source and one statement tool, whose further lines are given.
fn with_tool(more: &str) -> String {
    let more: Vec<String> = more.lines().map(|line| format!("    {line}\n")).collect();
    let more = more.concat();
    with_source(&format!(
        "tools:\n  find:\n    kind: sqlite-sql\n    source: shop\n    description: Finds.\n{more}"
    ))
}
