//! GCX1 in, typed rows out.
//!
//! What the grammar leaves open is read as the writers of GCX1 mean it: empty lines and lines that begin with `#` are dropped,
//! a row may lack cells at its end, `\x` is `x` unless it is a tab or a line break, a line may end with a carriage return. A
//! header without `types` has cells by the typed rule, so plain GCX1 of any writer is read.
//!
//! ```
//! use toolbox::payload::gcx;
//! use toolbox_source::Value;
//!
//! let sheets = gcx::read("GCX1 tool=t fields=id,name rows=1\n1\tAlice\n").unwrap();
//! let rows: Vec<_> = sheets.into_iter().flat_map(|sheet| sheet.into_rows()).collect();
//! assert_eq!(rows, [[Value::Int(1), Value::Text("Alice".to_owned())]]);
//! ```

use std::borrow::Cow;

use header::Header;

use super::{NOTICE, Sheet, Unreadable};

mod cell;
mod header;

#[cfg(test)]
mod tests;

/// Reads all sections of a payload. There is at least one.
///
/// # Errors
///
/// Another version than 1, and whatever the grammar does not allow: see [`Unreadable`]. Also a number of rows that is not the
/// one of the header, since then lines were lost.
pub fn read(text: &str) -> Result<Vec<Sheet>, Unreadable> {
    let mut sheets = Vec::new();
    let mut open: Option<Section> = None;
    for (index, line) in text.split('\n').enumerate() {
        let number = index + 1;
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match &mut open {
            Some(section) if section.is_followed_by_notice(line) => {}
            Some(section) if !line.starts_with("GCX1") => section.row(line, number)?,
            _ => {
                sheets.extend(open.take().map(Section::close).transpose()?);
                open = Some(Section::open(line, number)?);
            }
        }
    }
    sheets.extend(open.map(Section::close).transpose()?);
    if sheets.is_empty() {
        return Err(Unreadable::new(
            None,
            "there is no header: GCX1 begins with a line \"GCX1 tool=… fields=…\"",
        ));
    }
    Ok(sheets)
}

/// A section that is being read.
struct Section {
    header: Header,
    line: usize,
    rows: Vec<toolbox_source::Row>,
}

impl Section {
    fn open(line: &str, number: usize) -> Result<Self, Unreadable> {
        let header = Header::read(line).map_err(|message| Unreadable::new(number, message))?;
        Ok(Self { header, line: number, rows: Vec::new() })
    }

    /// Whether this line is the notice about a cut, which follows the rows of a write. Only the count of the header tells it from
    /// a row.
    fn is_followed_by_notice(&self, line: &str) -> bool {
        self.header.truncated && self.header.rows == Some(self.rows.len()) && line.starts_with(NOTICE)
    }

    fn row(&mut self, line: &str, number: usize) -> Result<(), Unreadable> {
        let fields = &self.header.fields;
        let mut row = Vec::new();
        for (index, token) in line.split('\t').enumerate() {
            let Some(field) = fields.get(index) else {
                let cells = line.split('\t').count();
                let message = format!("a row of {cells} cells, where the header has {} fields", fields.len());
                return Err(Unreadable::new(number, message));
            };
            let letter = self.header.types.get(index).copied();
            let value = cell::read(&unescape(token), letter).map_err(|expected| {
                Unreadable::new(
                    number,
                    format!("the cell of {field:?} is {}, expected {expected}", shown(token)),
                )
            })?;
            row.push(value);
        }
        self.rows.push(row);
        Ok(())
    }

    fn close(self) -> Result<Sheet, Unreadable> {
        let Self { header, line, rows } = self;
        if let Some(expected) = header.rows.filter(|expected| *expected != rows.len()) {
            let message = format!(
                "the header says rows={expected}, and {} follow; a line was lost, or was empty, which is no row",
                rows.len()
            );
            return Err(Unreadable::new(line, message));
        }
        Ok(Sheet {
            tool: Some(header.tool),
            truncated: header.truncated,
            metadata: header.metadata,
            names: header.fields,
            rows,
        })
    }
}

/// Undoes the escapes of a cell or of a name. A backslash at the end stands for itself.
fn unescape(token: &str) -> Cow<'_, str> {
    if !token.contains('\\') {
        return Cow::Borrowed(token);
    }
    let mut plain = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    Cow::Owned(plain)
}

/// The beginning of a text, as it is shown in an error.
fn shown(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST).and_then(|(end, _)| text.get(..end)) {
        Some(beginning) => format!("{beginning:?}…"),
        None => format!("{text:?}"),
    }
}
