//! Many clients at once.

use std::thread;

use serde_json::json;

use super::{Lock, Served, call, text};

#[test]
fn fifty_clients_on_four_connections_each_get_their_own_answers() {
    let served = Served::source("maxConnections: 4");
    thread::scope(|scope| {
        for client in 0..50_i64 {
            let served = &served;
            scope.spawn(move || {
                for round in 0..5_i64 {
                    let value = client * 1_000_003 + round;
                    let answer = served.post(call(value, "number", &json!({"value": value}))).json();
                    assert_eq!(answer["id"], value);
                    assert_eq!(
                        text(&answer["result"]),
                        format!(r#"{{"value":{value},"kind":"integer","other":null}}"#)
                    );
                }
            });
        }
    });
}

#[test]
fn fifty_writers_each_write_once() {
    let served = Served::source("maxConnections: 4");
    thread::scope(|scope| {
        for client in 0..50 {
            let served = &served;
            scope.spawn(move || {
                let answer = served.post(call(1, "add", &json!({"label": format!("item {client}")}))).json();
                assert_eq!(answer["result"].get("isError"), None, "{answer}");
            });
        }
    });
    let answer = served.post(call(1, "sql", &json!({"sql": "SELECT count(DISTINCT label) AS n FROM items"})));
    assert_eq!(text(&answer.json()["result"]), r#"{"n":50}"#);
}

#[test]
fn a_call_that_finds_no_free_connection_says_how_many_there_are() {
    let served = Served::source("maxConnections: 1\nacquireTimeout: 50ms");
    // The first call applies the migrations.
    assert!(!served.client().call("add", &json!({"label": "first"})).is_error);
    let lock = Lock::take(&served.database());
    thread::scope(|scope| {
        let waiting = scope.spawn(|| served.post(call(1, "add", &json!({"label": "second"}))).json());
        let busy = served.busy();
        assert!(busy.contains("all 1 connections of the source are in use"), "{busy}");
        assert!(busy.contains("50ms"), "{busy}");
        assert!(busy.contains("maxConnections"), "{busy}");
        drop(lock);
        let answer = waiting.join().expect("an answer");
        assert_eq!(answer["result"].get("isError"), None, "{answer}");
    });
}
