//! What no test may do to a server that others use: stop it, and set it otherwise. The server is a MariaDB of the programs on
//! this machine, with a data folder and a port of its own; the tests are skipped by name where there are no such programs.

use std::{
    env, fs,
    net::TcpListener,
    os::unix::{fs::chown, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use sqlx::{ConnectOptions as _, Connection as _, Executor as _, mysql::MySqlConnectOptions};
use tempfile::TempDir;
use toolbox_mysql::{MySql, Options};
use toolbox_source::{SourceError, Value};

use crate::support::ask;

/// A server of this machine. It ends with the test.
struct Private {
    folder: TempDir,
    server: PathBuf,
    port: u16,
    settings: &'static [&'static str],
    running: Option<Child>,
}

/// A program in the search path, or where distributions put servers.
fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders =
        env::split_paths(&path).chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")]);
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The number of the account nobody, if this process is root's: the server does not run as root.
fn nobody() -> Option<u32> {
    let number = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse::<u32>().ok()
    };
    number(&["-u"]).filter(|user| *user == 0).and_then(|_| number(&["-u", "nobody"]))
}

impl Private {
    /// A server with these settings and an empty data folder, or why there is none.
    async fn start(settings: &'static [&'static str]) -> Result<Self, String> {
        let install = program("mariadb-install-db").ok_or("no mariadb-install-db on this machine")?;
        let server = program("mariadbd").ok_or("no mariadbd on this machine")?;
        let folder = TempDir::new().unwrap();
        if let Some(user) = nobody() {
            chown(folder.path(), Some(user), None).unwrap();
        }
        let data = folder.path().join("data");
        let installed = command(&install)
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"])
            .arg(format!("--datadir={}", data.display()))
            .output()
            .unwrap();
        if !installed.status.success() {
            return Err(format!("mariadb-install-db failed: {}", String::from_utf8_lossy(&installed.stderr)));
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut private = Self { folder, server, port, settings, running: None };
        private.launch().await;
        Ok(private)
    }

    async fn launch(&mut self) {
        let folder = self.folder.path();
        let log = fs::File::create(folder.join("log")).unwrap();
        let child = command(&self.server)
            .args(["--no-defaults", "--bind-address=127.0.0.1", "--skip-log-bin", "--skip-name-resolve"])
            .arg(format!("--datadir={}", folder.join("data").display()))
            .arg(format!("--socket={}", folder.join("socket").display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()))
            .arg(format!("--port={}", self.port))
            .args(self.settings)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.running = Some(child);
        for _ in 0..600 {
            if self.driver().connect().await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the server does not start: {}", fs::read_to_string(folder.join("log")).unwrap());
    }

    /// Ends the server as an operator does, and waits for it.
    async fn shut_down(&mut self) {
        let mut admin = self.driver().connect().await.unwrap();
        admin.execute("SHUTDOWN").await.unwrap();
        drop(admin.close().await);
        self.running.take().unwrap().wait().unwrap();
    }

    /// Ends the server as a power cut does.
    fn kill(&mut self) {
        let mut child = self.running.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn driver(&self) -> MySqlConnectOptions {
        MySqlConnectOptions::new().host("127.0.0.1").port(self.port).username("root")
    }

    fn source(&self) -> MySql {
        let options = Options {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            database: Some("mysql".to_owned()),
            user: Some("root".to_owned()),
            password: None,
            query_params: Vec::new(),
            query_timeout: None,
            statement_timeout: None,
            migrations: None,
            read_only: false,
            max_connections: 2,
            acquire_timeout: Duration::from_secs(10),
        };
        MySql::open("private", options).unwrap()
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if let Some(child) = &mut self.running {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).current_dir("/");
    if let Some(user) = nobody() {
        command.uid(user);
    }
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_restarts_gets_the_next_call_and_no_write_twice() {
    let mut server = match Private::start(&[]).await {
        Ok(server) => server,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    let source = server.source();
    ask("CREATE TABLE restarts (n INT)").done(&source).await;
    let count = "SELECT COUNT(*) FROM restarts";
    let write = || ask("INSERT INTO restarts VALUES (1)");
    write().done(&source).await;
    assert_eq!(ask(count).cell(&source).await, Value::Int(1));

    // Both lanes hold an idle connection when the server goes.
    server.shut_down().await;
    let error = ask(count).fails(&source).await;
    assert!(matches!(error, SourceError::Connect(_)), "{error:?}");
    server.launch().await;
    assert_eq!(ask(count).cell(&source).await, Value::Int(1));
    // A connection that was used within the last second is trusted; a write on it would only learn that its outcome is unknown.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    write().done(&source).await;
    assert_eq!(ask(count).cell(&source).await, Value::Int(2));

    // The server dies under a write.
    let slow = ask("INSERT INTO restarts SELECT SLEEP(60)");
    let (error, mut server) = tokio::join!(slow.fails(&source), async {
        let running =
            "SELECT CAST(COUNT(*) AS SIGNED) FROM information_schema.processlist WHERE state = 'User sleep'";
        let mut admin = server.driver().connect().await.unwrap();
        while sqlx::query_scalar::<_, i64>(running).fetch_one(&mut admin).await.unwrap() == 0 {
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        server.kill();
        server
    });
    assert!(matches!(error, SourceError::OutcomeUnknown(_)), "{error:?}");
    server.launch().await;
    assert_eq!(ask(count).cell(&source).await, Value::Int(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_cell_of_a_statement_that_cannot_be_prepared_alone_is_whole() {
    let server = match Private::start(&["--max-allowed-packet=64M"]).await {
        Ok(server) => server,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    let source = server.source();
    // In the text protocol the driver takes a row that begins with a cell of 16 MiB for the end of the answer.
    for (before, after, rows) in [
        ("", "", 1),
        ("SELECT 1 UNION ALL ", "", 2),
        ("", " UNION ALL SELECT 1", 2),
        ("", " UNION ALL SELECT 1 UNION ALL SELECT 2", 3),
    ] {
        let statement = format!("EXECUTE IMMEDIATE \"{before}SELECT REPEAT('x', 17000000){after}\"");
        let answer = ask(&statement).rows(&source).await;
        let large = |row: &&Vec<Value>| matches!(&row[0], Value::Text(text) if text.len() == 17_000_000);
        assert_eq!((answer.len(), answer.iter().filter(large).count()), (rows, 1), "{before} {after}");
    }
    let prepared = ask("SELECT REPEAT('x', 17000000)").cell(&source).await;
    assert!(matches!(prepared, Value::Text(text) if text.len() == 17_000_000));
}
