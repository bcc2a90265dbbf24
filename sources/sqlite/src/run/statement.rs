//! One attempt at a statement: begin, prepare, send the rows, commit.

use std::{future::Future, pin::Pin, sync::Arc};

use futures::StreamExt as _;
use sqlx::{
    AssertSqlSafe, Connection as _, Either, Executor as _, Row as _, SqlSafeStr as _, Statement as _,
    sqlite::SqliteQueryResult,
};
use toolbox_source::{Access, Column, DatabaseError, Done, Event, SourceError, Value, answer::Events};

use super::{
    Failure, Progress, Running,
    lock::{self, Patience},
};
use crate::{
    connect::Connection,
    decode, error,
    error::Trouble,
    plan::{Effect, Scope},
    prepared::Prepared,
};

/// Begins a transaction that reads, and reports the version of the schema. The look at the schema makes SQLite notice that
/// its own copy of it is stale; the pragma alone does not.
const BEGIN_READING: &str = "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 0; PRAGMA schema_version";
/// The same for one that writes. It takes the write lock at once, so it cannot fail later because another one wrote meanwhile.
const BEGIN_WRITING: &str = "BEGIN IMMEDIATE; SELECT 1 FROM sqlite_schema LIMIT 0; PRAGMA schema_version";

impl<H: Future<Output = SourceError>> Running<'_, H> {
    pub(super) async fn attempt(&mut self) -> Result<Done, Failure> {
        self.connection.inserts.watch(self.call.plan.inserts_into.as_deref().unwrap_or_default());
        if self.call.plan.scope == Scope::Transaction {
            self.begin().await?;
        }
        let columns = self.prepare().await?;
        self.announce(&columns).await?;
        let result = self.rows(&columns).await?;
        if self.call.plan.scope == Scope::Transaction {
            self.commit().await?;
        }
        Ok(self.done(&columns, result))
    }

    async fn begin(&mut self) -> Result<(), Failure> {
        let text = match self.call.plan.lane {
            Access::ReadOnly => BEGIN_READING,
            Access::ReadWrite => BEGIN_WRITING,
        };
        let Self { connection, halt, row_id_before, .. } = self;
        let mut version = None;
        {
            let mut steps = connection.driver.fetch_many(sqlx::query(text));
            while let Some(step) = unless(halt.as_mut(), steps.next()).await? {
                match step.map_err(Failure::Driver)? {
                    Either::Left(result) => *row_id_before = result.last_insert_rowid(),
                    Either::Right(row) => version = Some(row.try_get::<i64, _>(0).map_err(Failure::Driver)?),
                }
            }
        }
        if version.is_none() {
            return Err(Failure::Driver(sqlx::Error::WorkerCrashed));
        }
        if connection.statements.is_news(version) {
            connection.driver.clear_cached_statements().await.map_err(Failure::Driver)?;
        }
        Ok(())
    }

    /// Learns the columns, and checks the count of arguments: sqlx would bind null for a missing one.
    async fn prepare(&mut self) -> Result<Arc<[Column]>, Failure> {
        let Self { connection, halt, call, .. } = self;
        let text = &call.plan.text;
        // Only inside a transaction is the version of the schema known to be the one of the statement.
        let remembers = call.remembers && call.plan.scope == Scope::Transaction;
        let known = if remembers { connection.statements.get(text) } else { None };
        let prepared = if let Some(known) = known {
            known
        } else {
            let sql = AssertSqlSafe(text.clone()).into_sql_str();
            let statement =
                unless(halt.as_mut(), connection.driver.prepare(sql)).await?.map_err(Failure::Driver)?;
            let arguments =
                statement.parameters().map_or(0, |parameters| parameters.right_or_else(<[_]>::len));
            let prepared = Prepared { columns: decode::columns(statement.columns()), arguments };
            if remembers {
                connection.statements.insert(text.clone(), prepared.clone());
            }
            prepared
        };
        let given = sqlx::Arguments::len(&call.arguments);
        if prepared.arguments != given {
            let message = format!(
                "SQLite counts {} arguments in the statement, but {given} are given",
                prepared.arguments
            );
            return Err(Failure::Ours(SourceError::Refused(message)));
        }
        Ok(prepared.columns)
    }

    /// Sends the columns, if there are any and an earlier attempt has not.
    async fn announce(&mut self, columns: &Arc<[Column]>) -> Result<(), Failure> {
        match &self.announced {
            Some(announced) if announced == columns => Ok(()),
            Some(_) => {
                let message = "the columns changed while the statement waited for a lock; call it again";
                Err(Failure::Ours(SourceError::Database(DatabaseError::new(message))))
            }
            None => {
                self.announced = Some(columns.clone());
                if columns.is_empty() {
                    return Ok(());
                }
                send(self.events, self.halt.as_mut(), Event::Columns(columns.clone())).await
            }
        }
    }

    /// Sends the rows. A read that was told that it is enough ends without a result.
    async fn rows(&mut self, columns: &[Column]) -> Result<Option<SqliteQueryResult>, Failure> {
        let Self { connection, halt, call, events, progress, .. } = self;
        let Connection { driver, stop, .. } = &mut **connection;
        let statement = sqlx::query_with(AssertSqlSafe(call.plan.text.clone()), call.arguments.clone());
        let mut result = None;
        let mut wanted = true;
        let enough = call.enough.cancelled();
        let mut enough = std::pin::pin!(enough);
        {
            let mut rows = driver.fetch_many(statement);
            loop {
                let step = tokio::select! {
                    biased;
                    reason = halt.as_mut() => return Err(Failure::Stopped(reason)),
                    () = enough.as_mut(), if wanted => {
                        wanted = false;
                        if call.plan.effect == Effect::Reads {
                            break;
                        }
                        continue;
                    }
                    step = rows.next() => step,
                };
                match step.transpose().map_err(Failure::Driver)? {
                    Some(_) if result.is_some() => {
                        let message =
                            "SQLite found more than one statement in the text; send one statement a call";
                        return Err(Failure::Ours(SourceError::Refused(message.to_owned())));
                    }
                    Some(Either::Left(ended)) => result = Some(ended),
                    Some(Either::Right(row)) => {
                        *progress = Progress::Answering;
                        if wanted {
                            let row = decode::row(row, columns).map_err(Failure::Ours)?;
                            send(events, halt.as_mut(), Event::Row(row)).await?;
                        }
                    }
                    // sqlx's thread ended without a word.
                    None if result.is_none() => return Err(Failure::Driver(sqlx::Error::WorkerCrashed)),
                    None => return Ok(result),
                }
            }
        }
        // The stream is gone; the statement ends at its next step, and the thread answers in order.
        stop.set();
        let ended = unless(halt.as_mut(), driver.ping()).await?;
        stop.clear();
        ended.map_err(Failure::Driver)?;
        Ok(None)
    }

    async fn commit(&mut self) -> Result<(), Failure> {
        self.progress = Progress::Answering;
        let mut patience = Patience::new(self.call.busy_timeout);
        loop {
            let Err(error) = self.connection.driver.execute("COMMIT").await else { return Ok(()) };
            if error::trouble(&error) != Trouble::Lock {
                return Err(Failure::Driver(error));
            }
            // Others still read; the transaction stays open meanwhile.
            if !self.wait(&mut patience).await.map_err(Failure::Stopped)? {
                let held = lock::held(&error, self.call.busy_timeout);
                return Err(Failure::Ours(SourceError::Database(held)));
            }
        }
    }

    fn done(&self, columns: &[Column], result: Option<SqliteQueryResult>) -> Done {
        let plan = &self.call.plan;
        let rows_affected = match (plan.effect, &result) {
            (Effect::ChangesRows, Some(result)) => Some(result.rows_affected()),
            // SQLite's counter still holds the rows of an earlier statement.
            _ => columns.is_empty().then_some(0),
        };
        let row_id = result.filter(|_| plan.inserts_into.is_some()).map(|result| result.last_insert_rowid());
        // SQLite keeps the row id of an earlier statement too, and takes back what triggers did to it. So another one is this
        // statement's, and the same one is, if a row with it went into the table.
        let made =
            row_id.filter(|id| *id != self.row_id_before || self.connection.inserts.row_id() == Some(*id));
        Done { rows_affected, last_insert_id: made.map(Value::Int) }
    }
}

/// What a step yields, unless there is a reason to stop first.
async fn unless<T>(
    halt: Pin<&mut impl Future<Output = SourceError>>,
    step: impl Future<Output = T>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        reason = halt => Err(Failure::Stopped(reason)),
        result = step => Ok(result),
    }
}

async fn send(
    events: &Events,
    halt: Pin<&mut impl Future<Output = SourceError>>,
    event: Event,
) -> Result<(), Failure> {
    tokio::select! {
        biased;
        // A reader that is gone ends the call like one that cancels.
        sent = events.send(event) => sent.map_err(Failure::Stopped),
        reason = halt => Err(Failure::Stopped(reason)),
    }
}
