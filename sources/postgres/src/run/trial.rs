//! Asks the server for expressions of a statement alone, with the arguments in them: what fails alone as the statement does is
//! to blame, and what does not fail is not.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    fmt::Write as _,
    ops::Range,
};

use sqlx::{AssertSqlSafe, Executor as _, Row as _, postgres::PgConnection};
use toolbox_source::{
    Value,
    scan::{Lexicon, Token, TokenKind, Tokens},
};

use super::{Call, columns::Column};
use crate::{bind, error, prepared::Prepared};

/// How many expressions are asked for.
const MOST: usize = 100;

/// The words of what is not asked for again: it may take long.
const STATEMENTS: [&str; 5] = ["SELECT", "TABLE", "VALUES", "WITH", "LATERAL"];

/// The functions of these names that answer another value each time, or do something.
const VOLATILE: &str = "\
SELECT DISTINCT proname::pg_catalog.text FROM pg_catalog.pg_proc WHERE proname = ANY ($1::pg_catalog.text[]) AND provolatile = 'v'";

/// What became of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It fails as the statement does.
    Guilty,
    /// It has this text, if it was asked for.
    Fine(Option<String>),
    /// It is made of columns too.
    Open,
    /// It is no expression, or one that nobody asks for.
    Unknown,
}

pub(super) struct Trial<'r> {
    call: &'r Call,
    refused: &'r sqlx::Error,
    known: &'r Prepared,
    driver: &'r mut PgConnection,
    /// What was asked for, by its place in the text.
    outcomes: HashMap<Range<usize>, Outcome>,
    /// The names of the functions in the statement that answer another value each time, or do something.
    volatile: Option<HashSet<String>>,
    left: usize,
}

impl<'r> Trial<'r> {
    pub(super) fn new(
        call: &'r Call,
        refused: &'r sqlx::Error,
        known: &'r Prepared,
        driver: &'r mut PgConnection,
    ) -> Self {
        Self { call, refused, known, driver, outcomes: HashMap::new(), volatile: None, left: MOST }
    }

    pub(super) fn driver(&mut self) -> &mut PgConnection {
        self.driver
    }

    /// Whether the server refuses a text for a type as it does the statement.
    pub(super) async fn is_no_text_of(&mut self, name: &str, text: String) -> Result<bool, sqlx::Error> {
        let cast = format!("SELECT ($1::pg_catalog.text::{name})::pg_catalog.text");
        match self.driver.fetch_one(sqlx::query(AssertSqlSafe(cast)).bind(text).persistent(false)).await {
            Ok(_) => Ok(false),
            Err(error) if error.as_database_error().is_some() => {
                Ok(error::have_one_code(&error, self.refused))
            }
            Err(error) => Err(error),
        }
    }

    /// What becomes of the expression at this place.
    pub(super) async fn outcome(&mut self, unit: &Range<usize>) -> Result<Outcome, sqlx::Error> {
        if let Some(outcome) = self.outcomes.get(unit) {
            return Ok(outcome.clone());
        }
        // The value is not asked for: it may have no text.
        let outcome = self.ask(unit, |value| format!("({value}) IS NULL"), error::are_alike, false).await?;
        self.outcomes.insert(unit.clone(), outcome.clone());
        Ok(outcome)
    }

    /// What becomes of it in a column.
    pub(super) async fn stored(
        &mut self,
        unit: &Range<usize>,
        column: &Column,
    ) -> Result<Outcome, sqlx::Error> {
        self.ask(unit, |value| column.stored(value), error::have_one_code, column.is_told()).await
    }

    async fn ask(
        &mut self,
        unit: &Range<usize>,
        question: impl Fn(&str) -> String,
        is_it: fn(&sqlx::Error, &sqlx::Error) -> bool,
        is_told: bool,
    ) -> Result<Outcome, sqlx::Error> {
        if self.left == 0 || self.is_volatile(unit).await? {
            return Ok(Outcome::Unknown);
        }
        let Some((value, texts)) = self.written(unit) else { return Ok(Outcome::Unknown) };
        self.left -= 1;
        let mut query = sqlx::query(AssertSqlSafe(format!("SELECT {}", question(&value)))).persistent(false);
        for text in texts {
            query = query.bind(text);
        }
        match self.driver.fetch_optional(query).await {
            Ok(row) if is_told => Ok(Outcome::Fine(row.and_then(|row| row.try_get(0).ok()))),
            Ok(_) => Ok(Outcome::Fine(None)),
            Err(error) if error.as_database_error().is_none() => Err(error),
            Err(error) if is_it(&error, self.refused) => Ok(Outcome::Guilty),
            Err(error) if error::names_nothing(&error) => Ok(Outcome::Open),
            Err(_) => Ok(Outcome::Unknown),
        }
    }

    /// The expression with its arguments as texts that are cast to their types.
    fn written(&self, unit: &Range<usize>) -> Option<(String, Vec<Option<String>>)> {
        let text = self.call.statement.get(unit.clone())?;
        let mut written = String::with_capacity(text.len() + 64);
        let (mut numbers, mut texts) = (HashMap::new(), Vec::new());
        let mut copied = 0;
        for token in Tokens::new(text, &Lexicon::POSTGRES) {
            let TokenKind::Placeholder(number) = token.kind else { continue };
            let index = number?.checked_sub(1)?;
            let (argument, parameter) = (self.call.arguments.get(index)?, self.known.parameters.get(index)?);
            let number = match numbers.entry(index) {
                Entry::Occupied(number) => *number.get(),
                Entry::Vacant(place) => {
                    let text = bind::text_to_cast(argument, &parameter.kind);
                    if text.is_none() && *argument != Value::Null {
                        return None;
                    }
                    texts.push(text);
                    *place.insert(texts.len())
                }
            };
            written.push_str(text.get(copied..token.start)?);
            write!(written, "(${number}::pg_catalog.text::{})", parameter.name).ok()?;
            copied = token.start + token.text.len();
        }
        written.push_str(text.get(copied..)?);
        // What follows does not belong to a comment at the end.
        written.push('\n');
        Some((written, texts))
    }

    /// Whether an expression calls what may do something or takes long.
    async fn is_volatile(&mut self, unit: &Range<usize>) -> Result<bool, sqlx::Error> {
        let text = self.call.statement.get(unit.clone()).unwrap_or_default();
        let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::POSTGRES).collect();
        if tokens.iter().any(|token| STATEMENTS.iter().any(|word| token.is_word(word))) {
            return Ok(true);
        }
        let called = called(&tokens);
        if called.is_empty() {
            return Ok(false);
        }
        if self.volatile.is_none() {
            self.volatile = Some(self.ask_for_volatile().await?);
        }
        Ok(self.volatile.as_ref().is_some_and(|names| called.iter().any(|name| names.contains(name))))
    }

    async fn ask_for_volatile(&mut self) -> Result<HashSet<String>, sqlx::Error> {
        let tokens: Vec<Token<'_>> = Tokens::new(&self.call.statement, &Lexicon::POSTGRES).collect();
        let query = sqlx::query(VOLATILE).bind(called(&tokens)).persistent(false);
        self.driver.fetch_all(query).await?.iter().map(|row| row.try_get(0)).collect()
    }
}

/// The names before parentheses, as the catalog has them.
fn called(tokens: &[Token<'_>]) -> Vec<String> {
    let name = |(token, next): (&Token<'_>, &Token<'_>)| match token.kind {
        _ if !next.is_symbol("(") => None,
        TokenKind::Word => token.name().map(|name| name.to_lowercase()),
        TokenKind::Name => token.name().map(std::borrow::Cow::into_owned),
        _ => None,
    };
    tokens.iter().zip(tokens.iter().skip(1)).filter_map(name).collect()
}
