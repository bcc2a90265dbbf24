//! A map while it is read: keys and values take turns, no key comes twice, and `<<` merges.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use crate::config::{
    diagnostic::{self, Report},
    node::{Content, Entry, Key, Node, Style},
    text::{Place, Text},
};

/// The key whose value is merged into its map.
const MERGE: &str = "<<";

/// A map whose end is not reached.
#[derive(Default)]
pub(super) struct OpenMap {
    entries: Vec<Entry>,
    /// The key whose value comes next.
    key: Option<PendingKey>,
    /// Where each key stands.
    seen: HashMap<String, Place>,
    merged: Vec<Entry>,
}

enum PendingKey {
    Key(Key),
    Merge(Place),
    /// Its fault is reported, and its value is dropped.
    Faulty,
}

impl OpenMap {
    /// Whether the next node is the value of a key that names a secret.
    pub(super) fn expects_a_secret(&self) -> bool {
        matches!(&self.key, Some(PendingKey::Key(key)) if diagnostic::names_a_secret(&key.text))
    }

    /// Takes the next key or value.
    pub(super) fn take(&mut self, node: Node, text: &Text, report: &mut Report) {
        match self.key.take() {
            None => self.key = Some(self.next_key(&node, text, report)),
            Some(PendingKey::Key(key)) => self.entries.push(Entry { key, value: node }),
            Some(PendingKey::Merge(place)) => self.merge(node, &place, report),
            Some(PendingKey::Faulty) => {}
        }
    }

    /// The entries. What is merged comes last; the map's own keys win over it, and the first merged map over the next.
    pub(super) fn finish(self) -> Vec<Entry> {
        let mut entries = self.entries;
        let mut known: HashSet<String> = self.seen.into_keys().collect();
        entries.extend(self.merged.into_iter().filter(|entry| known.insert(entry.key.text.clone())));
        entries
    }

    fn next_key(&mut self, node: &Node, text: &Text, report: &mut Report) -> PendingKey {
        let (Content::Scalar(scalar), Some(key)) = (&node.content, node.key()) else {
            if !node.is_faulty() {
                report.fault(&node.place, "a key of a map must be a text", "put the key in quotes");
            }
            report.mark_incomplete();
            return PendingKey::Faulty;
        };
        let merge = key.text == MERGE && scalar.style == Style::Plain && scalar.variables.is_empty();
        if let Some(first) = self.seen.get(&key.text) {
            let (line, column) = text.position(first.span.start);
            report.fault(
                &node.place,
                format!("the key `{}` is written twice", key.shown),
                format!("the first one is at {}:{line}:{column}; remove one of them", text.name()),
            );
            return PendingKey::Faulty;
        }
        self.seen.insert(key.text.clone(), key.place.clone());
        if merge { PendingKey::Merge(key.place) } else { PendingKey::Key(key) }
    }

    fn merge(&mut self, value: Node, key: &Place, report: &mut Report) {
        let maps = match value.content {
            Content::List(items) => items,
            content => vec![Node { place: value.place, content }],
        };
        for mut map in maps {
            match &mut map.content {
                Content::Map(entries) => self.merged.append(&mut mem::take(entries)),
                Content::Faulty => {}
                _ => report.fault(
                    key,
                    "`<<` merges maps, and this is none",
                    "write `<<: *anchor` of a map, or a list of such aliases",
                ),
            }
        }
    }
}
