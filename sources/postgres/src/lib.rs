//! PostgreSQL as a source of the toolbox.
//!
//! The road of one query: `plan` decides from the text whether it may run and on which lane, `connect` opens connections
//! (after `migrate`, the first time), `run` prepares the statement (`prepared` remembers it), `bind` turns its values into
//! arguments, `decode` turns cells into values, `cancel` stops what runs. `types` asks the catalog what a type is, `kind` says
//! how such a type is read, `project` lets the server render what only it can; `config` reads the options, `error` the
//! server's messages, `account` asks what the role may do.

mod account;
mod bind;
mod cancel;
mod config;
mod connect;
mod decode;
mod error;
mod kind;
mod migrate;
mod plan;
mod prepared;
mod project;
mod run;
mod types;

use std::{
    fmt,
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
    vec,
};

use futures::{
    future::BoxFuture,
    ready,
    stream::{Stream, StreamExt as _},
};
use sqlx::Connection as _;
use tokio::sync::{OnceCell, mpsc};
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Event, Query, Row, RowStream, Source, SourceError,
    lanes::{Bounds, Lanes},
};

use config::Address;
pub use config::Options;
use connect::Opener;
use run::{Call, Message};

/// Messages of a call that wait for their reader. More wait in the socket, so this only evens out the two.
const MESSAGES_AHEAD: usize = 4;

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
    ready: OnceCell<()>,
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
                ready: OnceCell::new(),
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
            arguments: query.arguments,
            timeout: query.limits.statement_timeout,
            server_timeout: shared.statement_timeout,
            cancel: query.cancel,
            closed: shared.lanes.closed().clone(),
            enough: enough.clone(),
            lanes: shared.lanes.clone(),
            max_connections: shared.max_connections,
        };
        let (sender, receiver) = mpsc::channel(MESSAGES_AHEAD);
        tokio::spawn(run::run(call, lease, sender));
        let mut answer = Answer { receiver, rows: Vec::new().into_iter(), first: None, complete: false };
        let first = answer.next().await.unwrap_or_else(|| Err(lost()))?;
        answer.first = Some(first);
        Ok(RowStream::new(answer.boxed(), enough))
    }
}

/// The events of one statement, as its task sends them.
struct Answer {
    receiver: mpsc::Receiver<Message>,
    /// The first event, which was waited for already.
    first: Option<Event>,
    /// Rows that came together and are not taken yet.
    rows: vec::IntoIter<Row>,
    /// Whether `Done` or an error came.
    complete: bool,
}

impl Stream for Answer {
    type Item = Result<Event, SourceError>;

    /// The next event. A task that ended without an answer, by a panic, is an error too.
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        loop {
            if let Some(row) = self.rows.next() {
                return Poll::Ready(Some(Ok(Event::Row(row))));
            }
            if self.complete {
                return Poll::Ready(None);
            }
            match ready!(self.receiver.poll_recv(context)) {
                Some(Message::Rows(rows)) => self.rows = rows.into_iter(),
                message => {
                    let event = match message {
                        Some(Message::Event(event)) => event,
                        _ => Err(lost()),
                    };
                    self.complete = matches!(event, Ok(Event::Done(_)) | Err(_));
                    return Poll::Ready(Some(event));
                }
            }
        }
    }
}

fn lost() -> SourceError {
    SourceError::Database(error::failure(
        "the statement ended without an answer, by a defect of the toolbox; whether its changes stayed is unknown",
    ))
}

impl Shared {
    /// Applies the migrations, once. This runs in a task, so that a caller who goes away does not undo the work.
    async fn be_ready(self: &Arc<Self>, cancel: &CancellationToken) -> Result<(), SourceError> {
        if self.migrations.is_none() || self.ready.initialized() {
            return Ok(());
        }
        let shared = self.clone();
        let task =
            tokio::spawn(async move { shared.ready.get_or_try_init(|| shared.prepare()).await.copied() });
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(SourceError::Cancelled),
            ready = task => ready.unwrap_or_else(|_| Err(lost())),
        }
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
            Err(error) => Err(SourceError::Database(error::database_error(&error, error::Shift::default()))),
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
