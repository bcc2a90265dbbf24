//! The program as a process: started, told to stop, waited for, and killed at the end.

use std::{
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

/// A wait that only a hanging program reaches.
const PATIENCE: Duration = Duration::from_mins(1);

/// A child that does not outlive its test.
#[derive(Debug)]
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn new(child: Child) -> Self {
        Self(child)
    }

    /// Sends a signal by its name, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("sh").args(["-c", &format!("kill -s {name} {}", self.0.id())]).status();
        assert!(status.expect("a shell").success(), "the process is gone");
    }

    /// Waits for the end: the exit code, nothing where a signal ended it.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().expect("a child") {
                return status.code();
            }
            assert!(started.elapsed() < PATIENCE, "the program does not end");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only when the child has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
