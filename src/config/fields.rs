//! Typed access to the fields of one entry. Every fault is collected, never returned: a reader asks for all its fields
//! and gives up at the end. The fields that it asked for are the fields that exist, so whatever else was written is an
//! unknown key, with the nearest of those as the suggestion.

use std::time::Duration;

use secrecy::SecretString;

use super::{
    diagnostic::Report,
    duration,
    nearest::suggestion,
    node::{Content, Entry, Key, Node},
    text::Place,
    typed,
};

/// How an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A document of its own with `kind` and `name`.
    Flat,
    /// A value in a map of its kind; there the word `kind` also means `type`.
    Nested,
}

/// The fields of one entry.
#[derive(Debug)]
pub(super) struct Fields<'n> {
    /// What the entry is, for messages: ``tool `find_order` ``.
    owner: String,
    /// Where to point when something is missing.
    place: &'n Place,
    entries: &'n [Entry],
    form: Form,
    asked: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// The fields of a map; anything else is a fault.
    pub(super) fn new(
        owner: String,
        place: &'n Place,
        node: &'n Node,
        form: Form,
        report: &mut Report,
    ) -> Option<Self> {
        let entries = match &node.content {
            Content::Map(entries) => entries.as_slice(),
            Content::Faulty => return None,
            _ if node.is_null() => &[],
            _ => {
                let message = format!("{owner} must be a map of fields, and this is {}", node.description());
                report.fault(&node.place, message, "write its fields as `key: value` lines, indented");
                return None;
            }
        };
        Some(Self { owner, place, entries, form, asked: Vec::new() })
    }

    /// What the entry is, for messages.
    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    /// How the entry is written.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Accepts a field that somebody else has read.
    pub(super) fn skip(&mut self, key: &'static str) {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
    }

    /// A field as it stands; none when it is absent, null or already known to be faulty.
    pub(super) fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        let entry = self.entry(key)?;
        (!entry.value.is_null() && !entry.value.is_faulty()).then_some(&entry.value)
    }

    /// The key of a field, to point at when the field as a whole is meant.
    pub(super) fn key_place(&self, key: &str) -> Option<&'n Place> {
        self.entries.iter().find(|entry| entry.key.text == key).map(|entry| &entry.key.place)
    }

    /// A field that must be there.
    pub(super) fn required_node(&mut self, key: &'static str, report: &mut Report) -> Option<&'n Node> {
        match self.entry(key) {
            None => {
                report.fault(self.place, format!("{} has no `{key}`", self.owner), format!("add `{key}:`"));
                None
            }
            Some(entry) if entry.value.is_null() => {
                report.fault(
                    &entry.key.place,
                    format!("`{key}` of {} is empty", self.owner),
                    "write a value; a text that is meant literally goes in quotes",
                );
                None
            }
            Some(entry) => (!entry.value.is_faulty()).then_some(&entry.value),
        }
    }

    /// `type`, for which nested maps also accept the word `kind`.
    pub(super) fn type_word(&mut self, report: &mut Report) -> Option<Key> {
        let other = self.entries.iter().find(|entry| entry.key.text == "kind");
        let node = match other.filter(|_| self.form == Form::Nested) {
            Some(other) => {
                self.skip("kind");
                if let Some(both) = self.entry("type") {
                    report.fault(
                        &both.key.place,
                        format!("{} has both `kind` and `type`, which mean the same here", self.owner),
                        "remove one of them",
                    );
                }
                Some(&other.value)
            }
            None => self.required_node("type", report),
        }?;
        name(node, &self.name("type"), report)
    }

    /// A text.
    pub(super) fn text(&mut self, key: &'static str, report: &mut Report) -> Option<String> {
        let node = self.node(key)?;
        text(node, &self.name(key), report)
    }

    /// A text that must be there and not be empty.
    pub(super) fn required_text(&mut self, key: &'static str, report: &mut Report) -> Option<String> {
        let node = self.required_node(key, report)?;
        let text = text(node, &self.name(key), report)?;
        if text.is_empty() {
            let help = match node.variables().first() {
                Some(variable) => {
                    format!("the environment variable `{variable}` is set and empty; set it to a value")
                }
                None => "write a value".to_owned(),
            };
            report.fault(&node.place, format!("`{key}` of {} is empty", self.owner), help);
            return None;
        }
        Some(text)
    }

    /// A secret. A fault points at the key, since the value must not be shown.
    pub(super) fn secret(&mut self, key: &'static str, report: &mut Report) -> Option<SecretString> {
        let entry = self.entry(key).filter(|entry| !entry.value.is_null() && !entry.value.is_faulty())?;
        let secret = entry.value.scalar().map(|scalar| scalar.text.as_str().into());
        if secret.is_none() {
            let message = format!("`{key}` of {} must be a text", self.owner);
            report.fault(&entry.key.place, message, "put the value in quotes");
        }
        secret
    }

    /// A boolean.
    pub(super) fn boolean(&mut self, key: &'static str, report: &mut Report) -> Option<bool> {
        let node = self.node(key)?;
        self.read(key, node, typed::boolean, "true or false", "write true or false", report)
    }

    /// A whole number that is not below zero; the help says what to write instead.
    pub(super) fn whole(&mut self, key: &'static str, help: &str, report: &mut Report) -> Option<u64> {
        let node = self.node(key)?;
        self.read(key, node, typed::whole, "a whole number that is not below zero", help, report)
    }

    /// A number with all its digits.
    pub(super) fn number(&mut self, key: &'static str, report: &mut Report) -> Option<serde_json::Number> {
        let node = self.node(key)?;
        self.read(key, node, typed::number, "a number", "write digits, such as 10 or 0.5", report)
    }

    /// A duration with its unit.
    pub(super) fn duration(&mut self, key: &'static str, report: &mut Report) -> Option<Duration> {
        let node = self.node(key)?;
        let help = match duration::parse(node.scalar().map_or("", |scalar| &scalar.text)) {
            Ok(duration) => return Some(duration),
            Err(fault) => fault.help(),
        };
        self.read(key, node, |_| None, "a duration", help, report)
    }

    /// A list; a null or absent one is empty.
    pub(super) fn list(&mut self, key: &'static str, report: &mut Report) -> &'n [Node] {
        let Some(node) = self.node(key) else { return &[] };
        if let Content::List(items) = &node.content {
            return items;
        }
        report.fault(
            &node.place,
            format!("{} must be a list, and this is {}", self.name(key), node.description()),
            "write `[a, b]`, or one `- item` a line",
        );
        &[]
    }

    /// A list of texts with their places.
    pub(super) fn texts(&mut self, key: &'static str, report: &mut Report) -> Vec<Key> {
        let items = self.list(key, report);
        let what = format!("an item of {}", self.name(key));
        items.iter().filter_map(|item| name(item, &what, report)).collect()
    }

    /// Refuses a field that the peer has and this program does not serve yet. An empty list is no use of it.
    pub(super) fn not_served(&mut self, key: &'static str, report: &mut Report) {
        let empty = |node: &Node| matches!(&node.content, Content::List(items) if items.is_empty());
        if self.node(key).is_some_and(|node| !empty(node))
            && let Some(place) = self.key_place(key)
        {
            report.fault(
                place,
                format!("{} is not served yet", self.name(key)),
                "remove it; serving without it would mean something else",
            );
        }
    }

    /// Reports every key that nobody has asked for.
    pub(super) fn finish(self, report: &mut Report) {
        for entry in self.entries {
            let key = entry.key.text.as_str();
            if self.asked.contains(&key) {
                continue;
            }
            let help = if key == "kind" && self.asked.contains(&"type") {
                "the word for this is `type`".to_owned()
            } else {
                let kind_is_type = |name: &&str| self.form == Form::Nested && *name == "kind";
                suggestion(
                    &entry.key.shown,
                    "field",
                    self.asked.iter().copied().filter(|name| !kind_is_type(name)),
                )
            };
            report.fault(
                &entry.key.place,
                format!("{} has no field `{}`", self.owner, entry.key.shown),
                help,
            );
        }
    }

    /// A name that must be there and not be empty.
    pub(super) fn required_name(&mut self, key: &'static str, report: &mut Report) -> Option<Key> {
        self.required_text(key, report)?;
        self.node(key)?.key()
    }

    /// A field's name for messages: `` `port` of source `shop` ``.
    pub(super) fn name(&self, key: &str) -> String {
        format!("`{key}` of {}", self.owner)
    }

    fn entry(&mut self, key: &'static str) -> Option<&'n Entry> {
        self.skip(key);
        self.entries.iter().find(|entry| entry.key.text == key)
    }

    fn read<T>(
        &self,
        key: &str,
        node: &Node,
        parse: impl Fn(&str) -> Option<T>,
        what: &str,
        help: &str,
        report: &mut Report,
    ) -> Option<T> {
        let value = node.scalar().and_then(|scalar| parse(&scalar.text));
        if value.is_none() {
            let message = format!("{} must be {what}, and this is {}", self.name(key), node.description());
            report.fault(&node.place, message, help);
        }
        value
    }
}

/// A scalar that names something.
pub(super) fn name(node: &Node, what: &str, report: &mut Report) -> Option<Key> {
    text(node, what, report)?;
    node.key()
}

/// The text of a scalar, as written.
pub(super) fn text(node: &Node, what: &str, report: &mut Report) -> Option<String> {
    match &node.content {
        Content::Scalar(scalar) if !scalar.is_null() => Some(scalar.text.clone()),
        Content::Faulty => None,
        _ => {
            report.fault(
                &node.place,
                format!("{what} must be a text, and this is {}", node.description()),
                "write a text; put one that YAML would take for something else in quotes",
            );
            None
        }
    }
}
