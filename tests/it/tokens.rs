//! The token counts in README.md and docs/encodings.md are what the example costs.

use std::{fmt::Write as _, fs};

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

/// The forms of the table, `json` first.
const FORMS: [&str; 6] = ["json", "table", "gcf", "gcx", "toon", "auto"];

#[test]
fn the_tables_of_tokens_are_what_the_example_costs() {
    let vocabulary = tiktoken_rs::o200k_base_singleton();
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
    let answers = FORMS.map(blocks);
    let [json, ..] = &answers;
    let cost =
        |blocks: &[String]| -> usize { blocks.iter().map(|block| vocabulary.count_ordinary(block)).sum() };
    let mut table =
        format!("| result | {} | saved |\n| --- |{} ---: |\n", FORMS.join(" | "), " ---: |".repeat(6));
    for (index, (name, _, _)) in results().iter().enumerate() {
        let rows = &json[index];
        let columns = serde_json::from_str::<serde_json::Map<String, Json>>(&rows[0]).expect("a row").len();
        let costs: Vec<usize> = answers.iter().map(|answers| cost(&answers[index])).collect();
        let (json, auto) = (costs[0], costs[5]);
        let saved = (json - auto) * 1000 / json;
        let costs: Vec<String> = costs.iter().map(ToString::to_string).collect();
        writeln!(
            table,
            "| {name}, {} × {columns} | {} | {}.{}% |",
            rows.len(),
            costs.join(" | "),
            saved / 10,
            saved % 10
        )
        .expect("a text grows");
    }
    for document in ["README.md", "docs/encodings.md"] {
        let text = fs::read_to_string(repository().join(document)).expect("the document");
        assert!(text.contains(&table), "{document} must say:\n{table}");
    }
}
