//! Objects of one shape, whose fields can be columns.

use serde_json::{Map, Value as Json};

/// The fields of an object, down to those that are scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape(Vec<(String, Option<Shape>)>);

/// How an object goes with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It has these fields in this order.
    Same,
    /// It has these fields, some of them in another order.
    Reordered,
    /// It has other fields, or a scalar where there was an object, or the other way round.
    Other,
}

impl Shape {
    /// The shape of an object; none if it holds a list, or an object without fields, or is one.
    pub(super) fn of(object: &Map<String, Json>) -> Option<Self> {
        let field = |(name, value): (&String, &Json)| {
            let nested = match value {
                Json::Array(_) => return None,
                Json::Object(nested) => Some(Self::of(nested)?),
                _ => None,
            };
            Some((name.clone(), nested))
        };
        let fields = object.iter().map(field).collect::<Option<Vec<_>>>()?;
        (!fields.is_empty()).then_some(Self(fields))
    }

    /// How an object goes with this shape.
    pub(super) fn fit(&self, object: &Map<String, Json>) -> Fit {
        if object.len() != self.0.len() {
            return Fit::Other;
        }
        let mut fit =
            if object.keys().eq(self.0.iter().map(|(name, _)| name)) { Fit::Same } else { Fit::Reordered };
        for (name, nested) in &self.0 {
            let of_field = match (object.get(name), nested) {
                (Some(Json::Object(value)), Some(nested)) => nested.fit(value),
                (Some(Json::Array(_) | Json::Object(_)) | None, _) | (_, Some(_)) => Fit::Other,
                _ => Fit::Same,
            };
            match of_field {
                Fit::Same => {}
                Fit::Reordered => fit = Fit::Reordered,
                Fit::Other => return Fit::Other,
            }
        }
        fit
    }

    /// Its fields, in order, each with its shape if it is an object.
    pub(super) fn fields(&self) -> &[(String, Option<Self>)] {
        &self.0
    }

    /// Whether all names of fields are of a kind.
    pub(super) fn all_names(&self, kind: impl Fn(&str) -> bool + Copy) -> bool {
        self.0
            .iter()
            .all(|(name, nested)| kind(name) && nested.as_ref().is_none_or(|nested| nested.all_names(kind)))
    }

    /// How many scalars an object of this shape has.
    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|(_, nested)| nested.as_ref().map_or(1, Self::count)).sum()
    }
}

/// Gives the scalars of an object to `each`, in order, until it gives none.
pub(super) fn leaves<'a>(
    object: &'a Map<String, Json>,
    each: &mut impl FnMut(&'a Json) -> Option<()>,
) -> Option<()> {
    object.values().try_for_each(|value| match value {
        Json::Object(nested) => leaves(nested, each),
        leaf => each(leaf),
    })
}
