//! What the log says of the account of a source, for whose tools the model writes SQL.

use std::fs;

use serde_json::json;

use super::{Subject, on_every_database, tools};
use crate::support::{Client, Engine, Server, Workspace};

on_every_database!(a_source_that_comes_up_late_has_its_account_looked_at_once);

/// Words of the warning.
const WARNING: &str = "give the source an account with no more rights than its tools need";

async fn a_source_that_comes_up_late_has_its_account_looked_at_once(subject: &mut Subject) {
    if subject.engine == Engine::Sqlite {
        // It has no accounts.
        return;
    }
    let mut network = subject.forwarder().await;
    let mut source = tools::source(subject);
    source["port"] = network.port().into();
    let kind = format!("{}-execute-sql", tools::kind(subject.engine));
    let tool = json!({"kind": kind, "source": "late", "description": "Runs SQL."});
    let workspace = Workspace::empty();
    let config = json!({"sources": {"late": source}, "tools": {"sql": tool}}).to_string();
    fs::write(workspace.path().join("tools.yaml"), config).expect("a file");
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let (opened, opens) = std::sync::mpsc::channel();
    let calls = tokio::task::spawn_blocking(move || {
        let mut server = Server::start(&mut workspace.command());
        server.log().wait_for("source does not answer yet");
        let mut client = Client::open(server.client("/mcp"));
        assert!(client.call("sql", &json!({"sql": "SELECT 1"})).is_error);
        sender.send(()).expect("the test waits");
        opens.recv().expect("the network is open");
        for _ in 0..3 {
            assert!(!client.call("sql", &json!({"sql": "SELECT 1"})).is_error);
        }
        server.log().wait_for(WARNING);
        assert!(!client.call("sql", &json!({"sql": "SELECT 1"})).is_error);
        server.process().signal("TERM");
        server.log().all()
    });
    receiver.await.expect("the server is up");
    network.open().await;
    opened.send(()).expect("the client waits");
    let log = calls.await.expect("the calls");
    assert_eq!(log.iter().filter(|line| line.contains(WARNING)).count(), 1, "{log:?}");
}
