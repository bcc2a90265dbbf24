//! Reads the configuration: `load` turns files and an environment into a [`Config`] or into every fault found in them.
//!
//! A `Config` is what was written, checked: after [`load`] nothing is checked twice. It must not know databases' drivers,
//! MCP or encodings' insides, and reads the environment only through the function it is given.

pub mod diagnostic;
pub mod files;
pub mod source;
pub mod tool;

use indexmap::IndexMap;

pub use diagnostic::Faults;
pub use files::Choice;
pub use source::{Database, Source};
pub use tool::{Annotations, Tool, ToolKind};

/// Everything that the files say.
#[derive(Debug, Default)]
pub struct Config {
    /// Sources by name, in the order of the files.
    pub sources: IndexMap<String, Source>,
    /// Tools by name, in the order of the files.
    pub tools: IndexMap<String, Tool>,
    /// Toolsets and groups by name (one name space), in the order of the files.
    pub toolsets: IndexMap<String, Toolset>,
    /// What is worth a line in the log but no refusal.
    pub warnings: Vec<String>,
}

/// A named list of tools, served at `/mcp/NAME`. A `group` is the same with a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolset {
    /// Its name.
    pub name: String,
    /// What it is for; not visible over MCP.
    pub description: Option<String>,
    /// Names of its tools, each once, in the order written.
    pub tools: Vec<String>,
}

/// Reads the chosen files and checks everything that can be checked without a database.
///
/// `environment` answers what `${NAME}` stands for.
///
/// # Errors
///
/// All faults of all files at once.
pub fn load(_choice: &Choice, _environment: &dyn Fn(&str) -> Option<String>) -> Result<Config, Faults> {
    Ok(Config::default())
}
