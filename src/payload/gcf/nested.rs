//! Rows with nested values, read by the crate `gcf`, which knows 64-bit integers and doubles and nothing between.
//!
//! Other numbers in the rows themselves, such as `1.10`, are handed to it as text behind a mark, and are numbers again afterwards.
//! In what follows a row they are refused where the crate would round them.

use toolbox_source::Value;

use super::{
    super::{Sheet, Unreadable, tree},
    scalar,
    table::token,
};

/// How many levels the crate may be asked to nest. It goes down by recursion.
const MOST_LEVELS: usize = 500;

/// Reads rows with nested values.
pub(super) fn read(text: &str) -> Result<Vec<Sheet>, Unreadable> {
    for (line, place) in text.lines().zip(1..) {
        let content = line.trim_start_matches(' ');
        let declares = content.starts_with(['#', '@', '.', '^']);
        let levels =
            if declares { line.matches('>').count() } else { 0 }.max((line.len() - content.len()) / 4);
        if levels > MOST_LEVELS {
            return Err(Unreadable::new(place, format!("nested more than {MOST_LEVELS} levels deep")));
        }
    }
    let Some(mark) = ('\u{e000}'..='\u{f8ff}').find(|mark| !text.contains(*mark)) else {
        return tree::read(text, ("GCF", ",|=[]{}"), gcf::decode_generic);
    };
    let mut sheets = tree::read(&marked(text, mark), ("GCF", ",|=[]{}"), gcf::decode_generic)?;
    for cell in sheets.iter_mut().flat_map(|sheet| &mut sheet.rows).flatten() {
        unmark(cell, mark);
    }
    Ok(sheets)
}

/// The text with a mark and quotes around the numbers that the crate would not keep, in the declaration and in rows.
fn marked(text: &str, mark: char) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) =
            line.split_at_checked(line.trim_end_matches(['\n', '\r']).len()).unwrap_or((line, ""));
        if line.starts_with("## [") {
            mark_tokens(&mut out, line, &['{', '=', ',', '}'], mark);
        } else if line.starts_with(['#', '.', ' ']) {
            out.push_str(line);
        } else {
            let row = line.strip_prefix('@').and_then(|row| row.split_once(' ')).map_or(line, |(_, row)| row);
            out.push_str(line.get(..line.len() - row.len()).unwrap_or_default());
            mark_tokens(&mut out, row, &['|'], mark);
        }
        out.push_str(end);
    }
    out
}

/// Writes tokens, and the signs between them.
fn mark_tokens(out: &mut String, text: &str, signs: &[char], mark: char) {
    let mut rest = text;
    while !rest.is_empty() {
        let (token, after) = token(rest, signs);
        if matches!(scalar::read(token), Ok(Some(Value::Decimal(_)))) {
            out.push('"');
            out.push(mark);
            out.push_str(token);
            out.push('"');
        } else {
            out.push_str(token);
        }
        let sign = after.chars().next().map_or(0, char::len_utf8);
        let (sign, after) = after.split_at_checked(sign).unwrap_or((after, ""));
        out.push_str(sign);
        rest = after;
    }
}

/// Makes marked text a number again.
fn unmark(cell: &mut Value, mark: char) {
    match cell {
        Value::Text(text) => {
            if let Some(digits) = text.strip_prefix(mark) {
                *cell = Value::Decimal(digits.to_owned());
            }
        }
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| unmark(field, mark)),
        _ => {}
    }
}
