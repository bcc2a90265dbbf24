//! PostgreSQL as a source of the toolbox.
//!
//! The road of one query: `plan` decides from the text (`outline` has its words) whether it may run and on which lane,
//! `connect` opens connections (after `migrate`, the first time), `run` prepares the statement (`prepared` remembers it),
//! `bind` turns its values into arguments, `decode` turns cells into values, `cancel` stops what runs. `types` asks the catalog
//! what a type is, `told` says what the server is told of one, `kind` says how such a type is read, `project` lets the server render
//! what only it can, `guard` makes it check the types of parameters, `places` finds the places of errors in the caller's text;
//! `config` reads the options, `error` the server's messages, `account` asks what the role may do.

mod account;
mod bind;
mod cancel;
mod config;
mod connect;
mod decode;
mod error;
mod guard;
mod kind;
mod migrate;
mod outline;
mod places;
mod plan;
mod prepared;
mod project;
mod run;
mod told;
mod types;

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use sqlx::Connection as _;
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Declared, Query, RowStream, Source, SourceError, Value,
    answer::answer,
    lanes::{Bounds, Lanes},
    ready::Ready,
};

use config::Address;
pub use config::Options;
use connect::Opener;
use run::Call;

/// One database of a PostgreSQL server.
pub struct Postgres {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    /// What every statement may do, whoever wrote it.
    access: Access,
    migrations: Option<PathBuf>,
    statement_timeout: Option<Duration>,
    max_connections: usize,
    lanes: Lanes<Opener>,
    ready: Ready,
}

impl Postgres {
    /// A source of this name. Nothing is connected yet, but the options are read.
    ///
    /// # Errors
    ///
    /// [`SourceError::Refused`] with what is wrong with an option and what would do.
    pub fn open(name: &str, options: Options) -> Result<Self, SourceError> {
        let address = Address::read(&options).map_err(SourceError::Refused)?;
        let bounds = Bounds::new(address.max_connections, options.acquire_timeout);
        Ok(Self {
            shared: Arc::new(Shared {
                name: name.to_owned(),
                access: if options.read_only { Access::ReadOnly } else { Access::ReadWrite },
                migrations: options.migrations,
                statement_timeout: options.statement_timeout,
                max_connections: bounds.max_connections,
                lanes: Lanes::new(Opener::new(address), bounds)?,
                ready: Ready::default(),
            }),
        })
    }

    async fn start(&self, query: Query) -> Result<RowStream, SourceError> {
        let shared = &self.shared;
        let plan = plan::plan(&query, shared.access)?;
        shared.be_ready(&query.cancel).await?;
        let lease = shared.lanes.acquire(plan.lane, &query.cancel).await?;
        let enough = CancellationToken::new();
        let call = Call {
            statement: query.statement,
            plan,
            declared: declared(query.declared, &query.arguments),
            arguments: query.arguments,
            timeout: query.limits.statement_timeout,
            server_timeout: shared.statement_timeout,
            cancel: query.cancel,
            closed: shared.lanes.closed().clone(),
            enough: enough.clone(),
            lanes: shared.lanes.clone(),
            max_connections: shared.max_connections,
        };
        answer(enough, |events| run::run(call, lease, events)).await
    }
}

/// What the parameters hold, by their declarations and by these arguments: an integer beyond `bigint` has the digits of a
/// `numeric`.
fn declared(declared: Arc<[Declared]>, arguments: &[Value]) -> Arc<[Declared]> {
    let is_beyond = |value: &Value| matches!(value, Value::UInt(integer) if i64::try_from(*integer).is_err());
    if !arguments.iter().any(is_beyond) {
        return declared;
    }
    let wider = |(declared, value): (&Declared, &Value)| match declared {
        Declared::Integer if is_beyond(value) => Declared::Float,
        declared => declared.clone(),
    };
    declared.iter().zip(arguments).map(wider).collect()
}

impl Shared {
    /// Applies the migrations, once.
    async fn be_ready(self: &Arc<Self>, cancel: &CancellationToken) -> Result<(), SourceError> {
        if self.migrations.is_none() {
            return Ok(());
        }
        let shared = self.clone();
        self.ready.ensure(cancel, move || async move { shared.prepare().await }).await
    }

    async fn prepare(&self) -> Result<(), SourceError> {
        if let Some(folder) = &self.migrations {
            migrate::apply(self.lanes.connector(), folder).await?;
            tracing::debug!(source = self.name, folder = %folder.display(), "the migrations are applied");
        }
        Ok(())
    }

    async fn ping(self: &Arc<Self>) -> Result<(), SourceError> {
        let never = CancellationToken::new();
        self.be_ready(&never).await?;
        let mut lease = self.lanes.acquire(Access::ReadOnly, &never).await?;
        match lease.driver.ping().await {
            Ok(()) => {
                lease.give_back();
                Ok(())
            }
            Err(error) => Err(self.lanes.connector().explain(&error)),
        }
    }
}

impl Shared {
    async fn powers(self: &Arc<Self>) -> Result<Vec<String>, SourceError> {
        let never = CancellationToken::new();
        let mut lease = self.lanes.acquire(Access::ReadOnly, &never).await?;
        match account::powers(&mut lease.driver).await {
            Ok(powers) => {
                lease.give_back();
                Ok(powers)
            }
            Err(error) => {
                Err(SourceError::Database(error::database_error(&error, &places::Shift::default())))
            }
        }
    }
}

impl Source for Postgres {
    fn query(&self, query: Query) -> BoxFuture<'_, Result<RowStream, SourceError>> {
        Box::pin(self.start(query))
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), SourceError>> {
        Box::pin(self.shared.ping())
    }

    fn powers(&self) -> BoxFuture<'_, Result<Vec<String>, SourceError>> {
        Box::pin(self.shared.powers())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.lanes.close())
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Postgres")
            .field("name", &self.shared.name)
            .field("access", &self.shared.access)
            .field("lanes", &self.shared.lanes)
            .finish_non_exhaustive()
    }
}
