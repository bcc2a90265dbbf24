//! From a stream of events to the rows that may be sent: within the limits, under unique names.
//!
//! Rows become JSON blocks as they arrive. Only while a compact encoding is wished for and still possible are they kept as
//! values instead; as soon as it is not, they become blocks too, so that no result is held twice.

use toolbox_source::{Column, DatabaseError, Done, Event, Limits, Row, RowStream, SourceError};

use super::{
    Encoding, NumberFormat, cell, guard, json, names, safe,
    sink::Count,
    truncated::{Limit, Truncated},
};

/// Rows within the limits.
#[derive(Debug)]
pub(super) struct Collected {
    /// What to send.
    pub(super) content: Content,
    /// Bytes of the rows as JSON blocks, without the notice about a cut.
    pub(super) json_bytes: usize,
    /// How the result was cut, if it was.
    pub(super) truncated: Option<Truncated>,
}

/// The two ways in which rows are held.
#[derive(Debug)]
pub(super) enum Content {
    /// As the JSON that goes out, one block a row.
    Blocks(Vec<String>),
    /// As values of which a compact encoding may be made.
    Table(Table),
}

/// One result set as values.
#[derive(Debug)]
pub(super) struct Table {
    /// The unique names of its columns.
    pub(super) names: Vec<String>,
    /// The same names as JSON keys.
    pub(super) keys: json::Keys,
    /// Its rows, each as wide as the names.
    pub(super) rows: Vec<Row>,
}

impl Table {
    /// The rows as JSON blocks.
    pub(super) fn into_blocks(self) -> Vec<String> {
        let mut scratch = String::new();
        let block = |row: &Row| {
            scratch.clear();
            json::write_row(&mut scratch, &self.keys, row);
            scratch.clone()
        };
        self.rows.iter().map(block).collect()
    }
}

/// Reads a stream to its end.
pub(super) async fn read(
    mut stream: RowStream,
    wish: Encoding,
    numbers: NumberFormat,
    limits: &Limits,
) -> Result<Collected, SourceError> {
    let mut collector = Collector::new(wish, limits);
    while let Some(event) = stream.next().await {
        match safe::event(event?, numbers) {
            Event::Columns(columns) => collector.begin(&columns)?,
            Event::Row(row) => {
                if collector.row(row)? == More::Unwanted {
                    stream.enough();
                }
            }
            Event::Done(done) => collector.end(&done),
        }
    }
    collector.finish()
}

/// Whether more rows are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum More {
    Wanted,
    Unwanted,
}

struct Collector<'a> {
    wish: Encoding,
    limits: &'a Limits,
    /// The keys of the result set that is being read.
    open: Option<json::Keys>,
    /// How many result sets were complete.
    complete: usize,
    /// The rows so far, in one of the two.
    blocks: Vec<String>,
    table: Option<Table>,
    /// Where a row is written before it becomes a block of exactly its size.
    scratch: String,
    rows: u64,
    json_bytes: usize,
    cut: Option<Limit>,
    /// What a write changed whose rows were cut.
    changed: Option<u64>,
}

impl<'a> Collector<'a> {
    fn new(wish: Encoding, limits: &'a Limits) -> Self {
        Self {
            wish,
            limits,
            open: None,
            complete: 0,
            blocks: Vec::new(),
            table: None,
            scratch: String::new(),
            rows: 0,
            json_bytes: 0,
            cut: None,
            changed: None,
        }
    }

    fn begin(&mut self, columns: &[Column]) -> Result<(), SourceError> {
        if self.open.is_some() {
            return Err(broken("a result set began before the one before it was complete".to_owned()));
        }
        let names = names::unique(columns);
        let keys = json::Keys::new(&names);
        if self.complete > 0 {
            self.settle_for_json();
        } else if self.wish == Encoding::Gcf && guard::admits_names(&names) {
            self.table = Some(Table { names, keys: keys.clone(), rows: Vec::new() });
        }
        self.open = Some(keys);
        Ok(())
    }

    fn row(&mut self, mut row: Row) -> Result<More, SourceError> {
        let Some(keys) = &self.open else {
            return Err(broken("a row came before its columns".to_owned()));
        };
        if row.len() != keys.len() {
            return Err(broken(format!("a row has {} cells for {} columns", row.len(), keys.len())));
        }
        if self.cut.is_some() {
            return Ok(More::Unwanted);
        }
        if let Some(limit) = self.limits.max_rows.filter(|limit| self.rows >= *limit) {
            self.cut = Some(Limit::Rows(limit));
            return Ok(More::Unwanted);
        }

        // Asked before cells are cut: a cut bytes cell is text, and still stands for bytes.
        let tabular = self.table.is_some() && guard::admits_row(&row);
        if let Some(limit) = self.limits.max_cell_bytes {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            for cell in &mut row {
                cell::cut(cell, limit);
            }
        }

        if tabular {
            let mut size = Count::default();
            json::write_row(&mut size, keys, &row);
            if !self.takes(size.0) {
                return Ok(More::Unwanted);
            }
            if let Some(table) = &mut self.table {
                table.rows.push(row);
            }
        } else {
            self.scratch.clear();
            json::write_row(&mut self.scratch, keys, &row);
            if !self.takes(self.scratch.len()) {
                return Ok(More::Unwanted);
            }
            self.settle_for_json();
            self.blocks.push(self.scratch.clone());
        }
        Ok(More::Wanted)
    }

    fn end(&mut self, done: &Done) {
        if self.open.take().is_some() {
            if self.cut.is_some() {
                self.changed = self.changed.or(done.rows_affected);
            }
        } else {
            self.settle_for_json();
            let mut block = String::new();
            json::write_done(&mut block, done);
            self.json_bytes += block.len();
            self.blocks.push(block);
        }
        self.complete += 1;
    }

    fn finish(self) -> Result<Collected, SourceError> {
        if self.open.is_some() || self.complete == 0 {
            return Err(broken("the answer ended before it was complete".to_owned()));
        }
        let truncated = self.cut.map(|limit| Truncated::new(self.rows, limit, self.changed));
        let content = match self.table {
            Some(table) if !table.rows.is_empty() => Content::Table(table),
            _ => Content::Blocks(self.blocks),
        };
        Ok(Collected { content, json_bytes: self.json_bytes, truncated })
    }

    /// Counts a row of this size, or cuts the result before it. The first row is always taken.
    fn takes(&mut self, size: usize) -> bool {
        let total = self.json_bytes + size;
        let over = |limit: &u64| u64::try_from(total).unwrap_or(u64::MAX) > *limit;
        if let Some(limit) = self.limits.max_bytes.filter(|limit| self.rows > 0 && over(limit)) {
            self.cut = Some(Limit::Bytes(limit));
            return false;
        }
        self.rows += 1;
        self.json_bytes = total;
        true
    }

    /// Gives up on a compact encoding. Nothing happens when that was done before.
    fn settle_for_json(&mut self) {
        if let Some(table) = self.table.take() {
            self.blocks = table.into_blocks();
        }
    }
}

/// A source that breaks its contract. The rows cannot be trusted, so none are sent.
fn broken(message: String) -> SourceError {
    SourceError::Database(DatabaseError { message, ..DatabaseError::default() })
}
