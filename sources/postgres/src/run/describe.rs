//! Asks what columns and parameters a statement has.

use std::{future::Future, sync::Arc};

use sqlx::{
    AssertSqlSafe, Column as _, Either, Executor as _, SqlSafeStr as _, Statement as _,
    postgres::{PgStatement, PgTypeInfo},
};
use toolbox_source::{
    Declared, SourceError,
    scan::{Lexicon, Token, TokenKind, Tokens},
};

use super::{Failure, Running, prepare::unless};
use crate::{
    error::{self, Trouble},
    places::Shift,
    prepared::Plain,
    told::Told,
};

/// What a statement answers and takes.
#[derive(Debug, Default)]
pub(super) struct Description {
    /// The statement.
    pub(super) text: Arc<str>,
    /// Names and numbers of types.
    pub(super) columns: Vec<(String, u32)>,
    /// Empty for a statement that cannot run as it is.
    pub(super) parameters: Vec<PgTypeInfo>,
    /// What the server was told of the types of its parameters.
    pub(super) told: Vec<Told>,
    /// The parameters that the text casts from `text`.
    pub(super) casts: Vec<Cast>,
    /// How these casts move places.
    pub(super) shift: Shift,
    /// How it runs in the protocol without parameters.
    pub(super) plain: Option<Plain>,
    /// Whether sqlx can run the statement itself.
    pub(super) runs: bool,
}

/// A parameter that the statement casts from `text`.
#[derive(Clone, Debug)]
pub(super) struct Cast {
    /// Its place, from 0.
    pub(super) place: usize,
    /// The type to which it is cast: its number, and its name.
    pub(super) number: u32,
    pub(super) name: Arc<str>,
}

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Describes a statement. Where the server cannot tell the type of a parameter, as in `$1 IS NULL OR kind = $1`, it is
    /// told what the parameter is declared to hold. The inner error is the server's about this text.
    pub(super) async fn describe(
        &mut self,
        text: Arc<str>,
    ) -> Result<Result<Description, sqlx::Error>, Failure> {
        let sql = AssertSqlSafe(text.clone()).into_sql_str();
        let mut told: Vec<Told> = Vec::new();
        let mut first = None;
        loop {
            let types: Vec<PgTypeInfo> = told.iter().map(|told| told.type_info()).collect();
            let preparing = self.connection.driver.prepare_with(sql.clone(), &types);
            let error = match unless(self.halt.as_mut(), preparing).await? {
                Ok(statement) => return Ok(Ok(described(text, &statement, told))),
                Err(error) => error,
            };
            let untyped = error::untyped_parameter(&error);
            if error::trouble(&error) == Trouble::Other
                && untyped.is_none()
                && told.iter().any(|told| told.as_doubles().is_some())
            {
                for told in &mut told {
                    *told = told.as_doubles().unwrap_or(*told);
                }
                continue;
            }
            let untold = untyped
                .filter(|index| told.get(*index).is_none_or(|told| *told == Told::Nothing))
                .and_then(|index| Some((index, self.call.declared.get(index)?)));
            let Some((index, declared)) = untold else {
                if error::is_of_unknown_type(&error) {
                    return Ok(Err(error));
                }
                if let Some(position) = error::ambiguous_operator(&error)
                    && self.tell_operands(&text, position, &mut told)
                {
                    first = first.or(Some(error));
                    continue;
                }
                if told.is_empty() && error::wants_type(&error) {
                    told = lists(&self.call.declared);
                    if !told.is_empty() {
                        first = Some(error);
                        continue;
                    }
                }
                // What the server says of the types that it was told would only confuse.
                return Ok(Err(first.unwrap_or(error)));
            };
            if told.is_empty()
                && let Some(found) = self.found(&text).await?
            {
                (told, first) = (found, Some(error));
                continue;
            }
            if told.len() <= index {
                told.resize(index + 1, Told::Nothing);
            }
            if let Some(told) = told.get_mut(index) {
                *told = Told::of(declared);
            }
            first = first.or(Some(error));
        }
    }
}

impl<H> Running<'_, H> {
    /// Tells of the parameters on both sides of an operator what they are declared to hold; false if there is nothing new to
    /// tell.
    fn tell_operands(&self, text: &str, position: usize, told: &mut Vec<Told>) -> bool {
        let mut is_new = false;
        for index in operands(text, position) {
            let Some(declared) = self.call.declared.get(index) else { continue };
            if told.len() <= index {
                told.resize(index + 1, Told::Nothing);
            }
            if let Some(told) = told.get_mut(index).filter(|told| **told == Told::Nothing) {
                *told = Told::of(declared);
                is_new = true;
            }
        }
        is_new
    }
}

/// The parameters, from 0, on both sides of the operator at this character, from 1.
fn operands(text: &str, position: usize) -> Vec<usize> {
    let Some(start) = text.char_indices().nth(position.saturating_sub(1)).map(|(start, _)| start) else {
        return Vec::new();
    };
    let parameter = |token: &Token<'_>| match token.kind {
        TokenKind::Placeholder(Some(number)) => number.checked_sub(1),
        _ => None,
    };
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::POSTGRES).collect();
    let before = tokens.iter().rev().find(|token| token.start < start).and_then(parameter);
    // An operator has several characters.
    let is_operator = |token: &&Token<'_>| token.kind == TokenKind::Symbol && !token.is_symbol("(");
    let after = tokens.iter().filter(|token| token.start >= start).find(|token| !is_operator(token));
    before.into_iter().chain(after.and_then(parameter)).collect()
}

/// What the server is told where a function takes any type, as in `unnest($1)`: the types of lists, which nothing else settles
/// there. Of other parameters it finds the types of columns, which go before.
fn lists(declared: &[Declared]) -> Vec<Told> {
    let is_list = |declared: &Declared| matches!(declared, Declared::List(_));
    let told = |declared: &Declared| if is_list(declared) { Told::of(declared) } else { Told::Nothing };
    if declared.iter().any(is_list) { declared.iter().map(told).collect() } else { Vec::new() }
}

fn described(text: Arc<str>, statement: &PgStatement, told: Vec<Told>) -> Description {
    let number = |of: &PgTypeInfo| of.oid().map_or(0, |oid| oid.0);
    let columns = statement
        .columns()
        .iter()
        .map(|column| (column.name().to_owned(), number(column.type_info())))
        .collect();
    let parameters = match statement.parameters() {
        Some(Either::Left(types)) => types.to_vec(),
        _ => Vec::new(),
    };
    Description { text, columns, parameters, told, runs: true, ..Description::default() }
}

#[cfg(test)]
mod tests {
    use super::operands;

    #[test]
    fn operands_stand_on_both_sides_of_an_operator() {
        for (text, position, expected) in [
            ("SELECT $1 * $2", 11, &[0, 1][..]),
            ("SELECT 'ä', $2 || $1, $3", 16, &[1, 0]),
            ("SELECT a - $2", 10, &[1]),
            ("SELECT $1 - (b)", 11, &[0]),
            ("SELECT - $1", 8, &[0]),
            ("SELECT 1", 99, &[]),
        ] {
            assert_eq!(operands(text, position), expected, "{text}");
        }
    }
}
