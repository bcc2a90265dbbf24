//! Scalars and tags: what a single node says, and where its text stands in the file.

use granit_parser::{ScalarStyle, Span, Tag};

use super::{Builder, Open, OpenKind};
use crate::config::{
    node::{Content, Node, Style},
    text::Place,
    yaml::scalar::{self, Unset},
};

impl Builder<'_> {
    /// Takes a scalar.
    pub(super) fn scalar(
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
        if let Some(Open { kind: OpenKind::Map(map), .. }) = self.open.last()
            && map.expects_a_secret()
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
    pub(super) fn check_tag(&mut self, tag: Option<&Tag>, span: &Span, kind: &str) -> bool {
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
}
