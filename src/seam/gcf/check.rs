//! Reads a GCF text back and compares it with the cells that it was made of.
//!
//! This is a reader in its own right: it follows the grammar and knows nothing of how the writer decides.

use toolbox_source::Value;

use super::token::{self, Token};
use crate::seam::{
    answer::Table,
    number::{self, Form},
    quote::{self, Escapes},
    reader::Reader,
};

/// Whether a reader of this text finds the names and cells of this table, all of them and nothing else.
pub(super) fn reads_back(text: &str, table: &Table) -> bool {
    compare(text, table).is_some()
}

fn compare(text: &str, table: &Table) -> Option<()> {
    let mut reader = Reader { rest: text };
    begin(&mut reader, table)?;
    let constants = compare_declaration(&mut reader, &table.names)?;
    if constants.iter().all(Option::is_some) {
        return None;
    }
    for row in &table.rows {
        compare_row(&mut reader, &constants, row)?;
    }
    end(&mut reader)
}

/// Reads the header and the count, up to the declaration.
pub(super) fn begin(reader: &mut Reader<'_>, table: &Table) -> Option<()> {
    reader.expect("GCF profile=generic\n## [")?;
    let count = reader.until(|byte| byte == b']')?;
    let canonical = number::form(count) == Some(Form::Integer) && !count.starts_with('-');
    (canonical && count.parse() == Ok(table.rows.len())).then_some(())?;
    reader.expect("]{")
}

/// Reads what follows the rows: nothing but comments.
pub(super) fn end(reader: &mut Reader<'_>) -> Option<()> {
    while !reader.rest.is_empty() {
        reader.expect("# ")?;
        reader.line()?;
    }
    Some(())
}

/// The values in the declaration, one a column, where there is one.
fn compare_declaration<'a>(reader: &mut Reader<'a>, names: &[String]) -> Option<Vec<Option<Token<'a>>>> {
    let mut constants = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            reader.expect(",")?;
        }
        compare_name(reader, name)?;
        constants.push(if reader.expect("=").is_some() { Some(constant(reader)?) } else { None });
    }
    reader.expect("}\n")?;
    Some(constants)
}

/// The value of a constant column.
pub(super) fn constant<'a>(reader: &mut Reader<'a>) -> Option<Token<'a>> {
    token::next(reader, |byte| matches!(byte, b',' | b'}'))
}

/// Reads a name, which must be this one.
pub(super) fn compare_name(reader: &mut Reader<'_>, name: &str) -> Option<()> {
    let same = if reader.rest.starts_with('"') {
        quote::reads_as(reader.quoted()?, name, Escapes::Json)
    } else {
        let token = reader.until(|byte| !byte.is_ascii_alphanumeric() && byte != b'_')?;
        token == name && !token.is_empty() && !token.starts_with(|first: char| first.is_ascii_digit())
    };
    same.then_some(())
}

fn compare_row(reader: &mut Reader<'_>, constants: &[Option<Token<'_>>], row: &[Value]) -> Option<()> {
    if constants.len() != row.len() {
        return None;
    }
    let mut is_first = true;
    for (constant, cell) in constants.iter().zip(row) {
        if let Some(constant) = constant {
            token::is_same(constant, cell).then_some(())?;
            continue;
        }
        if !is_first {
            reader.expect("|")?;
        }
        is_first = false;
        compare_cell(reader, cell)?;
    }
    reader.expect("\n")
}

/// Reads a cell of a row, which must stand for this value.
#[inline]
pub(super) fn compare_cell(reader: &mut Reader<'_>, cell: &Value) -> Option<()> {
    if token::known(reader, cell).is_some() {
        return Some(());
    }
    token::is_same(&token::next(reader, |byte| byte == b'|')?, cell).then_some(())
}
