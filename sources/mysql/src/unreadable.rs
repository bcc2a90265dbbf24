//! Finds the column of a type that the driver does not know, such as `VECTOR` of `MySQL` 9. The driver stops at such a column
//! without a name, and what follows on its connection makes no sense to it, so each question after that has another one.
//!
//! The place of the column comes from the server: the statement is wrapped into others that are prepared and never run. In a
//! `UNION` with a text the server refuses a `VECTOR` before it tells any type. The name comes from the text of the statement,
//! or from the tables for the columns that a star stands for.

use std::{borrow::Cow, sync::Arc};

use sqlx::{
    AssertSqlSafe, Executor as _, Row as _, SqlSafeStr as _,
    mysql::{MySqlConnection, MySqlDatabaseError},
};
use toolbox_source::{
    SourceError,
    scan::{Lexicon, TokenKind, Tokens},
};

use crate::{
    connect::Opener,
    error,
    plan::{ResultName, result_name},
};

/// Most columns of tables that are tried, and most names of a statement that are looked up.
const MOST_COLUMNS: usize = 4;
const MOST_NAMES: usize = 100;

/// The error for a statement whose answer the driver cannot read: it names the column where that can be shown.
pub(crate) async fn explain(opener: &Opener, statement: &str, said: String) -> SourceError {
    match find(opener, statement).await {
        Ok(Some(Found::Named(column))) => SourceError::Column { column, message: said },
        Ok(Some(Found::At(place))) => {
            SourceError::Refused(format!("column {} of the result: {said}", place + 1))
        }
        Ok(None) => SourceError::Refused(said),
        Err(error) => {
            tracing::debug!(%error, "the column that cannot be read was not found");
            SourceError::Refused(said)
        }
    }
}

/// The first column that cannot be read.
enum Found {
    Named(String),
    /// Its place, from 0. Its name cannot be told.
    At(usize),
}

async fn find(opener: &Opener, statement: &str) -> Result<Option<Found>, SourceError> {
    let Some(place) = place(opener, statement).await? else { return Ok(None) };
    let name = match result_name(statement, place) {
        ResultName::Known(name) => Some(name),
        ResultName::OfStar => first_of_answer(opener, statement, vectors(opener, statement).await?).await,
        ResultName::Unknown => None,
    };
    Ok(Some(name.map_or(Found::At(place), Found::Named)))
}

/// How many columns the answer of a query has. Compared with a row of two, the server says how many it would have to be.
async fn count(driver: &mut MySqlConnection, statement: &str) -> Option<usize> {
    match prepare(driver, format!("SELECT ({statement}\n) = ROW(1, 1)")).await {
        Ok(()) => Some(2),
        // ER_OPERAND_COLUMNS: Operand should contain 3 column(s)
        Err(error) if number(&error) == Some(1241) => {
            let message = error.as_database_error()?.message();
            message.split(|character: char| !character.is_ascii_digit()).find_map(|word| word.parse().ok())
        }
        Err(_) => None,
    }
}

/// The place of the first column that cannot be read, found by halves; none for a statement that is no query.
async fn place(opener: &Opener, statement: &str) -> Result<Option<usize>, SourceError> {
    let count = count(&mut opener.dial().await?, statement).await.unwrap_or_default();
    let (mut low, mut high) = (0, count);
    if !any_before(opener, statement, count, count).await? {
        return Ok(None);
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if any_before(opener, statement, middle, count).await? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(Some(low))
}

/// Whether one of the first columns is a `VECTOR`.
async fn any_before(opener: &Opener, statement: &str, end: usize, count: usize) -> Result<bool, SourceError> {
    let cells = (0..count).map(|index| if index < end { "''" } else { "NULL" });
    let cells = cells.collect::<Vec<_>>().join(", ");
    let beside = format!("({statement}\n) UNION ALL SELECT {cells}");
    let prepared = prepare(&mut opener.dial().await?, beside).await;
    // ER_INCOMPATIBLE_TYPE_AGG: Columns aggregated with incompatible types: 'VECTOR', 'VARCHAR'.
    Ok(prepared.is_err_and(|error| number(&error) == Some(6135)))
}

/// The `VECTOR` columns of the tables that the statement names.
async fn vectors(opener: &Opener, statement: &str) -> Result<Vec<String>, SourceError> {
    let mut names: Vec<String> = Tokens::new(statement, &Lexicon::MYSQL)
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Name))
        .filter_map(|token| token.name().map(Cow::into_owned))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MOST_NAMES);
    let places = vec!["?"; names.len()].join(", ");
    let question = format!(
        "SELECT DISTINCT CAST(column_name AS CHAR) FROM information_schema.columns \
         WHERE data_type = 'vector' AND table_name IN ({places}) AND (table_schema = DATABASE() OR table_schema IN ({places})) \
         LIMIT {MOST_COLUMNS}"
    );
    let mut query = sqlx::query(AssertSqlSafe(question));
    for name in names.iter().chain(&names) {
        query = query.bind(name);
    }
    let mut driver = opener.dial().await?;
    let failed = |error: &sqlx::Error| SourceError::Database(error::database_error(error));
    let rows = driver.fetch_all(query).await.map_err(|error| failed(&error))?;
    rows.iter().map(|row| row.try_get(0).map_err(|error| failed(&error))).collect()
}

/// The first of these that is a column of the answer and cannot be read: selected alone, the driver stops at it as well.
async fn first_of_answer(opener: &Opener, statement: &str, candidates: Vec<String>) -> Option<String> {
    for column in candidates {
        let quoted = column.replace('`', "``");
        let alone = format!("SELECT `{quoted}` FROM ({statement}\n) AS answer");
        let prepared = prepare(&mut opener.dial().await.ok()?, alone).await;
        if prepared.is_err_and(|error| error::unreadable_type(&error).is_some()) {
            return Some(column);
        }
    }
    None
}

async fn prepare(driver: &mut MySqlConnection, sql: String) -> Result<(), sqlx::Error> {
    driver.prepare(AssertSqlSafe(Arc::<str>::from(sql)).into_sql_str()).await.map(drop)
}

fn number(error: &sqlx::Error) -> Option<u16> {
    Some(error.as_database_error()?.try_downcast_ref::<MySqlDatabaseError>()?.number())
}
