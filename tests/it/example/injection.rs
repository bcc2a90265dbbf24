//! Arguments that would do harm if any of them became SQL.

use serde_json::{Map, Value as Json, json};

use super::{Example, Road};
use crate::support::Dump;

/// Texts that end a literal, a name, a list, a comment or a statement, and go on with a write.
const HOSTILE: &[&str] = &[
    "'; DROP TABLE customers; --",
    "x' OR '1'='1",
    "1; DELETE FROM orders",
    "1) OR 1=1; DELETE FROM order_lines; --",
    "\"; DROP TABLE instances; --",
    "state\" FROM instances; DROP TABLE orders; --",
    "`; DROP TABLE products; --",
    "]; DROP TABLE products; --",
    "*/ DELETE FROM customers; /*",
    "$1 ?1 :a @b {{.property}} ${HOME}",
    "\\'; UPDATE products SET price_cents = 0; --",
    "\u{2019}; DROP TABLE customers; --",
    "a\u{0};DROP TABLE customers",
    "state\nUNION SELECT 1, 2, 3",
    "[1]'; DROP TABLE orders; --",
    "{\"a\": \"'; DROP TABLE orders; --\"}",
];

/// Statements of a model that would write if they ran.
const WRITES: &[&str] = &[
    "DELETE FROM orders",
    "DROP TABLE customers",
    "UPDATE products SET price_cents = 0",
    "INSERT INTO products VALUES ('x', 'x', 1, NULL)",
    "REPLACE INTO products VALUES ('007100', 'x', 1, NULL)",
    "CREATE TABLE leak (x)",
    "CREATE TEMP TABLE leak (x)",
    "ALTER TABLE orders RENAME TO leak",
    "SELECT 1; DELETE FROM orders",
    "SELECT 1;\n-- and\nDELETE FROM orders;",
    "/* SELECT */ DELETE FROM orders",
    "\u{feff}DELETE FROM orders",
    "WITH x AS (SELECT 1) DELETE FROM orders",
    "WITH x AS (SELECT 1) INSERT INTO products SELECT 'x', 'x', 1, NULL FROM x",
    "DELETE FROM orders RETURNING id",
    "EXPLAIN SELECT 1; DELETE FROM orders",
    "BEGIN",
    "COMMIT",
    "PRAGMA query_only = OFF",
    "PRAGMA query_only(0)",
    "PRAGMA writable_schema = 1",
    "PRAGMA user_version = 7",
    "PRAGMA journal_mode = DELETE",
    "ATTACH 'leak.db' AS leak",
    "VACUUM",
    "VACUUM INTO 'leak.db'",
    "REINDEX",
    "ANALYZE",
    "SELECT load_extension('leak')",
];

/// Valid arguments of each tool, into which one hostile value at a time is put.
fn valid(tool: &str) -> Json {
    match tool {
        "count_instances" => json!({"property": "state"}),
        "find_customers" => json!({"text": "a"}),
        "list_orders" => json!({"customer_id": 7_960_607_143_101_464_576_i64}),
        "get_order_lines" => json!({"order_ids": [9_007_199_254_740_993_i64]}),
        "add_order" => json!({"customer_id": 7_960_607_143_101_464_576_i64, "shipping": {}}),
        "add_order_line" => json!({"order_id": 9_007_199_254_740_993_i64, "sku": "007100"}),
        "run_sql" => json!({"sql": "SELECT 1"}),
        _ => json!({}),
    }
}

/// Every way to hand a hostile text to a parameter with this schema.
fn disguises(schema: &Json, text: &str) -> Vec<Json> {
    let mut disguises = vec![json!(text), json!([text]), json!({"a": text})];
    if schema["type"] == "object" {
        let mut keyed = Map::new();
        keyed.insert(text.to_owned(), json!(text));
        disguises.push(Json::Object(keyed));
    }
    disguises
}

/// Rows may have been added where a tool is meant to add them; nothing else has changed.
fn assert_unharmed(before: &Dump, after: &Dump, tool: &str) {
    let mut before = before.clone();
    let mut after = after.clone();
    if tool == "add_order" {
        let [old, new] = [&mut before, &mut after].map(|dump| dump.remove("orders").expect("orders"));
        assert!(old.iter().all(|row| new.contains(row)), "an order was changed");
    }
    assert_eq!(after, before, "{tool}");
}

fn no_argument_becomes_sql(road: Road) {
    let mut example = Example::serve(road, "json");
    assert_eq!(example.call("list_instances", &json!({})).rows().len(), 30);
    let mut database = example.database();
    let mut kinds = std::collections::BTreeSet::new();
    for tool in example.client.tools() {
        let name = tool["name"].as_str().expect("a name");
        let before = database.dump();
        for (parameter, schema) in tool["inputSchema"]["properties"].as_object().expect("properties") {
            kinds.insert(schema["type"].as_str().expect("a type").to_owned());
            for text in HOSTILE {
                for disguise in disguises(schema, text) {
                    let mut arguments = valid(name);
                    arguments[parameter] = disguise;
                    example.call(name, &arguments);
                }
            }
        }
        assert_unharmed(&before, &database.dump(), name);
    }
    let all = ["array", "boolean", "integer", "number", "object", "string"];
    assert!(kinds.iter().eq(all), "the example has every kind of parameter: {kinds:?}");

    // What may be stored is stored as it is.
    let notes = database
        .texts("SELECT note FROM orders WHERE customer_id = 7960607143101464576 AND note IS NOT NULL");
    let stored = database.objects("SELECT shipping FROM orders WHERE customer_id = 7960607143101464576");
    for text in HOSTILE {
        assert!(notes.iter().any(|note| note == text), "{text:?}");
        assert!(stored.iter().any(|shipping| shipping.get(*text) == Some(&json!(text))), "{text:?}");
    }
}

#[test]
fn no_argument_becomes_sql_over_stdio() {
    no_argument_becomes_sql(Road::Stdio);
}

#[test]
fn no_argument_becomes_sql_over_http() {
    no_argument_becomes_sql(Road::Http);
}

#[test]
fn what_is_not_allowed_as_a_template_parameter_is_refused() {
    let mut example = Example::serve(Road::Stdio, "json");
    let near_misses = ["State", "state ", " state", "\"state\"", "name", "state, name", ""];
    for text in HOSTILE.iter().copied().chain(near_misses) {
        let answer = example.call("count_instances", &json!({"property": text}));
        assert!(answer.is_error, "{text:?}: {:?}", answer.blocks);
        assert!(answer.blocks[0].contains("property"), "{text:?}: {:?}", answer.blocks);
    }
}

#[test]
fn a_statement_of_the_model_that_writes_is_refused_and_leaves_no_trace() {
    let mut example = Example::serve(Road::Http, "json");
    assert_eq!(example.call("run_sql", &json!({"sql": "SELECT 1 AS one"})).blocks, [r#"{"one":1}"#]);
    let mut database = example.database();
    let before = database.dump();
    for sql in WRITES {
        let answer = example.call("run_sql", &json!({"sql": sql}));
        assert!(answer.is_error, "{sql:?}: {:?}", answer.blocks);
        assert_eq!(answer.blocks.len(), 1, "{sql:?}");
        assert_eq!(database.dump(), before, "{sql:?}");
    }
    let leak = example.workspace.path().join("leak.db");
    assert!(!leak.exists(), "{} was written", leak.display());
    assert_eq!(example.call("run_sql", &json!({"sql": "SELECT 2 AS two"})).blocks, [r#"{"two":2}"#]);
}
