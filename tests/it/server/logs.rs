//! Logs: where they go, what they look like, and what they never hold.

use serde_json::{Value as Json, json};

use super::{Served, call, request, stdio, workspace};
use crate::support::Request;

/// A text that nothing but an argument holds.
const MARKER: &str = "Xq7marker";

/// Calls that put the marker into every place an argument can reach.
fn calls() -> Vec<Json> {
    vec![
        call(1, "text", &json!({"value": MARKER})),
        call(2, "number", &json!({"value": MARKER})),
        call(3, "text", &json!({"value": "a", MARKER: MARKER})),
        call(4, "sql", &json!({"sql": format!("SELECT '{MARKER}' AS value")})),
        call(5, "sql", &json!({"sql": format!("SELECT {MARKER} FROM items")})),
        call(6, "sql", &json!({"sql": format!("DELETE FROM items WHERE label = '{MARKER}'")})),
        call(7, "add", &json!({"label": MARKER})),
        call(8, "add", &json!({"label": MARKER})),
        call(9, MARKER, &json!({"value": MARKER})),
        request(10, MARKER, &json!({"value": MARKER})),
        request(11, "tools/call", &json!({"name": MARKER, "arguments": [MARKER]})),
        request(MARKER, "tools/list", &json!({"cursor": MARKER})),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": MARKER, "reason": MARKER}}),
        json!({"jsonrpc": "2.0", "method": MARKER, "params": {"value": MARKER}}),
        json!({"jsonrpc": "2.0", "id": 5, "result": MARKER}),
        json!(MARKER),
    ]
}

#[test]
fn no_argument_reaches_the_log_even_when_everything_is_logged() {
    for format in ["standard", "json"] {
        let flags = ["--log-level", "debug", "--logging-format", format];
        let mut served = Served::with(&flags);
        let (_workspace, mut stdio) = stdio(workspace(""), &flags);
        for message in calls() {
            served.send(&Request::post("/mcp", &message).header("X-Anything", MARKER));
            served.send(&Request::post(&format!("/mcp/{MARKER}?a={MARKER}"), &message));
            stdio.send_line(&message.to_string());
        }
        served.server.process().signal("TERM");
        stdio.close();
        let logs = served.server.log().all().into_iter().chain(stdio.log().all());
        let logs: Vec<String> = logs.collect();
        assert!(logs.iter().any(|line| line.contains("tool called")), "{logs:?}");
        for line in logs {
            assert!(!line.contains(MARKER), "{line}");
        }
    }
}

#[test]
fn json_logs_are_an_object_a_line() {
    let mut served =
        Served::with(&["--logging-format", "json", "--log-level", "debug", "--allowed-hosts", "*"]);
    served.post(call(1, "text", &json!({"value": "a"})));
    served.post(call(2, "sql", &json!({"sql": "SELECT"})));
    served.server.process().signal("TERM");
    let lines = served.server.log().all();
    let events: Vec<Json> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for event in &events {
        assert!(
            event["level"].is_string() && event["message"].is_string() && event["timestamp"].is_string(),
            "{event}"
        );
    }
    let find = |message: &str| {
        events
            .iter()
            .find(|event| event["message"] == message)
            .unwrap_or_else(|| panic!("{message}: {events:?}"))
    };
    assert_eq!(find("tool called")["tool"], "text");
    assert_eq!(find("tool called")["encoding"], "json");
    assert!(find("tool called")["duration_ms"].is_u64());
    assert_eq!(find("tool call refused or failed")["tool"], "sql");
    assert_eq!(find("starting toolbox")["tools"], "add, endless, number, rows, sql, text");
    assert_eq!(find("shutting down gracefully")["level"], "WARN");
}

#[test]
fn the_log_level_leaves_out_what_is_below_it() {
    let levels = |level: &str| -> Vec<String> {
        let (_workspace, mut stdio) =
            stdio(workspace(""), &["--log-level", level, "--logging-format", "json", "--read-only"]);
        stdio.send_line(&call(1, "text", &json!({"value": "a"})).to_string());
        stdio.receive();
        stdio.close();
        let mut levels: Vec<String> = stdio
            .log()
            .all()
            .iter()
            .map(|line| {
                serde_json::from_str::<Json>(line).expect("JSON")["level"]
                    .as_str()
                    .expect("a level")
                    .to_owned()
            })
            .collect();
        levels.sort();
        levels.dedup();
        levels
    };
    assert_eq!(levels("debug"), ["DEBUG", "INFO", "WARN"]);
    assert_eq!(levels("Info"), ["INFO", "WARN"]);
    assert_eq!(levels("WARN"), ["WARN"], "a tool that writes is not served");
    assert_eq!(levels("error"), [""; 0]);
}
