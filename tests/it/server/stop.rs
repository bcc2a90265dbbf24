//! How the server ends: at once when it has nothing to do, and after its calls when it has.

use std::{
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{Lock, Served, call, fragile, run, stdio, text, workspace};
use crate::support::{Request, Response, Stdio};

/// Writes that wait for a lock stay for as long as a test needs.
const ALONE: &str = "maxConnections: 1\nacquireTimeout: 1s\nstatementTimeout: 0";

/// An end without work takes milliseconds; this allows for a busy machine, and is less than any grace.
const SOON: Duration = Duration::from_millis(900);

/// Calls over stdio until the only connection is in use.
fn wait_until_busy(stdio: &mut Stdio) {
    loop {
        stdio.send_line(&call("busy", "text", &json!({"value": "a"})).to_string());
        let answer = stdio.receive();
        assert_eq!(answer["id"], "busy", "{answer}");
        if answer["result"]["isError"] == true {
            return;
        }
    }
}

fn assert_added(answer: &Json) {
    let row: Json = serde_json::from_str(text(&answer["result"])).expect("JSON");
    assert_eq!(row["rows_affected"], 1, "{answer}");
}

#[test]
fn an_idle_server_ends_at_once_with_0() {
    for signal in ["TERM", "INT"] {
        let mut served = Served::with(&[]);
        // A connection that stays open must not keep the server.
        let mut client = served.client();
        assert!(!client.call("text", &json!({"value": "a"})).is_error);
        let _silent = std::net::TcpStream::connect(served.server.authority()).expect("a server");
        let told = Instant::now();
        served.server.process().signal(signal);
        assert_eq!(served.server.process().wait(), Some(0), "{signal}");
        assert!(told.elapsed() < SOON, "{signal}: {:?}", told.elapsed());
        served.server.log().wait_for("shutting down gracefully");
        assert_eq!(served.server.output().all(), [""; 0], "standard output carries nothing");

        let (_workspace, mut stdio) = stdio(workspace(""), &[]);
        stdio.send_line(&call(1, "text", &json!({"value": "a"})).to_string());
        stdio.receive();
        let told = Instant::now();
        stdio.process().signal(signal);
        assert_eq!(stdio.process().wait(), Some(0), "stdio: {signal}");
        assert!(told.elapsed() < SOON, "stdio: {signal}: {:?}", told.elapsed());
    }
}

#[test]
fn a_signal_right_after_the_ready_message_is_heard() {
    for _ in 0..5 {
        let workspace = workspace("");
        let mut server = crate::support::Server::start_unasked(&mut workspace.command());
        server.process().signal("TERM");
        assert_eq!(server.process().wait(), Some(0));
    }
}

#[test]
fn a_running_call_is_answered_before_the_end_over_http_whatever_signals_follow() {
    let mut served = Served::source(ALONE);
    assert!(!served.client().call("add", &json!({"label": "first"})).is_error);
    let lock = Lock::take(&served.database());
    let waiting =
        Request::post("/mcp", call(5, "add", &json!({"label": "second"}))).begin(served.server.authority());
    served.busy();
    served.server.process().signal("TERM");
    served.server.log().wait_for("shutting down gracefully");
    served.server.process().signal("TERM");
    served.server.process().signal("INT");
    drop(lock);
    let answer = Response::read(waiting);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["id"], 5);
    assert_added(&answer.json());
    assert_eq!(served.server.process().wait(), Some(0));
}

#[test]
fn a_running_call_is_answered_before_the_end_over_stdio() {
    let workspace = workspace(ALONE);
    let file = workspace.path().join("test.db");
    let (_workspace, mut stdio) = stdio(workspace, &[]);
    stdio.send_line(&call(1, "add", &json!({"label": "first"})).to_string());
    assert_added(&stdio.receive());
    let lock = Lock::take(&file);
    stdio.send_line(&call(2, "add", &json!({"label": "second"})).to_string());
    wait_until_busy(&mut stdio);
    stdio.process().signal("TERM");
    stdio.log().wait_for("shutting down gracefully");
    drop(lock);
    let answer = stdio.receive();
    assert_eq!(answer["id"], 2);
    assert_added(&answer);
    assert_eq!(stdio.process().wait(), Some(0));
    assert_eq!(stdio.rest(), [json!(null); 0]);
}

#[test]
fn the_end_of_the_input_ends_the_program_after_its_running_calls() {
    let workspace = workspace(ALONE);
    let file = workspace.path().join("test.db");
    let (_workspace, mut stdio) = stdio(workspace, &[]);
    stdio.send_line(&call(1, "add", &json!({"label": "first"})).to_string());
    assert_added(&stdio.receive());
    let lock = Lock::take(&file);
    stdio.send_line(&call(2, "add", &json!({"label": "second"})).to_string());
    wait_until_busy(&mut stdio);
    // The last line has no break.
    stdio.send_bytes(call(3, "text", &json!({"value": "last"})).to_string().as_bytes());
    stdio.close();
    // It is answered that there is no connection, which tells that the end of the input was reached.
    assert_eq!(stdio.receive()["id"], 3);
    drop(lock);
    let answer = stdio.receive();
    assert_eq!(answer["id"], 2);
    assert_added(&answer);
    assert_eq!(stdio.process().wait(), Some(0));
}

#[test]
fn the_end_of_the_input_ends_an_idle_program_at_once() {
    for cancelled in [false, true] {
        let (_workspace, mut stdio) = stdio(workspace(ALONE), &[]);
        if cancelled {
            stdio.send_line(&call("gone", "endless", &json!({})).to_string());
            wait_until_busy(&mut stdio);
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "gone"}});
            stdio.send_line(&cancel.to_string());
        }
        stdio.send_line(&super::request(1, "ping", &json!({})).to_string());
        assert_eq!(stdio.receive()["id"], 1);
        let closed = Instant::now();
        stdio.close();
        assert_eq!(stdio.process().wait(), Some(0), "{cancelled}");
        assert!(closed.elapsed() < SOON, "{cancelled}: {:?}", closed.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_late_gets_all_of_its_answer_after_the_end_of_its_input() {
    let (client, server) = tokio::io::duplex(1 << 10);
    let (input, output) = tokio::io::split(server);
    let serving =
        tokio::spawn(toolbox::server::stdio::serve(fragile::shared(), input, output, std::future::pending()));
    let (mut answers, mut requests) = tokio::io::split(client);
    let message = call(1, "run", &json!({"sql": "long"}));
    requests.write_all(format!("{message}\n").as_bytes()).await.expect("a reader");
    requests.shutdown().await.expect("an end of the input");
    tokio::time::sleep(Duration::from_hours(1)).await;
    let mut answer = String::new();
    answers.read_to_string(&mut answer).await.expect("text");
    serving.await.expect("no panic").expect("no error");
    let answer: Json = serde_json::from_str(&answer).expect("a whole answer");
    assert_eq!(text(&answer["result"]), json!({"n": "x".repeat(fragile::LONG)}).to_string());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_cannot_keep_a_server_that_is_told_to_stop() {
    let (client, server) = tokio::io::duplex(1 << 10);
    let (input, output) = tokio::io::split(server);
    let (_answers, mut requests) = tokio::io::split(client);
    let message = call(1, "run", &json!({"sql": "long"}));
    requests.write_all(format!("{message}\n").as_bytes()).await.expect("a reader");
    let stop = tokio::time::sleep(Duration::from_mins(1));
    let started = tokio::time::Instant::now();
    toolbox::server::stdio::serve(fragile::shared(), input, output, stop).await.expect("an end");
    let took = started.elapsed();
    assert!((60..65).contains(&took.as_secs()), "{took:?}");
}

/// Takes as long as the grace: both transports at once.
#[test]
fn a_call_that_outlives_the_grace_is_cancelled_and_the_program_ends_with_0() {
    fn check(answer: &Json, ended: Option<i32>, took: Duration) {
        assert_eq!(answer["id"], "long", "{answer}");
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text(&answer["result"]).contains("cancelled"), "{answer}");
        assert_eq!(ended, Some(0));
        assert!(took >= Duration::from_secs(10) && took < Duration::from_secs(13), "{took:?}");
    }
    let long = call("long", "endless", &json!({}));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut served = Served::source(ALONE);
            let waiting = Request::post("/mcp", &long).begin(served.server.authority());
            served.busy();
            let told = Instant::now();
            served.server.process().signal("TERM");
            let answer = Response::read(waiting).json();
            let ended = served.server.process().wait();
            check(&answer, ended, told.elapsed());
        });
        scope.spawn(|| {
            let (_workspace, mut stdio) = stdio(workspace(ALONE), &[]);
            stdio.send_line(&long.to_string());
            wait_until_busy(&mut stdio);
            let told = Instant::now();
            stdio.process().signal("TERM");
            let answer = stdio.receive();
            let ended = stdio.process().wait();
            check(&answer, ended, told.elapsed());
        });
    });
}

#[test]
fn a_port_in_use_is_one_line_that_names_the_flag() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let (code, output, log) = run(workspace("").command().args(["--port", &port, "--log-level", "error"]));
    assert_eq!((code, output.as_str()), (Some(1), ""));
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(
        log.starts_with(&format!(
            "Error: cannot listen on 127.0.0.1 port {port}; choose another with --port"
        )),
        "{log}"
    );

    let (_workspace, mut stdio) = stdio(workspace(""), &["--port", &port]);
    stdio.send_line(&super::request(1, "ping", &json!({})).to_string());
    assert_eq!(stdio.receive()["id"], 1, "no port is opened over stdio");
}
