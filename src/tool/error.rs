//! Why a call has no result, in the words that the model reads.

use std::fmt;

use toolbox_source::SourceError;

use super::template::TemplateFault;

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolError {
    /// Arguments are missing or wrong; nothing ran.
    Arguments(Vec<ArgumentFault>),
    /// The database refused a value that is made of these arguments, or is one of them.
    Together {
        /// The parameters, at least two.
        parameters: Vec<String>,
        /// What the database says.
        message: String,
    },
    /// The statement's template cannot be rendered with these arguments; nothing ran.
    Template(TemplateFault),
    /// The source's answer.
    Source(SourceError),
    /// A defect of the toolbox. Its details are in the log.
    Internal,
}

/// What is wrong with one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentFault {
    /// The parameter.
    pub parameter: String,
    /// What is wrong, as the end of a sentence that begins with the parameter's name.
    pub message: String,
}

impl ToolError {
    pub(super) fn argument(parameter: &str, message: &str) -> Self {
        Self::Arguments(vec![ArgumentFault { parameter: parameter.to_owned(), message: message.to_owned() }])
    }

    /// A short word for logs.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Arguments(_) | Self::Together { .. } => "arguments",
            Self::Template(_) => "template",
            Self::Internal => "internal",
            Self::Source(error) => match error {
                SourceError::Connect(_) => "connect",
                SourceError::Busy { .. } => "busy",
                SourceError::Database(_) => "database",
                SourceError::Refused(_) => "refused",
                SourceError::Argument { .. } | SourceError::Arguments { .. } => "argument",
                SourceError::Column { .. } => "column",
                SourceError::Timeout(_) => "timeout",
                SourceError::Cancelled => "cancelled",
                SourceError::OutcomeUnknown(_) => "outcome_unknown",
                SourceError::Migration(_) => "migration",
                _ => "source",
            },
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(faults) => {
                formatter.write_str("provided parameters were invalid: ")?;
                for (index, fault) in faults.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "; " };
                    write!(formatter, "{separator}parameter {:?} {}", fault.parameter, fault.message)?;
                }
                Ok(())
            }
            Self::Together { parameters, message } => {
                formatter.write_str("provided parameters were invalid: parameters ")?;
                for (index, parameter) in parameters.iter().enumerate() {
                    let separator = match index {
                        0 => "",
                        last if last + 1 == parameters.len() => " and ",
                        _ => ", ",
                    };
                    write!(formatter, "{separator}{parameter:?}")?;
                }
                write!(formatter, " {message}")
            }
            Self::Template(fault) => fault.fmt(formatter),
            Self::Source(error) => write!(formatter, "unable to execute query: {error}"),
            Self::Internal => {
                formatter.write_str("internal error: the call failed inside the toolbox; its log says more")
            }
        }
    }
}

impl std::error::Error for ToolError {}
