//! Who may ask: `Host` and `Origin`.

use serde_json::json;

use super::{Served, request};
use crate::support::Request;

fn ping() -> Request {
    Request::post("/mcp", request(1, "ping", &json!({})))
}

#[test]
fn a_foreign_host_is_refused_with_the_option_that_allows_it() {
    let served = Served::with(&[]);
    for host in
        ["example.com", "localhost.example.com:5000", "10.1.2.3", "user@localhost", "", "[::1", "\u{e9}"]
    {
        let answer = served.send(&ping().header("Host", host));
        // What is no host at all, HTTP itself may refuse.
        assert!(matches!(answer.status, 403 | 400), "{host:?}: {answer:?}");
        if answer.status == 403 {
            assert!(answer.body.contains("Invalid Host header"), "{answer:?}");
            assert!(answer.body.contains("--allowed-hosts"), "{answer:?}");
        }
    }
    assert_eq!(served.send(&ping().header("Host", "example.com")).status, 403);
    for host in ["localhost", "LocalHost:1", "127.0.0.1", "[::1]:9"] {
        assert_eq!(served.send(&ping().header("Host", host)).status, 200, "{host}");
    }
}

#[test]
fn a_foreign_origin_is_refused_with_the_option_that_allows_it() {
    let served = Served::with(&[]);
    for origin in ["https://example.com", "null", "http://localhost.example.com", "file://", "localhost"] {
        let answer = served.send(&ping().header("Origin", origin));
        assert_eq!(answer.status, 403, "{origin}");
        assert!(answer.body.contains("--allowed-origins"), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let own = served.send(&ping().header("Origin", "http://localhost:3000"));
    assert_eq!(own.status, 200);
    assert_eq!(own.header("access-control-allow-origin"), Some("http://localhost:3000"));
}

#[test]
fn two_hosts_or_two_origins_are_refused_and_the_request_line_names_the_host() {
    let served = Served::with(&[]);
    for twice in
        ["Host: localhost\r\nHost: example.com", "Origin: http://localhost\r\nOrigin: https://example.com"]
    {
        let (name, value) = twice.split_once(": ").expect("a header");
        assert_eq!(served.send(&ping().header(name, value)).status, 403, "{twice}");
    }
    let body = request(1, "ping", &json!({}));
    for (host, status) in [("example.com", 403), ("localhost:80", 200)] {
        let absolute = Request::post(&format!("http://{host}/mcp"), &body).header("Host", "localhost");
        assert_eq!(served.send(&absolute).status, status, "{host}");
    }
}

#[test]
fn listed_hosts_are_served_in_any_letter_case_and_no_others() {
    let served = Served::with(&["--allowed-hosts", "db.example.org,127.0.0.1"]);
    for (host, status) in
        [("db.example.org", 200), ("DB.Example.Org:8443", 200), ("127.0.0.1", 200), ("localhost", 403)]
    {
        assert_eq!(served.send(&ping().header("Host", host)).status, status, "{host}");
    }
}

#[test]
fn a_listed_origin_gets_its_preflight_and_its_answer() {
    let served = Served::with(&["--allowed-origins", "https://app.example.org"]);
    let preflight = Request::new("OPTIONS", "/mcp")
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "content-type, mcp-method, mcp-name, mcp-protocol-version");
    let answer = served.send(&preflight.clone().header("Origin", "https://app.example.org"));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.org"));
    assert_eq!(answer.header("access-control-max-age"), Some("300"));
    let list = |name| answer.header(name).expect("a list").to_ascii_lowercase();
    for method in ["get", "post", "delete", "options"] {
        assert!(list("access-control-allow-methods").contains(method), "{answer:?}");
    }
    for header in [
        "accept",
        "authorization",
        "content-type",
        "mcp-session-id",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "traceparent",
        "tracestate",
    ] {
        assert!(
            list("access-control-allow-headers").split(',').any(|name| name.trim() == header),
            "{header}"
        );
    }
    let answer = served.send(&ping().header("Origin", "https://app.example.org"));
    assert_eq!(answer.header("access-control-expose-headers"), Some("mcp-session-id"));
    assert!(answer.header("vary").is_some_and(|vary| vary.to_ascii_lowercase().contains("origin")));
    assert_eq!(served.send(&preflight.header("Origin", "http://app.example.org")).status, 403);
    assert_eq!(served.send(&ping().header("Origin", "http://localhost")).status, 403);
}

#[test]
fn a_star_allows_everything_and_is_warned_of() {
    let served = Served::with(&["--allowed-hosts", "*", "--allowed-origins=*"]);
    let answer = served.send(&ping().header("Host", "example.com").header("Origin", "https://example.net"));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://example.net"));
    served.server.log().wait_for("--allowed-hosts allows everything");
    served.server.log().wait_for("--allowed-origins allows everything");
}
