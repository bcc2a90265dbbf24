//! `--number-format` and `numberFormat`: the tool's own word goes before the server's.

use std::fs;

use serde_json::json;

use super::{Served, run};
use crate::support::Workspace;

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
description: Gives numbers.
statement: SELECT 9007199254740993 AS n, 1.5 AS x
---
kind: tool
name: safe
type: sqlite-sql
source: db
description: Gives numbers.
numberFormat: Safe
statement: SELECT 9007199254740993 AS n, 1.5 AS x
---
kind: tool
name: digits
type: sqlite-sql
source: db
description: Gives numbers.
numberFormat: digits
statement: SELECT 9007199254740993 AS n, 1.5 AS x
";

const DIGITS: &str = r#"{"n":9007199254740993,"x":1.5}"#;
const SAFE: &str = r#"{"n":"9007199254740993","x":1.5}"#;

fn workspace() -> Workspace {
    let workspace = Workspace::empty();
    fs::write(workspace.path().join("tools.yaml"), TOOLS).expect("a file");
    workspace
}

#[test]
fn the_tools_own_number_format_goes_before_the_servers() {
    for (flags, plain) in
        [(&[][..], DIGITS), (&["--number-format=digits"], DIGITS), (&["--number-format", "SAFE"], SAFE)]
    {
        let served = Served::on(workspace(), flags);
        let mut client = served.client();
        for (tool, expected) in [("plain", plain), ("safe", SAFE), ("digits", DIGITS)] {
            assert_eq!(client.call(tool, &json!({})).blocks, [expected], "{tool} {flags:?}");
        }
    }
}

#[test]
fn a_call_from_the_command_line_follows_the_same_format() {
    let (code, output, _) = run(workspace().command().args(["--number-format=safe", "invoke", "plain"]));
    let rows: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!((code, rows), (Some(0), json!([{"n": "9007199254740993", "x": 1.5}])));
}

#[test]
fn a_name_that_is_no_number_format_is_refused_with_the_choices() {
    let (code, output, log) = run(workspace().command().args(["--number-format", "strings"]));
    assert_eq!((code, output.as_str()), (Some(1), ""));
    assert!(log.contains(r#"unknown number format "strings": use digits or safe"#), "{log}");
}
