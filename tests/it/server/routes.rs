//! Paths, methods, media types and sizes.

use std::{io::Write, net::TcpStream};

use serde_json::json;

use super::{Served, call, request, text};
use crate::support::Request;

#[test]
fn mcp_is_served_with_and_without_a_slash_and_for_each_toolset() {
    let served = Served::with(&[]);
    let names = |path: &str| -> Vec<String> {
        let answer = served.send(&Request::post(path, request(1, "tools/list", &json!({}))));
        assert_eq!(answer.status, 200);
        let list = answer.json();
        list["result"]["tools"]
            .as_array()
            .unwrap_or_else(|| panic!("{list}"))
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = ["add", "endless", "number", "rows", "sql", "text"];
    assert_eq!(names("/mcp"), all);
    assert_eq!(names("/mcp/"), all);
    assert_eq!(names("/mcp?anything=1"), all);
    assert_eq!(names("/mcp/few"), ["text", "rows"]);
    assert_eq!(names("/mcp/f%65w"), ["text", "rows"]);
}

#[test]
fn an_unknown_toolset_can_be_opened_but_neither_listed_nor_called() {
    let served = Served::with(&[]);
    for path in ["/mcp/nothing", "/mcp/..", "/mcp/few%0D%0AX-Injected:%201", "/mcp/%00", "/mcp/few%2F"] {
        let send = |message| served.send(&Request::post(path, message));
        for message in [request(1, "tools/list", &json!({})), call(1, "text", &json!({"value": "a"}))] {
            let answer = send(message);
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(answer.header("x-injected"), None);
            assert_eq!(answer.json()["error"]["code"], -32600, "{path}: {answer:?}");
            assert_eq!(answer.json()["id"], 1, "{path}");
        }
        let hello = send(request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}))).json();
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{path}");
    }
    assert_eq!(served.send(&Request::post("/mcp/%FF", request(1, "tools/list", &json!({})))).status, 400);
    assert_eq!(served.send(&Request::post("/mcp/few/more", request(1, "ping", &json!({})))).status, 404);
}

#[test]
fn a_tool_outside_the_toolset_does_not_exist_there() {
    let served = Served::with(&[]);
    let send = |path, tool| {
        served.send(&Request::post(path, call("x", tool, &json!({"value": 5, "count": 1})))).json()
    };
    assert_eq!(text(&send("/mcp/few", "rows")["result"]), r#"{"number":1,"label":"the label of row 1"}"#);
    for (path, tool) in [("/mcp/few", "number"), ("/mcp", "nothing"), ("/mcp", "TEXT"), ("/mcp", "")] {
        let answer = send(path, tool);
        assert_eq!(answer["error"]["code"], -32602, "{path} {tool}: {answer}");
        assert_eq!(
            answer["error"]["message"],
            format!("invalid tool name: tool with name {tool:?} does not exist")
        );
    }
}

#[test]
fn any_accept_header_gets_json_and_none_does_too() {
    let served = Served::with(&[]);
    let ping = Request::post("/mcp", request(1, "ping", &json!({})));
    let accepts = ["*/*", "application/json", "text/plain", "text/event-stream", "image/png;q=0", ""];
    let requests = accepts.iter().map(|accept| ping.clone().header("Accept", accept)).chain([ping.clone()]);
    for request in requests {
        let answer = served.send(&request);
        assert_eq!(answer.status, 200, "{request:?}");
        assert_eq!(answer.json(), json!({"jsonrpc": "2.0", "id": 1, "result": {}}), "{request:?}");
    }
}

#[test]
fn a_body_must_be_of_a_json_type() {
    let served = Served::with(&[]);
    let ping = Request::new("POST", "/mcp").body(request(1, "ping", &json!({})).to_string());
    assert_eq!(served.send(&ping).status, 415);
    for (media_type, status) in [
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("application/json-rpc", 200),
        ("application/jsonrequest", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data", 415),
        ("application/jsonx", 415),
        ("", 415),
    ] {
        assert_eq!(
            served.send(&ping.clone().header("Content-Type", media_type)).status,
            status,
            "{media_type}"
        );
    }
}

#[test]
fn other_methods_and_paths_are_answered_as_the_peer_does() {
    let served = Served::with(&[]);
    for path in ["/mcp", "/mcp/", "/mcp/few"] {
        let get = served.send(&Request::new("GET", path));
        assert_eq!(get.status, 405, "{path}");
        assert_eq!(
            get.json(),
            json!({
                "status": "Method Not Allowed",
                "error": "toolbox does not support streaming in streamable HTTP transport",
            })
        );
        let delete = served.send(&Request::new("DELETE", path).header("Mcp-Session-Id", "whatever"));
        assert_eq!((delete.status, delete.body.as_str()), (200, ""), "{path}");
        assert_eq!(served.send(&Request::new("PUT", path)).status, 405, "{path}");
    }
    assert_eq!(served.send(&Request::new("GET", "/")).status, 200);
    for path in ["/nothing", "/mcpx", "/api/toolset", "/mcp/../etc/passwd"] {
        let answer = served.send(&Request::new("GET", path));
        assert_eq!((answer.status, answer.body.as_str()), (404, "404 page not found\n"), "{path}");
    }
}

#[test]
fn health_is_told_to_anyone() {
    let served = Served::with(&[]);
    let health = Request::new("GET", "/healthz");
    for request in [
        health.clone(),
        health.clone().header("Host", "10.0.0.7:8080"),
        health.header("Origin", "https://example.com"),
    ] {
        let answer = served.send(&request);
        assert_eq!((answer.status, answer.json()), (200, json!({"status": "ok"})), "{request:?}");
    }
}

#[test]
fn a_body_over_the_limit_is_refused_with_the_limit_and_one_at_the_limit_is_served() {
    let served = Served::with(&["--http-max-request-bytes", "2000"]);
    let padded = |length: usize| {
        let body = request(1, "ping", &json!({})).to_string();
        format!("{body}{}", " ".repeat(length - body.len()))
    };
    assert_eq!(served.post(padded(2000)).json()["result"], json!({}));
    let refused = served.post(padded(2001));
    assert_eq!(refused.status, 413);
    assert_eq!(refused.json()["id"], json!(null));
    assert_eq!(refused.json()["error"]["code"], -32700);
    let message = refused.json()["error"]["message"].to_string();
    assert!(message.contains("request body exceeds 2000 bytes"), "{message}");
}

#[test]
fn the_default_limit_takes_two_megabytes_and_refuses_a_hundred() {
    let served = Served::with(&[]);
    let long = "ä".repeat(1 << 20);
    let answer = served.post(call(1, "text", &json!({"value": long})));
    let expected = json!({"value": long}).to_string();
    // The cell limit is 1 MiB, so the text is cut; that it came is what counts.
    assert!(
        answer.json()["result"]["content"][0]["text"]
            .as_str()
            .expect("a text")
            .starts_with(&expected[..1000])
    );

    let mut stream = TcpStream::connect(served.server.authority()).expect("a server");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n",
        served.server.authority()
    );
    stream.write_all(head.as_bytes()).expect("a request");
    // The server reads up to its limit and then closes, so that writing on fails.
    let chunk = vec![b' '; 1 << 20];
    let taken = (0..100).take_while(|_| stream.write_all(&chunk).is_ok()).count();
    assert!((10..100).contains(&taken), "{taken} MiB were taken");
    assert_eq!(served.post(request(2, "ping", &json!({}))).status, 200);
}
