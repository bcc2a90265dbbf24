//! A table of scalars: `## [3]{id,region=eu,note}` and a row a line.

use toolbox_source::{Row, Value};

use super::{
    super::{Sheet, Unreadable, repeated},
    scalar,
};

/// Reads a table from numbered lines; none if the payload is anything else than one table of scalars.
pub(super) fn read<'a>(
    mut lines: impl Iterator<Item = (&'a str, usize)>,
) -> Result<Option<Sheet>, Unreadable> {
    let Some((line, place)) = lines.next() else { return Ok(None) };
    let Some((count, declaration)) = declaration_of(line) else { return Ok(None) };
    let Some(columns) = columns(declaration).map_err(|message| Unreadable::new(place, message))? else {
        return Ok(None);
    };
    if let Some(name) = repeated(columns.iter().map(|column| column.name.as_str())) {
        return Err(Unreadable::new(place, format!("the column {name:?} is declared twice")));
    }

    let mut rows: Vec<Row> = Vec::new();
    for (line, place) in lines {
        if line.starts_with("##! summary") {
            continue;
        }
        if line.starts_with(['@', '.', ' ']) || line.starts_with("## ") {
            return Ok(None);
        }
        match row(line, &columns).map_err(|message| Unreadable::new(place, message))? {
            Some(row) => rows.push(row),
            None => return Ok(None),
        }
    }
    if let Some(expected) = count.filter(|expected| *expected != rows.len()) {
        let message = format!("the section says [{expected}], and {} rows follow", rows.len());
        return Err(Unreadable::new(place, message));
    }
    let names = columns.into_iter().map(|column| column.name).collect();
    Ok(Some(Sheet { names, rows, ..Sheet::default() }))
}

/// The count and the declaration of `## [3]{a,b}`, and of `## [?]{a,b}`, which has no count.
fn declaration_of(line: &str) -> Option<(Option<usize>, &str)> {
    let (count, declaration) = line.strip_prefix("## [")?.split_once("]{")?;
    let count = if count == "?" { None } else { Some(count.parse().ok()?) };
    Some((count, declaration))
}

struct Column {
    name: String,
    /// The value of all rows, where it stands in the declaration.
    constant: Option<Value>,
}

/// The columns of `a,"b c",d=1}`; none if one of them is part of a nested value.
fn columns(declaration: &str) -> Result<Option<Vec<Column>>, String> {
    let mut columns = Vec::new();
    let mut rest = declaration;
    loop {
        let (name, after) = token(rest, &['=', ',', '}']);
        if name.contains('>') {
            return Ok(None);
        }
        let name = if name.starts_with('"') { scalar::quoted(name)? } else { name.to_owned() };
        rest = after;
        let mut constant = None;
        if let Some(after) = rest.strip_prefix('=') {
            let (value, after) = token(after, &[',', '}']);
            constant = scalar::read(value)?;
            if constant.is_none() {
                return Ok(None);
            }
            rest = after;
        }
        columns.push(Column { name, constant });
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None if rest == "}" => return Ok(Some(columns)),
            None => return Err("the declaration of the columns does not end with }".to_owned()),
        }
    }
}

/// A row; none if a cell is part of a nested value, or absent.
fn row(line: &str, columns: &[Column]) -> Result<Option<Row>, String> {
    let mut rest = Some(line);
    let mut row = Vec::new();
    for column in columns {
        if let Some(value) = &column.constant {
            row.push(value.clone());
            continue;
        }
        let Some(cells) = rest else {
            return Err(format!("a row ends before its cell of {:?}", column.name));
        };
        let (cell, after) = token(cells, &['|']);
        let cell = scalar::read(cell.trim_matches(' '));
        match cell.map_err(|error| format!("the cell of {:?} is {error}", column.name))? {
            Some(value) => row.push(value),
            None => return Ok(None),
        }
        rest = after.strip_prefix('|');
    }
    if rest.is_some() {
        return Err(format!("a row has more than its {} cells", columns.len()));
    }
    Ok(Some(row))
}

/// What stands before the first of these signs outside quotes, and the rest with that sign.
pub(super) fn token<'a>(text: &'a str, ends: &[char]) -> (&'a str, &'a str) {
    let (mut in_quotes, mut escaped) = (false, false);
    let end = text.find(|character: char| {
        let was_escaped = std::mem::take(&mut escaped);
        match character {
            '"' if !was_escaped => in_quotes = !in_quotes,
            '\\' if in_quotes => escaped = !was_escaped,
            _ => {}
        }
        !in_quotes && ends.contains(&character)
    });
    text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""))
}
