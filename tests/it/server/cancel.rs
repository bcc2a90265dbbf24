//! What nobody waits for any more ends in the database, and its connection serves the next call.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Served, call, stdio, text, workspace};
use crate::support::{Client, Request};

/// One connection, and statements that may run for ever.
const ALONE: &str = "maxConnections: 1\nacquireTimeout: 1s\nstatementTimeout: 0";

/// A stop takes milliseconds; this allows for a busy machine.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn a_client_that_goes_away_frees_its_connection() {
    let served = Served::source(ALONE);
    for _ in 0..3 {
        let waiting = Request::post("/mcp", call(1, "endless", &json!({}))).begin(served.server.authority());
        served.busy();
        drop(waiting);
        let gone = Instant::now();
        while served.post(call(2, "text", &json!({"value": "a"}))).json()["result"]["isError"] == true {
            assert!(gone.elapsed() < SOON, "the connection stays in use");
        }
    }
}

#[test]
fn a_cancelled_request_over_stdio_frees_its_connection_and_is_not_answered() {
    let (_workspace, mut stdio) = stdio(workspace(ALONE), &[]);
    let mut probes = 0..;
    let mut in_use = |stdio: &mut crate::support::Stdio| {
        let id = probes.next();
        stdio.send_line(&call(id, "text", &json!({"value": "a"})).to_string());
        let answer = stdio.receive();
        assert_eq!(answer["id"], json!(id), "only this one is answered: {answer}");
        answer["result"]["isError"] == true
    };
    for id in ["first", "second"] {
        stdio.send_line(&call(id, "endless", &json!({})).to_string());
        while !in_use(&mut stdio) {}
        let cancel =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        stdio.send_line(&cancel.to_string());
        let cancelled = Instant::now();
        while in_use(&mut stdio) {
            assert!(cancelled.elapsed() < SOON, "the connection stays in use");
        }
    }
    stdio.close();
    assert_eq!(stdio.rest(), [json!(null); 0]);
    assert_eq!(stdio.process().wait(), Some(0));
}

#[test]
fn a_statement_beyond_its_time_is_stopped_and_says_so() {
    let served = Served::source("maxConnections: 1\nstatementTimeout: 100ms");
    let (_workspace, stdio) = stdio(workspace("maxConnections: 1\nstatementTimeout: 100ms"), &[]);
    for mut client in [served.client(), Client::open(stdio)] {
        let answer = client.call("endless", &json!({}));
        assert!(answer.is_error);
        assert!(answer.blocks[0].contains("ran longer than 100ms and was stopped"), "{answer:?}");
        assert_eq!(client.call("text", &json!({"value": "a"})).blocks, [r#"{"value":"a"}"#]);
    }
    let answer = served.post(call(1, "endless", &json!({}))).json();
    assert!(text(&answer["result"]).contains("100ms"));
}
