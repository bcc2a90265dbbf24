//! The text of one file, and places in it. It knows nothing of what the text says.

use std::ops::Range;

/// A range of bytes in one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Which file, by its place in the list of files.
    pub(super) file: usize,
    /// From where to where, in bytes of its text.
    pub(super) span: Range<usize>,
}

/// One file, read.
#[derive(Debug)]
pub(super) struct Text {
    name: String,
    content: String,
    /// Where each line begins, in bytes.
    lines: Vec<usize>,
}

impl Text {
    /// Keeps a text under the name by which the user knows it.
    pub(super) fn new(name: String, content: String) -> Self {
        let bytes = content.as_bytes();
        let mut lines = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            // CRLF is one line break and ends at its second byte; a lone CR is a line break of YAML too.
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                lines.push(at + 1);
            }
        }
        Self { name, content, lines }
    }

    /// The name of the file as the user gave it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// All of it.
    pub(super) fn as_str(&self) -> &str {
        &self.content
    }

    /// What stands at a range; empty when the range is none of this text.
    pub(super) fn slice(&self, span: Range<usize>) -> &str {
        self.content.get(span).unwrap_or_default()
    }

    /// The range of the line that holds an offset, without its line break.
    pub(super) fn line_at(&self, offset: usize) -> Range<usize> {
        self.line(self.line_index(offset))
    }

    /// The ranges of that line and of all lines after it.
    pub(super) fn lines_from(&self, offset: usize) -> impl Iterator<Item = Range<usize>> {
        (self.line_index(offset)..self.lines.len()).map(|index| self.line(index))
    }

    fn line(&self, index: usize) -> Range<usize> {
        let start = self.lines.get(index).copied().unwrap_or_default();
        let end = self.lines.get(index + 1).copied().unwrap_or(self.content.len());
        let line = self.slice(start..end);
        start..start + line.trim_end_matches(['\r', '\n']).len()
    }

    /// Line and column of an offset, both from 1; the column counts characters.
    pub(super) fn position(&self, offset: usize) -> (usize, usize) {
        let index = self.line_index(offset);
        let start = self.lines.get(index).copied().unwrap_or_default();
        (index + 1, self.slice(start..offset).chars().count() + 1)
    }

    fn line_index(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset).saturating_sub(1)
    }
}
