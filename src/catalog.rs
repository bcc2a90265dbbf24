//! What is served right now: sources, tools and toolsets by name.
//!
//! [`crate::config::Config`] is what was written; this is what runs. Nothing below reads the configuration.

mod open;
mod watched;

use std::{collections::BTreeMap, fmt, sync::Arc};

use indexmap::IndexMap;
use toolbox_source::{Access, Limits, Source, scan};

use crate::{
    config::{
        self, Annotations, Config, ToolKind,
        source::{Defaults, LimitSetting, LimitSettings},
    },
    seam::Encoding,
    tool::{Action, Form, Tool},
};
use watched::Watched;

/// What the command line says about writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// As each source and tool says; SQL from the model is read-only unless its tool says otherwise.
    #[default]
    AsConfigured,
    /// `--allow-writes`: SQL from the model may write where neither its tool nor its source says otherwise.
    Allowed,
    /// `--read-only`: nothing writes, and tools that would are not served.
    Never,
}

/// Sources, tools and toolsets by name.
#[derive(Debug)]
pub struct Catalog {
    sources: IndexMap<String, Arc<dyn Source>>,
    tools: BTreeMap<String, Arc<Tool>>,
    toolsets: IndexMap<String, Toolset>,
    /// The sources of tools that run SQL from the model.
    watched: Vec<Arc<Watched>>,
}

/// The tools at one address.
#[derive(Clone, Debug, Default)]
pub struct Toolset {
    /// In the order in which they are listed.
    pub tools: Vec<Arc<Tool>>,
    /// How long a client may keep the list.
    pub caching: config::Caching,
    /// The encoding of calls at this address; none leaves it to the server.
    pub encoding: Option<Encoding>,
}

/// Why a configuration that reads well cannot be served. Every reason is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogError(Vec<String>);

impl fmt::Display for CatalogError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for CatalogError {}

impl Catalog {
    /// Makes what runs from what was written. Connects to nothing.
    ///
    /// # Errors
    ///
    /// All sources that cannot be served.
    pub fn build(config: Config, writes: Writes) -> Result<Self, CatalogError> {
        let mut faults = Vec::new();
        let mut sources: IndexMap<String, Arc<dyn Source>> = IndexMap::new();
        let mut watched = Vec::new();
        for (name, source) in &config.sources {
            match open::open(source, writes) {
                Ok(source) if for_the_model(&config, name) => {
                    let source = Arc::new(Watched::new(name, source));
                    watched.push(source.clone());
                    sources.insert(name.clone(), source);
                }
                Ok(source) => {
                    sources.insert(name.clone(), source);
                }
                Err(reason) => faults.push(format!("source {name:?}: {reason}")),
            }
        }
        if !faults.is_empty() {
            return Err(CatalogError(faults));
        }
        let mut tools = Vec::new();
        for (name, tool) in config.tools {
            let (Some(written), Some(source)) = (config.sources.get(&tool.source), sources.get(&tool.source))
            else {
                faults.push(format!("tool {name:?}: source {:?} does not exist", tool.source));
                continue;
            };
            if writes == Writes::Never && !only_reads(&tool.kind, written) {
                tracing::warn!(tool = name, "not served: it writes, and --read-only is set");
                continue;
            }
            tools.push(serve(tool, written, source.clone(), writes));
        }
        if !faults.is_empty() {
            return Err(CatalogError(faults));
        }
        let toolsets = config.toolsets.into_values();
        Ok(Self { watched, ..Self::new(sources, tools, toolsets) })
    }

    /// Joins sources, tools and toolsets. A toolset goes without the tools that it names and that are not served.
    pub fn new(
        sources: IndexMap<String, Arc<dyn Source>>,
        tools: impl IntoIterator<Item = Tool>,
        toolsets: impl IntoIterator<Item = config::Toolset>,
    ) -> Self {
        let tools: BTreeMap<String, Arc<Tool>> =
            tools.into_iter().map(|tool| (tool.name.clone(), Arc::new(tool))).collect();
        let toolsets = toolsets
            .into_iter()
            .map(|toolset| {
                let members = toolset.tools.iter().filter_map(|tool| tools.get(tool).cloned()).collect();
                let config::Toolset { name, caching, encoding, .. } = toolset;
                (name, Toolset { tools: members, caching, encoding })
            })
            .collect();
        Self { sources, tools, toolsets, watched: Vec::new() }
    }

    /// The tools of a toolset in its own order, or of all, sorted by name, for no name.
    #[must_use]
    pub fn toolset(&self, name: Option<&str>) -> Option<Toolset> {
        match name {
            Some(name) => self.toolsets.get(name).cloned(),
            None => Some(Toolset { tools: self.tools.values().cloned().collect(), ..Toolset::default() }),
        }
    }

    /// The encoding that a toolset asks for; none for all tools.
    #[must_use]
    pub fn encoding(&self, toolset: Option<&str>) -> Option<Encoding> {
        self.toolsets.get(toolset?)?.encoding
    }

    /// A tool, if the toolset holds it.
    #[must_use]
    pub fn tool(&self, toolset: Option<&str>, name: &str) -> Option<Arc<Tool>> {
        match toolset {
            Some(toolset) => self.toolsets.get(toolset)?.tools.iter().find(|tool| tool.name == name).cloned(),
            None => self.tools.get(name).cloned(),
        }
    }

    /// Whether there is a toolset of this name; no name means all tools, which is always there.
    #[must_use]
    pub fn has_toolset(&self, name: Option<&str>) -> bool {
        name.is_none_or(|name| self.toolsets.contains_key(name))
    }

    /// The names of all sources, tools and toolsets, for the log.
    pub fn names(&self) -> (Vec<&str>, Vec<&str>, Vec<&str>) {
        (
            self.sources.keys().map(String::as_str).collect(),
            self.tools.keys().map(String::as_str).collect(),
            self.toolsets.keys().map(String::as_str).collect(),
        )
    }

    /// Asks every source for a sign of life, in the background, and logs what it says. What accounts may do is logged when
    /// their sources answer, now or later.
    pub fn probe(&self) {
        self.watched.iter().for_each(|source| source.watch());
        for (name, source) in &self.sources {
            let (name, source) = (name.clone(), source.clone());
            tokio::spawn(async move {
                match source.ping().await {
                    Ok(()) => tracing::debug!(source = name, "source answers"),
                    Err(error) => {
                        tracing::warn!(source = name, %error, "source does not answer yet; its tools will try again");
                    }
                }
            });
        }
    }

    /// Closes every source.
    pub async fn close(&self) {
        futures::future::join_all(self.sources.values().map(|source| source.close())).await;
    }
}

/// Whether a tool lets the model write SQL for this source.
fn for_the_model(config: &Config, source: &str) -> bool {
    config.tools.values().any(|tool| tool.source == source && matches!(tool.kind, ToolKind::ExecuteSql))
}

/// Whether what a tool runs only reads, as far as its text says. A text that is known only when called counts as reading:
/// the database refuses what does not.
fn only_reads(kind: &ToolKind, source: &config::Source) -> bool {
    match kind {
        ToolKind::Statement { statement, .. } => {
            statement.has_actions() || scan::scan(statement.text(), &source.database.lexicon()).reads()
        }
        ToolKind::ExecuteSql => true,
    }
}

fn serve(tool: config::Tool, written: &config::Source, source: Arc<dyn Source>, writes: Writes) -> Tool {
    let model = matches!(tool.kind, ToolKind::ExecuteSql);
    let may_write = match (writes, written.read_only, tool.read_only) {
        (Writes::Never, _, _) | (_, true, _) | (_, _, Some(true)) => false,
        (_, _, Some(false)) | (Writes::Allowed, _, None) => true,
        (Writes::AsConfigured, _, None) => !model,
    };
    let access = if may_write { Access::ReadWrite } else { Access::ReadOnly };
    let annotations = tool.annotations.unwrap_or_else(|| {
        let reads = match tool.kind {
            ToolKind::ExecuteSql => !may_write,
            ToolKind::Statement { ref statement, .. } => {
                !may_write || (!statement.has_actions() && only_reads(&tool.kind, written))
            }
        };
        if reads {
            Annotations { read_only: Some(true), ..Annotations::default() }
        } else {
            Annotations { read_only: Some(false), destructive: Some(true), ..Annotations::default() }
        }
    });
    let limits =
        limits(&tool.limits, &written.limits, if model { Defaults::MODEL } else { Defaults::CONFIGURED });
    let action = match tool.kind {
        ToolKind::Statement { statement, parameters, template_parameters } => {
            Action::Statement { statement, parameters, template_parameters }
        }
        ToolKind::ExecuteSql => Action::ExecuteSql,
    };
    let form = Form { encoding: tool.encoding, argument: tool.encoding_argument, numbers: tool.numbers };
    Tool::new((tool.name, tool.description, annotations), action, form, source, (access, limits))
}

/// The limits of a tool: its own within the source's. A default of the kind holds only where neither says anything.
fn limits(tool: &LimitSettings, source: &LimitSettings, defaults: Defaults) -> Limits {
    Limits {
        max_rows: limit(tool.max_rows, source.max_rows, defaults.max_rows),
        max_bytes: limit(tool.max_bytes, source.max_bytes, defaults.max_bytes),
        max_cell_bytes: limit(tool.max_cell_bytes, source.max_cell_bytes, defaults.max_cell_bytes),
        statement_timeout: limit(
            tool.statement_timeout,
            source.statement_timeout,
            defaults.statement_timeout,
        ),
    }
}

fn limit<T: Ord>(tool: LimitSetting<T>, source: LimitSetting<T>, default: T) -> Option<T> {
    match (tool, source) {
        (tool, LimitSetting::Unset) => tool.or(default),
        (LimitSetting::At(tool), LimitSetting::Unlimited) => Some(tool),
        (LimitSetting::At(tool), LimitSetting::At(source)) => Some(tool.min(source)),
        (_, source) => source.or(default),
    }
}
