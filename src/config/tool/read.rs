//! Reads the fields of a tool.

use indexmap::IndexMap;

use super::{
    Annotations, Tool, ToolKind, parameters, statement,
    types::{self, Known, What},
};
use crate::config::{
    choice,
    declaration::{self, Declaration},
    diagnostic::Report,
    fields::Fields,
    limits,
    nearest::suggestion,
    source::{DatabaseType, Source},
};
use crate::tool::ENCODING_ARGUMENT;

/// What a tool may refer to: the sources that are declared, and those of them that could be read.
pub(crate) struct Sources<'s> {
    /// All of them by name.
    pub(crate) declared: &'s IndexMap<&'s str, Declared<'s>>,
    /// The sources without faults.
    pub(crate) read: &'s IndexMap<String, Source>,
}

/// What is known of a declared source, faulty or not.
pub(crate) struct Declared<'s> {
    /// Its name as messages show it.
    pub(crate) shown: &'s str,
    /// Its type, where that is known.
    pub(crate) database: Option<DatabaseType>,
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
                    format!("{owner}: tools of type `{}` are not served yet", word.shown),
                    "remove the tool, or start with --ignore-unknown-tools".to_owned(),
                ),
                _ => {
                    (format!("{owner} has the unknown type `{}`", word.shown), types::suggestion(&word.shown))
                }
            };
            if ignore_unknown {
                report.warn(format!("{message}; it is left out"));
                return Outcome::Ignored;
            }
            report.fault(&word.place, message, help);
            // The other faults of a tool show in the same run when its type is merely misspelt.
            if let Some(guess) = types::guess(&word.text) {
                served(declaration, guess, &mut fields, sources, report);
                fields.finish(report);
            }
            return Outcome::Faulty;
        }
    };
    let tool = served(declaration, kind, &mut fields, sources, report);
    fields.finish(report);
    tool.map_or(Outcome::Faulty, |tool| Outcome::Read(Box::new(tool)))
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
    if let Some(source) = source {
        limits::warn_where_looser(fields.owner(), limits, source, report);
    }
    let encoding = choice::encoding(fields, report);
    let encoding_argument = fields.boolean("encodingArgument", report).unwrap_or(false);
    let numbers = choice::numbers(fields, report);
    let read_only = read_only(fields, source, report);
    auth_required(fields, report);
    fields.not_served("scopesRequired", report);
    fields.not_served("ui", report);
    let only_reads = read_only == Some(true) || source.is_some_and(|source| source.read_only);
    let kind = match kind.what {
        What::Statement => {
            let taken = if encoding_argument { &[ENCODING_ARGUMENT][..] } else { &[] };
            let parameters = parameters::read(taken, kind.database.quoting(), fields, report);
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
        encoding,
        encoding_argument,
        numbers,
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
    let name = fields.required_name("source", report)?;
    let owner = fields.owner();
    match sources.declared.get(name.text.as_str()).map(|declared| declared.database) {
        None => {
            if !report.is_incomplete() {
                report.fault(
                    &name.place,
                    format!("{owner} names the source `{}`, which is not defined", name.shown),
                    suggestion(&name.shown, "source", sources.declared.values().map(|known| known.shown)),
                );
            }
            None
        }
        Some(Some(database)) if database != kind.database => {
            report.fault(
                &name.place,
                format!(
                    "{owner} has the type `{}`, and source `{}` is of type `{}`",
                    kind.word,
                    name.shown,
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
        Some(_) => Some(name.text),
    }
}

fn read_only(fields: &mut Fields<'_>, source: Option<&Source>, report: &mut Report) -> Option<bool> {
    let read_only = fields.boolean("readOnly", report)?;
    if !read_only
        && source.is_some_and(|source| source.read_only)
        && let Some(node) = fields.node("readOnly")
    {
        report.fault(
            &node.place,
            format!("{} may not write, since its source is read-only", fields.owner()),
            "remove `readOnly` here, or from the source",
        );
    }
    Some(read_only)
}

fn auth_required(fields: &mut Fields<'_>, report: &mut Report) {
    for service in fields.texts("authRequired", report) {
        report.fault(
            &service.place,
            format!("{} requires the auth service `{}`, which is not defined", fields.owner(), service.shown),
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
