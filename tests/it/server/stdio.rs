//! Lines on standard input and output.

use std::collections::BTreeSet;

use serde_json::json;
use toolbox::server::stdio::MAX_LINE;

use super::{call, request, stdio, text, workspace};

#[test]
fn standard_output_carries_the_protocol_only_at_every_log_level() {
    for level in ["debug", "INFO", "warn", "error"] {
        for format in ["standard", "JSON"] {
            let flags = ["--log-level", level, "--logging-format", format];
            let (_workspace, mut stdio) = stdio(workspace(""), &flags);
            for (id, message) in [
                (json!(1), request(1, "initialize", &json!({"protocolVersion": "2025-11-25"})).to_string()),
                (json!(2), call(2, "text", &json!({"value": "a", "extra": 1})).to_string()),
                (json!(3), call(3, "sql", &json!({"sql": "SELECT no_such_column"})).to_string()),
                (json!(4), call(4, "no_such_tool", &json!({})).to_string()),
                (json!(null), "garbage".to_owned()),
            ] {
                stdio.send_line(&message);
                // Whatever is no JSON fails in here.
                assert_eq!(stdio.receive()["id"], id);
            }
            stdio.close();
            assert_eq!(stdio.rest(), [json!(null); 0]);
            assert_eq!(stdio.process().wait(), Some(0));
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_session_goes_on() {
    let (_workspace, mut stdio) = stdio(workspace(""), &[]);
    let whole = |length: usize| {
        let message = request("long", "ping", &json!({})).to_string();
        format!("{message}{}", " ".repeat(length - message.len()))
    };
    stdio.send_line(&whole(MAX_LINE - 1));
    assert_eq!(stdio.receive()["result"], json!({}), "as long as a line may be, with its break");
    for length in [MAX_LINE, MAX_LINE + 1, 2 * MAX_LINE + 1, 3 * MAX_LINE] {
        stdio.send_line(&whole(length));
        let refused = stdio.receive();
        assert_eq!(refused["error"]["code"], -32700, "{refused}");
        assert_eq!(refused["id"], json!(null));
        assert!(
            refused["error"]["message"].as_str().expect("a text").contains(&MAX_LINE.to_string()),
            "{refused}"
        );
        stdio.send_line(&request("next", "ping", &json!({})).to_string());
        assert_eq!(stdio.receive()["id"], "next");
    }
}

#[test]
fn what_is_no_utf_8_is_refused_and_blank_lines_and_crlf_are_not() {
    let (_workspace, mut stdio) = stdio(workspace(""), &[]);
    stdio.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n");
    assert_eq!(stdio.receive()["error"]["code"], -32700);
    stdio.send_bytes(b"\n \r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\r\n");
    assert_eq!(stdio.receive(), json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    let value = "日本 \u{1f642} \u{e9}";
    // A message in two pieces, cut inside a character.
    let message = format!("{}\n", call(3, "text", &json!({"value": value})));
    let cut = message.find('日').expect("the character") + 1;
    stdio.send_bytes(&message.as_bytes()[..cut]);
    stdio.send_bytes(&message.as_bytes()[cut..]);
    assert_eq!(text(&stdio.receive()["result"]), json!({"value": value}).to_string());
}

#[test]
fn requests_that_come_together_are_all_answered_under_their_own_ids() {
    let (_workspace, mut stdio) = stdio(workspace("maxConnections: 4"), &[]);
    let count = 200;
    let line = |id: i64| format!("{}\n", call(id, "number", &json!({"value": id * 7})));
    stdio.send_bytes((0..count).map(line).collect::<Vec<_>>().concat().as_bytes());
    let mut answered = BTreeSet::new();
    for _ in 0..count {
        let answer = stdio.receive();
        let id = answer["id"].as_i64().expect("an id");
        assert_eq!(
            text(&answer["result"]),
            format!(r#"{{"value":{},"kind":"integer","other":null}}"#, id * 7)
        );
        assert!(answered.insert(id), "{id} is answered twice");
    }
}

#[test]
fn a_slow_call_does_not_hold_up_others_and_its_id_cannot_be_used_twice() {
    let (_workspace, mut stdio) = stdio(workspace("statementTimeout: 0"), &[]);
    stdio.send_line(&call("slow", "endless", &json!({})).to_string());
    stdio.send_line(&call("quick", "text", &json!({"value": "a"})).to_string());
    assert_eq!(stdio.receive()["id"], "quick");
    stdio.send_line(&request("slow", "ping", &json!({})).to_string());
    let refused = stdio.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("slow"), &json!(-32600)), "{refused}");
    stdio.send_line(&request("quick", "ping", &json!({})).to_string());
    assert_eq!(stdio.receive()["result"], json!({}), "an id that was answered is free");
}
