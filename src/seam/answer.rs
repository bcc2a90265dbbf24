//! An answer as values: what a form is made of, and what its text is compared with.
//!
//! Nothing is known here of how rows arrive, nor of what any form but JSON makes of them.

use toolbox_source::Row;

use super::{json, truncated::Truncated};

/// An answer as values.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Its result sets in order. How a statement without columns ended is a table of one row.
    pub(super) tables: Vec<Table>,
    /// Whether a cell holds JSON, a list or an object.
    pub(super) nested: bool,
}

/// What a table stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A result set, all of it.
    Whole,
    /// A result set of which rows are missing.
    Cut,
    /// The end of a statement without columns.
    Change,
}

/// One result set as values.
#[derive(Debug)]
pub(super) struct Table {
    /// What it stands for.
    pub(super) part: Part,
    /// The unique names of its columns.
    pub(super) names: Vec<String>,
    /// The same names as JSON keys.
    pub(super) keys: json::Keys,
    /// Its rows, each as wide as the names.
    pub(super) rows: Vec<Row>,
}

/// What a form is made of: the rows, and what is said beside them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer<'a> {
    /// The rows.
    pub(super) kept: &'a Kept,
    /// The tool that was called.
    pub(super) tool: &'a str,
    /// How the result was cut, if it was.
    pub(super) truncated: Option<&'a Truncated>,
    /// Bytes of the JSON that would be sent otherwise, with the notice about a cut.
    pub(super) json_bytes: usize,
}

impl<'a> Answer<'a> {
    /// The table, where the answer is one result set and nothing else.
    pub(super) fn only_table(&self) -> Option<&'a Table> {
        match self.kept.tables.as_slice() {
            [table] if table.part != Part::Change => Some(table),
            _ => None,
        }
    }

    /// How many rows it has, ends of statements among them.
    pub(super) fn rows(&self) -> usize {
        self.kept.tables.iter().map(|table| table.rows.len()).sum()
    }

    /// The JSON that would be sent otherwise, block by block.
    pub(super) fn json_blocks(&self) -> impl Iterator<Item = String> + use<'a> {
        let rows = self.kept.tables.iter().flat_map(|table| table.rows.iter().map(|row| (&table.keys, row)));
        let block = |(keys, row): (&json::Keys, &Row)| {
            let mut block = String::new();
            json::write_row(&mut block, keys, row);
            block
        };
        rows.map(block).chain(self.truncated.map(Truncated::json_block))
    }
}

impl Kept {
    /// The rows as JSON blocks. Each row is dropped as soon as it is a block.
    pub(super) fn into_blocks(self) -> Vec<String> {
        let mut scratch = String::new();
        let mut blocks = Vec::with_capacity(self.tables.iter().map(|table| table.rows.len()).sum());
        for Table { keys, rows, .. } in self.tables {
            blocks.extend(rows.into_iter().map(|row| {
                scratch.clear();
                json::write_row(&mut scratch, &keys, &row);
                scratch.clone()
            }));
        }
        blocks
    }
}
