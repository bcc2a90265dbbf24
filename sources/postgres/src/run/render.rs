//! Lets the server render the row of a CALL, which cannot stand in another statement: what it answered goes back in binary
//! form, and one more query casts it.

use std::future::Future;

use sqlx::{AssertSqlSafe, Executor as _};
use toolbox_source::{DatabaseError, Row, SourceError, Value};

use super::{Failure, Running, SETTLE, State, rows};
use crate::{
    bind, error,
    places::Shift,
    prepared::{Prepared, Rendering},
};

impl<H: Future<Output = SourceError>> Running<'_, H> {
    /// Renders and sends rows whose cells are what the server sent. Their statement is complete, so nothing stops this but
    /// time.
    pub(super) async fn render(
        &mut self,
        prepared: &Prepared,
        rendering: &Rendering,
        held: Vec<Row>,
    ) -> Result<(), Failure> {
        let mut rows = Vec::with_capacity(held.len());
        for row in held {
            let rendered = tokio::time::timeout(SETTLE, self.rendered(prepared, rendering, row)).await;
            rows.push(
                rendered
                    .unwrap_or_else(|_| Err("the server did not render its row in time".to_owned()))
                    .map_err(|message| {
                        let message = format!("{message}; but the CALL had completed before");
                        Failure::Stopped(SourceError::Database(DatabaseError::new(&message)), State::Unknown)
                    })?,
            );
        }
        if !rows.is_empty() {
            // Whoever does not want the rows any more gets no answer.
            let _ = self.events.send_rows(rows).await;
        }
        Ok(())
    }

    async fn rendered(
        &mut self,
        prepared: &Prepared,
        rendering: &Rendering,
        row: Row,
    ) -> Result<Row, String> {
        let cells = row.into_iter().map(|cell| match cell {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        });
        let arguments = bind::unchanged(rendering.types.iter().cloned().zip(cells))?;
        let query = sqlx::query_with(AssertSqlSafe(rendering.text.clone()), arguments);
        let row = self.connection.driver.fetch_one(query).await;
        let row = row.map_err(|error| error::database_error(&error, &Shift::default()).to_string())?;
        let (row, _) =
            rows::read(&row, &rendering.kinds, &prepared.columns).map_err(|error| error.to_string())?;
        Ok(row)
    }
}
