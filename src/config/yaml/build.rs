//! Builds trees from events.

use std::{
    collections::{HashMap, HashSet},
    mem,
    ops::Range,
};

use granit_parser::{Event, ScalarStyle, ScanError, Span, Tag};

use super::{
    DEEPEST, Environment, scalar,
    scalar::Unset,
    syntax::{self, Explanation},
};
use crate::config::{
    diagnostic::{self, Report},
    environment::Masked,
    node::{Content, Entry, Key, Node, Style},
    text::{Place, Text},
};

/// Most nodes that aliases may add to a document. The largest sensible file has a few thousand.
const MOST_COPIES: usize = 100_000;

/// The key whose value is merged into its map.
const MERGE: &str = "<<";

/// Builds the trees of one file.
pub(super) struct Builder<'b> {
    file: usize,
    text: &'b Text,
    masked: &'b Masked,
    environment: Environment<'b>,
    report: &'b mut Report,
    documents: Vec<Node>,
    root: Option<Node>,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    /// Nodes of this document, copies included.
    nodes: usize,
    /// Nodes of this document that aliases have added.
    copies: usize,
}

/// A finished node that aliases may refer to.
struct Anchored {
    node: Node,
    nodes: usize,
    depth: usize,
}

/// A list or a map whose end is not reached.
struct Open {
    place: Place,
    anchor: usize,
    /// How many nodes there were when it began.
    nodes: usize,
    /// The deepest level below it, from 1.
    depth: usize,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Node>),
    Map(OpenMap),
}

#[derive(Default)]
struct OpenMap {
    entries: Vec<Entry>,
    /// The key whose value comes next.
    key: Option<PendingKey>,
    seen: HashMap<String, Place>,
    merged: Vec<Entry>,
}

enum PendingKey {
    Key(Key),
    Merge(Place),
    /// Its fault is reported, and its value is dropped.
    Faulty,
}

impl<'b> Builder<'b> {
    /// A builder that has seen nothing.
    pub(super) fn new(
        file: usize,
        text: &'b Text,
        masked: &'b Masked,
        environment: Environment<'b>,
        report: &'b mut Report,
    ) -> Self {
        Self {
            file,
            text,
            masked,
            environment,
            report,
            documents: Vec::new(),
            root: None,
            open: Vec::new(),
            anchors: HashMap::new(),
            nodes: 0,
            copies: 0,
        }
    }

    /// The documents.
    pub(super) fn finish(self) -> Vec<Node> {
        self.documents
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, event: Event<'_>, span: &Span) {
        let place = self.place(span.byte_range().unwrap_or_default());
        match event {
            Event::DocumentStart(..) => self.reset(),
            Event::DocumentEnd => {
                if let Some(root) = self.root.take() {
                    self.documents.push(root);
                }
                self.reset();
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, anchor, tag.as_deref(), place, span);
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), span, "seq");
                self.begin(place, anchor, OpenKind::List(Vec::new()));
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), span, "map");
                self.begin(place, anchor, OpenKind::Map(OpenMap::default()));
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(id) => self.alias(id, place),
            Event::UnresolvedAlias(_) => {
                let name = self.text.slice(place.span.clone()).to_owned();
                self.report.fault(
                    &place,
                    format!("`{name}` refers to an anchor that the document does not define above it"),
                    "define the anchor with `&` above, or put the text in quotes",
                );
                self.add(Node { place, content: Content::Faulty }, 0, 1, 0);
            }
            _ => {}
        }
    }

    /// Takes a syntax error: what was read of its document is dropped.
    pub(super) fn broken(&mut self, error: &ScanError) {
        let at = error.marker().byte_offset().unwrap_or_default();
        let Explanation { message, help } = syntax::explain(error);
        let message =
            self.masked.replace(&message, |reference| self.text.slice(reference.span.clone()).into());
        // An error at the end of the file is shown at the end of its last line with something on it.
        let at = at.min(self.text.as_str().trim_end().len());
        let end = self.text.line_at(at).end.min(at + 1).max(at);
        let place = self.place(at..end);
        self.report.fault(&place, message.into_owned(), help);
        self.report.mark_incomplete();
        self.reset();
    }

    fn reset(&mut self) {
        self.root = None;
        self.open.clear();
        self.anchors.clear();
        self.nodes = 0;
        self.copies = 0;
    }

    fn place(&self, span: Range<usize>) -> Place {
        Place { file: self.file, span }
    }

    fn scalar(
        &mut self,
        parsed: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        mut place: Place,
        span: &Span,
    ) {
        let absent = place.span.is_empty() && style == ScalarStyle::Plain;
        if absent && self.open.is_empty() && tag.is_none() && anchor == 0 {
            return; // An empty document.
        }
        // Where nothing is written, the parser says `~`.
        let parsed = if absent { "" } else { parsed };
        let known = self.check_tag(tag, span, "str");
        let written = place.clone();
        if let Some(Open { kind: OpenKind::Map(OpenMap { key: Some(PendingKey::Key(key)), .. }), .. }) =
            self.open.last()
            && diagnostic::names_a_secret(&key.text)
        {
            self.report.cover(&written);
        }
        let mut indentation = 0;
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            // The parser's span of a block begins at its first character that is no blank.
            let line = self.text.line_at(place.span.start);
            indentation = place.span.start - line.start;
            place.span.end = place.span.end.min(line.end).max(place.span.start);
        }
        let content = match scalar::fill(self.masked, parsed, style, indentation, self.environment) {
            Ok(mut scalar) if known => {
                if tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str")) && scalar.style == Style::Plain {
                    scalar.style = Style::Quoted;
                }
                if !scalar.variables.is_empty() {
                    let references = self
                        .masked
                        .replace(parsed, |reference| self.text.slice(reference.span.clone()).into());
                    scalar.referring = Some(references.into_owned());
                }
                scalar.lines = self.lines(&scalar.text, &written);
                Content::Scalar(scalar)
            }
            Ok(_) => Content::Faulty,
            Err(unset) => {
                for Unset(reference) in unset {
                    let name = reference.name;
                    self.report.fault(
                        &Place { file: self.file, span: reference.span },
                        format!("the environment variable `{name}` is not set"),
                        format!("set {name}, or give it a default: ${{{name}:default}}"),
                    );
                }
                Content::Faulty
            }
        };
        self.add(Node { place, content }, anchor, 1, 0);
    }

    /// Where each line of a text stands in the file. A line counts only where it is found word for word, so a wrong
    /// guess about folding or indentation can never move a caret.
    fn lines(&self, text: &str, written: &Place) -> Vec<Option<usize>> {
        let first = self.text.line_at(written.span.start);
        if written.span.end <= first.end {
            let slice = self.text.slice(written.span.clone());
            let quote = usize::from(slice.starts_with(['"', '\'']));
            let verbatim = slice.get(quote..).is_some_and(|rest| rest.starts_with(text));
            return vec![verbatim.then_some(written.span.start + quote)];
        }
        let mut lines = self.text.lines_from(written.span.start).peekable();
        text.lines()
            .map(|said| {
                // A block begins at its first line that is not empty.
                let first_is_next = lines.peek() == Some(&first);
                if said.is_empty() && first_is_next {
                    return None;
                }
                let line = lines.next()?;
                self.text.slice(line.clone()).ends_with(said).then(|| line.end - said.len())
            })
            .collect()
    }

    /// Whether a tag may stand on a node of this kind. Tags say nothing here that the fields do not know better, so only
    /// those of YAML itself are accepted.
    fn check_tag(&mut self, tag: Option<&Tag>, span: &Span, kind: &str) -> bool {
        let Some(tag) = tag else { return true };
        let fits = if kind == "str" {
            ["str", "int", "float", "bool", "null"].iter().any(|name| tag.is_yaml_core_schema_tag(name))
        } else {
            tag.is_yaml_core_schema_tag(kind)
        };
        if !fits && tag.original() != "!" {
            let place = span.tag_span().and_then(|span| span.byte_range());
            let place = self.place(place.or_else(|| span.byte_range()).unwrap_or_default());
            let written = self.text.slice(place.span.clone()).to_owned();
            self.report.fault(
                &place,
                format!("the tag `{written}` has no meaning here"),
                "remove the tag, or put a text that begins with `!` in quotes",
            );
            return false;
        }
        true
    }

    fn begin(&mut self, place: Place, anchor: usize, kind: OpenKind) {
        self.open.push(Open { place, anchor, nodes: self.nodes, depth: 0, kind });
    }

    fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let mut place = open.place;
        let content = match open.kind {
            OpenKind::List(items) => Content::List(items),
            OpenKind::Map(map) => {
                let mut entries = map.entries;
                let own: HashSet<String> = map.seen.into_keys().collect();
                let mut merged: HashSet<String> = HashSet::new();
                for entry in map.merged {
                    if !own.contains(&entry.key.text) && merged.insert(entry.key.text.clone()) {
                        entries.push(entry);
                    }
                }
                if place.span.is_empty()
                    && let Some(first) = entries.first()
                    && first.key.place.file == self.file
                {
                    place = first.key.place.clone();
                }
                Content::Map(entries)
            }
        };
        if place.span.is_empty() {
            place.span.end = self.text.line_at(place.span.start).end.min(place.span.start + 1);
            place.span.end = place.span.end.max(place.span.start);
        }
        let nodes = self.nodes - open.nodes + 1;
        self.add(Node { place, content }, open.anchor, nodes, open.depth);
    }

    fn alias(&mut self, id: usize, place: Place) {
        let Some(anchored) = self.anchors.get(&id) else {
            self.report.fault(
                &place,
                "an alias refers to the very value that it stands in",
                "write the value out, or move the anchor",
            );
            return self.add(Node { place, content: Content::Faulty }, 0, 1, 0);
        };
        let (nodes, depth) = (anchored.nodes, anchored.depth);
        if self.copies + nodes > MOST_COPIES || self.open.len() + depth > DEEPEST {
            if self.copies <= MOST_COPIES {
                self.report.fault(
                    &place,
                    format!(
                        "aliases of this document expand to more than {MOST_COPIES} values or {DEEPEST} levels"
                    ),
                    "write fewer aliases of aliases",
                );
            }
            self.copies = MOST_COPIES + 1;
            return self.add(Node { place, content: Content::Faulty }, 0, 1, 0);
        }
        self.copies += nodes;
        self.nodes += nodes;
        let node = anchored.node.clone();
        self.add(node, 0, nodes, depth);
    }

    /// Puts a finished node where it belongs.
    fn add(&mut self, node: Node, anchor: usize, nodes: usize, depth: usize) {
        self.nodes += 1;
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), nodes, depth });
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        open.depth = open.depth.max(depth + 1);
        match &mut open.kind {
            OpenKind::List(items) => items.push(node),
            OpenKind::Map(map) => match map.key.take() {
                None => map.key = Some(map.next_key(&node, self.text, self.report)),
                Some(PendingKey::Key(key)) => map.entries.push(Entry { key, value: node }),
                Some(PendingKey::Merge(place)) => map.merge(node, &place, self.report),
                Some(PendingKey::Faulty) => {}
            },
        }
    }
}

impl OpenMap {
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
