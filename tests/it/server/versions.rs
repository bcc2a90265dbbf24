//! The five versions of the protocol on one endpoint.

use serde_json::{Value as Json, json};

use super::{Served, call, request, stdio, text, workspace};
use crate::support::{Request, Response};

/// The versions that begin with `initialize`.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The version in which every request stands alone.
const STATELESS: &str = "2026-07-28";

/// The metadata that such a request carries.
fn meta() -> Json {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A stateless request with the headers that belong to it.
fn stateless(method: &str, mut params: Json) -> Request {
    params["_meta"] = meta();
    let post = Request::post("/mcp", request(7, method, &params))
        .header("MCP-Protocol-Version", STATELESS)
        .header("Mcp-Method", method);
    match params.get("name").and_then(Json::as_str) {
        Some(name) => post.header("Mcp-Name", name),
        None => post,
    }
}

fn error(answer: &Response) -> (u16, i64) {
    let body = answer.json();
    (answer.status, body["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {body}")))
}

#[test]
fn initialize_echoes_a_version_that_is_known_and_offers_the_newest_for_another() {
    let served = Served::with(&[]);
    let asked = LEGACY.iter().map(|&version| (json!(version), version));
    let others =
        [json!("1999-01-01"), json!("DRAFT"), json!(STATELESS), json!("")].map(|asked| (asked, LEGACY[3]));
    for (asked, agreed) in asked.chain(others) {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
        let hello = request(1, "initialize", &params);
        let (_workspace, mut stdio) = stdio(workspace(""), &[]);
        stdio.send_line(&hello.to_string());
        for answer in [served.post(&hello).json(), stdio.receive()] {
            let result = &answer["result"];
            assert_eq!(result["protocolVersion"], agreed, "{asked}: {answer}");
            assert_eq!(result["capabilities"], json!({"tools": {"listChanged": false}}));
            assert_eq!(result["serverInfo"]["name"], "Toolbox");
            assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        }
    }
}

#[test]
fn initialize_may_lack_what_old_clients_leave_out() {
    let served = Served::with(&[]);
    let (_workspace, mut stdio) = stdio(workspace(""), &[]);
    for message in [
        request(1, "initialize", &json!({"protocolVersion": "2025-06-18"})),
        request(
            1,
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "clientInfo": {"name": "a", "version": "b"}}),
        ),
    ] {
        stdio.send_line(&message.to_string());
        for answer in [served.post(&message).json(), stdio.receive()] {
            assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        }
    }
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize"});
    stdio.send_line(&bare.to_string());
    for answer in [served.post(&bare).json(), stdio.receive()] {
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    }
}

#[test]
fn a_session_id_comes_with_initialize_of_2025_03_26_only_and_is_never_asked_for() {
    let served = Served::with(&[]);
    let hello = |version| served.post(request(1, "initialize", &json!({"protocolVersion": version})));
    for version in LEGACY {
        let id = hello(version);
        let id = id.header("mcp-session-id");
        assert_eq!(id.is_some(), version == "2025-03-26", "{version}");
        assert!(id.is_none_or(|id| id.len() == 36), "{id:?}");
    }
    assert_ne!(
        hello("2025-03-26").header("mcp-session-id"),
        hello("2025-03-26").header("mcp-session-id"),
        "no two sessions share an id"
    );
    let list = Request::post("/mcp", request(1, "tools/list", &json!({})));
    let stale = served.send(&list.clone().header("Mcp-Session-Id", "gone-with-the-last-restart"));
    assert_eq!(stale.json()["result"], served.send(&list).json()["result"]);
    assert_eq!(served.send(&list).header("mcp-session-id"), None);
}

#[test]
fn the_versions_before_2026_agree_on_tools_and_know_none_of_its_fields() {
    let served = Served::with(&[]);
    let send = |version: &str, message: &Json| {
        served.send(&Request::post("/mcp", message).header("MCP-Protocol-Version", version)).json()["result"]
            .clone()
    };
    let list = request(1, "tools/list", &json!({}));
    let text = call(1, "text", &json!({"value": "a"}));
    for version in LEGACY {
        for message in [&list, &text] {
            let result = send(version, message);
            assert_eq!(result, served.post(message).json()["result"], "{version}");
            for field in ["resultType", "ttlMs", "cacheScope", "_meta", "structuredContent", "isError"] {
                assert_eq!(result.get(field), None, "{version}: {field} in {result}");
            }
        }
    }
}

#[test]
fn a_version_that_is_not_known_is_refused_with_those_that_are() {
    let served = Served::with(&[]);
    for version in ["1999-01-01", "2026-07-29", "x", "2025-11-25, 2025-06-18"] {
        let message = request("a", "tools/list", &json!({}));
        let answer = served.send(&Request::post("/mcp", message).header("MCP-Protocol-Version", version));
        assert_eq!(error(&answer), (400, -32022), "{version}");
        assert_eq!(
            answer.json(),
            json!({"jsonrpc": "2.0", "id": "a", "error": {
                "code": -32022,
                "message": "unsupported protocol version",
                "data": {
                    "supported": ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
                    "requested": version,
                },
            }})
        );
    }
}

#[test]
fn a_stateless_request_needs_no_initialize_and_its_result_says_what_2026_wants() {
    let served = Served::with(&[]);
    let info = json!({"name": "Toolbox", "version": env!("CARGO_PKG_VERSION")});
    let list = served.send(&stateless("tools/list", json!({})));
    assert_eq!(list.status, 200);
    let list = &list.json()["result"];
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["ttlMs"], 300_000);
    assert_eq!(list["cacheScope"], "public");
    assert_eq!(list["_meta"]["io.modelcontextprotocol/serverInfo"], info);
    assert_eq!(list["tools"].as_array().map(Vec::len), Some(6));

    let result = served.send(&stateless("tools/call", json!({"name": "text", "arguments": {"value": "a"}})));
    let result = &result.json()["result"];
    assert_eq!(text(result), r#"{"value":"a"}"#);
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"], info);

    let discovered = served.send(&stateless("server/discover", json!({})));
    let discovered = &discovered.json()["result"];
    assert_eq!(discovered["resultType"], "complete");
    assert_eq!(
        discovered["supportedVersions"],
        json!(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
    );
    assert_eq!(discovered["capabilities"]["tools"], json!({"listChanged": false}));
}

#[test]
fn a_stateless_request_over_stdio_needs_no_initialize_either() {
    let (_workspace, mut stdio) = stdio(workspace(""), &[]);
    let mut params = json!({"name": "text", "arguments": {"value": "a"}});
    for method in ["server/discover", "tools/list", "tools/call"] {
        params["_meta"] = meta();
        stdio.send_line(&request(method, method, &params).to_string());
        let answer = stdio.receive();
        assert_eq!(answer["id"], method);
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    }
}

#[test]
fn headers_that_do_not_match_the_body_are_refused() {
    let served = Served::with(&[]);
    let call = || stateless("tools/call", json!({"name": "text", "arguments": {"value": "a"}}));
    assert_eq!(served.send(&call()).status, 200);
    for (header, value) in [
        ("Mcp-Method", "tools/list"),
        ("Mcp-Method", ""),
        ("Mcp-Name", "rows"),
        ("Mcp-Name", ""),
        ("MCP-Protocol-Version", "2025-11-25"),
    ] {
        let answer = served.send(&call().header(header, value));
        assert_eq!(error(&answer), (400, -32020), "{header}: {value}");
        assert_eq!(answer.json()["id"], 7);
    }
    let bare = Request::post("/mcp", super::call(7, "text", &json!({"value": "a"})))
        .header("MCP-Protocol-Version", STATELESS);
    assert_eq!(
        served.send(&bare).status,
        400,
        "neither the headers nor the metadata that the version asks for"
    );
    let hello = Request::post("/mcp", request(7, "initialize", &json!({"protocolVersion": "2025-06-18"})));
    assert_eq!(served.send(&hello.header("MCP-Protocol-Version", "2025-11-25")).status, 400);
}

#[test]
fn what_2026_has_done_away_with_is_not_found() {
    let served = Served::with(&[]);
    for method in ["ping", "no/such", "logging/setLevel", "subscriptions/listen"] {
        let answer = served.send(&stateless(method, json!({"level": "info", "notifications": {}})));
        assert_eq!(error(&answer), (404, -32601), "{method}");
    }
}
