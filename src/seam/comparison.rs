//! One result in every form, and why a form is not sent: for people who choose an encoding.
//!
//! Nothing is decided here. Whether a form is sent is the guard's word; the reason is looked for afterwards, in the order in
//! which the guard asks. The texts are for measuring alone, so they cannot be taken out.

use std::fmt;

use toolbox_source::{Limits, RowStream, SourceError, Value};

use super::{
    Encoding, NumberFormat, Truncated,
    answer::{Answer, Kept},
    aside,
    collect::{self, Content},
    form::{self, Form},
    guard, json,
    sink::Sink as _,
    table,
};

/// A result in every form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Rows of all result sets together.
    pub rows: usize,
    /// Columns of the widest result set.
    pub columns: usize,
    /// JSON first, then every form in the order of [`Encoding::ALL`], without [`Encoding::Auto`].
    pub candidates: Vec<Candidate>,
    /// What [`Encoding::Auto`] sends.
    pub auto: Encoding,
    floor: String,
}

impl Comparison {
    /// A measure of the values alone, with tabs between them and no names. No form that keeps the order of the cells and
    /// repeats those that are alike is less than this, and this cannot be read back.
    pub fn floor(&self, measure: impl Fn(&str) -> usize) -> usize {
        measure(&self.floor)
    }
}

/// A result in one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The form.
    pub encoding: Encoding,
    /// Why JSON goes out instead, where it does.
    pub refusal: Option<Refusal>,
    blocks: Option<Vec<String>>,
}

impl Candidate {
    /// The sum of a measure of its text blocks; none where it cannot be written at all.
    pub fn sum(&self, measure: impl Fn(&str) -> usize) -> Option<usize> {
        self.blocks.as_ref().map(|blocks| blocks.iter().map(|block| measure(block)).sum())
    }
}

/// Why a form is not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is nothing but the end of a statement, or there are no rows.
    NoRows,
    /// The form holds one result set.
    SeveralResults,
    /// A name that the form has no spelling for.
    Name(String),
    /// A column with a cell that the form cannot say exactly, and what kind of value that is.
    Cell {
        /// The name of the column.
        column: String,
        /// The kind of the value.
        kind: &'static str,
    },
    /// The form's writer gives up, for a size or a value that shows only in the whole.
    Unwritable,
    /// It has at least as many bytes as JSON.
    NotSmaller,
    /// It costs more o200k tokens than JSON.
    MoreTokens,
    /// What is read back is not the result.
    Unfaithful,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => formatter.write_str("there are no rows"),
            Self::SeveralResults => formatter.write_str("it holds one result set, and there are several"),
            Self::Name(name) => write!(formatter, "it has no spelling for the column name {name:?}"),
            Self::Cell { column, kind } => {
                write!(
                    formatter,
                    "the column {column:?} has a value of the kind {kind} that it cannot say exactly"
                )
            }
            Self::Unwritable => formatter.write_str("its writer does not take this result"),
            Self::NotSmaller => formatter.write_str("it is not smaller than JSON"),
            Self::MoreTokens => formatter.write_str("it costs more tokens than JSON"),
            Self::Unfaithful => formatter.write_str("it does not read back to the same rows"),
        }
    }
}

/// Writes a result in every form.
///
/// # Errors
///
/// What the source reports.
pub async fn compare(
    rows: RowStream,
    tool: &str,
    numbers: NumberFormat,
    limits: &Limits,
) -> Result<Comparison, SourceError> {
    let collected = collect::read(rows, form::all(), numbers, limits).await?;
    let truncated = collected.truncated;
    let notice = truncated.as_ref().map(Truncated::json_block);
    let json_bytes = collected.json_bytes + notice.as_ref().map_or(0, String::len);
    Ok(match collected.content {
        Content::Blocks(blocks) => only_json(blocks.into_iter().chain(notice).collect()),
        Content::Kept(kept, forms) => {
            let answer = Answer { kept: &kept, tool, truncated: truncated.as_ref(), json_bytes };
            aside(json_bytes, || of_answer(&answer, &forms))
        }
    })
}

/// The ends of statements without rows, which have no other form.
fn only_json(blocks: Vec<String>) -> Comparison {
    let refused = |form: &'static dyn Form| Candidate {
        encoding: form.encoding(),
        blocks: None,
        refusal: Some(Refusal::NoRows),
    };
    let floor = blocks.join("\n");
    let json = Candidate { encoding: Encoding::Json, blocks: Some(blocks), refusal: None };
    let candidates = std::iter::once(json).chain(form::all().into_iter().map(refused)).collect();
    Comparison { rows: 0, columns: 0, candidates, auto: Encoding::Json, floor }
}

fn of_answer(answer: &Answer<'_>, admitting: &[&'static dyn Form]) -> Comparison {
    let json =
        Candidate { encoding: Encoding::Json, blocks: Some(answer.json_blocks().collect()), refusal: None };
    let others = form::all().into_iter().map(|form| {
        let admits = admitting.iter().any(|other| other.encoding() == form.encoding());
        candidate(form, answer, admits)
    });
    Comparison {
        rows: answer.rows(),
        columns: answer.kept.tables.iter().map(|table| table.names.len()).max().unwrap_or(0),
        candidates: std::iter::once(json).chain(others).collect(),
        auto: auto(answer, admitting),
        floor: floor(answer.kept),
    }
}

fn auto(answer: &Answer<'_>, admitting: &[&'static dyn Form]) -> Encoding {
    let mut forms = form::candidates(Encoding::Auto);
    forms.retain(|form| admitting.iter().any(|other| other.encoding() == form.encoding()));
    guard::pick(Encoding::Auto, answer, &forms).map_or(Encoding::Json, |(encoding, _)| encoding)
}

fn candidate(form: &dyn Form, answer: &Answer<'_>, admits: bool) -> Candidate {
    let encoding = form.encoding();
    if encoding == Encoding::Table {
        return Candidate { encoding, blocks: Some(vec![table::write(answer)]), refusal: None };
    }
    if !admits {
        return Candidate { encoding, blocks: None, refusal: Some(not_admitted(form, answer)) };
    }
    if let Some(blocks) = guard::judged(form, answer) {
        return Candidate { encoding, blocks: Some(blocks), refusal: None };
    }
    let written = guard::tried(encoding, || form.write(answer, usize::MAX));
    let notice = answer.truncated.filter(|cut| form.notice_follows(cut)).map(Truncated::json_block);
    let blocks: Option<Vec<String>> = written.map(|text| std::iter::once(text).chain(notice).collect());
    let bytes = |blocks: &[String]| blocks.iter().map(String::len).sum::<usize>();
    let refusal = match &blocks {
        _ if answer.rows() == 0 => Refusal::NoRows,
        None => Refusal::Unwritable,
        Some(blocks) if bytes(blocks) >= answer.json_bytes => Refusal::NotSmaller,
        Some(blocks) if !guard::costs_no_more(blocks, answer) => Refusal::MoreTokens,
        Some(_) => Refusal::Unfaithful,
    };
    Candidate { encoding, blocks, refusal: Some(refusal) }
}

/// Why a form was given up while rows arrived.
fn not_admitted(form: &dyn Form, answer: &Answer<'_>) -> Refusal {
    if answer.only_table().is_none() && !form.admits_several() {
        return Refusal::SeveralResults;
    }
    for table in &answer.kept.tables {
        if table.names.is_empty() {
            return Refusal::NoRows;
        }
        let name = table.names.iter().find(|name| !form.admits_names(std::slice::from_ref(name)));
        if let Some(name) = name {
            return Refusal::Name(name.clone());
        }
        for row in &table.rows {
            let cell =
                row.iter().zip(&table.names).find(|(cell, _)| !form.admits_row(std::slice::from_ref(cell)));
            if let Some((cell, name)) = cell {
                return Refusal::Cell { column: name.clone(), kind: cell.kind() };
            }
        }
    }
    // A cell that was cut: it was bytes, and is a text now.
    Refusal::Unwritable
}

/// The cells alone: text bare, null empty, all others as JSON.
fn floor(kept: &Kept) -> String {
    let mut out = String::new();
    for row in kept.tables.iter().flat_map(|table| &table.rows) {
        for (index, cell) in row.iter().enumerate() {
            if index > 0 {
                out.put("\t");
            }
            match cell {
                Value::Null => {}
                Value::Text(text) => out.put(text),
                cell => json::write_value(&mut out, cell),
            }
        }
        out.put("\n");
    }
    out
}
