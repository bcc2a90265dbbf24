//! A scalar of the parser becomes a scalar of ours: masks are replaced by the values of variables.

use std::borrow::Cow;

use granit_parser::{Event, Parser, ScalarStyle};

use super::Environment;
use crate::config::{
    environment::{Masked, Reference},
    node::{Scalar, Style},
};

/// A variable that is not set and has no default.
pub(super) struct Unset(pub(super) Reference);

/// Puts the values of variables into a parsed text.
///
/// # Errors
///
/// Every variable in it that has no value.
pub(super) fn fill(
    masked: &Masked,
    parsed: &str,
    style: ScalarStyle,
    indentation: usize,
    environment: Environment<'_>,
) -> Result<Scalar, Vec<Unset>> {
    let mut variables = Vec::new();
    let mut unset = Vec::new();
    let text = masked.replace(parsed, |reference| {
        variables.push(reference.name.clone());
        match (environment(&reference.name), &reference.default) {
            (Some(value), _) => Cow::Owned(value),
            (None, Some(default)) => {
                Cow::Owned(default_text(default, style, indentation, parsed.chars().count(), reference))
            }
            (None, None) => {
                unset.push(Unset(reference.clone()));
                Cow::Borrowed("")
            }
        }
    });
    if unset.is_empty() {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        Ok(Scalar { text: text.into_owned(), style, variables, referring: None, lines: Vec::new() })
    } else {
        Err(unset)
    }
}

/// A default is part of the file, so what YAML does to the text around it holds for it too: lines are folded outside
/// literal blocks, a block takes its indentation off, and a default that is all of a plain text may be in quotes.
fn default_text(
    default: &str,
    style: ScalarStyle,
    indentation: usize,
    parsed_chars: usize,
    reference: &Reference,
) -> String {
    let alone = parsed_chars == 1 + reference.span.len().saturating_sub('\u{f0000}'.len_utf8());
    if style == ScalarStyle::Plain
        && alone
        && let Some(text) = unquoted(default)
    {
        return text;
    }
    let mut lines = default.lines();
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            let blanks = line.len() - line.trim_start_matches(' ').len();
            text.push(if style == ScalarStyle::Literal { '\n' } else { ' ' });
            text.push_str(line.get(blanks.min(indentation)..).unwrap_or_default());
        } else {
            text.truncate(text.trim_end().len());
            text.push(' ');
            text.push_str(line.trim());
        }
    }
    text
}

/// What a text in quotes says; `None` when it is anything else.
fn unquoted(text: &str) -> Option<String> {
    if !text.starts_with(['"', '\'']) {
        return None;
    }
    let mut quoted = None;
    for step in Parser::new_from_str(text) {
        match step.ok()?.0 {
            Event::Scalar(value, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, 0, None)
                if quoted.is_none() =>
            {
                quoted = Some(value.into_owned());
            }
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd => {}
            _ => return None,
        }
    }
    quoted
}
