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
    plan::{Effect, Use, uses},
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
    /// Describes a statement of which the server is told this. Where it cannot tell the type of a parameter, as in
    /// `$1 IS NULL OR kind = $1`, it is told what the parameter is declared to hold. The inner error is the server's about this
    /// text.
    pub(super) async fn describe(
        &mut self,
        text: Arc<str>,
        mut told: Vec<Told>,
    ) -> Result<Result<Description, sqlx::Error>, Failure> {
        let sql = AssertSqlSafe(text.clone()).into_sql_str();
        let mut first = None;
        let mut tried = Tried::default();
        loop {
            let types: Vec<PgTypeInfo> = told.iter().map(|told| told.type_info()).collect();
            let preparing = self.connection.driver.prepare_with(sql.clone(), &types);
            let error = match unless(self.halt.as_mut(), preparing).await? {
                Ok(statement) => return Ok(Ok(described(text, &statement, told))),
                Err(error) if error::is_of_unknown_type(&error) => return Ok(Err(error)),
                Err(error) => error,
            };
            let tells = error::trouble(&error) == Trouble::Other
                && match error::untyped_parameter(&error) {
                    Some(index) => self.tell_untyped(&text, index, &mut told).await?,
                    None => self.tell_more(&text, &error, &mut told, &mut tried),
                };
            if !tells {
                // What the server says of the types that it was told would only confuse.
                return Ok(Err(first.unwrap_or(error)));
            }
            first = first.or(Some(error));
        }
    }

    /// Tells of a parameter what it is declared to hold, or of all of them what the server finds without tests for null; false if
    /// there is nothing new to tell.
    async fn tell_untyped(
        &mut self,
        text: &str,
        index: usize,
        told: &mut Vec<Told>,
    ) -> Result<bool, Failure> {
        let Some(declared) = self.call.declared.get(index) else { return Ok(false) };
        if told.get(index).is_some_and(|told| *told != Told::Nothing) {
            return Ok(false);
        }
        let declared = Told::of(declared);
        if told.is_empty()
            && let Some(found) = self.found(text).await?
        {
            *told = found;
            return Ok(true);
        }
        if told.len() <= index {
            told.resize(index + 1, Told::Nothing);
        }
        if let Some(told) = told.get_mut(index) {
            *told = declared;
        }
        Ok(true)
    }
}

/// What has been told of all parameters at once.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    lists: bool,
    all: bool,
    others: bool,
}

impl<H> Running<'_, H> {
    /// Tells what may help where an operator or a function goes by types that are not known; false if there is nothing new to
    /// tell.
    fn tell_more(&self, text: &str, error: &sqlx::Error, told: &mut Vec<Told>, tried: &mut Tried) -> bool {
        if let Some(position) = error::ambiguous_operator(error)
            && self.tell_operands(text, position, told)
        {
            return true;
        }
        if told.is_empty() && error::wants_type(error) && !std::mem::replace(&mut tried.lists, true) {
            *told = lists(&self.call.declared);
            if !told.is_empty() {
                return true;
            }
        }
        if !tried.others && told.iter().any(|told| told.other().is_some()) {
            tried.others = true;
            for told in told {
                *told = told.other().unwrap_or(*told);
            }
            return true;
        }
        if (told.is_empty() || tried.lists)
            && error::may_want_type(error)
            && !std::mem::replace(&mut tried.all, true)
        {
            let all = self.all(text);
            if !all.is_empty() {
                (*told, tried.others) = (all, false);
                return true;
            }
        }
        false
    }

    /// What all parameters hold that are free to be anything; nothing if that is no news. In a write, the server would round a
    /// float to a column of integers.
    fn all(&self, text: &str) -> Vec<Told> {
        let reads = self.call.plan.effect == Effect::Reads;
        let told = |(declared, stands): (&Declared, Use)| match declared {
            Declared::Text => Told::Nothing,
            Declared::Float if !reads => Told::Nothing,
            declared if stands.is_free && !stands.is_cast => Told::of(declared),
            _ => Told::Nothing,
        };
        let told: Vec<Told> =
            self.call.declared.iter().zip(uses(text, self.call.plan.form)).map(told).collect();
        if told.iter().all(|told| *told == Told::Nothing) { Vec::new() } else { told }
    }

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

pub(super) fn described(text: Arc<str>, statement: &PgStatement, told: Vec<Told>) -> Description {
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
