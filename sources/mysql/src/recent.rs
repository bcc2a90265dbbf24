//! What the connections of a source have asked the server about, by name, for as long as it is trusted.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{sync::Semaphore, time::Instant};

/// For how long an answer is taken from memory, and most names that are kept.
pub(crate) const TRUSTED: Duration = Duration::from_mins(1);
const MOST: usize = 100;

/// The answers by their names.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    known: Mutex<HashMap<String, Known<T>>>,
}

#[derive(Debug)]
struct Known<T> {
    /// When the server was asked, and what it said.
    told: Option<(Instant, T)>,
    /// Whoever has it may ask the server.
    turn: Arc<Semaphore>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { known: Mutex::default() }
    }
}

impl<T: Clone> Recent<T> {
    /// The answer, if the server was asked no earlier than then.
    pub(crate) fn get(&self, name: &str, not_before: Instant) -> Option<T> {
        let is_new = |told: &&(Instant, T)| told.0 >= not_before;
        self.with(|known| known.get(name)?.told.as_ref().filter(is_new).map(|(_, told)| told.clone()))
    }

    /// Of all that want to ask about a name, the one with the permit asks, and the others find the answer then.
    pub(crate) fn turn(&self, name: &str) -> Arc<Semaphore> {
        self.with(|known| {
            if known.len() >= MOST && !known.contains_key(name) {
                known.clear();
            }
            let new = || Known { told: None, turn: Arc::new(Semaphore::new(1)) };
            known.entry(name.to_owned()).or_insert_with(new).turn.clone()
        })
    }

    /// Remembers what the server said when it was asked at this moment.
    pub(crate) fn insert(&self, name: &str, asked: Instant, told: T) {
        self.with(|known| {
            if let Some(known) = known.get_mut(name) {
                known.told = Some((asked, told));
            }
        });
    }

    fn with<R>(&self, act: impl FnOnce(&mut HashMap<String, Known<T>>) -> R) -> R {
        // No step leaves the map half changed.
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Since when an answer is trusted.
pub(crate) fn recently(now: Instant) -> Instant {
    now.checked_sub(TRUSTED).unwrap_or(now)
}
