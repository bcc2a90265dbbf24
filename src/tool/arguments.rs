//! The arguments of a call: the schema that announces them, and what they become. Nothing here knows sources' answers.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use toolbox_source::{Origin, Value};

use super::{Action, ArgumentFault, ToolError, parameter::Parameter};
use crate::seam::Encoding;

/// The one parameter of a tool that runs SQL from the model.
const SQL: &str = "sql";

/// The argument that chooses the encoding, for tools that have it. GCX1 gave it its name.
pub const ENCODING_ARGUMENT: &str = "format";

/// What the arguments of a call become.
#[derive(Debug)]
pub(super) struct Bound {
    /// The statement that runs.
    pub(super) statement: Arc<str>,
    /// One value for each of its placeholders.
    pub(super) values: Vec<Value>,
    /// Who wrote the statement.
    pub(super) origin: Origin,
    /// The encoding that the arguments ask for.
    pub(super) encoding: Option<Encoding>,
    /// Names of arguments that the tool does not have, in the caller's order.
    pub(super) ignored: Vec<String>,
}

/// The schema of the arguments: properties in the order written, then the choice of the encoding where there is one, and
/// the names of those that a call must give.
pub(super) fn schema(action: &Action, chooses_encoding: bool) -> Map<String, Json> {
    let mut properties = Map::new();
    let mut required: Vec<Json> = Vec::new();
    match action {
        Action::Statement { parameters, template_parameters, .. } => {
            for parameter in parameters.iter().chain(template_parameters) {
                if parameter.value_from().is_some() {
                    continue;
                }
                properties.insert(parameter.name().to_owned(), parameter.schema().into());
                if parameter.is_required() {
                    required.push(parameter.name().into());
                }
            }
        }
        Action::ExecuteSql => {
            properties.insert(SQL.to_owned(), text("One SQL statement.").into());
            required.push(SQL.into());
        }
    }
    if chooses_encoding {
        let mut choice = text("Form of the result. Leave it out for the usual one.");
        choice.insert("enum".to_owned(), Encoding::ALL.map(Encoding::name).to_vec().into());
        properties.insert(ENCODING_ARGUMENT.to_owned(), choice.into());
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
    schema
}

fn text(description: &str) -> Map<String, Json> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "string".into());
    schema.insert("description".to_owned(), description.into());
    schema
}

/// Binds all arguments, and names everything that is wrong with them at once.
pub(super) fn bind(
    action: &Action,
    chooses_encoding: bool,
    arguments: &Map<String, Json>,
) -> Result<Bound, ToolError> {
    let mut faults = Vec::new();
    let mut fault = |parameter: &str, message: String| {
        faults.push(ArgumentFault { parameter: parameter.to_owned(), message });
    };
    let given = |name: &str| arguments.get(name).filter(|argument| !argument.is_null());
    let bound = |parameter: &Parameter| match parameter.value_from() {
        None => parameter.bind(given(parameter.name())),
        Some(name) => {
            let copied = || action.parameter(name)?.default_value();
            parameter.bind(given(name).or_else(copied))
        }
    };
    let mut value_of = |parameter: &Parameter, value: Result<Value, String>| {
        value.unwrap_or_else(|message| {
            fault(parameter.name(), message);
            Value::Null
        })
    };
    let (mut values, mut rendered): (Vec<Value>, Vec<(&str, Value)>) = Default::default();
    let mut sql = "";
    match action {
        Action::Statement { parameters, template_parameters, .. } => {
            values = parameters.iter().map(|parameter| value_of(parameter, bound(parameter))).collect();
            let escaped = |parameter: &Parameter| bound(parameter).and_then(|value| parameter.escaped(value));
            rendered = template_parameters
                .iter()
                .map(|parameter| (parameter.name(), value_of(parameter, escaped(parameter))))
                .collect();
        }
        Action::ExecuteSql => match sql_of(arguments) {
            Ok(text) => sql = text,
            Err(message) => fault(SQL, message.to_owned()),
        },
    }
    let encoding = if chooses_encoding { encoding_of(arguments) } else { Ok(None) };
    let encoding = encoding.unwrap_or_else(|message| {
        fault(ENCODING_ARGUMENT, message);
        None
    });
    if !faults.is_empty() {
        return Err(ToolError::Arguments(faults));
    }

    let (statement, origin) = match action {
        Action::Statement { statement, .. } => {
            (statement.render(&rendered).map_err(ToolError::Template)?, Origin::Configured)
        }
        Action::ExecuteSql => (sql.into(), Origin::Model),
    };
    let known = |name: &str| match action {
        _ if chooses_encoding && name == ENCODING_ARGUMENT => true,
        Action::Statement { parameters, template_parameters, .. } => parameters
            .iter()
            .chain(template_parameters)
            .any(|parameter| parameter.name() == name && parameter.value_from().is_none()),
        Action::ExecuteSql => name == SQL,
    };
    let ignored = arguments.keys().filter(|name| !known(name)).cloned().collect();
    Ok(Bound { statement, values, origin, encoding, ignored })
}

/// The statement of the model.
fn sql_of(arguments: &Map<String, Json>) -> Result<&str, &'static str> {
    match arguments.get(SQL) {
        Some(Json::String(sql)) if !sql.trim().is_empty() => Ok(sql),
        Some(Json::String(_)) => Err("must not be empty"),
        None | Some(Json::Null) => Err("is required"),
        Some(_) => Err("must be a string that holds one SQL statement"),
    }
}

/// The encoding that the model asks for. A null counts as absent.
fn encoding_of(arguments: &Map<String, Json>) -> Result<Option<Encoding>, String> {
    match arguments.get(ENCODING_ARGUMENT) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(name)) => name
            .parse()
            .map(Some)
            .map_err(|_| format!("must be one of {}", Encoding::ALL.map(Encoding::name).join(", "))),
        Some(_) => Err("must be a string".to_owned()),
    }
}
