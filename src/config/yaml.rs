//! From a text to the trees of its documents, through the events of a YAML parser.
//!
//! Anchors, aliases and merge keys are resolved here, and values of variables are put in. After a syntax error the next
//! document is read all the same. This module must not know what any key means.

mod build;
mod scalar;
mod syntax;

use std::collections::BTreeSet;

use granit_parser::{Event, Parser, StrInput};

use self::build::Builder;
use super::{
    diagnostic::Report,
    environment::{Masked, TooMany},
    node::Node,
    text::{Place, Text},
};

/// Most levels of nesting, with aliases expanded. Real files have about eight; the bound keeps recursion over the tree
/// far from the end of the stack.
const DEEPEST: usize = 64;

/// The environment as the configuration sees it.
pub(super) type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

/// The roots of all documents of a file that are not empty. Faults go to the report.
pub(super) fn documents(
    file: usize,
    text: &Text,
    environment: Environment<'_>,
    report: &mut Report,
) -> Vec<Node> {
    let Ok(masked) = mask(text.as_str()) else {
        let place = Place { file, span: 0..0 };
        report.fault(&place, "too many references to variables", "split the file into several");
        report.mark_incomplete();
        return Vec::new();
    };
    let mut builder = Builder::new(file, text, &masked, environment, report);
    read(masked.as_str(), |step| match step {
        Ok((event, span)) => builder.take(event, &span),
        Err(error) => builder.broken(&error),
    });
    builder.finish()
}

/// Masks the references of a text. One that begins in a comment is no reference; that matters only when its default
/// spans lines, since its mask would then swallow what follows the comment. Whether a `#` begins a comment is the
/// parser's word, and each answer may change what follows, so such comments are settled one after the other.
fn mask(text: &str) -> Result<Masked, TooMany> {
    let mut except = BTreeSet::new();
    loop {
        let masked = Masked::new(text, &except)?;
        let mut swallowed = None;
        if masked.references_in(&(0..text.len())).any(|found| crosses_lines(text, found.span.clone())) {
            read(masked.as_str(), |step| {
                if let Ok((Event::Comment(..), span)) = step
                    && let Some(comment) = span.byte_range()
                {
                    let found = masked
                        .references_in(&comment)
                        .filter(|found| crosses_lines(text, found.span.clone()))
                        .map(|found| found.span.start)
                        .min();
                    swallowed = swallowed.or(found);
                }
            });
        }
        match swallowed {
            Some(start) if except.insert(start) => {}
            _ => return Ok(masked),
        }
    }
}

fn crosses_lines(text: &str, span: std::ops::Range<usize>) -> bool {
    text.get(span).is_some_and(|reference| reference.contains(['\n', '\r']))
}

/// One step of the parser.
type Step<'t> = Result<(Event<'t>, granit_parser::Span), granit_parser::ScanError>;

/// Hands every event and every syntax error of a text to a function, in order.
fn read<'t>(text: &'t str, mut take: impl FnMut(Step<'t>)) {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_comments: true,
        // Comments cost nothing here, so only the length of the text bounds them.
        max_buffered_comment_events: text.len() + 1,
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
    };
    let mut parser: Parser<'t, StrInput<'t>> = Parser::new_from_str_with_options(text, options);
    loop {
        for step in parser.by_ref() {
            take(step);
        }
        match parser.proceed_next_document() {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => return take(Err(error)),
        }
    }
}
