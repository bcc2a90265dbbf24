//! JSON-RPC: what is a request, and what is answered to what is none. Both transports answer the same.

use serde_json::{Value as Json, json};

use super::{Served, call, request, stdio, text, workspace};

/// Sends raw messages over both transports. Each answer must have a code and an id; over HTTP also a status.
fn refused(cases: &[(&str, u16, i64, Json)]) {
    let served = Served::with(&[]);
    let (_workspace, mut stdio) = stdio(workspace(""), &[]);
    for (message, status, code, id) in cases {
        let shown: String = message.chars().take(200).collect();
        let answer = served.post(message);
        assert_eq!(answer.status, *status, "{shown}: {answer:?}");
        assert_eq!(answer.json()["error"]["code"], *code, "{shown}: {answer:?}");
        assert_eq!(answer.json()["id"], *id, "{shown}: {answer:?}");
        stdio.send_line(message);
        let line = stdio.receive();
        assert_eq!(line["error"]["code"], *code, "stdio: {shown}: {line}");
        assert_eq!(line["id"], *id, "stdio: {shown}: {line}");
    }
    // Whatever came before, the next request is answered.
    let ping = request("next", "ping", &json!({}));
    assert_eq!(served.post(&ping).json()["result"], json!({}));
    stdio.send_line(&ping.to_string());
    assert_eq!(stdio.receive(), json!({"jsonrpc": "2.0", "id": "next", "result": {}}));
}

#[test]
fn what_is_no_json_is_a_parse_error_with_id_null() {
    let nested = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}1{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let objects = format!(r#"{{"a":{}1{}}}"#, r#"{"a":"#.repeat(10_000), "}".repeat(10_000));
    refused(&[
        ("garbage", 200, -32700, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, 200, -32700, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} trailing"#, 200, -32700, json!(null)),
        ("{'jsonrpc':'2.0'}", 200, -32700, json!(null)),
        (&nested, 200, -32700, json!(null)),
        (&objects, 200, -32700, json!(null)),
        (&"[".repeat(1_000_000), 200, -32700, json!(null)),
    ]);
}

#[test]
fn what_is_no_request_is_an_invalid_request() {
    refused(&[
        ("[]", 200, -32600, json!(null)),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, 200, -32600, json!(null)),
        ("5", 200, -32600, json!(null)),
        (r#""ping""#, 200, -32600, json!(null)),
        ("null", 200, -32600, json!(null)),
        (r#"{"id":1,"method":"ping"}"#, 200, -32600, json!(1)),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, 200, -32600, json!("a")),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, 200, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, 200, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, 200, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, 200, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#, 200, -32600, json!(null)),
        (
            r#"{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}"#,
            200,
            -32600,
            json!(null),
        ),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list","method":"ping"}"#, 400, -32600, json!(2)),
    ]);
}

#[test]
fn a_method_that_is_missing_or_unknown_is_not_found() {
    refused(&[
        (r#"{"jsonrpc":"2.0","id":1}"#, 404, -32601, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, 404, -32601, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, 200, -32601, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"a":1}}"#, 200, -32601, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#, 200, -32601, json!(1)),
    ]);
    let answer = Served::with(&[]).post(request(1, "no/such", &json!({}))).json();
    assert_eq!(answer["error"]["message"], "invalid method no/such");
}

#[test]
fn parameters_of_the_wrong_form_are_invalid_params() {
    refused(&[
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, 200, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":"a"}}"#, 200, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"a"}"#, 200, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, 200, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}"#, 200, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#, 200, -32602, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#, 200, -32602, json!(1)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text","arguments":["a"]}}"#,
            200,
            -32602,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text","arguments":"a"}}"#,
            200,
            -32602,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text","arguments":{},"_meta":[]}}"#,
            200,
            -32602,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}"#,
            200,
            -32602,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":[]}}"#,
            200,
            -32602,
            json!(1),
        ),
    ]);
}

#[test]
fn ids_come_back_as_they_were_sent() {
    let served = Served::with(&[]);
    let (_workspace, mut stdio) = stdio(workspace(""), &[]);
    for id in [
        json!(4_294_967_297_u64),
        json!("a-1"),
        json!(-1),
        json!(0),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("\u{1f642} \"quoted\"\n"),
        json!("9007199254740993"),
        json!("x".repeat(100_000)),
    ] {
        let message = request(id.clone(), "ping", &json!({}));
        let expected = json!({"jsonrpc": "2.0", "id": id, "result": {}});
        assert_eq!(served.post(&message).json(), expected);
        stdio.send_line(&message.to_string());
        assert_eq!(stdio.receive(), expected);
    }
}

#[test]
fn parameters_that_are_absent_or_null_are_none() {
    let served = Served::with(&[]);
    let (_workspace, mut stdio) = stdio(workspace(""), &[]);
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        request(1, "tools/list", &json!(null)),
        request(1, "tools/list", &json!({"cursor": "unknown"})),
        request(1, "tools/list", &json!({"cursor": null})),
        request(1, "tools/list", &json!({"cursor": 5})),
    ] {
        stdio.send_line(&message.to_string());
        for answer in [served.post(&message).json(), stdio.receive()] {
            assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(6), "{message}: {answer}");
        }
    }
    for message in [
        request(1, "tools/call", &json!({"name": "sql", "arguments": null})),
        request(1, "tools/call", &json!({"name": "sql"})),
        call(1, "sql", &json!({})),
    ] {
        stdio.send_line(&message.to_string());
        for answer in [served.post(&message).json(), stdio.receive()] {
            assert_eq!(answer["result"]["isError"], true, "{message}: {answer}");
            assert_eq!(
                text(&answer["result"]),
                r#"provided parameters were invalid: parameter "sql" is required"#
            );
        }
    }
}

#[test]
fn nothing_answers_a_notification_or_a_response() {
    let served = Served::with(&[]);
    let (_workspace, mut stdio) = stdio(workspace(""), &[]);
    for message in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nobody"}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [5]}),
        json!({"jsonrpc": "2.0", "method": "no/such", "params": {"a": [1]}}),
        json!({"jsonrpc": "2.0", "id": null, "method": "tools/list"}),
    ] {
        let answer = served.post(&message);
        assert_eq!((answer.status, answer.body.as_str()), (202, ""), "{message}");
        stdio.send_line(&message.to_string());
    }
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    assert_eq!(served.post(&response).status, 404);
    stdio.send_line(&response.to_string());
    stdio.send_line(&request("after", "ping", &json!({})).to_string());
    assert_eq!(stdio.receive()["id"], "after");
}

#[test]
fn a_message_of_very_many_values_is_refused_and_one_of_many_characters_is_not() {
    let zeros = |count: usize| format!("[{}]", vec!["0"; count].join(","));
    let params = |value: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"text","arguments":{{"value":{value}}}}}}}"#
        )
    };
    refused(&[
        (&params(&zeros(200_001)), 200, -32600, json!(null)),
        (&zeros(1_000_000), 200, -32600, json!(null)),
        (
            &params(&format!(r#"{{"\u0024serde_json::private::RawValue":"{}"}}"#, zeros(300_000))),
            200,
            -32600,
            json!(null),
        ),
    ]);
    let served = Served::with(&[]);
    // Read, and then refused by the tool, which takes a text.
    let many = served.post(params(&zeros(199_900))).json();
    assert_eq!(many["result"]["isError"], true, "{many}");
    // Signs inside a text count for nothing.
    let signs = r#"\",:[{"#.repeat(100_000);
    let answer = served.post(params(&format!("\"{signs}\""))).json();
    let expected: String = serde_json::from_str(&format!("\"{signs}\"")).expect("a text");
    assert_eq!(text(&answer["result"]), json!({"value": expected}).to_string());
}
