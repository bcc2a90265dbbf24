//! The spanned tree of a document: what YAML says, before any field gives it a meaning.

use super::text::Place;

/// One value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Where: for a scalar its own text; for a list or a map its first line.
    pub(super) place: Place,
    /// What it is.
    pub(super) content: Content,
}

/// What a node is.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A text. What it means depends on the field that receives it.
    Scalar(Scalar),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order written, each key once.
    Map(Vec<Entry>),
    /// Something with a fault that is already reported.
    Faulty,
}

/// One entry of a map.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The key.
    pub(super) key: Key,
    /// The value.
    pub(super) value: Node,
}

/// A key, or any other name, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// Its text.
    pub(super) text: String,
    /// The text as messages show it: with `${NAME}` where it holds the value of a variable.
    pub(super) shown: String,
    /// Where.
    pub(super) place: Place,
}

/// A text as written, with the values of variables put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    /// The text.
    pub(super) text: String,
    /// How it is written.
    pub(super) style: Style,
    /// The variables whose values are in it. Such a text is never shown.
    pub(super) variables: Vec<String>,
    /// The text with the references themselves in place of the values; none where there are no variables.
    pub(super) referring: Option<String>,
    /// Where each line of the text stands in the file, in bytes, as far as it stands there word for word.
    pub(super) lines: Vec<Option<usize>>,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Without quotes: `~` means null, and `5` may be a number.
    Plain,
    /// In quotes, or tagged `!!str`.
    Quoted,
    /// A block, `|` or `>`.
    Block,
}

impl Scalar {
    /// The text as messages may show it.
    pub(super) fn shown(&self) -> &str {
        self.referring.as_deref().unwrap_or(&self.text)
    }

    /// Whether this is YAML's null: an empty plain scalar, `~` or `null`. A value that came from a variable never is.
    pub(super) fn is_null(&self) -> bool {
        self.style == Style::Plain
            && self.variables.is_empty()
            && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }
}

impl Node {
    /// The scalar, if it is one.
    pub(super) fn scalar(&self) -> Option<&Scalar> {
        match &self.content {
            Content::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Whether this is YAML's null.
    pub(super) fn is_null(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_null)
    }

    /// Whether a fault in it is already reported.
    pub(super) fn is_faulty(&self) -> bool {
        matches!(self.content, Content::Faulty)
    }

    /// What it is, for a message: `a list`, `` `abc` ``, `the value of ${PORT}`.
    pub(super) fn description(&self) -> String {
        match &self.content {
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "a map".to_owned(),
            Content::Faulty => "something else".to_owned(),
            Content::Scalar(scalar) => match scalar.variables.first() {
                Some(name) => format!("the value of ${{{name}}}"),
                None if scalar.is_null() => "nothing".to_owned(),
                None if scalar.text.chars().count() > 40 || scalar.text.contains('\n') => {
                    "a long text".to_owned()
                }
                None => format!("`{}`", scalar.text),
            },
        }
    }

    /// This scalar as a name.
    pub(super) fn key(&self) -> Option<Key> {
        let scalar = self.scalar()?;
        let shown = scalar.shown().to_owned();
        Some(Key { text: scalar.text.clone(), shown, place: self.place.clone() })
    }

    /// The place in the file of what follows an offset of a text, up to the end of its line. None where the text is not
    /// written word for word, because of escapes, folded lines or variables.
    pub(super) fn place_of(&self, offset: usize) -> Option<Place> {
        let scalar = self.scalar()?;
        let before = scalar.text.get(..offset)?;
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let rest = scalar.text.get(offset..)?.split('\n').next().unwrap_or_default();
        let start = (*scalar.lines.get(line)?)? + column;
        Some(Place { file: self.place.file, span: start..start + rest.trim_end().len() })
    }

    /// Names of the variables whose values are in it, at any depth.
    pub(super) fn variables(&self) -> Vec<&str> {
        match &self.content {
            Content::Scalar(scalar) => scalar.variables.iter().map(String::as_str).collect(),
            Content::List(items) => items.iter().flat_map(Self::variables).collect(),
            Content::Map(entries) => entries.iter().flat_map(|entry| entry.value.variables()).collect(),
            Content::Faulty => Vec::new(),
        }
    }

    /// Whether two nodes say the same, wherever they stand and whatever the order of their keys.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        match (&self.content, &other.content) {
            (Content::Scalar(a), Content::Scalar(b)) => a.text == b.text && a.is_null() == b.is_null(),
            (Content::List(a), Content::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.says_the_same(b))
            }
            (Content::Map(a), Content::Map(b)) => {
                a.len() == b.len()
                    && a.iter().all(|entry| {
                        b.iter().any(|other| {
                            other.key.text == entry.key.text && other.value.says_the_same(&entry.value)
                        })
                    })
            }
            _ => false,
        }
    }
}
