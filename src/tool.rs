//! Tools as served: arguments in, rows through the seam out.
//!
//! [`Tool::call`] is the whole road of one call below MCP: bind, render, query, encode. It must not know MCP, HTTP or the
//! configuration's files.

pub mod parameter;
pub mod template;

mod error;

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;
use toolbox_source::{Access, Limits, Origin, Query, RowStream, Source, Value};

use crate::{
    config::Annotations,
    seam::{self, Comparison, Encoded, Encoding, NumberFormat, Wish},
};
pub use error::{ArgumentFault, ToolError};
use parameter::Parameter;
use template::Template;

/// The one parameter of a tool that runs SQL from the model.
const SQL: &str = "sql";

/// A tool, ready to be called.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What the model reads about it.
    pub description: String,
    /// Hints to the client.
    pub annotations: Annotations,
    /// The JSON schema of its arguments: an object.
    pub input_schema: Arc<Map<String, Json>>,
    action: Action,
    source: Arc<dyn Source>,
    access: Access,
    limits: Limits,
}

/// What a tool runs.
#[derive(Debug)]
pub enum Action {
    /// A statement of the operator.
    Statement {
        /// The statement.
        statement: Template,
        /// Bound, in the order of the placeholders.
        parameters: Vec<Parameter>,
        /// Rendered into the text.
        template_parameters: Vec<Parameter>,
    },
    /// A statement of the model.
    ExecuteSql,
}

/// What a call gives back.
#[derive(Debug)]
pub struct Answer {
    /// The result, from the seam.
    pub encoded: Encoded,
    /// Names of arguments that the tool does not have, in the caller's order.
    pub ignored: Vec<String>,
}

/// The arguments of a call, bound.
struct Bound<'a> {
    parameters: Vec<Value>,
    template_parameters: Vec<(&'a str, Value)>,
    ignored: Vec<String>,
}

impl Tool {
    /// Joins what a tool says about itself with what it runs and where.
    #[must_use]
    pub fn new(
        (name, description, annotations): (String, String, Annotations),
        action: Action,
        source: Arc<dyn Source>,
        (access, limits): (Access, Limits),
    ) -> Self {
        let input_schema = Arc::new(action.input_schema());
        Self { name, description, annotations, input_schema, action, source, access, limits }
    }

    /// Calls the tool. `cancel` stops it in the database.
    ///
    /// # Errors
    ///
    /// Every wrong argument at once, or what the source says.
    pub async fn call(
        &self,
        arguments: &Map<String, Json>,
        (encoding, numbers): (Encoding, NumberFormat),
        cancel: CancellationToken,
    ) -> Result<Answer, ToolError> {
        let (rows, ignored) = self.query(arguments, cancel).await?;
        let wish = Wish { encoding, numbers, tool: &self.name };
        let encoded =
            seam::encode(rows, wish, &self.limits).await.map_err(|error| self.source_error(error))?;
        Ok(Answer { encoded, ignored })
    }

    /// Calls the tool, and compares the forms that its result may take.
    ///
    /// # Errors
    ///
    /// Every wrong argument at once, or what the source says.
    pub async fn compare(
        &self,
        arguments: &Map<String, Json>,
        cancel: CancellationToken,
    ) -> Result<Comparison, ToolError> {
        let (rows, _) = self.query(arguments, cancel).await?;
        seam::compare(rows, &self.name, &self.limits).await.map_err(|error| self.source_error(error))
    }

    /// Binds the arguments and runs the statement. Gives the names of arguments that the tool does not have, too.
    async fn query(
        &self,
        arguments: &Map<String, Json>,
        cancel: CancellationToken,
    ) -> Result<(RowStream, Vec<String>), ToolError> {
        let (statement, values, ignored, origin) = match &self.action {
            Action::Statement { statement, parameters, template_parameters } => {
                let bound = bind(parameters, template_parameters, arguments)?;
                let text = statement.render(&bound.template_parameters).map_err(ToolError::Template)?;
                (text, bound.parameters, bound.ignored, Origin::Configured)
            }
            Action::ExecuteSql => {
                let sql = match arguments.get(SQL) {
                    Some(Json::String(sql)) if !sql.trim().is_empty() => sql.as_str().into(),
                    Some(Json::String(_)) => return Err(ToolError::argument(SQL, "must not be empty")),
                    None | Some(Json::Null) => return Err(ToolError::argument(SQL, "is required")),
                    Some(_) => {
                        return Err(ToolError::argument(
                            SQL,
                            "must be a string that holds one SQL statement",
                        ));
                    }
                };
                let ignored = arguments.keys().filter(|name| *name != SQL).cloned().collect();
                (sql, Vec::new(), ignored, Origin::Model)
            }
        };
        let query =
            Query { statement, arguments: values, access: self.access, origin, limits: self.limits, cancel };
        let rows = self.source.query(query).await.map_err(|error| self.source_error(error))?;
        Ok((rows, ignored))
    }

    /// Puts the parameter's name where the source only knows a place.
    fn source_error(&self, error: toolbox_source::SourceError) -> ToolError {
        if let (
            toolbox_source::SourceError::Argument { index, message },
            Action::Statement { parameters, .. },
        ) = (&error, &self.action)
            && let Some(parameter) = parameters.get(*index)
        {
            return ToolError::argument(parameter.name(), message);
        }
        ToolError::Source(error)
    }
}

impl Action {
    /// The schema of the arguments: properties in the order written, and the names of those that a call must give.
    fn input_schema(&self) -> Map<String, Json> {
        let mut properties = Map::new();
        let mut required: Vec<Json> = Vec::new();
        match self {
            Self::Statement { parameters, template_parameters, .. } => {
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
            Self::ExecuteSql => {
                let mut sql = Map::new();
                sql.insert("type".to_owned(), "string".into());
                sql.insert("description".to_owned(), "One SQL statement.".into());
                properties.insert(SQL.to_owned(), sql.into());
                required.push(SQL.into());
            }
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("required".to_owned(), required.into());
        schema
    }
}

/// Binds all arguments, and names everything that is wrong with them at once.
fn bind<'a>(
    parameters: &'a [Parameter],
    template_parameters: &'a [Parameter],
    arguments: &Map<String, Json>,
) -> Result<Bound<'a>, ToolError> {
    let mut faults = Vec::new();
    let mut value_of = |parameter: &Parameter| {
        let argument = arguments.get(parameter.value_from().unwrap_or(parameter.name()));
        parameter.bind(argument).unwrap_or_else(|message| {
            faults.push(ArgumentFault { parameter: parameter.name().to_owned(), message });
            Value::Null
        })
    };
    let bound: Vec<Value> = parameters.iter().map(&mut value_of).collect();
    let rendered = template_parameters
        .iter()
        .map(|parameter| {
            let value = value_of(parameter);
            (parameter.name(), parameter.escaped(value))
        })
        .collect();
    if !faults.is_empty() {
        return Err(ToolError::Arguments(faults));
    }
    let known = |name: &str| {
        parameters
            .iter()
            .chain(template_parameters)
            .any(|parameter| parameter.name() == name && parameter.value_from().is_none())
    };
    let ignored = arguments.keys().filter(|name| !known(name)).cloned().collect();
    Ok(Bound { parameters: bound, template_parameters: rendered, ignored })
}
