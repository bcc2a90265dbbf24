//! A nested cell that follows its row: `.name {}` and its fields, `.name [2]: a,b`, `.name [2]{x,y}` and rows.
//!
//! The crate is given one cell at a time, in a table of its own under the name `x`. What it says of the cell depends on nothing
//! beside the cell: only that later rows leave out the columns of a list, where all rows have the same, is known to the table
//! alone.

use serde_json::{Map, Value as Json};

use super::{super::text, write_leaf};
use crate::seam::{reader::Reader, sink::Sink as _};

/// What the crate writes around the attachment of a cell. The second row holds a scalar, or an object would become columns.
const BEFORE: &str = "GCF profile=generic\n## [2]{x}\n@0 ^\n.x";
const AFTER: &str = "0\n";

/// Writes the attachment of a cell.
pub(super) fn write(out: &mut String, name: &str, cell: Json) -> Option<()> {
    let row = |value| Json::Object(Map::from_iter([("x".to_owned(), value)]));
    let text = gcf::encode_generic(&Json::Array(vec![row(cell), row(0.into())])).ok()?;
    out.put(".");
    text::write_name(out, name);
    out.put(text.strip_prefix(BEFORE)?.strip_suffix(AFTER)?);
    Some(())
}

/// Writes a list of objects of scalars whose columns the first row has named.
pub(super) fn write_rows(out: &mut String, name: &str, columns: &[String], items: &[Json]) -> Option<()> {
    out.put(".");
    text::write_name(out, name);
    out.put(" [");
    out.put(itoa::Buffer::new().format(items.len()));
    out.put("]\n");
    for item in items {
        let item = item.as_object()?;
        for (index, column) in columns.iter().enumerate() {
            out.put(if index > 0 { "|" } else { "    " });
            match item.get(column) {
                Some(leaf) => write_leaf(out, leaf)?,
                None => out.put("~"),
            }
        }
        out.put("\n");
    }
    Some(())
}

/// Takes the attachment whose name was read last: the rest of the line, and all lines that are indented.
pub(super) fn next<'a>(reader: &mut Reader<'a>) -> Option<&'a str> {
    let text = reader.rest;
    reader.line()?;
    while reader.rest.starts_with(' ') {
        reader.line()?;
    }
    text.get(..text.len() - reader.rest.len())
}

/// The columns that an attachment of the first row names for those of later rows.
pub(super) fn columns(attachment: &str) -> Option<&str> {
    let (line, _) = attachment.split_once('\n')?;
    let (_, columns) = line.strip_prefix(" [")?.split_once(']')?;
    columns.starts_with('{').then_some(columns)
}

/// What the crate reads in an attachment. `columns` are those that the first row has named, for later rows.
pub(super) fn read(attachment: &str, columns: Option<&str>) -> Option<Json> {
    let document = match columns {
        Some(columns) => {
            format!("GCF profile=generic\n## [2]{{x}}\n@0 ^\n.x [0]{columns}\n@1 ^\n.x{attachment}")
        }
        None => format!("GCF profile=generic\n## [1]{{x}}\n@0 ^\n.x{attachment}"),
    };
    let Json::Array(mut rows) = gcf::decode_generic(&document).ok()? else { return None };
    let Json::Object(mut row) = rows.pop()? else { return None };
    row.remove("x").filter(|_| row.is_empty() && rows.len() == usize::from(columns.is_some()))
}
