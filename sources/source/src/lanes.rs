//! Two lanes of connections under one bound: read-write and read-only.
//!
//! A call first takes one of the permits that count connections in use, in the order in which calls came, and then a
//! connection of its lane: an idle one, or a new one. When a new one would exceed the bound, the longest idle ones of the
//! other lane are closed first. The pooling itself is deadpool's; this module must not know any database.

mod lease;

use std::{
    fmt,
    future::Future,
    sync::{Arc, Once, Weak},
    time::Duration,
};

use deadpool::managed::{Manager, Metrics, Pool, PoolError, QueueMode, RecycleError, RecycleResult};
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{Access, DatabaseError, SourceError};
pub use lease::Lease;

/// What a database does for its connections.
pub trait Connector: Send + Sync + 'static {
    /// One connection. Dropping it closes it, if not politely.
    type Connection: Send + 'static;

    /// Opens a connection for a lane and sets it up.
    fn connect(&self, access: Access) -> impl Future<Output = Result<Self::Connection, SourceError>> + Send;

    /// Finds out whether a connection that was idle for some time still works. One that does not is replaced.
    fn check(
        &self,
        connection: &mut Self::Connection,
    ) -> impl Future<Output = Result<(), SourceError>> + Send;

    /// Closes a connection politely.
    fn close(&self, connection: Self::Connection) -> impl Future<Output = ()> + Send;
}

/// The bounds of a source's connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most connections of both lanes together, at least 1.
    pub max_connections: usize,
    /// How long a call waits for one of them.
    pub acquire_timeout: Duration,
    /// A connection that was idle for longer is checked before use.
    pub trusted_for: Duration,
    /// A connection that was idle for longer is closed.
    pub idle_limit: Duration,
    /// A connection older than this is closed when it is next idle.
    pub max_age: Duration,
}

impl Bounds {
    /// The given bounds, and the ones that no configuration sets: trusted for a second, closed after ten idle minutes or
    /// one hour.
    #[must_use]
    pub fn new(max_connections: usize, acquire_timeout: Duration) -> Self {
        Self {
            max_connections: max_connections.max(1),
            acquire_timeout,
            trusted_for: Duration::from_secs(1),
            idle_limit: Duration::from_mins(10),
            max_age: Duration::from_hours(1),
        }
    }

    /// Whether an idle connection has had its time.
    fn expired(&self, opened: Instant, used: Instant) -> bool {
        used.elapsed() > self.idle_limit || opened.elapsed() > self.max_age
    }
}

/// The connections of one source. Cheap to clone.
pub struct Lanes<C: Connector> {
    shared: Arc<Shared<C>>,
}

struct Shared<C: Connector> {
    connector: Arc<C>,
    bounds: Bounds,
    /// One permit for each connection that may be in use.
    permits: Arc<Semaphore>,
    read_write: Pool<Lane<C>>,
    read_only: Pool<Lane<C>>,
    closed: CancellationToken,
    /// Starts the sweeping with the first connection, when there is surely a runtime.
    sweeping: Once,
}

/// The pool of one lane, in deadpool's words.
struct Lane<C> {
    connector: Arc<C>,
    access: Access,
    bounds: Bounds,
}

/// A connection and what the pool needs to know of it.
struct Pooled<T> {
    connection: T,
    opened: Instant,
    used: Instant,
}

impl<C: Connector> Manager for Lane<C> {
    type Type = Pooled<C::Connection>;
    type Error = SourceError;

    async fn create(&self) -> Result<Self::Type, SourceError> {
        let connection = self.connector.connect(self.access).await?;
        let now = Instant::now();
        Ok(Pooled { connection, opened: now, used: now })
    }

    async fn recycle(&self, pooled: &mut Self::Type, _: &Metrics) -> RecycleResult<SourceError> {
        if self.bounds.expired(pooled.opened, pooled.used) {
            return Err(RecycleError::message("expired"));
        }
        if pooled.used.elapsed() > self.bounds.trusted_for {
            self.connector.check(&mut pooled.connection).await?;
        }
        Ok(())
    }
}

impl<C: Connector> Lanes<C> {
    /// Lanes without any connection yet.
    ///
    /// # Errors
    ///
    /// [`SourceError::Connect`] if the pool refuses its settings.
    pub fn new(connector: C, bounds: Bounds) -> Result<Self, SourceError> {
        let connector = Arc::new(connector);
        let lane = |access| {
            let lane = Lane { connector: connector.clone(), access, bounds };
            // The connection used last is taken first, so that spare ones reach the idle limit.
            Pool::builder(lane).max_size(bounds.max_connections).queue_mode(QueueMode::Lifo).build().map_err(
                |error| {
                    SourceError::Connect(DatabaseError {
                        message: error.to_string(),
                        ..DatabaseError::default()
                    })
                },
            )
        };
        let shared = Shared {
            bounds,
            permits: Arc::new(Semaphore::new(bounds.max_connections)),
            read_write: lane(Access::ReadWrite)?,
            read_only: lane(Access::ReadOnly)?,
            closed: CancellationToken::new(),
            sweeping: Once::new(),
            connector,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// What opens the connections.
    #[must_use]
    pub fn connector(&self) -> &Arc<C> {
        &self.shared.connector
    }

    /// Set once the lanes are being closed. Whoever holds a lease then stops what it runs.
    #[must_use]
    pub fn closed(&self) -> &CancellationToken {
        &self.shared.closed
    }

    /// Takes a connection of a lane.
    ///
    /// # Errors
    ///
    /// [`SourceError::Busy`] when none became free in time, [`SourceError::Cancelled`] when the call was cancelled or the
    /// lanes were closed before, or why no connection could be made.
    pub async fn acquire(&self, access: Access, cancel: &CancellationToken) -> Result<Lease<C>, SourceError> {
        let shared = &self.shared;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(SourceError::Cancelled),
            () = shared.closed.cancelled() => Err(SourceError::Cancelled),
            lease = self.take(access) => lease,
        }
    }

    async fn take(&self, access: Access) -> Result<Lease<C>, SourceError> {
        let shared = &self.shared;
        let waited = shared.bounds.acquire_timeout;
        let busy = || SourceError::Busy { connections: shared.bounds.max_connections, waited };
        let permit = tokio::time::timeout(waited, shared.permits.clone().acquire_owned())
            .await
            .map_err(|_| busy())?
            .map_err(|_| SourceError::Cancelled)?;
        let (lane, other) = match access {
            Access::ReadWrite => (&shared.read_write, &shared.read_only),
            Access::ReadOnly => (&shared.read_only, &shared.read_write),
        };
        shared.sweeping.call_once(|| {
            tokio::spawn(sweep(Arc::downgrade(shared), shared.bounds.idle_limit / 2));
        });
        shared.make_room(other).await;
        let object = lane.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Timeout(_) => busy(),
            PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
                SourceError::Cancelled
            }
        })?;
        Ok(Lease::new(object, shared.connector.clone(), permit))
    }

    /// Refuses new calls, waits until all connections are back, and closes them. Those who hold one see [`Lanes::closed`].
    pub async fn close(&self) {
        let shared = &self.shared;
        shared.closed.cancel();
        let all = u32::try_from(shared.bounds.max_connections).unwrap_or(u32::MAX);
        if let Ok(permits) = shared.permits.acquire_many(all).await {
            permits.forget();
        }
        shared.permits.close();
        // A database in a file is tidied by the last connection that may write.
        for lane in [&shared.read_only, &shared.read_write] {
            for pooled in lane.retain(|_, _| false).removed {
                shared.connector.close(pooled.connection).await;
            }
            lane.close();
        }
    }
}

/// Closes idle connections that have had their time, for as long as the lanes exist.
async fn sweep<C: Connector>(lanes: Weak<Shared<C>>, pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let Some(shared) = lanes.upgrade() else { return };
        let bounds = shared.bounds;
        for lane in [&shared.read_write, &shared.read_only] {
            let expired = lane.retain(|pooled, _| !bounds.expired(pooled.opened, pooled.used)).removed;
            shared.close_all(expired);
        }
    }
}

impl<C: Connector> Shared<C> {
    /// Closes so many idle connections of the other lane that a new one keeps to the bound. Connections in use are counted
    /// by their permits, so calls that come at once count each other.
    ///
    /// Idle connections and free permits are counted at one moment, under the lock of the lane. A connection that is taken or
    /// comes back meanwhile is then counted twice at most; between two moments it could be missed.
    async fn make_room(&self, other: &Pool<Lane<C>>) {
        let mut excess = 0_usize;
        loop {
            let mut spare = None;
            // The longest idle ones come first.
            let looked = other.retain(|_, _| {
                spare.get_or_insert_with(|| self.permits.available_permits());
                let keep = excess == 0;
                excess = excess.saturating_sub(1);
                keep
            });
            for pooled in looked.removed {
                self.connector.close(pooled.connection).await;
            }
            excess = looked.retained.saturating_sub(spare.unwrap_or(usize::MAX));
            if excess == 0 {
                return;
            }
        }
    }

    fn close_all(&self, connections: Vec<Pooled<C::Connection>>) {
        for pooled in connections {
            let connector = self.connector.clone();
            tokio::spawn(async move { connector.close(pooled.connection).await });
        }
    }
}

impl<C: Connector> Clone for Lanes<C> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<C: Connector> fmt::Debug for Lanes<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Lanes")
            .field("bounds", &self.shared.bounds)
            .field("free", &self.shared.permits.available_permits())
            .finish_non_exhaustive()
    }
}
