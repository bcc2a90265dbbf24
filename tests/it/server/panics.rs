//! A defect inside a call: the caller gets an error, and everyone else is served on.

use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
    runtime::Runtime,
};
use toolbox::server::{
    http::{self, Allowed, Options},
    stdio,
};

use super::{call, fragile::shared, text};
use crate::support::Request;

/// What is asked, in order, and whether it is a defect.
const CALLS: [(&str, bool); 5] = [
    ("fine", false),
    ("panic at once", true),
    ("panic later", true),
    ("panic in the rows", true),
    ("fine", false),
];

fn check(statement: &str, defect: bool, answer: &Json) {
    let result = &answer["result"];
    if defect {
        assert_eq!(result["isError"], true, "{statement}: {answer}");
        assert!(text(result).starts_with("internal error"), "{statement}: {answer}");
        assert!(!text(result).contains("defect would"), "the details are for the log: {answer}");
    } else {
        assert_eq!(text(result), r#"{"n":1}"#, "{statement}: {answer}");
    }
}

#[test]
fn a_call_that_panics_is_an_error_over_http_and_the_next_one_works() {
    let runtime = Runtime::new().expect("a runtime");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let authority = listener.local_addr().expect("an address").to_string();
    let allowed = Allowed::new(&[], &[], "127.0.0.1").expect("the defaults");
    let options = Options { allowed, max_request_bytes: 1 << 20 };
    runtime.spawn(http::serve(shared(), listener, options, std::future::pending()));
    for (statement, defect) in CALLS {
        let answer = Request::post("/mcp", call(1, "run", &json!({"sql": statement}))).send(&authority);
        assert_eq!(answer.status, 200);
        check(statement, defect, &answer.json());
    }
}

#[test]
fn a_call_that_panics_is_an_error_over_stdio_and_the_next_one_works() {
    Runtime::new().expect("a runtime").block_on(async {
        let (client, server) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(server);
        let serving = tokio::spawn(stdio::serve(shared(), input, output, std::future::pending()));
        let (lines, mut requests) = tokio::io::split(client);
        let mut lines = BufReader::new(lines).lines();
        for (statement, defect) in CALLS {
            let message = call(1, "run", &json!({"sql": statement}));
            requests.write_all(format!("{message}\n").as_bytes()).await.expect("a reader");
            let line = lines.next_line().await.expect("a line").expect("an answer");
            check(statement, defect, &serde_json::from_str(&line).expect("JSON"));
        }
        requests.shutdown().await.expect("an end of the input");
        serving.await.expect("no panic").expect("no error");
        assert_eq!(lines.next_line().await.expect("an end"), None);
    });
}
