//! The example that the repository ships: its own `tools.yaml` on its own `migrations`, served by the built program.
//!
//! Every tool is called, over both transports and in both encodings. What a tool must answer is what SQLite says about the
//! same database file, asked past our program.

mod injection;
mod reading;
mod rows;
mod writing;

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::support::{Answer, Client, Database, Server, Stdio, Workspace};

/// How the program is reached and asked to answer.
#[derive(Clone, Copy, Debug)]
enum Road {
    Stdio,
    Http,
}

/// The example being served.
struct Example {
    client: Client,
    /// Tools called so far.
    called: BTreeSet<String>,
    server: Option<Server>,
    workspace: Workspace,
}

impl Example {
    /// Serves the example with this default encoding.
    fn serve(road: Road, encoding: &str) -> Self {
        let workspace = Workspace::example();
        let mut command = workspace.command();
        command.args(["--tools-file", "tools.yaml", "--response-encoding", encoding]);
        let (client, server) = match road {
            Road::Stdio => (Client::open(Stdio::start(command.arg("--stdio"))), None),
            Road::Http => {
                let server = Server::start(&mut command);
                (Client::open(server.client("/mcp")), Some(server))
            }
        };
        Self { client, called: BTreeSet::new(), server, workspace }
    }

    fn call(&mut self, tool: &str, arguments: &Json) -> Answer {
        self.called.insert(tool.to_owned());
        self.client.call(tool, arguments)
    }

    /// The database, which the first call of a tool creates.
    fn database(&self) -> Database {
        Database::open(&self.workspace.path().join("fleet.db"))
    }
}

/// Calls every tool of the example in one way.
fn every_tool_answers_what_sqlite_says(road: Road, encoding: &str) {
    let mut example = Example::serve(road, encoding);
    reading::check(&mut example, encoding);
    writing::check(&mut example, encoding);
    let listed: BTreeSet<String> = names(&example.client.tools()).into_iter().collect();
    assert_eq!(example.called, listed, "each listed tool is called here, and nothing else");
}

#[test]
fn every_tool_answers_what_sqlite_says_over_stdio_in_json() {
    every_tool_answers_what_sqlite_says(Road::Stdio, "json");
}

#[test]
fn every_tool_answers_what_sqlite_says_over_stdio_in_gcf() {
    every_tool_answers_what_sqlite_says(Road::Stdio, "gcf");
}

#[test]
fn every_tool_answers_what_sqlite_says_over_http_in_json() {
    every_tool_answers_what_sqlite_says(Road::Http, "json");
}

#[test]
fn every_tool_answers_what_sqlite_says_over_http_in_gcf() {
    every_tool_answers_what_sqlite_says(Road::Http, "gcf");
}

/// The listing of the fleet, 30 rows of 7 columns.
fn listing(road: Road, encoding: &str) -> Answer {
    let answer = Example::serve(road, encoding).call("list_instances", &json!({}));
    assert!(!answer.is_error, "{:?}", answer.blocks);
    answer
}

#[test]
fn the_listing_of_the_fleet_is_30_blocks_in_json_and_one_in_gcf() {
    for road in [Road::Stdio, Road::Http] {
        let json = listing(road, "json");
        assert_eq!(json.blocks.len(), 30, "{road:?}");
        assert!(json.blocks.iter().all(|block| block.starts_with(r#"{"name":""#)), "{road:?}");
        let gcf = listing(road, "gcf");
        assert_eq!(gcf.blocks.len(), 1, "{road:?}");
        assert!(gcf.blocks[0].starts_with("GCF profile=generic"), "{road:?}: {}", gcf.blocks[0]);
        let bytes = |answer: &Answer| answer.blocks.iter().map(String::len).sum::<usize>();
        assert!(bytes(&gcf) < bytes(&json), "{road:?}");
    }
}

#[test]
fn json_is_the_encoding_when_none_is_named() {
    let workspace = Workspace::example();
    let mut client = Client::open(Stdio::start(workspace.command().arg("--stdio")));
    assert_eq!(client.call("list_instances", &json!({})).rows().len(), 30);
}

#[test]
fn a_toolset_lists_its_own_tools_in_the_order_of_the_file() {
    let example = Example::serve(Road::Http, "json");
    let server = example.server.as_ref().expect("a server");
    let tools = |path| names(&Client::open(server.client(path)).tools());
    assert_eq!(tools("/mcp/operations"), ["list_instances", "count_instances", "run_sql"]);
    assert_eq!(
        tools("/mcp/shop"),
        [
            "find_customers",
            "list_orders",
            "get_order_lines",
            "sales_by_country",
            "add_order",
            "add_order_line"
        ]
    );
    let all = tools("/mcp");
    assert_eq!(all.len(), 9);
    assert!(all.is_sorted(), "{all:?}");
    assert_eq!(tools("/mcp/"), all);
}

#[test]
fn tools_that_read_say_so_and_tools_that_write_say_so() {
    let mut example = Example::serve(Road::Stdio, "json");
    for tool in example.client.tools() {
        let writes = tool["name"].as_str().expect("a name").starts_with("add_");
        assert_eq!(tool["annotations"]["readOnlyHint"], !writes, "{tool}");
    }
}

fn names(tools: &[Json]) -> Vec<String> {
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}
