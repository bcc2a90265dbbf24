//! `--response-encoding`, and what a result says about itself.

use serde_json::{Value as Json, json};

use super::{on_both, run, workspace};
use crate::support::Client;

fn labels(client: &mut Client, count: u64) -> crate::support::Answer {
    client.call("rows", &json!({"count": count}))
}

#[test]
fn the_encoding_is_named_in_any_letter_case() {
    for (name, blocks) in [("json", 30), ("JSON", 30), ("Json", 30), ("gcf", 1), ("GCF", 1), ("gCf", 1)] {
        let (code, output, _) = run(workspace("").command().args([
            "--response-encoding",
            name,
            "invoke",
            "rows",
            r#"{"count":30}"#,
        ]));
        assert_eq!(code, Some(0), "{name}");
        let is_json = serde_json::from_str::<Json>(&output).is_ok();
        assert_eq!(is_json, blocks == 30, "{name}: {output}");
    }
}

#[test]
fn a_name_that_is_no_encoding_is_refused_with_the_choices() {
    for name in ["xml", "", "toons", "gcfx", "json,gcf", " json"] {
        let (code, output, log) = run(workspace("").command().args(["--response-encoding", name]));
        assert_eq!((code, output.as_str()), (Some(1), ""), "{name}");
        assert!(
            log.contains("json") && log.contains("gcf") && log.contains("response-encoding"),
            "{name}: {log}"
        );
    }
}

#[test]
fn json_is_the_default_and_gives_a_block_a_row() {
    for flags in [&[][..], &["--response-encoding=json"]] {
        on_both(flags, |client| {
            let answer = labels(client, 30);
            assert_eq!(answer.blocks.len(), 30);
            assert_eq!(answer.blocks[29], r#"{"number":30,"label":"the label of row 30"}"#);
            assert_eq!(answer.meta, json!({}), "nothing is said that was not asked for");
        });
    }
}

#[test]
fn gcf_gives_one_block_and_says_what_it_saved() {
    on_both(&["--response-encoding=gcf"], |client| {
        let answer = labels(client, 30);
        assert_eq!(answer.blocks.len(), 1);
        let expected: Vec<Json> =
            (1..=30).map(|n| json!({"number": n, "label": format!("the label of row {n}")})).collect();
        assert_eq!(gcf::decode_generic(&answer.blocks[0]).expect("GCF"), Json::Array(expected.clone()));
        let json_bytes: usize = expected.iter().map(|row| row.to_string().len()).sum();
        assert_eq!(
            answer.meta,
            json!({"toolbox/encoding": {"name": "gcf", "bytes": answer.blocks[0].len(), "jsonBytes": json_bytes}})
        );
    });
}

#[test]
fn gcf_stands_back_where_json_is_not_longer_and_says_so() {
    on_both(&["--response-encoding=gcf"], |client| {
        let answer = labels(client, 1);
        assert_eq!(answer.blocks, [r#"{"number":1,"label":"the label of row 1"}"#]);
        let bytes = answer.blocks[0].len();
        assert_eq!(
            answer.meta,
            json!({"toolbox/encoding": {"name": "json", "bytes": bytes, "jsonBytes": bytes}})
        );
    });
}

#[test]
fn a_result_beyond_the_limit_is_cut_and_says_so_and_one_at_the_limit_is_not() {
    on_both(&[], |client| {
        let whole = labels(client, 40);
        assert_eq!((whole.blocks.len(), &whole.meta), (40, &json!({})));
        let cut = labels(client, 41);
        assert_eq!(cut.blocks.len(), 41, "40 rows and the notice");
        assert_eq!(cut.blocks[39], r#"{"number":40,"label":"the label of row 40"}"#);
        let notice: Json = serde_json::from_str(&cut.blocks[40]).expect("JSON");
        assert_eq!(notice["toolbox/truncated"]["rows"], 40);
        assert_eq!(cut.meta, notice, "the same in both places");
        assert!(!notice["toolbox/truncated"]["hint"].as_str().expect("a hint").is_empty());
    });
    on_both(&["--response-encoding=gcf"], |client| {
        let cut = labels(client, 1_000_000_000);
        assert_eq!(cut.blocks.len(), 1);
        assert_eq!(cut.meta["toolbox/truncated"]["rows"], 40);
        assert_eq!(cut.meta["toolbox/encoding"]["name"], "gcf");
        let rows = gcf::decode_generic(&cut.blocks[0]).expect("GCF");
        assert_eq!(rows.as_array().map(Vec::len), Some(40));
    });
}

#[test]
fn arguments_that_a_tool_does_not_have_are_ignored_and_named() {
    on_both(&[], |client| {
        let answer =
            client.call("text", &json!({"zeta": 1, "value": "a", "alpha": {"b": [1]}, "Value": "c"}));
        assert_eq!(answer.blocks, [r#"{"value":"a"}"#]);
        assert_eq!(answer.meta, json!({"toolbox/ignoredArguments": ["zeta", "alpha", "Value"]}));
        let answer = client.call("sql", &json!({"sql": "SELECT 1 AS one", "query": "SELECT 2"}));
        assert_eq!(answer.blocks, [r#"{"one":1}"#]);
        assert_eq!(answer.meta, json!({"toolbox/ignoredArguments": ["query"]}));
    });
}

#[test]
fn no_rows_are_no_blocks_and_a_write_says_how_many_rows_it_changed() {
    on_both(&[], |client| {
        let none = client.call("rows", &json!({"count": 0}));
        assert_eq!((none.blocks.len(), none.is_error), (0, false));
        let result = client
            .request("tools/call", &json!({"name": "rows", "arguments": {"count": 0}}))
            .expect("a result");
        assert_eq!(result, json!({"content": []}));
        let added = client.call("add", &json!({"label": "first"}));
        assert_eq!(added.rows(), [json!({"rows_affected": 1, "last_insert_id": 1})]);
    });
}
