//! Reads `parameters` and `templateParameters`.

use std::collections::HashMap;

use super::json;
use crate::{
    config::{
        diagnostic::Report,
        fields::{Fields, Form},
        nearest::suggestion,
        node::{Content, Key, Node, Scalar},
        text::Place,
    },
    tool::parameter::{Escape, Kind, MapValue, Parameter, ParameterFault, Quoting, Written},
};

/// Names that the server keeps for itself in the query of its URL.
const RESERVED: [&str; 2] = ["sessionId", "response-encoding"];
/// Words after `type:`.
const TYPES: [&str; 6] = ["string", "integer", "float", "boolean", "array", "map"];
/// Words after `valueType:`.
const VALUE_TYPES: [(&str, MapValue); 4] = [
    ("string", MapValue::String),
    ("integer", MapValue::Integer),
    ("float", MapValue::Float),
    ("boolean", MapValue::Boolean),
];

/// Words after `escape:`, for a database with these quotes.
fn escapes(quoting: Quoting) -> [(&'static str, Escape); 5] {
    [
        ("single-quotes", Escape::SingleQuotes(quoting.backslash)),
        ("double-quotes", Escape::DoubleQuotes(quoting.backslash)),
        ("backticks", Escape::Backticks),
        ("square-brackets", Escape::SquareBrackets),
        ("identifier", Escape::Identifier(quoting.names)),
    ]
}

/// The parameters of a tool.
pub(super) struct Parameters {
    /// Those that are bound.
    pub(super) bound: Vec<Parameter>,
    /// Those that are rendered into the text.
    pub(super) template: Vec<Parameter>,
    /// How many of the bound ones are written, faulty ones included.
    pub(super) bound_written: usize,
    /// The names of the template ones that are written, faulty ones included.
    pub(super) template_names: Vec<String>,
    /// Whether all of them could be read.
    pub(super) complete: bool,
}

/// A parameter with what is needed to report on it.
struct Read {
    name: Key,
    value_from: Option<Key>,
    parameter: Option<Parameter>,
}

/// Reads both lists of a tool. `taken` are names of arguments that the tool has beside its parameters, and `quoting` is what
/// its database has around names.
pub(super) fn read(
    taken: &[&str],
    quoting: Quoting,
    fields: &mut Fields<'_>,
    report: &mut Report,
) -> Parameters {
    let owner = fields.owner().to_owned();
    let form = fields.form();
    let mut one_list = |key| -> Vec<Option<Read>> {
        fields.list(key, report).iter().map(|node| one(node, quoting, &owner, form, report)).collect()
    };
    let bound = one_list("parameters");
    let template = one_list("templateParameters");

    let all: Vec<&Read> = bound.iter().chain(&template).flatten().collect();
    check_names(&all, taken, &owner, report);
    let complete =
        bound.iter().chain(&template).all(|read| matches!(read, Some(Read { parameter: Some(_), .. })));
    Parameters {
        bound_written: bound.len(),
        template_names: template.iter().flatten().map(|read| read.name.text.clone()).collect(),
        bound: bound.into_iter().flatten().filter_map(|read| read.parameter).collect(),
        template: template.into_iter().flatten().filter_map(|read| read.parameter).collect(),
        complete,
    }
}

/// Names are unique over both lists and none is taken, and `valueFromParam` names another one.
fn check_names(all: &[&Read], taken: &[&str], owner: &str, report: &mut Report) {
    let mut seen: HashMap<&str, &Place> = HashMap::new();
    for Read { name, .. } in all {
        if seen.insert(&name.text, &name.place).is_some() {
            report.fault(
                &name.place,
                format!("{owner} has two parameters named `{}`", name.shown),
                "rename one of them; a name counts for `parameters` and `templateParameters` together",
            );
        }
        if taken.contains(&name.text.as_str()) {
            report.fault(
                &name.place,
                format!(
                    "`encodingArgument` of {owner} adds an argument `{}`, and a parameter has that name",
                    name.shown
                ),
                "rename the parameter, or remove `encodingArgument`",
            );
        }
        if RESERVED.contains(&name.text.as_str()) {
            report.warn(format!(
                "parameter `{}` of {owner} cannot be given in the query of the URL, where the server keeps this name \
                 for itself",
                name.text
            ));
        }
    }
    for read in all {
        let Some(from) = &read.value_from else { continue };
        if from.text == read.name.text {
            report.fault(
                &from.place,
                format!("parameter `{}` of {owner} takes its value from itself", read.name.shown),
                "name another parameter, or remove `valueFromParam`",
            );
        } else if !seen.contains_key(from.text.as_str()) {
            let others = all
                .iter()
                .filter(|other| other.name.text != read.name.text)
                .map(|other| other.name.shown.as_str());
            report.fault(
                &from.place,
                format!(
                    "parameter `{}` of {owner} takes its value from `{}`, which is no parameter of the tool",
                    read.name.shown, from.shown
                ),
                suggestion(&from.shown, "other parameter", others),
            );
        }
    }
}

fn one(node: &Node, quoting: Quoting, owner: &str, form: Form, report: &mut Report) -> Option<Read> {
    let (shown, place) = match name_of(node) {
        Some(Node { content: Content::Scalar(name), place }) => {
            (format!("parameter `{}` of {owner}", name.shown()), place)
        }
        _ => (format!("a parameter of {owner}"), &node.place),
    };
    let mut fields = Fields::new(shown, place, node, form, report)?;
    let name = fields.required_name("name", report);
    let value_from = fields.node("valueFromParam").and_then(Node::key);
    let text = name.as_ref().map(|name| name.text.clone());
    let written = written(text, quoting, &mut fields, Level::Parameter, report);
    let parameter = written.and_then(|written| check(written, node, fields.owner(), report));
    fields.finish(report);
    Some(Read { name: name?, value_from, parameter })
}

fn name_of(node: &Node) -> Option<&Node> {
    match &node.content {
        Content::Map(entries) => {
            entries.iter().find(|entry| entry.key.text == "name").map(|entry| &entry.value)
        }
        _ => None,
    }
}

/// Whether a parameter object is a parameter or describes the items of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Parameter,
    Items,
}

/// Reads all fields of a parameter object but its name.
fn written(
    name: Option<String>,
    quoting: Quoting,
    fields: &mut Fields<'_>,
    level: Level,
    report: &mut Report,
) -> Option<Written> {
    let description = fields.required_text("description", report);
    let kind = kind(quoting, fields, report);
    let required = fields.boolean("required", report);
    fields.not_served("authServices", report);
    fields.not_served("embeddedBy", report);
    let escape = word(fields, "escape", &escapes(quoting), report);
    let [min, max] = ["minValue", "maxValue"].map(|key| fields.number(key, report));
    let default = fields.node("default");
    let [allowed, excluded] = ["allowedValues", "excludedValues"].map(|key| fields.list(key, report));
    let value_from = fields.text("valueFromParam", report);
    let kind = kind?;
    let json = |node: &Node| json::read(node, &kind);
    Some(Written {
        default: default.and_then(json).filter(|_| level == Level::Parameter),
        allowed: allowed.iter().filter_map(json).collect(),
        excluded: excluded.iter().filter_map(json).collect(),
        name: name?,
        description: description?,
        required: required.filter(|_| level == Level::Parameter),
        min,
        max,
        escape,
        value_from,
        kind,
    })
}

fn kind(quoting: Quoting, fields: &mut Fields<'_>, report: &mut Report) -> Option<Kind> {
    let word = fields.type_word(report)?;
    let kind = match word.text.as_str() {
        "string" => Some(Kind::String),
        "integer" => Some(Kind::Integer),
        "float" => Some(Kind::Float),
        "boolean" => Some(Kind::Boolean),
        "array" => items(quoting, fields, report).map(|items| Kind::Array(Box::new(items))),
        "map" => Some(Kind::Map(self::word(fields, "valueType", &VALUE_TYPES, report))),
        other => {
            let help = match other {
                "int" | "bigint" | "long" => "the word for this is `integer`".to_owned(),
                "number" | "double" | "decimal" => "use `float`, or `integer` for whole numbers".to_owned(),
                "bool" => "the word for this is `boolean`".to_owned(),
                "object" => "the word for this is `map`".to_owned(),
                "list" => "the word for this is `array`".to_owned(),
                "text" | "date" | "datetime" | "timestamp" | "time" | "uuid" => {
                    "use `string`; the database reads the text".to_owned()
                }
                _ => suggestion(&word.shown, "type", TYPES),
            };
            report.fault(
                &word.place,
                format!("{} has the unknown type `{}`", fields.owner(), word.shown),
                help,
            );
            None
        }
    };
    if word.text != "array" {
        refuse(fields, "items", "only an array has items", report);
    }
    if word.text != "map" {
        refuse(fields, "valueType", "only a map has a type of its values", report);
    }
    kind
}

fn items(quoting: Quoting, fields: &mut Fields<'_>, report: &mut Report) -> Option<Written> {
    let node = fields.required_node("items", report)?;
    let owner = fields.name("items");
    let mut fields = Fields::new(owner, &node.place, node, fields.form(), report)?;
    let name = fields.required_text("name", report);
    let written = written(name, quoting, &mut fields, Level::Items, report);
    fields.finish(report);
    written
}

/// A word of a fixed list.
fn word<T: Copy>(
    fields: &mut Fields<'_>,
    key: &'static str,
    words: &[(&'static str, T)],
    report: &mut Report,
) -> Option<T> {
    let node = fields.node(key)?;
    let text = fields.text(key, report)?;
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    if found.is_none() {
        let message = format!("{} cannot be {}", fields.name(key), node.description());
        let shown = node.scalar().map_or("", Scalar::shown);
        report.fault(&node.place, message, suggestion(shown, "word", words.iter().map(|(word, _)| *word)));
    }
    found
}

/// Refuses a field that the type has no use for.
fn refuse(fields: &mut Fields<'_>, key: &'static str, why: &str, report: &mut Report) {
    if fields.node(key).is_some()
        && let Some(place) = fields.key_place(key)
    {
        report.fault(place, format!("{} has no meaning: {why}", fields.name(key)), "remove it");
    }
}

/// Checks a parameter against its own rules; a fault points at the very field, or at the element of its list.
fn check(written: Written, node: &Node, owner: &str, report: &mut Report) -> Option<Parameter> {
    let faults = match Parameter::check(written) {
        Ok(parameter) => return Some(parameter),
        Err(faults) => faults,
    };
    for ParameterFault { field, depth, element, message } in faults {
        let found = find(node, depth, field);
        let found = match (element, found) {
            (Some(element), Some(Node { content: Content::List(items), .. })) => items.get(element).or(found),
            _ => found,
        };
        let target = found.unwrap_or(node);
        let message = match target.variables().first() {
            // The message may quote the value, which came from a variable and stays out of the report.
            Some(name) => format!("{owner}: `{field}` cannot be the value of ${{{name}}}"),
            None => format!("{owner}: {message}"),
        };
        report.fault(&target.place, message, "the rules of a parameter hold for its own fields too");
    }
    None
}

/// A field of a parameter, or of its `items` so many levels down.
fn find<'n>(node: &'n Node, depth: usize, field: &str) -> Option<&'n Node> {
    std::iter::repeat_n("items", depth).chain([field]).try_fold(node, |node, key| match &node.content {
        Content::Map(entries) => entries.iter().find(|entry| entry.key.text == key).map(|entry| &entry.value),
        _ => None,
    })
}
