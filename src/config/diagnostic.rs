//! Faults in the configuration, with file, line, caret and what to do.
//!
//! An excerpt shows the file's own text, so `${NAME}` and never the value of the variable; passwords written into the
//! file are covered. It must not know what a source or a tool is.

mod excerpt;

use std::fmt;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic};

use self::excerpt::Excerpt;
pub(super) use self::excerpt::names_a_secret;
use super::text::{Place, Text};

/// How wide the report is, in characters.
const WIDTH: usize = 110;

/// One thing that is wrong, and what to do about it.
#[derive(Debug)]
pub(super) struct Fault {
    /// Where; `None` when there is no text to point at (a file that cannot be read).
    pub(super) place: Option<Place>,
    /// What is wrong.
    pub(super) message: String,
    /// What to do.
    pub(super) help: String,
}

/// Collects what is found while the files are read.
#[derive(Debug, Default)]
pub(super) struct Report {
    faults: Vec<Fault>,
    warnings: Vec<String>,
    /// Where secrets are written.
    secrets: Vec<Place>,
    /// Part of the files could not be understood, so what is missing may be there all the same.
    incomplete: bool,
}

impl Report {
    /// Notes a fault at a place.
    pub(super) fn fault(&mut self, place: &Place, message: impl Into<String>, help: impl Into<String>) {
        self.faults.push(Fault { place: Some(place.clone()), message: message.into(), help: help.into() });
    }

    /// Notes a fault that has no place in a text.
    pub(super) fn fault_without_place(&mut self, message: impl Into<String>, help: impl Into<String>) {
        self.incomplete = true;
        self.faults.push(Fault { place: None, message: message.into(), help: help.into() });
    }

    /// Notes where a secret is written, so that no excerpt shows it.
    pub(super) fn cover(&mut self, secret: &Place) {
        self.secrets.push(secret.clone());
    }

    /// Notes something that deserves a line in the log but no refusal.
    pub(super) fn warn(&mut self, message: String) {
        self.warnings.push(message);
    }

    /// Notes that part of a file could not be understood: references to what is not known are then no faults, since they
    /// would only repeat the fault that is already reported.
    pub(super) fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Whether [`Report::mark_incomplete`] was called, or a file is missing.
    pub(super) fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// The warnings, or every fault in the order of the files.
    pub(super) fn finish(mut self, texts: Vec<Text>) -> Result<Vec<String>, Faults> {
        if self.faults.is_empty() {
            return Ok(self.warnings);
        }
        self.faults.sort_by_key(|fault| {
            fault.place.as_ref().map(|place| (place.file, place.span.start, place.span.end))
        });
        Err(Faults { found: self.faults, secrets: self.secrets, texts })
    }
}

/// Every fault found in one run. `Display` is the whole report; `{:#}` adds colors for a terminal.
pub struct Faults {
    found: Vec<Fault>,
    secrets: Vec<Place>,
    texts: Vec<Text>,
}

impl Faults {
    /// How many there are; at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// `2 faults in tools.yaml`, `3 faults in 2 files`.
    fn summary(&self) -> String {
        let count = self.found.len();
        let faults = if count == 1 { "1 fault".to_owned() } else { format!("{count} faults") };
        let mut files: Vec<usize> =
            self.found.iter().filter_map(|fault| Some(fault.place.as_ref()?.file)).collect();
        files.dedup();
        match (files.as_slice(), self.found.iter().any(|fault| fault.place.is_none())) {
            ([file], false) => match self.texts.get(*file) {
                Some(text) => format!("{faults} in {}", text.name()),
                None => faults,
            },
            ([], _) | (_, true) => format!("{faults} in the configuration"),
            (files, false) => format!("{faults} in {} files", files.len()),
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let theme =
            if formatter.alternate() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(WIDTH)
            .with_context_lines(0)
            .with_wrap_lines(true)
            .with_break_words(false)
            .with_word_splitter(textwrap::WordSplitter::NoHyphenation);
        for fault in &self.found {
            let diagnostic = MietteDiagnostic::new(&fault.message).with_help(&fault.help);
            let text = fault.place.as_ref().and_then(|place| Some((place, self.texts.get(place.file)?)));
            let report = match text {
                Some((place, text)) => {
                    let secrets = self.secrets.iter().filter(|secret| secret.file == place.file);
                    let secrets: Vec<_> = secrets.map(|secret| secret.span.clone()).collect();
                    let excerpt = Excerpt::new(text, place.span.clone(), &secrets);
                    let label = LabeledSpan::new_with_span(None, excerpt.caret());
                    miette::Report::new(diagnostic.with_label(label)).with_source_code(excerpt)
                }
                None => miette::Report::new(diagnostic),
            };
            let mut rendered = String::new();
            handler.render_report(&mut rendered, report.as_ref())?;
            for line in rendered.lines() {
                writeln!(formatter, "{}", line.trim_end())?;
            }
            writeln!(formatter)?;
        }
        formatter.write_str(&self.summary())
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Faults {}
