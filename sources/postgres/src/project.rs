//! The statement around the caller's in which the server renders the columns that only it can write, by the form in which
//! the caller's can stand in another. It builds text and must not know connections.

mod columns;

use std::{fmt::Write as _, sync::Arc};

use crate::{
    kind::{Field, JSON, Kind, RECORD, TEXT},
    places::Shift,
    plan::{self, Form},
    types::Types,
};

pub(crate) use columns::{Part, answer, empty};

/// A statement around the caller's.
#[derive(Debug, PartialEq)]
pub(crate) struct Projection {
    pub(crate) text: String,
    /// How it moves places in the caller's text.
    pub(crate) shift: Shift,
    /// How the cells of its columns are read. It has one column more if `checks`.
    pub(crate) kinds: Vec<Kind>,
    /// Whether its last column says that row types still have the fields that they had.
    pub(crate) checks: bool,
}

/// The name of the caller's statement in the one around it.
const ROWS: &str = "toolbox_rows";

/// The projection of a statement with columns of these kinds; `None` if it cannot stand in another.
/// Records come as JSON alone if they are `plain`.
pub(crate) fn project(
    text: &str,
    form: Form,
    kinds: &[Kind],
    types: &Types,
    plain: bool,
) -> Option<Projection> {
    let names: Vec<String> = (1..=kinds.len()).map(|number| format!("c{number}")).collect();
    let mut cells = Vec::with_capacity(kinds.len() + 1);
    let mut read_as = Vec::with_capacity(kinds.len());
    for (name, kind) in names.iter().zip(kinds) {
        let (cell, kind, _) = if plain && is_record(kind) { as_json(name) } else { rendered(name, kind) };
        cells.push(cell);
        read_as.push(kind);
    }
    let checks = kinds.iter().any(holds_fields);
    if checks {
        cells.push(check(types));
    }
    let (names, cells) = (names.join(", "), cells.join(", "));
    let text = plan::without_end(text);
    // The line break ends a comment at the end of the caller's text.
    let (head, before, main, after) = match form {
        Form::Query => ("", format!("SELECT {cells} FROM ("), text, format!("\n) AS {ROWS}({names})")),
        Form::DataChange => {
            ("", format!("WITH {ROWS}({names}) AS ("), text, format!("\n) SELECT {cells} FROM {ROWS}"))
        }
        Form::AfterWith => {
            let (head, main) = text.split_at_checked(plan::main_statement(text)?)?;
            (head, format!(", {ROWS}({names}) AS ("), main, format!("\n) SELECT {cells} FROM {ROWS}"))
        }
        Form::Call | Form::Other => return None,
    };
    let shift = Shift::around(head.chars().count(), before.chars().count());
    Some(Projection { text: format!("{head}{before}{main}{after}"), shift, kinds: read_as, checks })
}

/// A query that renders one row that the server has sent before, its cells in the expressions `cell` of parameters, and how
/// the cells of its own are read.
pub(crate) fn row(kinds: &[Kind], cell: impl Fn(usize) -> String) -> (String, Vec<Kind>) {
    let cells = kinds.iter().enumerate().map(|(place, kind)| {
        let (cell, kind, _) = rendered(&cell(place), kind);
        (cell, kind)
    });
    let (cells, read_as): (Vec<String>, Vec<Kind>) = cells.unzip();
    (format!("SELECT {}", cells.join(", ")), read_as)
}

/// The expression that the server sends for a column, and the kind and the number of its type.
fn rendered(column: &str, kind: &Kind) -> (String, Kind, u32) {
    match kind {
        kind if kind.is_native() => (column.to_owned(), kind.clone(), 0),
        kind if is_record(kind) => {
            let (json, _, _) = as_json(column);
            let cell = format!("CASE WHEN {column} IS DISTINCT FROM NULL THEN ROW({column}, {json}) END");
            (cell, Kind::BesideJson(Arc::new(kind.clone())), RECORD)
        }
        Kind::Hstore => as_json(column),
        // Without the null test, a null would become a row of nulls.
        Kind::Composite(fields) => {
            let mut row = String::new();
            let mut read_as = Vec::with_capacity(fields.len());
            for (index, field) in fields.iter().enumerate() {
                let name = field.name.replace('"', "\"\"");
                let (cell, kind, number) = rendered(&format!("({column}).\"{name}\""), &field.kind);
                let number = if number == 0 { field.number } else { number };
                let comma = if index > 0 { ", " } else { "" };
                // Writing to a String cannot fail.
                let _ = write!(row, "{comma}{cell}");
                read_as.push(Field { name: field.name.clone(), number, kind });
            }
            let cell = format!("CASE WHEN {column} IS DISTINCT FROM NULL THEN ROW({row}) END");
            (cell, Kind::Composite(read_as.into()), RECORD)
        }
        Kind::Array(element, _) => match element.as_ref() {
            Kind::Foreign | Kind::Multirange => {
                let texts = Kind::Array(Arc::new(Kind::Text), TEXT);
                (format!("({column})::pg_catalog.text[]"), texts, 1009)
            }
            _ => as_json(column),
        },
        _ => (format!("({column})::pg_catalog.text"), Kind::Text, TEXT),
    }
}

/// A record without a name, or an array of such.
fn is_record(kind: &Kind) -> bool {
    match kind {
        Kind::Record => true,
        Kind::Array(element, _) => **element == Kind::Record,
        _ => false,
    }
}

/// The server knows the names of the fields of a value, and of the keys of a hstore.
fn as_json(column: &str) -> (String, Kind, u32) {
    (format!("pg_catalog.to_json({column})"), Kind::Json, JSON)
}

/// Whether a column of this kind is sent as JSON, because the server alone knows the names in it.
pub(crate) fn is_sent_as_json(kind: &Kind) -> bool {
    !kind.is_native() && matches!(rendered("", kind).1, Kind::Json)
}

/// Whether the names of fields are read from what the catalog said when the statement was prepared.
pub(crate) fn holds_fields(kind: &Kind) -> bool {
    match kind {
        Kind::Composite(_) => true,
        Kind::Array(element, _) => holds_fields(element),
        _ => false,
    }
}

/// Whether the row types have the fields that they had: the server does not say when they change.
fn check(types: &Types) -> String {
    let composites = types.composites();
    let numbers: Vec<String> = composites.iter().map(|(number, _)| number.to_string()).collect();
    let fields = composites.iter().flat_map(|(number, fields)| {
        fields.iter().map(move |(name, of)| format!("{number} {of} {}", name.replace('\'', "''")))
    });
    let fields: Vec<String> = fields.collect();
    format!(
        "(SELECT coalesce(pg_catalog.string_agg(t.oid::pg_catalog.text || ' ' || a.atttypid::pg_catalog.text || ' ' || \
         a.attname::pg_catalog.text, ',' ORDER BY t.oid, a.attnum), '') = '{}' \
         FROM pg_catalog.pg_type t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.typrelid \
         WHERE t.oid IN ({}) AND a.attnum > 0 AND NOT a.attisdropped)",
        fields.join(","),
        numbers.join(", ")
    )
}
