//! The token counts in README.md and docs/encodings.md are what the example costs.

use std::fs;

use serde_json::{Value as Json, json};

use crate::support::{Client, Server, Workspace, repository};

/// A result of the example: how the table names it, the tool, and its arguments.
fn results() -> [(&'static str, &'static str, Json); 5] {
    let sql = |sql: &str| json!({"sql": sql});
    [
        ("the fleet", "list_instances", json!({})),
        ("order lines", "run_sql", sql("SELECT * FROM order_lines")),
        ("customers, with JSON as text", "find_customers", json!({"text": "", "limit": 100})),
        ("sales by country", "sales_by_country", json!({})),
        ("one value", "run_sql", sql("SELECT count(*) AS orders FROM orders")),
    ]
}

#[test]
fn the_tables_of_tokens_are_what_the_example_costs() {
    let tokens = tiktoken_rs::o200k_base().expect("a tokenizer");
    let blocks = |encoding: &str| -> Vec<Vec<String>> {
        let workspace = Workspace::example();
        let server = Server::start(workspace.command().args(["--response-encoding", encoding]));
        let mut client = Client::open(server.client("/mcp"));
        results()
            .iter()
            .map(|(_, tool, arguments)| {
                let answer = client.call(tool, arguments);
                assert!(!answer.is_error, "{tool}: {:?}", answer.blocks);
                answer.blocks
            })
            .collect()
    };
    let cost = |blocks: &[String]| -> (usize, usize) {
        let bytes = blocks.iter().map(String::len).sum();
        (bytes, blocks.iter().map(|block| tokens.encode_ordinary(block).len()).sum())
    };
    let lines: Vec<String> = results()
        .iter()
        .zip(blocks("json").iter().zip(blocks("gcf").iter()))
        .map(|((name, _, _), (json, gcf))| {
            let columns =
                serde_json::from_str::<serde_json::Map<String, Json>>(&json[0]).expect("a row").len();
            let ((json_bytes, json_tokens), (gcf_bytes, gcf_tokens)) = (cost(json), cost(gcf));
            let saved = (json_tokens - gcf_tokens) * 1000 / json_tokens;
            format!(
                "| {name}, {} × {columns} | {json_bytes} | {gcf_bytes} | {json_tokens} | {gcf_tokens} | {}.{}% |\n",
                json.len(),
                saved / 10,
                saved % 10
            )
        })
        .collect();
    let table = lines.concat();
    for document in ["README.md", "docs/encodings.md"] {
        let text = fs::read_to_string(repository().join(document)).expect("the document");
        assert!(text.contains(&table), "{document} must say:\n{table}");
    }
}
