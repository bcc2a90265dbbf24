//! Finds the column of a type that the driver does not know, such as `VECTOR` of `MySQL` 9. The driver stops at such a column
//! without a name, and what follows on its connection makes no sense to it, so each question here has a connection of its own.

use std::sync::Arc;

use sqlx::{AssertSqlSafe, Executor as _, Row as _, SqlSafeStr as _};
use toolbox_source::{
    SourceError,
    scan::{Lexicon, TokenKind, Tokens},
};

use crate::{connect::Opener, error};

/// Most columns that are tried, and most names of a statement that are looked up.
const MOST_COLUMNS: usize = 4;
const MOST_NAMES: usize = 100;

/// The error for a statement whose answer the driver cannot read: it names the column where that can be shown.
pub(crate) async fn explain(opener: &Opener, statement: &str, said: String) -> SourceError {
    let named = match vectors(opener, statement).await {
        Ok(candidates) => first_of_answer(opener, statement, candidates).await,
        Err(error) => {
            tracing::debug!(%error, "the column that cannot be read was not found");
            None
        }
    };
    match named {
        Some(column) => {
            let message = format!("a VECTOR cannot be read; write VECTOR_TO_STRING({column})");
            SourceError::Column { column, message }
        }
        None => SourceError::Refused(said),
    }
}

/// The `VECTOR` columns of the tables that the statement names.
async fn vectors(opener: &Opener, statement: &str) -> Result<Vec<String>, SourceError> {
    let mut names: Vec<String> = Tokens::new(statement, &Lexicon::MYSQL)
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Name))
        .filter_map(|token| token.name().map(std::borrow::Cow::into_owned))
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
        let alone: Arc<str> = format!("SELECT `{quoted}` FROM ({statement}\n) AS answer").into();
        let mut driver = opener.dial().await.ok()?;
        let prepared = driver.prepare(AssertSqlSafe(alone).into_sql_str()).await;
        if prepared.is_err_and(|error| error::unreadable_type(&error).is_some()) {
            return Some(column);
        }
    }
    None
}
