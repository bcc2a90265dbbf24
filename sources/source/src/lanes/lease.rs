//! A connection in use, and the ways in which its use ends.

use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use deadpool::managed::Object;
use tokio::{sync::OwnedSemaphorePermit, time::Instant};

use super::{Connector, Lane};

/// A connection in use. It goes back to its lane only by [`Lease::give_back`]; dropped in any other way (a panic, a future
/// that is not polled to its end, an error in the protocol) it is closed, since nobody knows its state then.
pub struct Lease<C: Connector> {
    object: Option<Object<Lane<C>>>,
    connector: Arc<C>,
    /// Freed after the connection is back.
    _permit: OwnedSemaphorePermit,
}

impl<C: Connector> Lease<C> {
    pub(super) fn new(object: Object<Lane<C>>, connector: Arc<C>, permit: OwnedSemaphorePermit) -> Self {
        Self { object: Some(object), connector, _permit: permit }
    }

    /// Returns a connection that is as good as new.
    pub fn give_back(mut self) {
        if let Some(mut object) = self.object.take() {
            object.used = Instant::now();
        }
    }

    /// Closes the connection politely.
    pub async fn discard(mut self) {
        if let Some(object) = self.object.take() {
            self.connector.close(Object::take(object).connection).await;
        }
    }
}

impl<C: Connector> Deref for Lease<C> {
    type Target = C::Connection;

    #[expect(clippy::expect_used, reason = "only the functions that consume the lease take the connection")]
    fn deref(&self) -> &C::Connection {
        &self.object.as_ref().expect("a lease holds its connection").connection
    }
}

impl<C: Connector> DerefMut for Lease<C> {
    #[expect(clippy::expect_used, reason = "only the functions that consume the lease take the connection")]
    fn deref_mut(&mut self) -> &mut C::Connection {
        &mut self.object.as_mut().expect("a lease holds its connection").connection
    }
}

impl<C: Connector> Drop for Lease<C> {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            drop(Object::take(object));
        }
    }
}

impl<C: Connector> fmt::Debug for Lease<C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lease").finish_non_exhaustive()
    }
}
