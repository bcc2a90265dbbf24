//! From a stream of events to the rows that may be sent: within the limits, under unique names.
//!
//! Rows become JSON blocks as they arrive. Only while another form is wished for and still possible are they kept as values
//! instead; as soon as none is, they become blocks too, so that no result is held twice.

use std::mem;

use toolbox_source::{Column, DatabaseError, Done, Event, Limits, Row, RowStream, SourceError, Value, names};

use super::{
    NumberFormat,
    answer::{Kept, Part, Table},
    cell,
    form::Form,
    json, safe,
    sink::Count,
    tree,
    truncated::{Limit, Truncated},
};

/// Rows within the limits.
pub(super) struct Collected {
    /// What to send.
    pub(super) content: Content,
    /// Bytes of the rows as JSON blocks, without the notice about a cut.
    pub(super) json_bytes: usize,
    /// How the result was cut, if it was.
    pub(super) truncated: Option<Truncated>,
}

/// The two ways in which rows are held.
pub(super) enum Content {
    /// As the JSON that goes out, one block a row.
    Blocks(Vec<String>),
    /// As values, with the forms that may be made of them. There is at least one of either.
    Kept(Kept, Vec<&'static dyn Form>),
}

/// The end of a statement without columns as a row: `{"rows_affected":3,"last_insert_id":7}`.
fn change(done: &Done) -> (Vec<String>, Row) {
    let count = done.rows_affected.unwrap_or_default();
    let count = i64::try_from(count).map_or(Value::UInt(count), Value::Int);
    let (mut names, mut row) = (vec!["rows_affected".to_owned()], vec![count]);
    if let Some(id) = &done.last_insert_id {
        names.push("last_insert_id".to_owned());
        row.push(id.clone());
    }
    (names, row)
}

/// Reads a stream to its end. `forms` are those that the answer may take instead of JSON.
pub(super) async fn read(
    mut stream: RowStream,
    forms: Vec<&'static dyn Form>,
    numbers: NumberFormat,
    limits: &Limits,
) -> Result<Collected, SourceError> {
    let mut collector = Collector::new(forms, limits);
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
    limits: &'a Limits,
    /// The keys of the result set that is being read.
    open: Option<json::Keys>,
    /// How many result sets were complete.
    complete: usize,
    /// The forms that can still be made. While there are any, rows are kept; then they are blocks.
    forms: Vec<&'static dyn Form>,
    kept: Kept,
    blocks: Vec<String>,
    /// Where a row is written before it becomes a block of exactly its size.
    scratch: String,
    rows: u64,
    json_bytes: usize,
    cut: Option<Limit>,
    /// What a write changed whose rows were cut.
    changed: Option<u64>,
}

impl<'a> Collector<'a> {
    fn new(forms: Vec<&'static dyn Form>, limits: &'a Limits) -> Self {
        Self {
            limits,
            open: None,
            complete: 0,
            forms,
            kept: Kept::default(),
            blocks: Vec::new(),
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
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let names = names::unique(&names);
        let keys = json::Keys::new(&names);
        self.open = Some(keys.clone());
        self.keep_table(Part::Whole, names, keys);
        Ok(())
    }

    /// Begins a table, if any form can hold it.
    fn keep_table(&mut self, part: Part, names: Vec<String>, keys: json::Keys) {
        let several = self.complete > 0 || part == Part::Change;
        self.keep_forms(|form| form.admits_names(&names) && (form.admits_several() || !several));
        if !self.forms.is_empty() {
            self.kept.tables.push(Table { part, names, keys, rows: Vec::new() });
        }
    }

    fn row(&mut self, mut row: Row) -> Result<More, SourceError> {
        let Some(keys) = &self.open else {
            return Err(broken("a row came before its columns".to_owned()));
        };
        if row.len() != keys.len() {
            return Err(broken(format!("a row has {} cells for {} columns", row.len(), keys.len())));
        }
        if self.cut.is_some() {
            return Ok(self.leave_out());
        }
        if let Some(limit) = self.limits.max_rows.filter(|limit| self.rows >= *limit) {
            self.cut = Some(Limit::Rows(limit));
            return Ok(self.leave_out());
        }

        // Asked before cells are cut: a cut bytes cell is text, and still stands for bytes.
        self.keep_forms(|form| form.admits_row(&row));
        if let Some(limit) = self.limits.max_cell_bytes {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            for cell in &mut row {
                cell::cut(cell, limit);
            }
        }
        if self.takes(&row) {
            self.rows += 1;
            self.add(row);
            Ok(More::Wanted)
        } else {
            Ok(self.leave_out())
        }
    }

    /// Marks the result set that is being read as cut.
    fn leave_out(&mut self) -> More {
        if let Some(table) = self.kept.tables.last_mut() {
            table.part = Part::Cut;
        }
        More::Unwanted
    }

    fn end(&mut self, done: &Done) {
        if self.cut.is_some() {
            // Of a procedure, what comes without columns is the end of the whole.
            self.changed = self.changed.or(done.rows_affected);
        }
        if self.open.take().is_none() {
            let (names, row) = change(done);
            let keys = json::Keys::new(&names);
            self.keep_table(Part::Change, names, keys.clone());
            self.keep_forms(|form| form.admits_row(&row));
            self.json_bytes += self.write(&keys, &row);
            self.add(row);
        }
        self.complete += 1;
    }

    fn finish(mut self) -> Result<Collected, SourceError> {
        if self.open.is_some() || self.complete == 0 {
            return Err(broken("the answer ended before it was complete".to_owned()));
        }
        let truncated = self.cut.map(|limit| Truncated::new(self.rows, limit, self.changed));
        if self.kept.tables.iter().all(|table| table.part == Part::Change) {
            self.keep_forms(|_| false);
        }
        let content = if self.forms.is_empty() {
            Content::Blocks(self.blocks)
        } else {
            Content::Kept(self.kept, self.forms)
        };
        Ok(Collected { content, json_bytes: self.json_bytes, truncated })
    }

    /// Measures a row, and cuts the result before it if it is too much. The first row is always taken.
    fn takes(&mut self, row: &Row) -> bool {
        let Some(keys) = self.open.take() else { return false };
        let total = self.json_bytes + self.write(&keys, row);
        self.open = Some(keys);
        let over = |limit: &u64| u64::try_from(total).unwrap_or(u64::MAX) > *limit;
        if let Some(limit) = self.limits.max_bytes.filter(|limit| self.rows > 0 && over(limit)) {
            self.cut = Some(Limit::Bytes(limit));
            return false;
        }
        self.json_bytes = total;
        true
    }

    /// Writes a row to the scratch if it is to become a block, and says how many bytes it has.
    fn write(&mut self, keys: &json::Keys, row: &Row) -> usize {
        if self.forms.is_empty() {
            self.scratch.clear();
            json::write_row(&mut self.scratch, keys, row);
            self.scratch.len()
        } else {
            let mut size = Count::default();
            json::write_row(&mut size, keys, row);
            size.0
        }
    }

    /// Takes the row that was written last.
    fn add(&mut self, row: Row) {
        if self.forms.is_empty() {
            self.blocks.push(self.scratch.clone());
        } else if let Some(table) = self.kept.tables.last_mut() {
            self.kept.nested |= row.iter().any(tree::is_nested);
            table.rows.push(row);
        }
    }

    /// Gives up the forms that fail a test, and keeps no values any more when none is left.
    fn keep_forms(&mut self, can: impl Fn(&dyn Form) -> bool) {
        if !self.forms.is_empty() {
            self.forms.retain(|form| can(*form));
            if self.forms.is_empty() {
                self.blocks = mem::take(&mut self.kept).into_blocks();
            }
        }
    }
}

/// A source that breaks its contract. The rows cannot be trusted, so none are sent.
fn broken(message: String) -> SourceError {
    SourceError::Database(DatabaseError { message, ..DatabaseError::default() })
}
