//! Tools as written.

mod json;
mod parameters;
mod read;
mod statement;
mod types;

use crate::{
    config::source::LimitSettings,
    seam::{Encoding, NumberFormat},
    tool::{parameter::Parameter, template::Template},
};

pub(super) use self::read::{Declared, Outcome, Sources, read};

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name: 1 to 128 of `A-Z a-z 0-9 _ . -`.
    pub name: String,
    /// What the model reads about it.
    pub description: String,
    /// The name of its source, which exists and has the database of the tool's type.
    pub source: String,
    /// `annotations`; absent means the default of the kind.
    pub annotations: Option<Annotations>,
    /// Limits of its own; they can only tighten those of the source.
    pub limits: LimitSettings,
    /// `readOnly`; absent means the source's, or true for SQL from the model.
    pub read_only: Option<bool>,
    /// `responseEncoding`; absent means the toolset's or the server's.
    pub encoding: Option<Encoding>,
    /// `encodingArgument`: whether a call may choose the encoding by the argument
    /// [`ENCODING_ARGUMENT`](crate::tool::ENCODING_ARGUMENT), which none of the parameters then is.
    pub encoding_argument: bool,
    /// `numberFormat`; absent means the server's.
    pub numbers: Option<NumberFormat>,
    /// What it runs.
    pub kind: ToolKind,
}

/// What a tool runs.
#[derive(Debug)]
pub enum ToolKind {
    /// `<database>-sql`: a statement of the operator.
    Statement {
        /// The statement, with or without template actions.
        statement: Template,
        /// `parameters`: bound, in the order of the placeholders.
        parameters: Vec<Parameter>,
        /// `templateParameters`: rendered into the text.
        template_parameters: Vec<Parameter>,
    },
    /// `<database>-execute-sql`: a statement of the model, in the parameter `sql`.
    ExecuteSql,
}

/// Hints to the client, as MCP defines them. Absent ones are not sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}
