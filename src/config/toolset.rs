//! Toolsets and groups: named lists of tools.

use std::collections::HashMap;

use super::{
    choice,
    declaration::{self, Declaration},
    diagnostic::Report,
    fields::{self, Fields, Form},
    kind::Kind,
    nearest::suggestion,
    node::{Content, Key},
};
use crate::seam::Encoding;

/// A named list of tools, served at `/mcp/NAME`. A `group` is the same with a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolset {
    /// Its name.
    pub name: String,
    /// What it is for; not visible over MCP.
    pub description: Option<String>,
    /// Names of its tools, each once, in the order written.
    pub tools: Vec<String>,
    /// How long a client may keep the list of its tools.
    pub caching: Caching,
    /// `responseEncoding`, for calls at its address; absent means the server's.
    pub encoding: Option<Encoding>,
}

/// What a group says about caching its lists, for clients of the protocol of 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caching {
    /// `ttlMs`: how long a list stays fresh, in milliseconds.
    pub ttl_ms: u64,
    /// `cacheScope`.
    pub scope: CacheScope,
}

/// For whom a list may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// For everybody.
    Public,
    /// For the client that asked.
    Private,
}

/// What the peer sends where nothing is written.
impl Default for Caching {
    fn default() -> Self {
        Self { ttl_ms: 300_000, scope: CacheScope::Public }
    }
}

/// Every declared tool by its name: how messages show the name, and whether toolsets hold the tool.
pub(super) type Tools<'t> = HashMap<&'t str, (&'t str, Membership)>;

/// Whether a toolset that names a tool holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// It does.
    Kept,
    /// The tool was left out, so its toolsets do without it.
    LeftOut,
}

/// Reads a toolset or a group.
pub(super) fn read(declaration: &Declaration, tools: &Tools<'_>, report: &mut Report) -> Option<Toolset> {
    declaration::check_name(
        &declaration.owner(),
        &declaration.name,
        |char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-'),
        "the letters A to Z and a to z, digits, `_` and `-`",
        report,
    );
    let mut toolset = Toolset {
        name: declaration.name.text.clone(),
        description: None,
        tools: Vec::new(),
        caching: Caching::default(),
        encoding: None,
    };
    let short = declaration.kind == Kind::Toolset && declaration.form == Form::Nested;
    if let Content::List(items) = &declaration.node.content
        && short
    {
        let what = format!("a tool of {}", declaration.owner());
        let names = items.iter().filter_map(|item| fields::name(item, &what, report)).collect();
        toolset.tools = members(declaration, names, tools, report);
        return Some(toolset);
    }
    let mut fields = declaration.fields(report)?;
    let names = fields.texts("tools", report);
    toolset.tools = members(declaration, names, tools, report);
    toolset.encoding = choice::encoding(&mut fields, report);
    let description = fields.text("description", report);
    match declaration.kind {
        Kind::Group => {
            toolset.description = description;
            toolset.caching = only_group(&mut fields, report);
        }
        _ if description.is_some() => report.warn(format!(
            "the description of {} is dropped: a toolset has none; use `kind: group`",
            declaration.owner()
        )),
        _ => {}
    }
    fields.finish(report);
    Some(toolset)
}

/// The fields that only a group has.
fn only_group(fields: &mut Fields<'_>, report: &mut Report) -> Caching {
    for key in ["prompts", "resources", "resourceTemplates"] {
        fields.not_served(key, report);
    }
    let mut caching = Caching::default();
    if let Some(ttl_ms) = fields.whole("ttlMs", "write milliseconds, such as 300000", report) {
        caching.ttl_ms = ttl_ms;
    }
    match fields.text("cacheScope", report).as_deref() {
        None | Some("public") => {}
        Some("private") => caching.scope = CacheScope::Private,
        Some(_) => {
            if let Some(node) = fields.node("cacheScope") {
                let message = format!("{} cannot be {}", fields.name("cacheScope"), node.description());
                report.fault(&node.place, message, "write `public` or `private`");
            }
        }
    }
    caching
}

/// The tools of a list, each once, all of which exist.
fn members(
    declaration: &Declaration,
    names: Vec<Key>,
    tools: &Tools<'_>,
    report: &mut Report,
) -> Vec<String> {
    let mut members: Vec<String> = Vec::new();
    for name in names {
        match tools.get(name.text.as_str()).map(|(_, membership)| membership) {
            Some(Membership::Kept) if members.contains(&name.text) => {}
            Some(Membership::Kept) => members.push(name.text),
            Some(Membership::LeftOut) => {}
            None if report.is_incomplete() => {}
            None => {
                let mut known: Vec<&str> = tools.values().map(|(shown, _)| *shown).collect();
                known.sort_unstable();
                report.fault(
                    &name.place,
                    format!("{} names the tool `{}`, which is not defined", declaration.owner(), name.shown),
                    suggestion(&name.shown, "tool", known),
                );
            }
        }
    }
    members
}
