//! From a node to the JSON value that a parameter takes. The type of the parameter decides what a plain scalar is, so
//! `007` is a text for a string and 7 for an integer; numbers keep their digits.

use serde_json::{Map, Value as Json};

use crate::{
    config::{
        node::{Content, Node, Scalar, Style},
        typed,
    },
    tool::parameter::{Kind, MapValue},
};

/// Reads a value for a parameter of a kind. What does not fit the kind stays a text or a list, and the parameter's own
/// check says so.
pub(super) fn read(node: &Node, kind: &Kind) -> Option<Json> {
    value(node, Shape::of(kind))
}

/// What a node is read as.
#[derive(Clone, Copy)]
enum Shape<'k> {
    /// As written.
    Text,
    /// A number, or a text that is none.
    Number,
    /// A boolean, or a text that is none.
    Boolean,
    /// Whatever YAML's core schema says.
    Any,
    /// A list of a kind.
    List(&'k Kind),
    /// A map with values of one type.
    Map(MapValue),
}

impl<'k> Shape<'k> {
    fn of(kind: &'k Kind) -> Self {
        match kind {
            Kind::String => Self::Text,
            Kind::Integer | Kind::Float => Self::Number,
            Kind::Boolean => Self::Boolean,
            Kind::Array(items) => Self::List(&items.kind),
            Kind::Map(None) => Self::Any,
            Kind::Map(Some(values)) => Self::Map(*values),
        }
    }

    fn of_items(self) -> Self {
        match self {
            Self::List(items) => Self::of(items),
            _ => Self::Any,
        }
    }

    fn of_values(self) -> Self {
        match self {
            Self::Map(MapValue::String) => Self::Text,
            Self::Map(MapValue::Integer | MapValue::Float) => Self::Number,
            Self::Map(MapValue::Boolean) => Self::Boolean,
            _ => Self::Any,
        }
    }
}

fn value(node: &Node, shape: Shape<'_>) -> Option<Json> {
    match &node.content {
        Content::Scalar(scalar) => Some(scalar_value(scalar, shape)),
        Content::List(items) => items
            .iter()
            .map(|item| value(item, shape.of_items()))
            .collect::<Option<Vec<_>>>()
            .map(Json::Array),
        Content::Map(entries) => entries
            .iter()
            .map(|entry| Some((entry.key.text.clone(), value(&entry.value, shape.of_values())?)))
            .collect::<Option<Map<_, _>>>()
            .map(Json::Object),
        Content::Faulty => None,
    }
}

fn scalar_value(scalar: &Scalar, shape: Shape<'_>) -> Json {
    let text = || Json::String(scalar.text.clone());
    if scalar.is_null() {
        return Json::Null;
    }
    if scalar.style != Style::Plain {
        return text();
    }
    let number = || typed::number(&scalar.text).map(Json::Number);
    let boolean = || typed::boolean(&scalar.text).map(Json::Bool);
    let typed = match shape {
        Shape::Text | Shape::List(_) | Shape::Map(_) => None,
        Shape::Number => number(),
        Shape::Boolean => boolean(),
        Shape::Any => boolean().or_else(number),
    };
    typed.unwrap_or_else(text)
}
