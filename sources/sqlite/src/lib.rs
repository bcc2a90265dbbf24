//! SQLite as a source of the toolbox.
//!
//! The road of one query: `plan` decides from the text whether it may run and on which lane, `bind` turns its values into
//! arguments, `connect` opens connections (after `migrate`, the first time), `run` runs the statement in a task, `prepared`
//! remembers it, `decode` turns cells into values, `cancel` stops what runs. `refused` looks for the arguments
//! that an error is about, and `replay` tries the statement without each. `config` reads the `database` field, `error` SQLite's
//! result codes.

mod bind;
mod cancel;
mod config;
mod connect;
mod decode;
mod error;
mod migrate;
mod plan;
mod prepared;
mod refused;
mod replay;
mod run;

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::BoxFuture;
use sqlx::{Connection as _, Executor as _, sqlite::SqliteConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Origin, Query, RowStream, Source, SourceError,
    answer::answer,
    lanes::{Bounds, Lanes},
    ready::Ready,
};

pub use config::Options;
use config::{Location, Opening, Place};
use connect::{LOOK, Missing, Opener};
use run::Call;

/// One SQLite database.
pub struct Sqlite {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    /// What every statement may do, whoever wrote it.
    access: Access,
    migrations: Option<PathBuf>,
    busy_timeout: Duration,
    max_connections: usize,
    acquire_timeout: Duration,
    lanes: Lanes<Opener>,
    /// SQLite has one writer at a time; here writers wait for each other in the order in which they came.
    writer: Arc<Semaphore>,
    ready: Ready,
    /// Keeps a database in memory alive while no call uses it.
    keeper: Mutex<Option<SqliteConnection>>,
}

impl Sqlite {
    /// A source of this name. Nothing is opened yet, but the `database` field is read.
    ///
    /// # Errors
    ///
    /// [`SourceError::Refused`] with what is wrong with the field and what would do.
    pub fn open(name: &str, options: Options) -> Result<Self, SourceError> {
        let location = Location::parse(&options.database).map_err(SourceError::Refused)?;
        let read_only = location.opening == Opening::ReadOnly || location.immutable;
        if read_only && options.migrations.is_some() {
            return Err(SourceError::Refused(
                "migrations need a database that can be written: leave out migrations, or mode=ro and immutable=1 in the \
                 file: URI"
                    .to_owned(),
            ));
        }
        let busy_timeout = location.busy_timeout;
        let bounds = Bounds::new(options.max_connections, options.acquire_timeout);
        Ok(Self {
            shared: Arc::new(Shared {
                name: name.to_owned(),
                access: if read_only || options.read_only { Access::ReadOnly } else { Access::ReadWrite },
                migrations: options.migrations,
                busy_timeout,
                max_connections: bounds.max_connections,
                acquire_timeout: bounds.acquire_timeout,
                lanes: Lanes::new(Opener::new(location), bounds)?,
                writer: Arc::new(Semaphore::new(1)),
                ready: Ready::default(),
                keeper: Mutex::new(None),
            }),
        })
    }

    async fn start(&self, query: Query) -> Result<RowStream, SourceError> {
        let shared = &self.shared;
        let plan = plan::plan(&query, shared.access)?;
        let (arguments, classes) = bind::arguments(&query.arguments, &query.statement)?;
        shared.be_ready(&query.cancel).await?;
        let turn = match plan.lane {
            Access::ReadOnly => None,
            Access::ReadWrite => Some(shared.turn(&query.cancel).await?),
        };
        let lease = shared.lanes.acquire(plan.lane, &query.cancel).await?;
        let enough = CancellationToken::new();
        let call = Call {
            statement: query.statement,
            plan,
            arguments,
            classes,
            remembers: query.origin == Origin::Configured,
            timeout: query.limits.statement_timeout,
            busy_timeout: shared.busy_timeout,
            cancel: query.cancel,
            closed: shared.lanes.closed().clone(),
            enough: enough.clone(),
            opener: shared.lanes.connector().clone(),
            turn,
        };
        answer(enough, |events| run::run(call, lease, events)).await
    }
}

impl Shared {
    /// Applies the migrations, once, and keeps a database in memory alive.
    async fn be_ready(self: &Arc<Self>, cancel: &CancellationToken) -> Result<(), SourceError> {
        let shared = self.clone();
        self.ready.ensure(cancel, move || async move { shared.prepare().await }).await
    }

    async fn prepare(&self) -> Result<(), SourceError> {
        let opener = self.lanes.connector();
        if matches!(opener.location().place, Place::Memory(_)) {
            let keeper = opener.open(Access::ReadWrite, Missing::Create, self.busy_timeout).await?;
            *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(keeper);
        }
        if let Some(folder) = &self.migrations {
            migrate::apply(opener, folder).await?;
            tracing::debug!(source = self.name, folder = %folder.display(), "the migrations are applied");
        } else if opener.location().opening == Opening::Creating {
            // The first call may be a read, which creates nothing.
            close(opener.open(Access::ReadWrite, Missing::Create, self.busy_timeout).await?).await;
        }
        Ok(())
    }

    /// The right to write.
    async fn turn(&self, cancel: &CancellationToken) -> Result<OwnedSemaphorePermit, SourceError> {
        let waited = self.acquire_timeout;
        let turn = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(SourceError::Cancelled),
            () = self.lanes.closed().cancelled() => return Err(SourceError::Cancelled),
            turn = tokio::time::timeout(waited, self.writer.clone().acquire_owned()) => turn,
        };
        turn.map_err(|_| SourceError::Busy { connections: self.max_connections, waited })?
            .map_err(|_| SourceError::Cancelled)
    }

    async fn ping(self: &Arc<Self>) -> Result<(), SourceError> {
        let never = CancellationToken::new();
        self.be_ready(&never).await?;
        let mut lease = self.lanes.acquire(Access::ReadOnly, &never).await?;
        match lease.driver.execute(LOOK).await {
            // A lock is a sign of life.
            Err(error) if error::trouble(&error) != error::Trouble::Lock => {
                Err(SourceError::Connect(error::database_error(&error)))
            }
            _ => {
                lease.give_back();
                Ok(())
            }
        }
    }

    async fn close(&self) {
        self.lanes.close().await;
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            close(keeper).await;
        }
    }
}

async fn close(driver: SqliteConnection) {
    if let Err(error) = driver.close().await {
        tracing::debug!(%error, "a connection was not closed cleanly");
    }
}

impl Source for Sqlite {
    fn query(&self, query: Query) -> BoxFuture<'_, Result<RowStream, SourceError>> {
        Box::pin(self.start(query))
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), SourceError>> {
        Box::pin(self.shared.ping())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.close())
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Sqlite")
            .field("name", &self.shared.name)
            .field("access", &self.shared.access)
            .field("lanes", &self.shared.lanes)
            .finish_non_exhaustive()
    }
}
