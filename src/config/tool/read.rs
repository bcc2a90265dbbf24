//! Reads the fields of a tool.

use indexmap::IndexMap;

use super::{
    Annotations, Tool, ToolKind, parameters, statement,
    types::{self, Known, What},
};
use crate::config::{
    declaration::{self, Declaration},
    diagnostic::Report,
    fields::Fields,
    limits,
    nearest::suggestion,
    source::{DatabaseType, Source},
};

/// What a tool may refer to: the sources that are declared, and those of them that could be read.
pub(crate) struct Sources<'s> {
    /// Type by name; `None` where the type is unknown.
    pub(crate) declared: &'s IndexMap<&'s str, Option<DatabaseType>>,
    /// The sources without faults.
    pub(crate) read: &'s IndexMap<String, Source>,
}

/// What became of a tool.
pub(crate) enum Outcome {
    /// It is read.
    Read(Box<Tool>),
    /// It has faults, which are reported.
    Faulty,
    /// Its type is unknown, and unknown types are to be left out.
    Ignored,
}

/// Reads a tool.
pub(crate) fn read(
    declaration: &Declaration,
    sources: &Sources<'_>,
    ignore_unknown: bool,
    report: &mut Report,
) -> Outcome {
    let owner = declaration.owner();
    declaration::check_name(
        &owner,
        &declaration.name,
        |char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-'),
        "the letters A to Z and a to z, digits, `_`, `.` and `-`",
        report,
    );
    let Some(mut fields) = declaration.fields(report) else { return Outcome::Faulty };
    let Some(word) = fields.type_word(report) else { return Outcome::Faulty };
    let kind = match types::of_word(&word.text) {
        Known::Served(kind) => kind,
        known => {
            let (message, help) = match known {
                Known::NotServed => (
                    format!("{owner}: tools of type `{}` are not served yet", word.text),
                    "remove the tool, or start with --ignore-unknown-tools".to_owned(),
                ),
                _ => (
                    format!("{owner} has the unknown type `{}`", word.text),
                    suggestion(&word.text, "type", types::words()),
                ),
            };
            if ignore_unknown {
                report.warn(format!("{message}; it is left out"));
                return Outcome::Ignored;
            }
            report.fault(&word.place, message, help);
            return Outcome::Faulty;
        }
    };
    match served(declaration, kind, &mut fields, sources, report) {
        Some(tool) => {
            fields.finish(report);
            Outcome::Read(Box::new(tool))
        }
        None => {
            fields.finish(report);
            Outcome::Faulty
        }
    }
}

fn served(
    declaration: &Declaration,
    kind: types::Type,
    fields: &mut Fields<'_>,
    sources: &Sources<'_>,
    report: &mut Report,
) -> Option<Tool> {
    let description = fields.required_text("description", report);
    let source_name = source(kind, fields, sources, report);
    let source = source_name.as_deref().and_then(|name| sources.read.get(name));
    let annotations = annotations(fields, report);
    let limits = limits::read(fields, report);
    let read_only = read_only(fields, source, report);
    auth_required(fields, report);
    fields.not_served("scopesRequired", report);
    fields.not_served("ui", report);
    let only_reads = read_only == Some(true) || source.is_some_and(|source| source.read_only);
    let kind = match kind.what {
        What::Statement => {
            let parameters = parameters::read(fields, report);
            statement::read(kind.database.lexicon(), parameters, only_reads, fields, report)
        }
        What::ExecuteSql => Some(ToolKind::ExecuteSql),
    };
    Some(Tool {
        name: declaration.name.text.clone(),
        description: description?,
        source: source_name?,
        annotations,
        limits,
        read_only,
        kind: kind?,
    })
}

/// The source of a tool exists and has the database of the tool's type.
fn source(
    kind: types::Type,
    fields: &mut Fields<'_>,
    sources: &Sources<'_>,
    report: &mut Report,
) -> Option<String> {
    let name = fields.required_text("source", report)?;
    let place = &fields.node("source")?.place;
    let owner = fields.owner();
    match sources.declared.get(name.as_str()) {
        None => {
            if !report.is_incomplete() {
                report.fault(
                    place,
                    format!("{owner} names the source `{name}`, which is not defined"),
                    suggestion(&name, "source", sources.declared.keys().copied()),
                );
            }
            None
        }
        Some(Some(database)) if *database != kind.database => {
            report.fault(
                place,
                format!(
                    "{owner} has the type `{}`, and source `{name}` is of type `{}`",
                    kind.word,
                    database.word()
                ),
                format!(
                    "use the type `{}-{}`, or a source of type `{}`",
                    database.word(),
                    kind.what.suffix(),
                    kind.database.word()
                ),
            );
            None
        }
        Some(_) => Some(name),
    }
}

fn read_only(fields: &mut Fields<'_>, source: Option<&Source>, report: &mut Report) -> Option<bool> {
    let read_only = fields.boolean("readOnly", report)?;
    if !read_only
        && let Some(source) = source.filter(|source| source.read_only)
        && let Some(node) = fields.node("readOnly")
    {
        report.fault(
            &node.place,
            format!("{} may not write, since source `{}` is read-only", fields.owner(), source.name),
            "remove `readOnly` here, or from the source",
        );
    }
    Some(read_only)
}

fn auth_required(fields: &mut Fields<'_>, report: &mut Report) {
    for service in fields.texts("authRequired", report) {
        report.fault(
            &service.place,
            format!("{} requires the auth service `{}`, which is not defined", fields.owner(), service.text),
            "auth services are not served yet; remove `authRequired` only if anyone may call the tool",
        );
    }
}

fn annotations(fields: &mut Fields<'_>, report: &mut Report) -> Option<Annotations> {
    let node = fields.node("annotations")?;
    let owner = fields.name("annotations");
    let mut fields = Fields::new(owner, &node.place, node, fields.form(), report)?;
    let annotations = Annotations {
        read_only: fields.boolean("readOnlyHint", report),
        destructive: fields.boolean("destructiveHint", report),
        idempotent: fields.boolean("idempotentHint", report),
        open_world: fields.boolean("openWorldHint", report),
    };
    fields.finish(report);
    Some(annotations)
}
