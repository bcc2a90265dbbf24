//! One parameter of a tool: checked once at start, then the way from a JSON argument to a [`Value`].
//!
//! Arguments are as exact as results: an integer or a decimal keeps all its digits, because JSON numbers are read as their
//! text (`arbitrary_precision`) and never pass through a double.

mod bind;
mod escape;
mod rule;
mod schema;
#[cfg(test)]
mod tests;

use serde_json::{Map, Number, Value as Json};
use toolbox_source::{Declared, Value};

pub use escape::{Backslash, Escape, NameQuote, Quoting};
use rule::Rules;

/// A parameter as written, before it is checked.
#[derive(Clone, Debug)]
pub struct Written {
    /// `name`.
    pub name: String,
    /// `type`, with `items` or `valueType`.
    pub kind: Kind,
    /// `description`.
    pub description: String,
    /// `required`; absent means true.
    pub required: Option<bool>,
    /// `default`; a JSON null or an absent field means none. Numbers keep their digits.
    pub default: Option<Json>,
    /// `allowedValues`.
    pub allowed: Vec<Json>,
    /// `excludedValues`.
    pub excluded: Vec<Json>,
    /// `minValue`: a number.
    pub min: Option<Number>,
    /// `maxValue`: a number.
    pub max: Option<Number>,
    /// `escape`.
    pub escape: Option<Escape>,
    /// `valueFromParam`: the name of another parameter whose value this one copies.
    pub value_from: Option<String>,
}

/// What a parameter takes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `string`.
    String,
    /// `integer`: any integer of 64 bits, signed or unsigned.
    Integer,
    /// `float`: any number within the range of a double, with all its digits.
    Float,
    /// `boolean`.
    Boolean,
    /// `array`, of one kind of item.
    Array(Box<Written>),
    /// `map`, of one kind of value or of any.
    Map(Option<MapValue>),
}

/// `valueType` of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapValue {
    /// `string`.
    String,
    /// `integer`.
    Integer,
    /// `float`.
    Float,
    /// `boolean`.
    Boolean,
}

/// A checked parameter.
#[derive(Debug)]
pub struct Parameter {
    name: String,
    description: String,
    kind: CheckedKind,
    rules: Rules,
    required: bool,
    default: Option<Json>,
    escape: Option<Escape>,
    value_from: Option<String>,
}

/// [`Kind`] with checked items.
#[derive(Debug)]
enum CheckedKind {
    String,
    Integer,
    Float,
    Boolean,
    Array(Box<Parameter>),
    Map(Option<MapValue>),
}

impl CheckedKind {
    /// What a database is told of it.
    fn declared(&self) -> Declared {
        match self {
            Self::String => Declared::Text,
            Self::Integer => Declared::Integer,
            Self::Float => Declared::Float,
            Self::Boolean => Declared::Boolean,
            Self::Array(items) => Declared::List(Box::new(items.declared())),
            Self::Map(_) => Declared::Map,
        }
    }

    /// What an argument must be, for messages.
    fn noun(&self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Float => "a number",
            Self::Boolean => "true or false",
            Self::Array(_) => "an array",
            Self::Map(_) => "an object",
        }
    }
}

/// What is wrong with a parameter as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterFault {
    /// The field that is wrong: `default`, `minValue`, `allowedValues`, ….
    pub field: &'static str,
    /// How many `items` lie between the parameter and the field: 0 for a field of the parameter itself.
    pub depth: usize,
    /// Which element of a list field, from 0.
    pub element: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl ParameterFault {
    fn new(field: &'static str, message: String) -> Self {
        Self { field, depth: 0, element: None, message }
    }
}

impl Parameter {
    /// What a database is told of its type.
    #[must_use]
    pub fn declared(&self) -> Declared {
        self.kind.declared()
    }

    /// Checks a parameter: bounds that fit its type and each other, entries of its own type, a default that its own rules
    /// allow.
    ///
    /// # Errors
    ///
    /// All faults.
    pub fn check(written: Written) -> Result<Self, Vec<ParameterFault>> {
        let mut faults = Vec::new();
        let kind = match written.kind {
            Kind::String => CheckedKind::String,
            Kind::Integer => CheckedKind::Integer,
            Kind::Float => CheckedKind::Float,
            Kind::Boolean => CheckedKind::Boolean,
            Kind::Map(value) => CheckedKind::Map(value),
            Kind::Array(items) => match Self::check(*items) {
                Ok(items) => CheckedKind::Array(Box::new(items)),
                Err(inner) => {
                    return Err(inner
                        .into_iter()
                        .map(|fault| ParameterFault { depth: fault.depth + 1, ..fault })
                        .collect());
                }
            },
        };
        let rules = Rules::check(&kind, &written.allowed, &written.excluded, written.min, written.max)
            .unwrap_or_else(|found| {
                faults.extend(found);
                Rules::default()
            });
        if written.escape.is_some() && !matches!(kind, CheckedKind::String) {
            let message = match kind {
                CheckedKind::Array(_) => {
                    "escape belongs to string parameters; for the elements of an array write it under items"
                }
                _ => "escape belongs to string parameters; remove it",
            };
            faults.push(ParameterFault::new("escape", message.to_owned()));
        }
        let parameter = Self {
            name: written.name,
            description: written.description,
            kind,
            rules,
            required: written.required.unwrap_or(true),
            default: written.default.filter(|default| !default.is_null()),
            escape: written.escape,
            value_from: written.value_from,
        };
        if let Some(default) = &parameter.default
            && faults.is_empty()
            && let Err(message) = parameter.value(default)
        {
            faults.push(ParameterFault::new("default", format!("the default {message}")));
        }
        if faults.is_empty() { Ok(parameter) } else { Err(faults) }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its JSON schema: a plain `type` with `description`, and `items`, `additionalProperties`, `enum`, `minimum`,
    /// `maximum` and `default` where they apply.
    #[must_use]
    pub fn schema(&self) -> Map<String, Json> {
        schema::of(self)
    }

    /// Whether a call must give it.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required && self.default.is_none() && self.value_from.is_none()
    }

    /// The parameter whose value it copies; it is then neither published nor taken from the caller.
    #[must_use]
    pub fn value_from(&self) -> Option<&str> {
        self.value_from.as_deref()
    }

    /// What stands for an absent argument.
    #[must_use]
    pub fn default_value(&self) -> Option<&Json> {
        self.default.as_ref()
    }

    /// The value of an argument, or of its absence; a JSON null counts as absent.
    ///
    /// # Errors
    ///
    /// What is wrong with the argument, as the end of a sentence that begins with the parameter's name.
    pub fn bind(&self, argument: Option<&Json>) -> Result<Value, String> {
        match argument.filter(|argument| !argument.is_null()).or(self.default.as_ref()) {
            Some(argument) => self.value(argument),
            // Of a copy, nobody can give more than the parameter that it copies has.
            None if self.required && self.value_from.is_none() => Err("is required".to_owned()),
            None => Ok(Value::Null),
        }
    }

    /// The same value as it goes into a template: texts are put between the delimiters of `escape`.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, as the end of a sentence that begins with the parameter's name.
    pub fn escaped(&self, value: Value) -> Result<Value, String> {
        Ok(match (&self.kind, value) {
            (CheckedKind::Array(items), Value::Array(values)) => {
                Value::Array(values.into_iter().map(|value| items.escaped(value)).collect::<Result<_, _>>()?)
            }
            (_, Value::Text(text)) => match self.escape {
                Some(escape) => Value::Text(escape.apply(&text)?),
                None => Value::Text(text),
            },
            (_, value) => value,
        })
    }
}
