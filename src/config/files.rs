//! Which files make up the configuration.

use std::path::PathBuf;

/// The files that the command line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where they are.
    pub files: Files,
    /// `--ignore-unknown-tools`: a tool of an unknown type is a warning, and the tool is left out of its toolsets.
    pub ignore_unknown_tools: bool,
}

/// `--config`, `--configs` or `--config-folder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// These files, in this order, merged.
    Named(Vec<PathBuf>),
    /// Every `*.yaml`, then every `*.yml` of a folder, each sorted by name.
    Folder(PathBuf),
}
