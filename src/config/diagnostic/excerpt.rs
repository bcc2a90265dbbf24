//! The line that a fault is about, fit to be printed: cut when it is long, without control characters, and with the
//! values of passwords covered.

use std::{ops::Range, sync::LazyLock};

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use regex::Regex;

use crate::config::{environment, text::Text};

/// Most characters of a line that are shown.
const LONGEST: usize = 95;
/// How many of them stand before the caret when the line is cut.
const BEFORE: usize = 30;

/// A word in a key whose value is a secret. It errs on the side of covering too much; misspelt keys (`pasword`) count.
const SECRET: &str = "(?i:pas+w|passph|pwd|secret|token|api_?key|credential)";

static SECRET_KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SECRET).ok());

/// Such a key with its value, up to the end of the line: a fault in the YAML itself may leave nothing but the line to go
/// by.
static SECRET_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let value = r#"(?:["']\s*:\s*|\s*:\s+|=)(\S.*)$"#;
    Regex::new(&format!("{SECRET}[A-Za-z_]*{value}")).ok()
});

/// Whether the value of a key is a secret, going by the key's name.
pub(in crate::config) fn names_a_secret(key: &str) -> bool {
    SECRET_KEY.as_ref().is_some_and(|pattern| pattern.is_match(key))
}

/// One line of a file, or a window of it, with the place of the caret.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    line: usize,
    column: usize,
    text: String,
    caret: Range<usize>,
}

impl Excerpt {
    /// The first line that a span touches.
    ///
    /// `secrets` are the ranges of the file that must not be shown.
    pub(super) fn new(source: &Text, span: Range<usize>, secrets: &[Range<usize>]) -> Self {
        let (line, column) = source.position(span.start);
        let range = source.line_at(span.start);
        let caret = span.start.min(range.end)..span.end.clamp(span.start.min(range.end), range.end);
        let covered = cover(source, range.clone(), secrets);

        let mut text = String::new();
        let mut marks = 0..0;
        let before = source.slice(range.start..caret.start).chars().count();
        let under = source.slice(caret.clone()).chars().count();
        let total = covered.chars().count();
        let first = if total <= LONGEST { 0 } else { before.saturating_sub(BEFORE) };
        if first > 0 {
            text.push('…');
        }
        for (at, char) in covered.chars().enumerate().skip(first).take(LONGEST) {
            if at == before {
                marks.start = text.len();
            }
            if char.is_control() && char != '\t' {
                text.push('\u{fffd}');
            } else {
                text.push(char);
            }
            if at < before + under {
                marks.end = text.len();
            }
        }
        if before >= total {
            // The caret stands behind the last character of the line.
            marks.start = text.len();
            text.push(' ');
        } else if first + LONGEST < total {
            text.push('…');
        }
        marks.end = marks.end.max(marks.start);
        Self { name: source.name().to_owned(), line, column, text, caret: marks }
    }

    /// What to underline.
    pub(super) fn caret(&self) -> SourceSpan {
        self.caret.clone().into()
    }
}

/// A line with secrets as asterisks, one for each character, so that columns stay. References to variables are shown.
fn cover(source: &Text, range: Range<usize>, secrets: &[Range<usize>]) -> String {
    let line = source.slice(range.clone());
    let by_name = SECRET_LINE.as_ref().and_then(|pattern| Some(pattern.captures(line)?.get(1)?.range()));
    let shown = environment::references(line);
    line.char_indices()
        .map(|(at, char)| {
            let secret = by_name.as_ref().is_some_and(|value| value.contains(&at))
                || secrets.iter().any(|secret| secret.contains(&(range.start + at)));
            let plain = matches!(char, '"' | '\'' | ' ') || shown.iter().any(|part| part.contains(&at));
            if secret && !plain { '*' } else { char }
        })
        .collect()
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            (0..self.text.len()).into(),
            self.line - 1,
            self.column - 1,
            1,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover(line: &str) -> String {
        super::cover(&Text::new("a.yaml".to_owned(), line.to_owned()), 0..line.len(), &[])
    }

    #[test]
    fn a_password_is_covered_and_a_variable_is_shown() {
        assert_eq!(cover("  password: hunter2"), "  password: *******");
        assert_eq!(cover("  pasword: 'a b' # x"), "  pasword: '* *' * *");
        assert_eq!(cover("password: ${PW}"), "password: ${PW}");
        assert_eq!(cover("password: a${PW:b}"), "password: *${PW:*}");
        assert_eq!(cover("{\"password\":\"a\",\"b\":1}"), "{\"password\":\"*\"*\"*\"***");
        assert_eq!(cover("queryParams: a=b&password=c"), "queryParams: a=b&password=*");
        assert_eq!(cover("host: a.example"), "host: a.example");
        assert_eq!(cover("  WHERE token = ?"), "  WHERE token = ?");
    }
}
