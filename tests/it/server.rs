//! The built program as a server: what it answers to whatever a client may send, and how it stops.
//!
//! The tools here are made for these tests, on a database with one table. What needs a source that misbehaves is served
//! in-process.

mod access;
mod cancel;
mod choice;
mod encodings;
mod errors;
mod exact;
mod fragile;
mod load;
mod logs;
mod methods;
mod numbers;
mod panics;
mod routes;
mod stdio;
mod stop;
mod versions;

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value as Json, json};
use sqlx::{ConnectOptions, Connection, Executor, SqliteConnection, sqlite::SqliteConnectOptions};
use tokio::runtime::{Builder, Runtime};

use crate::support::{Client, Request, Response, Server, Stdio, Workspace};

/// The tools. The text after `SOURCE` belongs to the source.
const TOOLS: &str = r"
kind: source
name: db
type: sqlite
database: test.db
migrations: migrations
SOURCE
---
kind: tool
name: text
type: sqlite-sql
source: db
description: Gives back a text.
parameters:
  - {name: value, type: string, description: A text.}
statement: SELECT ?1 AS value
---
kind: tool
name: number
type: sqlite-sql
source: db
description: Gives back an integer and its kind.
parameters:
  - {name: value, type: integer, description: An integer.}
  - {name: other, type: integer, required: false, description: Another one.}
statement: SELECT ?1 AS value, typeof(?1) AS kind, ?2 AS other
---
kind: tool
name: rows
type: sqlite-sql
source: db
description: Gives rows.
parameters:
  - {name: count, type: integer, description: How many.}
statement: |
  WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter)
  SELECT n AS number, 'the label of row ' || n AS label FROM counter LIMIT ?1
maxRows: 40
---
kind: tool
name: endless
type: sqlite-sql
source: db
description: Counts without end.
statement: |
  WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter)
  SELECT count(*) FROM counter
---
kind: tool
name: add
type: sqlite-sql
source: db
description: Adds an item.
parameters:
  - {name: label, type: string, description: Its label.}
statement: INSERT INTO items (label) VALUES (?1)
---
kind: tool
name: sql
type: sqlite-execute-sql
source: db
description: Runs SQL.
---
kind: toolset
name: few
tools: [text, rows]
";

/// A folder with the tools and the migrations.
fn workspace(source: &str) -> Workspace {
    let workspace = Workspace::empty();
    let write = |name: &str, text: &str| fs::write(workspace.path().join(name), text).expect("a file");
    write("tools.yaml", &TOOLS.replace("SOURCE", source));
    fs::create_dir(workspace.path().join("migrations")).expect("a folder");
    write(
        "migrations/0001_items.sql",
        "CREATE TABLE items (id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE) STRICT;\n",
    );
    workspace
}

/// The program as an HTTP server on these tools.
struct Served {
    server: Server,
    workspace: Workspace,
}

impl Served {
    /// With flags.
    fn with(flags: &[&str]) -> Self {
        Self::on(workspace(""), flags)
    }

    /// With fields of the source.
    fn source(fields: &str) -> Self {
        Self::on(workspace(fields), &[])
    }

    fn on(workspace: Workspace, flags: &[&str]) -> Self {
        let server = Server::start(workspace.command().args(flags));
        Self { server, workspace }
    }

    fn send(&self, request: &Request) -> Response {
        request.send(self.server.authority())
    }

    /// Posts a message to `/mcp`.
    fn post(&self, message: impl ToString) -> Response {
        self.send(&Request::post("/mcp", message))
    }

    fn client(&self) -> Client {
        Client::open(self.server.client("/mcp"))
    }

    fn database(&self) -> std::path::PathBuf {
        self.workspace.path().join("test.db")
    }
}

/// The program on standard input and output. The workspace lives as long as the result's first part.
fn stdio(workspace: Workspace, flags: &[&str]) -> (Workspace, Stdio) {
    let stdio = Stdio::start(workspace.command().arg("--stdio").args(flags));
    (workspace, stdio)
}

/// A client on each transport, each with a program of its own.
fn on_both(flags: &[&str], mut test: impl FnMut(&mut Client)) {
    test(&mut Served::with(flags).client());
    let (_workspace, stdio) = stdio(workspace(""), flags);
    test(&mut Client::open(stdio));
}

/// A request.
fn request(id: impl Into<Json>, method: &str, params: &Json) -> Json {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// A request for a tool.
fn call(id: impl Into<Json>, tool: &str, arguments: &Json) -> Json {
    request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

/// The text of a result's only block.
fn text(result: &Json) -> &str {
    let blocks = result["content"].as_array().unwrap_or_else(|| panic!("no content: {result}"));
    assert_eq!(blocks.len(), 1, "{result}");
    blocks[0]["text"].as_str().expect("a text")
}

/// Keeps others from writing to a database file, until it is dropped.
struct Lock {
    runtime: Runtime,
    connection: Option<SqliteConnection>,
}

impl Lock {
    fn take(file: &Path) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let options = SqliteConnectOptions::new().filename(file).disable_statement_logging();
        let connection = runtime.block_on(async {
            let mut connection = options.connect().await.expect("a database");
            connection.execute("BEGIN IMMEDIATE").await.expect("the lock");
            connection
        });
        Self { runtime, connection: Some(connection) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.runtime.block_on(connection.close()).expect("an end of the lock");
        }
    }
}

/// Runs the program to its end.
fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

impl Served {
    /// Calls until the only connection is in use: what the call that finds it so says.
    fn busy(&self) -> String {
        let started = Instant::now();
        loop {
            assert!(started.elapsed() < Duration::from_mins(1), "the connection stays free");
            let answer = self.post(call("busy", "text", &json!({"value": "a"}))).json();
            if answer["result"]["isError"] == true {
                return text(&answer["result"]).to_owned();
            }
        }
    }
}
