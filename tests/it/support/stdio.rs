//! MCP over standard input and output: a message a line.

use std::{
    io::{BufRead, BufReader, Write},
    process::{ChildStdin, Command, Stdio as Pipe},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use serde_json::Value as Json;

use super::{client::Transport, log::Log, process::Process};

/// A wait that only a hanging program reaches.
const PATIENCE: Duration = Duration::from_mins(1);

/// The program as a child, killed at the end if it still runs.
#[derive(Debug)]
pub(crate) struct Stdio {
    process: Process,
    log: Log,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Stdio {
    /// Starts the program, which must have been given `--stdio`. Its log goes to the log of the test.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Pipe::piped())
            .stdout(Pipe::piped())
            .stderr(Pipe::piped())
            .spawn()
            .expect("the program");
        let log = Log::of(child.stderr.take().expect("a pipe"));
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { process: Process::new(child), log, input, lines }
    }

    /// Sends a line as it is.
    pub(crate) fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the program reads its input");
    }

    /// Closes the program's input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// The process.
    pub(crate) fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Standard error.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the program reads its input");
    }

    /// What the program wrote until it closed its output.
    pub(crate) fn rest(&mut self) -> Vec<Json> {
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(
                    serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}")),
                ),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("the output does not end"),
            }
        }
    }

    /// The next line of the program. All of its standard output is the protocol, so a line that is no JSON fails the test.
    pub(crate) fn receive(&mut self) -> Json {
        let line = self.lines.recv_timeout(PATIENCE).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"))
    }
}

impl Transport for Stdio {
    fn exchange(&mut self, request: &Json) -> Json {
        self.send_line(&request.to_string());
        self.receive()
    }

    fn notify(&mut self, notification: &Json) {
        self.send_line(&notification.to_string());
    }
}
