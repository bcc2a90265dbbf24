//! Runs commands as a reader of the README would.

use std::{
    env, fmt,
    io::Read,
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt,
    process::{Child, Command as Process, ExitStatus, Stdio},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{block::Command, expected};
use crate::support::{Workspace, program};

/// How long a command may run, and how long a server may take until it has printed what is shown and listens.
const PATIENCE: Duration = Duration::from_secs(30);

/// The port in the README.
const SHOWN_PORT: &str = "5000";

/// The way in which the README starts the program, and the way in which the test does.
const SHOWN_PROGRAM: &str = "cargo run --release --";
const PROGRAM: &str = "toolbox";

/// A reader's terminal.
pub(crate) struct Runner {
    workspace: Workspace,
    port: String,
    server: Option<Running>,
}

impl Runner {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port().to_string();
        Self { workspace: Workspace::example(), port, server: None }
    }

    /// Runs one command and compares what it prints.
    pub(crate) fn run(&mut self, command: &Command) -> Result<(), String> {
        let shown: Vec<String> = command.output.iter().map(|line| self.with_free_port(line)).collect();
        let text = self.with_free_port(&command.text.replace(SHOWN_PROGRAM, PROGRAM));
        match text.strip_suffix(" &") {
            Some(server) => self.serve(server, &shown),
            None => self.finish(&text, &shown),
        }
    }

    fn with_free_port(&self, text: &str) -> String {
        text.replace(SHOWN_PORT, &self.port)
    }

    /// Runs a command to its end.
    fn finish(&self, text: &str, shown: &[String]) -> Result<(), String> {
        let mut running = self.start(text)?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = running.status()? {
                break status;
            }
            if started.elapsed() > PATIENCE {
                return Err(format!("still runs after {PATIENCE:?}; a server ends its line with ` &`"));
            }
            thread::sleep(Duration::from_millis(5));
        };
        let printed = running.printed();
        if !status.success() {
            return Err(format!("failed with {status}:\n{printed}"));
        }
        let lines: Vec<&str> = printed.lines().collect();
        if shown.is_empty() || expected::matches(shown, &lines) {
            Ok(())
        } else {
            Err(format!("shown:\n{}\nprinted:\n{printed}", shown.join("\n")))
        }
    }

    /// Starts a server in the place of the one before.
    fn serve(&mut self, text: &str, shown: &[String]) -> Result<(), String> {
        self.server = None;
        let port = if text.contains(&self.port) { String::new() } else { format!(" --port {}", self.port) };
        let running = self.start(&format!("{text}{port}"))?;
        let running = self.server.insert(running);

        // A server goes on printing, so what is shown is only the beginning.
        let shown: Vec<String> = shown.iter().cloned().chain(["…".to_owned()]).collect();
        let started = Instant::now();
        loop {
            let ended = running.status()?;
            let printed = running.printed();
            if let Some(status) = ended {
                return Err(format!("ended with {status}:\n{printed}"));
            }
            let lines: Vec<&str> = printed.lines().collect();
            if expected::matches(&shown, &lines)
                && TcpStream::connect(format!("127.0.0.1:{}", self.port)).is_ok()
            {
                return Ok(());
            }
            if started.elapsed() > PATIENCE {
                return Err(format!(
                    "not ready after {PATIENCE:?}; shown:\n{}\nprinted:\n{printed}",
                    shown.join("\n")
                ));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn start(&self, text: &str) -> Result<Running, String> {
        let folder = program().parent().expect("a folder").to_owned();
        let path = env::var_os("PATH").unwrap_or_default();
        let path =
            env::join_paths([folder].into_iter().chain(env::split_paths(&path))).expect("a search path");
        let mut child = Process::new("sh")
            .args(["-c", &format!("{{\n{text}\n}} 2>&1")])
            .current_dir(self.workspace.path())
            .env("PATH", path)
            .env_remove("RUST_LOG")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(describe)?;
        let printed = Arc::new(Mutex::new(Vec::new()));
        let reader = collect(child.stdout.take().expect("a pipe"), Arc::clone(&printed));
        Ok(Running { child, printed, reader: Some(reader) })
    }
}

/// A command that runs, with all processes that it started; they are killed at the end.
struct Running {
    child: Child,
    printed: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Running {
    /// How it ended, if it did; then everything that it printed is there.
    fn status(&mut self) -> Result<Option<ExitStatus>, String> {
        let status = self.child.try_wait().map_err(describe)?;
        if let Some(reader) = self.reader.take_if(|_| status.is_some()) {
            reader.join().map_err(|_| "the reader of the output panicked".to_owned())?;
        }
        Ok(status)
    }

    /// What it has printed so far.
    fn printed(&self) -> String {
        String::from_utf8_lossy(&self.printed.lock().expect("the lock")).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Once its output has ended, nothing of it is left.
        if self.reader.is_some() {
            // The group of the shell is all that it started. These fail only where everything has ended already.
            let _ =
                Process::new("sh").args(["-c", &format!("kill -s KILL -- -{}", self.child.id())]).output();
            let _ = self.child.wait();
        }
    }
}

fn collect(mut stream: impl Read + Send + 'static, printed: Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut chunk) {
            printed.lock().expect("the lock").extend_from_slice(&chunk[..length]);
        }
    })
}

fn describe(error: impl fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::{Command, Runner};

    fn run(runner: &mut Runner, text: &str, output: &[&str]) -> Result<(), String> {
        let output = output.iter().map(|&line| line.to_owned()).collect();
        runner.run(&Command { line: 1, text: text.to_owned(), output })
    }

    #[test]
    fn a_command_must_succeed_and_print_what_is_shown() {
        let mut runner = Runner::new();
        assert_eq!(run(&mut runner, "echo one; echo two >&2", &["one", "t…o"]), Ok(()));
        assert_eq!(run(&mut runner, "ls", &["migrations", "tools.yaml"]), Ok(()));
        assert_eq!(run(&mut runner, "echo anything", &[]), Ok(()));
        assert!(run(&mut runner, "echo one", &["two"]).is_err());
        assert!(run(&mut runner, "echo one; false", &["one"]).is_err());
        assert!(run(&mut runner, "no-such-command-here", &[]).is_err());
    }

    #[test]
    fn the_port_is_a_free_one_in_commands_and_in_what_they_print() {
        let mut runner = Runner::new();
        let port = runner.port.clone();
        assert_eq!(run(&mut runner, "echo 127.0.0.1:5000", &["127.0.0.1:5000"]), Ok(()));
        assert_eq!(run(&mut runner, "test 5000 = $((5000))", &[]), Ok(()));
        assert!(run(&mut runner, &format!("test 5000 != {port}"), &[]).is_err());
    }

    #[test]
    fn a_server_that_ends_at_once_is_an_error() {
        let error = run(&mut Runner::new(), "echo gone; : &", &["gone"]).expect_err("no server");
        assert!(error.contains("ended with") && error.contains("gone"), "{error}");
    }
}
