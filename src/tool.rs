//! Tools as served: arguments in, rows through the seam out.
//!
//! [`Tool::call`] is the whole road of one call below MCP: bind, render, query, encode. It must not know MCP, HTTP or the
//! configuration's files.

pub mod parameter;
pub mod template;

mod arguments;
mod error;

use std::{collections::HashSet, sync::Arc};

use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;
use toolbox_source::{Access, Declared, Limits, Query, RowStream, Source};

use crate::{
    config::Annotations,
    seam::{self, Comparison, Encoded, Encoding, NumberFormat, Wish},
};
use arguments::Bound;
pub use arguments::ENCODING_ARGUMENT;
pub use error::{ArgumentFault, ToolError};
use parameter::Parameter;
use template::Template;

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
    /// The kinds of its bound parameters.
    declared: Arc<[Declared]>,
    form: Form,
    source: Arc<dyn Source>,
    access: Access,
    limits: Limits,
}

/// What decides the form of a tool's results, besides the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Form {
    /// The encoding that the tool asks for; none leaves it to the toolset and the server.
    pub encoding: Option<Encoding>,
    /// Whether a call may choose the encoding by the argument [`ENCODING_ARGUMENT`].
    pub argument: bool,
    /// How the tool asks for numbers to be written; none leaves it to the server.
    pub numbers: Option<NumberFormat>,
}

/// The form of a result as the caller and the server wish it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preference {
    /// The encoding that the client asks for with this call. It goes before that of the tool, and after the one that the
    /// arguments ask for.
    pub call: Option<Encoding>,
    /// The encoding where neither the call nor the tool asks for one.
    pub otherwise: Encoding,
    /// How numbers are written where the tool does not say so.
    pub numbers: NumberFormat,
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

impl Action {
    /// The parameter of this name.
    fn parameter(&self, name: &str) -> Option<&Parameter> {
        match self {
            Self::Statement { parameters, template_parameters, .. } => {
                parameters.iter().chain(template_parameters).find(|parameter| parameter.name() == name)
            }
            Self::ExecuteSql => None,
        }
    }
}

/// What a call gives back.
#[derive(Debug)]
pub struct Answer {
    /// The result, from the seam.
    pub encoded: Encoded,
    /// The encoding that was wished for.
    pub wish: Encoding,
    /// Names of arguments that the tool does not have, in the caller's order.
    pub ignored: Vec<String>,
}

impl Tool {
    /// Joins what a tool says about itself with what it runs and where.
    #[must_use]
    pub fn new(
        (name, description, annotations): (String, String, Annotations),
        action: Action,
        form: Form,
        source: Arc<dyn Source>,
        (access, limits): (Access, Limits),
    ) -> Self {
        let input_schema = Arc::new(arguments::schema(&action, form.argument));
        let declared = match &action {
            Action::Statement { parameters, .. } => parameters.iter().map(Parameter::declared).collect(),
            Action::ExecuteSql => Arc::from([]),
        };
        Self { name, description, annotations, input_schema, action, declared, form, source, access, limits }
    }

    /// Calls the tool. `cancel` stops it in the database.
    ///
    /// # Errors
    ///
    /// Every wrong argument at once, or what the source says.
    pub async fn call(
        &self,
        arguments: &Map<String, Json>,
        preference: Preference,
        cancel: CancellationToken,
    ) -> Result<Answer, ToolError> {
        let mut bound = arguments::bind(&self.action, self.form.argument, arguments)?;
        let encoding =
            bound.encoding.or(preference.call).or(self.form.encoding).unwrap_or(preference.otherwise);
        let numbers = self.form.numbers.unwrap_or(preference.numbers);
        let wish = Wish { encoding, numbers, tool: &self.name };
        let ignored = std::mem::take(&mut bound.ignored);
        let rows = self.rows(bound, cancel).await?;
        let encoded =
            seam::encode(rows, wish, &self.limits).await.map_err(|error| self.source_error(error))?;
        Ok(Answer { encoded, wish: encoding, ignored })
    }

    /// Calls the tool, and compares the forms that its result may take.
    ///
    /// # Errors
    ///
    /// Every wrong argument at once, or what the source says.
    pub async fn compare(
        &self,
        arguments: &Map<String, Json>,
        numbers: NumberFormat,
        cancel: CancellationToken,
    ) -> Result<Comparison, ToolError> {
        let bound = arguments::bind(&self.action, self.form.argument, arguments)?;
        let numbers = self.form.numbers.unwrap_or(numbers);
        let rows = self.rows(bound, cancel).await?;
        seam::compare(rows, &self.name, numbers, &self.limits).await.map_err(|error| self.source_error(error))
    }

    /// Runs the statement.
    async fn rows(&self, bound: Bound, cancel: CancellationToken) -> Result<RowStream, ToolError> {
        let query = Query {
            statement: bound.statement,
            arguments: bound.values,
            declared: self.declared.clone(),
            access: self.access,
            origin: bound.origin,
            limits: self.limits,
            cancel,
        };
        self.source.query(query).await.map_err(|error| self.source_error(error))
    }

    /// Puts the parameters' names where the source only knows places.
    fn source_error(&self, error: toolbox_source::SourceError) -> ToolError {
        let Action::Statement { parameters, .. } = &self.action else { return ToolError::Source(error) };
        let (indexes, message) = match &error {
            toolbox_source::SourceError::Argument { index, message } => {
                (std::slice::from_ref(index), message)
            }
            toolbox_source::SourceError::Arguments { indexes, message } => (indexes.as_slice(), message),
            _ => return ToolError::Source(error),
        };
        // The caller knows of no parameter that copies another one.
        let published =
            |parameter: &Parameter| parameter.value_from().unwrap_or_else(|| parameter.name()).to_owned();
        let mut names: Vec<String> =
            indexes.iter().filter_map(|index| parameters.get(*index)).map(published).collect();
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        match names.as_slice() {
            [] => ToolError::Source(error),
            [parameter] => ToolError::argument(parameter, message),
            _ => ToolError::Together { message: message.clone(), parameters: names },
        }
    }
}
