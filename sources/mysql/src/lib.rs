//! MySQL and MariaDB as a source of the toolbox.
//!
//! The road of one query: `plan` decides from the text whether it may run and on which lane, `bind` turns its values into
//! arguments, `connect` opens connections (after `migrate`, the first time), `run` runs the statement in a task, `prepared`
//! remembers it, `decode` turns cells into values, `unreadable` finds the column of which it cannot, `cancel` stops what runs.
//! `config` reads what the configuration says, `error` what the server says, `account` what the account may do. Which of the
//! two servers it is matters only while a connection is set up, and for what an account may do.

mod account;
mod bind;
mod cancel;
mod config;
mod connect;
mod decode;
mod error;
mod migrate;
mod plan;
mod prepared;
mod run;
mod unreadable;

use std::{fmt, path::PathBuf, sync::Arc};

use futures::{
    future::BoxFuture,
    stream::{self, StreamExt as _},
};
use tokio::sync::{OnceCell, mpsc};
use tokio_util::sync::CancellationToken;
use toolbox_source::{
    Access, Event, Query, RowStream, Source, SourceError,
    lanes::{Bounds, Connector as _, Lanes},
};

pub use config::Options;
use config::{Settings, tighter};
use connect::Opener;
use run::{Call, Message};

/// Events that wait for their reader. More wait in the connection, so this only evens out the two.
const EVENTS_AHEAD: usize = 16;

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
    ready: OnceCell<()>,
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
                ready: OnceCell::new(),
            }),
        })
    }

    async fn start(&self, query: Query) -> Result<RowStream, SourceError> {
        let shared = &self.shared;
        let plan = plan::plan(&query, shared.access)?;
        let arguments = bind::arguments(&query.arguments)?;
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
        let (sender, receiver) = mpsc::channel(EVENTS_AHEAD);
        tokio::spawn(run::run(call, lease, sender));
        let mut answer = Answer { receiver, complete: false };
        let first = answer.next().await.unwrap_or_else(|| Err(lost()))?;
        let rest =
            stream::unfold(answer, |mut answer| async { answer.next().await.map(|event| (event, answer)) });
        Ok(RowStream::new(stream::once(async { Ok(first) }).chain(rest).boxed(), enough))
    }
}

/// The events of one statement, as its task sends them.
struct Answer {
    receiver: mpsc::Receiver<Message>,
    complete: bool,
}

impl Answer {
    /// The next event. A task that ended without an answer, by a panic, is an error too.
    async fn next(&mut self) -> Option<Result<Event, SourceError>> {
        if self.complete {
            return None;
        }
        let message = self.receiver.recv().await.unwrap_or_else(|| Message::Last(Err(lost())));
        Some(match message {
            Message::Event(event) => Ok(event),
            Message::Last(outcome) => {
                self.complete = true;
                outcome.map(Event::Done)
            }
        })
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
        if self.ready.initialized() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_ends_its_answer_with_an_error() {
        let (sender, receiver) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let _messages: run::Messages = sender;
            panic!("as a defect would");
        });
        assert!(task.await.is_err());
        let mut answer = Answer { receiver, complete: false };
        assert_eq!(answer.next().await, Some(Err(lost())));
        assert_eq!(answer.next().await, None);
    }
}
