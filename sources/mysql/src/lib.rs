//! MySQL and MariaDB as a source of the toolbox.
//!
//! The road of one query: `plan` decides from the text whether it may run and on which lane, `bind` turns its values into
//! arguments, `connect` opens connections (after `migrate`, the first time), `run` runs the statement in a task, `prepared`
//! remembers it, `columns` knows what the tables hold that it writes, and `outs` what procedures answer (both for as long as
//! `recent` trusts it), `decode` turns cells into values, `unreadable` finds the column of which it cannot, `cancel` stops what
//! runs. `instant` knows texts with a zone. `config` reads what the configuration says, `error` what the server says, `account`
//! what the account may do. Which of the two servers it is matters only while a connection is set up, for the types of
//! arguments, and for what an account may do.

mod account;
mod bind;
mod cancel;
mod columns;
mod config;
mod connect;
mod decode;
mod error;
mod instant;
mod migrate;
mod outs;
mod plan;
mod prepared;
mod recent;
mod run;
mod unreadable;

use std::{fmt, path::PathBuf, sync::Arc};

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Query, RowStream, Source, SourceError,
    answer::answer,
    lanes::{Bounds, Connector as _, Lanes},
    ready::Ready,
};

pub use config::Options;
use config::{Settings, tighter};
use connect::Opener;
use run::Call;

/// One MySQL or MariaDB server.
pub struct MySql {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    /// What every statement may do, whoever wrote it.
    access: Access,
    migrations: Option<PathBuf>,
    lanes: Lanes<Opener>,
    ready: Ready,
}

impl MySql {
    /// A source of this name. Nothing is connected yet, but the options are read.
    ///
    /// # Errors
    ///
    /// [`SourceError::Refused`] with what is wrong with an option and what would do.
    pub fn open(name: &str, options: Options) -> Result<Self, SourceError> {
        let settings = Settings::new(&options).map_err(SourceError::Refused)?;
        let bounds = Bounds::new(options.max_connections, options.acquire_timeout);
        Ok(Self {
            shared: Arc::new(Shared {
                name: name.to_owned(),
                access: if options.read_only { Access::ReadOnly } else { Access::ReadWrite },
                migrations: options.migrations,
                lanes: Lanes::new(Opener::new(settings), bounds)?,
                ready: Ready::default(),
            }),
        })
    }

    async fn start(&self, query: Query) -> Result<RowStream, SourceError> {
        let shared = &self.shared;
        let plan = plan::plan(&query, shared.access)?;
        let arguments = bind::arguments(&plan.text, &query.arguments)?;
        shared.be_ready(&query.cancel).await?;
        let lease = shared.lanes.acquire(plan.lane, &query.cancel).await?;
        let enough = CancellationToken::new();
        let call = Call {
            plan,
            arguments,
            timeout: tighter(query.limits.statement_timeout, shared.lanes.connector().settings().longest),
            cancel: query.cancel,
            enough: enough.clone(),
            lanes: shared.lanes.clone(),
        };
        answer(enough, |events| run::run(call, lease, events)).await
    }
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
        self.lanes.connector().check(&mut lease).await?;
        lease.give_back();
        Ok(())
    }
}

impl Shared {
    async fn powers(&self) -> Result<Vec<String>, SourceError> {
        let mut lease = self.lanes.acquire(Access::ReadOnly, &CancellationToken::new()).await?;
        let powers = account::powers(&mut lease.driver).await;
        lease.discard().await;
        powers
    }
}

impl Source for MySql {
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

impl fmt::Debug for MySql {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MySql")
            .field("name", &self.shared.name)
            .field("access", &self.shared.access)
            .field("lanes", &self.shared.lanes)
            .finish_non_exhaustive()
    }
}
