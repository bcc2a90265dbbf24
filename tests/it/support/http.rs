//! MCP over HTTP.

use std::{
    process::{Command, Stdio as Pipe},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value as Json;

use super::{client::Transport, log::Log, process::Process};

/// A wait that only a hanging program reaches.
const PATIENCE: Duration = Duration::from_mins(1);

/// The program as a server on a free port of the loopback interface, killed at the end.
#[derive(Debug)]
pub(crate) struct Server {
    process: Process,
    authority: String,
    output: Log,
    log: Log,
}

/// A client of one path of a server.
#[derive(Debug)]
pub(crate) struct Http {
    agent: ureq::Agent,
    url: String,
}

impl Server {
    /// Starts the program with `--port 0` and learns the port from its log.
    pub(crate) fn start(command: &mut Command) -> Self {
        let server = Self::start_unasked(command);
        server.wait_until_ready();
        server
    }

    /// The same, without asking whether it is ready: its log says so.
    pub(crate) fn start_unasked(command: &mut Command) -> Self {
        let mut child = command
            .args(["--port", "0"])
            .stdin(Pipe::null())
            .stdout(Pipe::piped())
            .stderr(Pipe::piped())
            .spawn()
            .expect("the program");
        let output = Log::of(child.stdout.take().expect("a pipe"));
        let log = Log::of(child.stderr.take().expect("a pipe"));
        let mut process = Process::new(child);
        let Some(authority) = log.find(authority) else {
            panic!("the log names no address; exit code: {:?}", process.wait());
        };
        Self { process, authority, output, log }
    }

    /// `ADDRESS:PORT`.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// The process.
    pub(crate) fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Standard error.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// Standard output, which carries nothing.
    pub(crate) fn output(&self) -> &Log {
        &self.output
    }

    /// `http://ADDRESS:PORT`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.authority)
    }

    /// A client of `/mcp`, or of another path.
    pub(crate) fn client(&self, path: &str) -> Http {
        Http { agent: agent(), url: format!("{}{path}", self.url()) }
    }

    fn wait_until_ready(&self) {
        let agent = agent();
        let health = format!("{}/healthz", self.url());
        let started = Instant::now();
        while let Err(error) = agent.get(&health).call() {
            assert!(started.elapsed() < PATIENCE, "{health}: {error}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Http {
    /// Posts a body: status and text of the response.
    pub(crate) fn post(&self, body: &str) -> (u16, String) {
        let mut response = self
            .agent
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .send(body)
            .unwrap_or_else(|error| panic!("{}: {error}", self.url));
        let text = response.body_mut().read_to_string().expect("a text");
        (response.status().as_u16(), text)
    }
}

impl Transport for Http {
    fn exchange(&mut self, request: &Json) -> Json {
        let (status, text) = self.post(&request.to_string());
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
    }

    fn notify(&mut self, notification: &Json) {
        assert_eq!(self.post(&notification.to_string()), (202, String::new()));
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build().into()
}

/// `127.0.0.1:PORT` in a line of the log.
fn authority(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("127.0.0.1:")?;
    let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (port.parse::<u16>().ok()? != 0).then(|| format!("127.0.0.1:{port}"))
}

#[test]
fn the_port_is_read_from_the_log_and_0_is_no_port() {
    assert_eq!(authority("ready at http://127.0.0.1:40123/mcp").as_deref(), Some("127.0.0.1:40123"));
    assert_eq!(authority("listening on 127.0.0.1:0"), None);
    assert_eq!(authority("listening on 127.0.0.1:70000"), None);
    assert_eq!(authority("no address here"), None);
}
