//! OUT arguments of procedures of `MySQL`. It sends their texts in the character set of the parameter and calls them bytes, so
//! the server is asked which of them are texts.

use std::sync::Arc;

use sqlx::{
    Column as _, Executor as _, Row as _,
    mysql::{MySqlColumn, MySqlConnection, MySqlRow},
};
use toolbox_source::scan::{Lexicon, Token, Tokens, items::name};

use crate::decode::{Shape, is_called_bytes};

/// An OUT or INOUT parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Out {
    name: String,
    text: Option<Charset>,
}

/// In which bytes a text comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Charset {
    Utf8,
    /// ASCII, and other characters in other bytes.
    WithAscii,
    /// Not even ASCII is itself.
    Other,
}

impl Charset {
    fn of(name: &str) -> Self {
        match name {
            "ascii" | "utf8mb3" | "utf8mb4" | "utf8" => Self::Utf8,
            "swe7" | "ucs2" | "utf16" | "utf16le" | "utf32" => Self::Other,
            _ => Self::WithAscii,
        }
    }
}

/// The procedure that a statement calls, as it spells it, and the parts of its name.
pub(crate) fn called(statement: &str) -> Option<(&str, Vec<String>)> {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::MYSQL).collect();
    let (call, rest) = tokens.split_first().filter(|(call, _)| call.is_word("CALL"))?;
    let (parts, after) = name(rest)?;
    let end = after.first().map_or(statement.len(), |next| next.start);
    Some((statement.get(call.end()..end)?.trim(), parts))
}

/// Asks for the OUT and INOUT parameters of a procedure, in order. Whoever may call it is told.
pub(crate) async fn list(driver: &mut MySqlConnection, parts: &[String]) -> Result<Arc<[Out]>, sqlx::Error> {
    let (schema, procedure) = match parts {
        [procedure] => (None, procedure),
        [schema, procedure] => (Some(schema), procedure),
        _ => return Ok(Arc::from([])),
    };
    let question = "SELECT PARAMETER_NAME, CHARACTER_SET_NAME FROM information_schema.PARAMETERS \
         WHERE SPECIFIC_SCHEMA = COALESCE(?, DATABASE()) AND SPECIFIC_NAME = ? AND ROUTINE_TYPE = 'PROCEDURE' \
         AND PARAMETER_MODE <> 'IN' ORDER BY ORDINAL_POSITION";
    let rows = driver.fetch_all(sqlx::query(question).bind(schema).bind(procedure)).await?;
    let out = |row: &MySqlRow| {
        let charset: Option<String> = row.try_get_unchecked(1)?;
        Ok(Out { name: row.try_get_unchecked(0)?, text: charset.as_deref().map(Charset::of) })
    };
    rows.iter().map(out).collect()
}

/// Tells the texts among the arguments from bytes. Only they are called bytes without being marked so, but for those with a
/// binary collation, which are taken for arguments where the whole answer is called like them.
pub(crate) fn tell(shapes: &mut [Shape], columns: &[MySqlColumn], outs: &[Out]) {
    if outs.is_empty() {
        return;
    }
    let is_all = columns.len() == outs.len()
        && columns.iter().zip(outs).all(|(column, out)| column.name() == out.name);
    for (shape, column) in shapes.iter_mut().zip(columns) {
        if !(is_called_bytes(column) || is_all && *shape == Shape::Bytes) {
            continue;
        }
        match outs.iter().find(|out| out.name == column.name()).and_then(|out| out.text) {
            Some(Charset::Utf8) => *shape = Shape::Text,
            Some(Charset::WithAscii) => *shape = Shape::Ascii,
            Some(Charset::Other) => *shape = Shape::Bytes,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn the_procedure_is_what_stands_behind_call() {
        for (statement, spelled, parts) in [
            ("CALL p(?)", "p", &["p"][..]),
            ("call `s t`.p (?, 1)", "`s t`.p", &["s t", "p"]),
            ("CALL p", "p", &["p"]),
        ] {
            let (found, names) = called(statement).unwrap();
            assert_eq!((found, names), (spelled, parts.iter().map(|part| (*part).to_owned()).collect()));
        }
        assert_eq!(called("SELECT p(?)"), None);
    }
}
