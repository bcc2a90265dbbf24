//! What the server finds for parameters whose types it cannot tell, as in `$1 IS NULL OR kind = $1`: it decides at the first
//! place and knows more only at the second. So it is asked about the statement without its tests for null.

use std::{future::Future, sync::Arc};

use sqlx::{
    AssertSqlSafe, Either, Executor as _, SqlSafeStr as _, Statement as _,
    postgres::{PgStatement, PgTypeInfo},
};
use toolbox_source::{
    Declared, SourceError,
    scan::{Lexicon, Token, TokenKind, Tokens},
};

use super::{Failure, Running, prepare::unless};
use crate::{
    error::{self, Trouble},
    told::Told,
};

/// The numbers of `int8`, `int2` and `int4`.
const INTEGERS: [u32; 3] = [20, 21, 23];

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// The types that the server finds for parameters that are tested for null, where else they stand. None if there are none
    /// such, or it finds none.
    pub(super) async fn found(&mut self, text: &str) -> Result<Option<Vec<Told>>, Failure> {
        let Some(untested) = untested(text) else { return Ok(None) };
        let mut told = vec![Told::Nothing; untested.places.len()];
        for (place, told) in told.iter_mut().enumerate() {
            // What stands nowhere else would have no type at all.
            if untested.places.get(place) == Some(&Tested::Always)
                && let Some(declared) = self.call.declared.get(place)
            {
                *told = Told::of(declared);
            }
        }
        let types: Vec<PgTypeInfo> = told.iter().map(|told| told.type_info()).collect();
        let text: Arc<str> = Arc::from(untested.text);
        let sql = AssertSqlSafe(text.clone()).into_sql_str();
        let preparing = self.connection.driver.prepare_with(sql, &types);
        let numbers = match unless(self.halt.as_mut(), preparing).await? {
            Ok(statement) => numbers(&statement),
            Err(error) if error::is_of_unknown_type(&error) => self.lost(&text).await?.numbers,
            Err(error) if error::trouble(&error) != Trouble::Other => return Err(Failure::Driver(error)),
            Err(_) => return Ok(None),
        };
        for (place, told) in told.iter_mut().enumerate() {
            if untested.places.get(place) == Some(&Tested::Sometimes)
                && let Some(number) = numbers.get(place)
            {
                *told = match self.call.declared.get(place) {
                    // Beside an integer the server takes it for one, which a fraction is not.
                    Some(declared @ Declared::Float) if INTEGERS.contains(number) => Told::of(declared),
                    _ => Told::Found(*number),
                };
            }
        }
        Ok(Some(told))
    }
}

fn numbers(statement: &PgStatement) -> Vec<u32> {
    match statement.parameters() {
        Some(Either::Left(types)) => types.iter().map(|of| of.oid().map_or(0, |oid| oid.0)).collect(),
        _ => Vec::new(),
    }
}

/// Where a parameter is tested for null, of all places where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tested {
    Never,
    Sometimes,
    Always,
}

/// A statement without its tests of parameters for null.
struct Untested {
    text: String,
    /// By the places of the parameters, from 0.
    places: Vec<Tested>,
}

/// The statement with `NULL IS NULL` for `$1 IS NULL`, if any parameter that is tested also stands elsewhere.
fn untested(statement: &str) -> Option<Untested> {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::POSTGRES).collect();
    let is_test = |index: usize| {
        let is =
            |offset: usize, word: &str| tokens.get(index + offset).is_some_and(|token| token.is_word(word));
        is(1, "IS") && (is(2, "NULL") || is(2, "NOT") && is(3, "NULL"))
    };
    let parameters: Vec<(usize, bool, &Token<'_>)> = tokens
        .iter()
        .enumerate()
        .filter_map(|(index, token)| match token.kind {
            TokenKind::Placeholder(Some(number)) => Some((number.checked_sub(1)?, is_test(index), token)),
            _ => None,
        })
        .collect();
    let count = parameters.iter().map(|(place, ..)| place + 1).max()?;
    // Whether each is tested, and whether it stands elsewhere.
    let mut uses = vec![(false, false); count];
    for (place, is_test, _) in &parameters {
        if let Some((tested, elsewhere)) = uses.get_mut(*place) {
            *tested |= is_test;
            *elsewhere |= !is_test;
        }
    }
    let tested = |used: (bool, bool)| match used {
        (true, false) => Tested::Always,
        (true, true) => Tested::Sometimes,
        (false, _) => Tested::Never,
    };
    let places: Vec<Tested> = uses.into_iter().map(tested).collect();
    if !places.contains(&Tested::Sometimes) {
        return None;
    }
    let mut text = String::with_capacity(statement.len());
    let mut end = 0;
    for (place, is_test, token) in parameters {
        if is_test && places.get(place) == Some(&Tested::Sometimes) {
            text.push_str(statement.get(end..token.start).unwrap_or_default());
            text.push_str("NULL");
            end = token.end();
        }
    }
    text.push_str(statement.get(end..).unwrap_or_default());
    Some(Untested { text, places })
}

/// The statement in which `PREPARE` finds what was found: without the tests, if anything was found so.
pub(super) fn as_found(statement: &str, told: &[Told]) -> String {
    let found = told.iter().any(|told| matches!(told, Told::Found(_)));
    let untested = if found { untested(statement) } else { None };
    untested.map_or_else(|| statement.to_owned(), |untested| untested.text)
}

#[cfg(test)]
mod tests {
    use super::{Tested, untested};

    #[test]
    fn tests_of_parameters_that_stand_elsewhere_too_are_taken_out() {
        for (statement, expected) in [
            (
                "SELECT 1 FROM t WHERE $1 IS NULL OR a = $1",
                Some("SELECT 1 FROM t WHERE NULL IS NULL OR a = $1"),
            ),
            (
                "SELECT 1 FROM t WHERE ($2 is not null) AND $1 IS NULL AND b = $2 AND '$2 IS NULL' < c",
                Some(
                    "SELECT 1 FROM t WHERE (NULL is not null) AND $1 IS NULL AND b = $2 AND '$2 IS NULL' < c",
                ),
            ),
            ("SELECT 1 WHERE $1 IS NULL", None),
            ("SELECT 1 WHERE a = $1 AND $1 IS DISTINCT FROM b", None),
        ] {
            assert_eq!(untested(statement).map(|untested| untested.text).as_deref(), expected, "{statement}");
        }
        let places = untested("SELECT $3 WHERE $1 IS NULL AND $2 IS NULL AND $2 = a").unwrap().places;
        assert_eq!(places, [Tested::Always, Tested::Sometimes, Tested::Never]);
    }
}
