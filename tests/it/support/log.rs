//! The program's log, in the log of the test, and kept to be looked into.

use std::{
    io::{BufRead, BufReader, Read},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

/// A wait that only a hanging program reaches.
const PATIENCE: Duration = Duration::from_mins(1);

/// The lines of one stream of the program so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    lines: Mutex<Lines>,
    grown: Condvar,
}

#[derive(Debug, Default)]
struct Lines {
    seen: Vec<String>,
    ended: bool,
}

impl Log {
    /// Passes a stream of the program on, line by line, until it ends. The runner shows it when the test fails.
    pub(crate) fn of(stream: impl Read + Send + 'static) -> Self {
        let log = Self::default();
        let own = log.clone();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines() {
                let Ok(line) = line else { break };
                eprintln!("{line}");
                own.0.lines.lock().expect("the lock").seen.push(line);
                own.0.grown.notify_all();
            }
            own.0.lines.lock().expect("the lock").ended = true;
            own.0.grown.notify_all();
        });
        log
    }

    /// What `find` finds in the first line in which it finds something; nothing if the stream ends before.
    pub(crate) fn find<T>(&self, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        let lines = self.0.lines.lock().expect("the lock");
        let look = |lines: &Lines| lines.seen.iter().find_map(|line| find(line));
        let (lines, wait) = self
            .0
            .grown
            .wait_timeout_while(lines, PATIENCE, |lines| !lines.ended && look(lines).is_none())
            .expect("the lock");
        assert!(!wait.timed_out(), "not in the log: {:?}", lines.seen);
        look(&lines)
    }

    /// Waits for a line that holds a text.
    pub(crate) fn wait_for(&self, text: &str) {
        let found = self.find(|line| line.contains(text).then_some(()));
        assert!(found.is_some(), "the log ended without {text:?}");
    }

    /// All lines, once the program has closed the stream.
    pub(crate) fn all(&self) -> Vec<String> {
        let lines = self.0.lines.lock().expect("the lock");
        let (lines, wait) =
            self.0.grown.wait_timeout_while(lines, PATIENCE, |lines| !lines.ended).expect("the lock");
        assert!(!wait.timed_out(), "the log does not end");
        lines.seen.clone()
    }
}
