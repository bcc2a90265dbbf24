//! Payloads back into typed rows: JSON rows, tables, GCX1, GCF and TOON, whoever wrote them.
//!
//! For people and programs at the command line; no result of a server takes this road. A reader gives what the payload says or
//! an error that says where it is wrong and what was expected, never a value that is only near. What it holds is bounded by
//! the payload's size. It knows values and how the seam spells numbers, and neither databases nor MCP.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use futures::{StreamExt, stream};
use tokio_util::sync::CancellationToken;
use toolbox_source::{Column, ColumnKind, Done, Event, Row, RowStream, Value};

pub mod gcf;
pub mod gcx;
pub mod json;
pub mod toon;

mod tree;

/// How the notice begins that rows are missing, where it follows the text of a form on a line of its own.
const NOTICE: &str = r#"{"toolbox/truncated":"#;

/// A result set that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// The tool that gave it, where the form says so.
    pub tool: Option<String>,
    /// Whether it says that rows are missing at its end.
    pub truncated: bool,
    /// What else its header says, in its order.
    pub metadata: Vec<(String, String)>,
    /// The names of its columns. They are unique.
    pub names: Vec<String>,
    /// As they were written, so that a payload of short rows stays small.
    rows: Vec<Row>,
}

impl Sheet {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, each as wide as the names: cells that a form leaves out at the end of a row are null.
    pub fn into_rows(self) -> impl Iterator<Item = Row> + Send + 'static {
        let width = self.names.len();
        self.rows.into_iter().map(move |mut row| {
            row.resize(width, Value::Null);
            row
        })
    }
}

/// Why a payload is not read. One line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct Unreadable {
    /// Where, counted from 1; none where the whole is meant.
    pub line: Option<usize>,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl Unreadable {
    fn new(line: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Self { line: line.into(), message: message.into() }
    }
}

/// Result sets as a source would send them; without any, one that has neither columns nor rows.
#[must_use]
pub fn events(mut sheets: Vec<Sheet>) -> RowStream {
    if sheets.is_empty() {
        sheets.push(Sheet::default());
    }
    let events = sheets.into_iter().flat_map(|sheet| {
        let column = |name: &String| Column { name: name.clone(), kind: ColumnKind::Any };
        let columns: Arc<[Column]> = sheet.names.iter().map(column).collect();
        let rows = sheet.into_rows().map(Event::Row);
        std::iter::once(Event::Columns(columns)).chain(rows).chain([Event::Done(Done::default())])
    });
    RowStream::new(stream::iter(events.map(Ok)).boxed(), CancellationToken::new())
}

/// Result sets that are made of rows which name their own fields.
#[derive(Default)]
struct Sheets(Vec<Sheet>);

impl Sheets {
    /// Adds a row to the result set before it, if that has the same fields, else to a new one. The first row of a result set
    /// gives the order of its fields.
    fn push(&mut self, mut fields: Vec<(String, Value)>) -> Result<(), String> {
        if let Some(name) = repeated(fields.iter().map(|(name, _)| name.as_str())) {
            return Err(format!("the field {name:?} is there twice"));
        }
        if !self.0.last().is_some_and(|sheet| put_in_order(&mut fields, &sheet.names)) {
            let names = fields.iter().map(|(name, _)| name.clone()).collect();
            self.0.push(Sheet { names, ..Sheet::default() });
        }
        if let Some(sheet) = self.0.last_mut() {
            sheet.rows.push(fields.into_iter().map(|(_, cell)| cell).collect());
        }
        Ok(())
    }
}

/// Puts fields in the order of these names, if they have the same ones.
fn put_in_order(fields: &mut [(String, Value)], names: &[String]) -> bool {
    let is_in_order = |fields: &[(String, Value)]| fields.iter().map(|(name, _)| name).eq(names);
    if fields.len() == names.len() && !is_in_order(fields) {
        let places: HashMap<&str, usize> =
            names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        fields.sort_by_key(|(name, _)| places.get(name.as_str()).copied());
    }
    is_in_order(fields)
}

/// The first name that repeats.
fn repeated<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}
