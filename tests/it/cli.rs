//! The command line: `invoke`, the choice of the configuration, and mistakes in either.

mod forms;

use std::{fs, process::Command};

use serde_json::{Value as Json, json};

use crate::support::Workspace;

const SOURCE: &str = "sources:\n  db: {kind: sqlite, database: ':memory:'}\n";

const TOOLS: &str = r"tools:
  number:
    kind: sqlite-sql
    source: db
    description: Gives back an integer.
    parameters: [{name: value, type: integer, description: An integer.}]
    statement: SELECT 'z' AS zebra, ?1 AS value, 1.5 AS apple, NULL AS none
  rows:
    kind: sqlite-sql
    source: db
    description: Gives rows.
    parameters: [{name: count, type: integer, description: How many.}]
    statement: |
      WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter)
      SELECT n AS number, 'the label of row ' || n AS label FROM counter LIMIT ?1
";

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> Workspace {
    let workspace = Workspace::empty();
    for (name, text) in files {
        let path = workspace.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    workspace
}

fn served() -> Workspace {
    folder(&[("tools.yaml", &format!("{SOURCE}{TOOLS}"))])
}

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Runs it and expects the output.
fn prints(workspace: &Workspace, arguments: &[&str]) -> String {
    let (code, output, log) = run(workspace.command().args(arguments));
    assert_eq!(code, Some(0), "{arguments:?}: {log}");
    output
}

/// Runs it and expects nothing but an error.
fn fails(workspace: &Workspace, arguments: &[&str]) -> String {
    let (code, output, log) = run(workspace.command().args(arguments));
    assert_eq!((code, output.as_str()), (Some(1), ""), "{arguments:?}: {log}");
    log
}

#[test]
fn invoke_prints_the_rows_alone_with_every_digit_and_in_column_order() {
    let output = prints(&served(), &["invoke", "number", r#"{"value":9007199254740993}"#]);
    let expected = "[\n  {\n    \"zebra\": \"z\",\n    \"value\": 9007199254740993,\n    \"apple\": 1.5,\n    \"none\": null\n  }\n]\n";
    assert_eq!(output, expected);
    assert_eq!(prints(&served(), &["invoke", "rows", r#"{"count":0}"#]), "[]\n");
    let debug = prints(&served(), &["--log-level=debug", "invoke", "rows", r#"{"count":2}"#]);
    assert_eq!(serde_json::from_str::<Json>(&debug).expect("JSON").as_array().map(Vec::len), Some(2));
}

#[test]
fn invoke_prints_gcf_as_it_is() {
    let output = prints(&served(), &["invoke", "rows", r#"{"count":30}"#, "--response-encoding", "GCF"]);
    let expected: Vec<Json> =
        (1..=30).map(|n| json!({"number": n, "label": format!("the label of row {n}")})).collect();
    assert_eq!(gcf::decode_generic(&output).expect("GCF"), Json::Array(expected));
}

/// The text of the rows is not read as values on its way out: these are rows that `serde_json` reads as others, or not at all.
#[test]
fn invoke_prints_a_name_that_means_something_to_the_parser_of_json() {
    let statement = "SELECT 1 AS \"$serde_json::private::Number\"";
    let tool = format!(
        "tools:\n  one: {{kind: sqlite-sql, source: db, description: a, statement: '{statement}'}}\n"
    );
    let output = prints(&folder(&[("tools.yaml", &format!("{SOURCE}{tool}"))]), &["invoke", "one"]);
    assert_eq!(output, "[\n  {\n    \"$serde_json::private::Number\": 1\n  }\n]\n");
}

/// A notice that follows the text of a form is a line of its own, and `decode` tells it from the rows.
#[test]
fn invoke_prints_the_rows_of_a_cut_result_as_decode_reads_them() {
    let tools =
        TOOLS.replace("    parameters: [{name: count", "    maxRows: 30\n    parameters: [{name: count");
    let workspace = folder(&[("tools.yaml", &format!("{SOURCE}{tools}"))]);
    let row = |n: i64| format!("{{\"number\":{n},\"label\":\"the label of row {n}\"}}\n");
    let rows = (1..=30).map(row).collect::<Vec<_>>().concat();
    for form in ["table", "gcf", "gcx", "toon"] {
        let output = prints(&workspace, &["invoke", "rows", r#"{"count":31}"#, "--response-encoding", form]);
        let (code, read, log) = forms::pipe(&["decode", "--from", form], &output);
        assert_eq!((code, read.as_str()), (Some(0), rows.as_str()), "{form}: {log}");
        assert!(log.contains("rows are missing"), "{form}: {log}");
    }
}

#[test]
fn invoke_fails_with_the_reason_on_standard_error_and_nothing_on_standard_output() {
    let workspace = served();
    for (arguments, reason) in [
        (&["nothing"][..], "tool \"nothing\" not found"),
        (&["number", "{"], "the arguments must be a JSON object"),
        (&["number", "[1]"], "the arguments must be a JSON object"),
        (&["number"], "parameter \"value\" is required"),
        (&["number", r#"{"value":"x"}"#], "parameter \"value\""),
        (&["rows", r#"{"count":-9223372036854775809}"#], "parameter \"count\""),
    ] {
        let log = fails(&workspace, &[&["--log-level", "error", "invoke"], arguments].concat());
        assert!(log.starts_with("Error: ") && log.contains(reason), "{arguments:?}: {log}");
        assert_eq!(log.lines().count(), 1, "{log}");
    }
    assert!(fails(&workspace, &["invoke"]).contains("<TOOL>"));
}

#[test]
fn invoke_says_on_standard_error_which_arguments_it_ignored() {
    let (code, output, log) =
        run(served().command().args(["invoke", "rows", r#"{"count":0,"nothing":"secret"}"#]));
    assert_eq!((code, output.as_str()), (Some(0), "[]\n"));
    assert!(log.contains("nothing") && !log.contains("secret"), "{log}");
}

#[test]
fn the_configuration_is_named_before_or_after_the_command_and_by_old_names_too() {
    let workspace = folder(&[
        ("a/one.yaml", SOURCE),
        ("a/two.yml", TOOLS),
        ("a/note.txt", "neither: read"),
        ("whole.yaml", &format!("{SOURCE}{TOOLS}")),
    ]);
    let call = ["invoke", "rows", r#"{"count":1}"#];
    for flags in [
        &["--config", "whole.yaml"][..],
        &["--config=whole.yaml"],
        &["--tools-file", "whole.yaml"],
        &["--configs", "a/one.yaml,a/two.yml"],
        &["--configs", "a/one.yaml", "--configs", "a/two.yml"],
        &["--tools-files", "a/one.yaml,a/two.yml"],
        &["--config-folder", "a"],
        &["--tools-folder=a"],
    ] {
        for arguments in [[flags, &call].concat(), [&call, flags].concat()] {
            let output = prints(&workspace, &arguments);
            let rows: Json = serde_json::from_str(&output).expect("JSON");
            assert_eq!(rows, json!([{"number": 1, "label": "the label of row 1"}]), "{arguments:?}");
        }
    }
}

#[test]
fn two_ways_to_name_the_configuration_exclude_each_other() {
    let workspace = served();
    for (flags, names) in [
        (&["--config", "a", "--configs", "b"][..], ["--config ", "--configs"]),
        (&["--tools-file", "a", "--tools-folder", "b"], ["--tools-file", "--tools-folder"]),
        (&["--configs", "a", "--config-folder", "b"], ["--configs", "--config-folder"]),
        (&["--config", "a", "--tools-file", "b"], ["--config", "--tools-file"]),
        (&["--configs", "a", "--tools-files", "b"], ["--configs", "--tools-files"]),
    ] {
        for arguments in [flags.to_vec(), [flags, &["invoke", "rows"]].concat()] {
            let log = fails(&workspace, &arguments);
            assert!(names.iter().all(|name| log.contains(name)), "{arguments:?}: {log}");
        }
    }
}

#[test]
fn a_configuration_that_is_not_there_is_named() {
    let workspace = folder(&[("empty/note.txt", "")]);
    assert!(fails(&workspace, &[]).contains("tools.yaml"));
    assert!(fails(&workspace, &["--config", "other.yaml", "--stdio"]).contains("other.yaml"));
    assert!(fails(&workspace, &["--config-folder", "missing"]).contains("missing"));
    assert!(fails(&workspace, &["--config-folder", "empty"]).contains("empty"));
    assert!(fails(&workspace, &["--configs", "empty/note.txt,other.yaml"]).contains("other.yaml"));
}

#[test]
fn every_fault_of_the_configuration_is_reported_in_one_run() {
    let text = "sources:\n  db: {kind: sqlite, databse: x.db}\ntools:\n  one: {kind: sqlite-sql, source: nowhere, description: a, statement: SELECT 1}\n  two: {kind: sqlite-sqll, source: db, description: b, statement: SELECT 1}\n";
    let workspace = folder(&[("tools.yaml", text)]);
    for arguments in [&[][..], &["--stdio"], &["invoke", "one"]] {
        let log = fails(&workspace, arguments);
        for fault in ["databse", "nowhere", "sqlite-sqll", "tools.yaml"] {
            assert!(log.contains(fault), "{fault}: {log}");
        }
    }
}

#[test]
fn a_database_that_cannot_be_reached_fails_its_calls_alone_and_without_its_secrets() {
    // Nobody listens at port 1.
    let server = "host: 127.0.0.1, port: 1, database: shop, user: rootuser, password: Hk3secret";
    let text = format!(
        r"sources:
  shop: {{kind: postgres, {server}}}
  old: {{kind: mysql, {server}}}
  db: {{kind: sqlite, database: ':memory:'}}
tools:
  a: {{kind: postgres-sql, source: shop, description: A., statement: SELECT 1 AS one}}
  b: {{kind: mysql-sql, source: old, description: B., statement: SELECT 1 AS one}}
  c: {{kind: sqlite-sql, source: db, description: C., statement: SELECT 1 AS one}}
"
    );
    let workspace = folder(&[("tools.yaml", &text)]);
    for tool in ["a", "b"] {
        let log = fails(&workspace, &["--log-level=debug", "invoke", tool]);
        assert!(log.contains("cannot connect to the database"), "{log}");
        for secret in ["Hk3secret", "rootuser", "127.0.0.1"] {
            assert!(!log.contains(secret), "{secret}: {log}");
        }
    }
    assert!(prints(&workspace, &["invoke", "c"]).contains("\"one\""));
}

#[test]
fn read_only_and_allow_writes_contradict_each_other() {
    let log = fails(&served(), &["--read-only", "--allow-writes"]);
    assert!(log.starts_with("Error: --read-only and --allow-writes"), "{log}");
    assert_eq!(log.lines().count(), 1, "{log}");
    for arguments in
        [&["--read-only=false", "--allow-writes=true"][..], &["--read-only", "--allow-writes=false"]]
    {
        let call = ["invoke", "rows", r#"{"count":0}"#];
        assert_eq!(prints(&served(), &[arguments, &call].concat()), "[]\n");
    }
}

#[test]
fn mistakes_in_flags_end_with_1_and_say_what_would_do() {
    let workspace = served();
    for (arguments, text) in [
        (&["--no-such-flag"][..], "--no-such-flag"),
        (&["no-such-command"], "no-such-command"),
        (&["--port", "70000"], "--port"),
        (&["--port", "x"], "--port"),
        (&["--log-level", "loud"], "debug, info, warn, error"),
        (&["--logging-format", "xml"], "standard, json"),
        (&["--allowed-origins", "example.com"], "--allowed-origins"),
        (&["--allowed-hosts", "a b"], "--allowed-hosts"),
        (&["--stdio=maybe"], "--stdio"),
        (&["--address", "no.such.host.invalid"], "--address"),
    ] {
        let log = fails(&workspace, arguments);
        assert!(log.contains(text), "{arguments:?}: {log}");
        assert!(log.to_lowercase().lines().any(|line| line.starts_with("error: ")), "{arguments:?}: {log}");
    }
}

#[test]
fn the_version_and_the_help_go_to_standard_output() {
    let workspace = Workspace::empty();
    let version = format!("toolbox version {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(prints(&workspace, &["--version"]), version);
    assert_eq!(prints(&workspace, &["-v"]), version);
    for arguments in [&["--help"][..], &["-h"], &["help"], &["invoke", "--help"]] {
        assert!(prints(&workspace, arguments).contains("--config"), "{arguments:?}");
    }
}
