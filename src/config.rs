//! Reads the configuration: `load` turns files and an environment into a [`Config`] or into every fault found in them.
//!
//! A `Config` is what was written, checked: after [`load`] nothing is checked twice. It must not know databases' drivers,
//! MCP or encodings' insides, and reads the environment only through the function it is given.

mod choice;
mod declaration;
pub mod diagnostic;
mod duration;
mod environment;
mod fields;
pub mod files;
mod kind;
mod limits;
mod nearest;
mod node;
pub mod source;
mod text;
pub mod tool;
pub mod toolset;
mod typed;
mod yaml;

use std::collections::HashMap;

use indexmap::IndexMap;

use self::{
    declaration::Declaration,
    diagnostic::Report,
    kind::Kind,
    tool::{Declared, Outcome, Sources},
    toolset::Membership,
};
pub use self::{
    diagnostic::Faults,
    files::{Choice, Files},
    source::{Database, Source},
    tool::{Annotations, Tool, ToolKind},
    toolset::{CacheScope, Caching, Toolset},
};

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

/// Reads the chosen files and checks everything that can be checked without a database.
///
/// `environment` answers what `${NAME}` stands for.
///
/// # Errors
///
/// All faults of all files at once.
pub fn load(choice: &Choice, environment: &dyn Fn(&str) -> Option<String>) -> Result<Config, Faults> {
    let mut report = Report::default();
    let texts = files::read(&choice.files, &mut report);
    let mut declarations = Vec::new();
    for (file, text) in texts.iter().enumerate() {
        for document in yaml::documents(file, text, environment, &mut report) {
            declarations.extend(declaration::read(document, &mut report));
        }
    }
    let declarations = declaration::without_repetitions(declarations, &texts, &mut report);
    let declarations = declaration::only_served(declarations, &mut report);
    let config = build(&declarations, choice.ignore_unknown_tools, &mut report);
    let warnings = report.finish(texts)?;
    Ok(Config { warnings, ..config })
}

/// Reads all declarations: sources first, then the tools that name them, then the toolsets that name those.
fn build(declarations: &[Declaration], ignore_unknown_tools: bool, report: &mut Report) -> Config {
    let mut config = Config::default();
    let of = |kind| declarations.iter().filter(move |declaration| declaration.kind == kind);

    let mut declared = IndexMap::new();
    for declaration in of(Kind::Source) {
        let known = Declared { shown: &declaration.name.shown, database: source::known_type(declaration) };
        declared.insert(declaration.name.text.as_str(), known);
        if let Some(source) = source::read(declaration, report) {
            config.sources.insert(source.name.clone(), source);
        }
    }

    let sources = Sources { declared: &declared, read: &config.sources };
    let mut membership = HashMap::new();
    for declaration in of(Kind::Tool) {
        let mut note = |outcome| {
            let known = (declaration.name.shown.as_str(), outcome);
            membership.insert(declaration.name.text.as_str(), known);
        };
        match tool::read(declaration, &sources, ignore_unknown_tools, report) {
            Outcome::Read(tool) => {
                note(Membership::Kept);
                config.tools.insert(tool.name.clone(), *tool);
            }
            Outcome::Faulty => {
                note(Membership::Kept);
            }
            Outcome::Ignored => {
                note(Membership::LeftOut);
            }
        }
    }

    let toolsets = declarations.iter().filter(|one| matches!(one.kind, Kind::Toolset | Kind::Group));
    for declaration in toolsets {
        if let Some(toolset) = toolset::read(declaration, &membership, report) {
            config.toolsets.insert(toolset.name.clone(), toolset);
        }
    }
    config
}
