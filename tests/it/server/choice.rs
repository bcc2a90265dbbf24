//! Who chooses the encoding: the server, a toolset, a tool, the client with a call, the model with an argument. The nearest
//! wins.

use std::fs;

use serde_json::{Value as Json, json};

use super::{Served, stdio};
use crate::support::{Answer, Client, Workspace};

const TOOLS: &str = r"
kind: source
name: db
type: sqlite
database: ':memory:'
---
kind: tool
name: plain
type: sqlite-sql
source: db
description: Gives rows.
statement: STATEMENT
---
kind: tool
name: compact
type: sqlite-sql
source: db
description: Gives rows.
responseEncoding: GCF
statement: STATEMENT
---
kind: tool
name: asked
type: sqlite-execute-sql
source: db
description: Runs SQL.
responseEncoding: json
encodingArgument: true
---
kind: toolset
name: small
tools: [plain, asked]
responseEncoding: gcf
---
kind: group
name: big
tools: [compact]
description: JSON.
responseEncoding: Json
";

const ROWS: &str = "WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter) \
                    SELECT n AS number, 'the label of row ' || n AS label FROM counter LIMIT 30";

fn workspace() -> Workspace {
    let workspace = Workspace::empty();
    let tools = TOOLS.replace("STATEMENT", ROWS);
    fs::write(workspace.path().join("tools.yaml"), tools).expect("a file");
    workspace
}

/// The form that an answer has, by its own look.
fn form(answer: &Answer) -> &'static str {
    assert!(!answer.is_error, "{:?}", answer.blocks);
    match answer.blocks.as_slice() {
        [gcf] if gcf.starts_with("GCF ") => "gcf",
        rows if rows.len() == 30 => "json",
        other => panic!("{other:?}"),
    }
}

/// Calls with a wish in `_meta`.
fn wished(client: &mut Client, tool: &str, wish: &Json) -> Result<Json, Json> {
    let params = json!({"name": tool, "arguments": {}, "_meta": {"toolbox/responseEncoding": wish}});
    client.request("tools/call", &params)
}

fn wished_form(client: &mut Client, tool: &str, wish: &Json) -> &'static str {
    let result = wished(client, tool, wish).expect("a result");
    if result["content"].as_array().expect("content").len() == 30 { "json" } else { "gcf" }
}

#[test]
fn the_tool_goes_before_the_toolset_and_the_toolset_before_the_server() {
    let json = Served::on(workspace(), &[]);
    let gcf = Served::on(workspace(), &["--response-encoding=gcf"]);
    let none = json!({});
    for (served, path, tool, expected) in [
        (&json, "/mcp", "plain", "json"),
        (&gcf, "/mcp", "plain", "gcf"),
        (&json, "/mcp/small", "plain", "gcf"),
        (&json, "/mcp", "compact", "gcf"),
        (&json, "/mcp/big", "compact", "gcf"),
        (&gcf, "/mcp/big", "compact", "gcf"),
    ] {
        let mut client = Client::open(served.server.client(path));
        assert_eq!(form(&client.call(tool, &none)), expected, "{path} {tool}");
    }
    for served in [&json, &gcf] {
        let mut client = Client::open(served.server.client("/mcp/small"));
        assert_eq!(form(&client.call("asked", &json!({"sql": ROWS}))), "json", "the tool says so");
    }
}

#[test]
fn a_client_chooses_for_one_call_in_the_meta_of_its_request() {
    let served = Served::on(workspace(), &[]);
    let (_workspace, stdio) = stdio(workspace(), &[]);
    for mut client in [served.client(), Client::open(stdio)] {
        assert_eq!(wished_form(&mut client, "plain", &json!("gcf")), "gcf");
        assert_eq!(wished_form(&mut client, "plain", &json!("GCF")), "gcf");
        assert_eq!(wished_form(&mut client, "compact", &json!("json")), "json");
        assert_eq!(wished_form(&mut client, "plain", &Json::Null), "json", "null counts as absent");
        assert_eq!(form(&client.call("plain", &json!({}))), "json", "it held for that call alone");
        for (wish, says) in [
            (json!("xml"), "unknown response encoding \"xml\": use json, table, gcf, gcx, toon or auto"),
            (json!(1), "must be a string"),
        ] {
            let error = wished(&mut client, "plain", &wish).expect_err("no result");
            assert_eq!(error["code"], -32602, "{error}");
            assert!(error["message"].as_str().is_some_and(|message| message.contains(says)), "{error}");
        }
    }
}

#[test]
fn a_client_chooses_for_all_its_calls_in_the_query_of_the_url() {
    let served = Served::on(workspace(), &[]);
    for (path, tool, expected) in [
        ("/mcp?response-encoding=gcf", "plain", "gcf"),
        ("/mcp?other=1&response-encoding=%47cf", "plain", "gcf"),
        ("/mcp/big?response-encoding=json", "compact", "json"),
        ("/mcp/small?response-encoding=json&x", "plain", "json"),
        ("/mcp?Response-Encoding=gcf", "plain", "json"),
    ] {
        let mut client = Client::open(served.server.client(path));
        assert_eq!(form(&client.call(tool, &json!({}))), expected, "{path} {tool}");
    }
    let mut client = Client::open(served.server.client("/mcp?response-encoding=gcf"));
    assert_eq!(
        wished_form(&mut client, "plain", &json!("json")),
        "json",
        "the call is nearer than its address"
    );

    let mut client = Client::open(served.server.client("/mcp?response-encoding="));
    let error =
        client.request("tools/call", &json!({"name": "plain"})).expect_err("no encoding has this name");
    assert_eq!(error["code"], -32602, "{error}");
    assert_eq!(client.tools().len(), 3, "only a call needs an encoding");
}

#[test]
fn the_model_chooses_where_the_tool_has_an_argument_for_it() {
    let served = Served::on(workspace(), &[]);
    let mut client = served.client();
    let tools = client.tools();
    let schema = |name: &str| {
        tools.iter().find(|tool| tool["name"] == name).map(|tool| &tool["inputSchema"]).expect("the tool")
    };
    assert_eq!(schema("plain")["properties"], json!({}));
    assert_eq!(schema("asked")["required"], json!(["sql"]));
    let format = &schema("asked")["properties"]["format"];
    assert_eq!(format["type"], "string");
    assert_eq!(format["enum"], json!(["json", "table", "gcf", "gcx", "toon", "auto"]));

    for (arguments, expected) in [
        (json!({"sql": ROWS, "format": "gcf"}), "gcf"),
        (json!({"sql": ROWS, "format": "json"}), "json"),
        (json!({"sql": ROWS, "format": null}), "json"),
        (json!({"sql": ROWS}), "json"),
    ] {
        let answer = client.call("asked", &arguments);
        assert_eq!(form(&answer), expected, "{arguments}");
        assert_eq!(answer.meta.get("toolbox/ignoredArguments"), None, "{arguments}");
    }
    let params = json!({
        "name": "asked",
        "arguments": {"sql": ROWS, "format": "gcf"},
        "_meta": {"toolbox/responseEncoding": "json"},
    });
    let result = client.request("tools/call", &params).expect("a result");
    assert_eq!(result["_meta"]["toolbox/encoding"]["name"], "gcf", "the argument is the nearest of all");

    for wrong in [json!("xml"), json!(7)] {
        let answer = client.call("asked", &json!({"sql": "", "format": wrong}));
        assert!(answer.is_error);
        let text = &answer.blocks[0];
        assert!(text.contains("format") && text.contains("sql"), "all faults at once: {text}");
    }
    let ignored = client.call("plain", &json!({"format": "gcf"}));
    assert_eq!(form(&ignored), "json");
    assert_eq!(ignored.meta["toolbox/ignoredArguments"], json!(["format"]));
}
