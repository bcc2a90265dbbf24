//! Builds trees from events: what is open, what is anchored, and where a finished node goes.

mod leaf;
mod map;

use std::{collections::HashMap, ops::Range};

use granit_parser::{Event, ScanError, Span};

use self::map::OpenMap;
use super::{
    DEEPEST, Environment,
    syntax::{self, Explanation},
};
use crate::config::{
    diagnostic::Report,
    environment::Masked,
    node::{Content, Node},
    text::{Place, Text},
};

/// Most nodes that aliases may add to a document. The largest sensible file has a few thousand.
const MOST_COPIES: usize = 100_000;

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

    fn begin(&mut self, place: Place, anchor: usize, kind: OpenKind) {
        self.open.push(Open { place, anchor, nodes: self.nodes, depth: 0, kind });
    }

    fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let mut place = open.place;
        let content = match open.kind {
            OpenKind::List(items) => Content::List(items),
            OpenKind::Map(map) => {
                let entries = map.finish();
                if place.span.is_empty()
                    && let Some(first) = entries.first()
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
            OpenKind::Map(map) => map.take(node, self.text, self.report),
        }
    }
}
