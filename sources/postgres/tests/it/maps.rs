//! Maps and lists for types that have parts: row types, `hstore`, and types of which only the server knows that they have some.
//! Tools hand a map over as JSON text, other callers as an object.

use toolbox_source::{Value, json};

use crate::support::{ask, database, text};

const TYPES: &str = "
    CREATE EXTENSION hstore;
    CREATE TYPE inner_row AS (a int, \"b c\" text);
    CREATE TYPE outer_row AS (
        id bigint, name text, price numeric, ratio real, at timestamptz, day date, is_on boolean, key uuid, doc jsonb,
        tags text[], matrix int[], one inner_row, many inner_row[], pairs hstore, money money, span int4range);
    CREATE TABLE t (v outer_row, l inner_row[])";

/// The same map as an object and as its JSON text.
fn both(map: &str) -> [Value; 2] {
    [json::to_value(map).unwrap(), Value::Json(map.to_owned())]
}

#[tokio::test]
async fn a_map_for_a_row_type_fills_its_fields() {
    let database = database!(TYPES);
    let source = database.source();
    let full = r#"{"span": "[1,5)", "id": 9007199254740993, "name": "a \"b\", (c) {d} \\ é", "price": 1.10, "ratio": 0.1,
        "at": "2024-01-02T03:04:05+02:00", "day": "2024-02-29", "is_on": true, "key": "018f3a1e-0000-7000-8000-000000000000",
        "doc": {"a": [1.0, null], "b": "\"\\"}, "tags": ["x", null, "\"y\\"], "matrix": [[1, 2], [3, null]],
        "one": {"a": 1, "b c": "(\"q\",\\)"}, "many": [{"b c": "x"}, null, {"a": 2}], "pairs": {"a": "\"1\\", "b": null}, "money": 1.5}"#;
    // The server's own words for the same row.
    let expected = r#"ROW(9007199254740993, 'a "b", (c) {d} \ é', 1.10, 0.1, '2024-01-02T03:04:05+02:00', '2024-02-29', true,
        '018f3a1e-0000-7000-8000-000000000000', '{"a": [1.0, null], "b": "\"\\"}', ARRAY['x', NULL, '"y\'], ARRAY[[1, 2], [3, NULL]],
        ROW(1, '("q",\)')::inner_row, ARRAY[ROW(NULL, 'x')::inner_row, NULL, ROW(2, NULL)::inner_row],
        hstore(ARRAY['a', 'b'], ARRAY['"1\', NULL]), '1.5', '[1,5)')::outer_row"#;
    for map in both(full) {
        let same = format!("SELECT $1::outer_row IS NOT DISTINCT FROM {expected}");
        assert_eq!(ask(&same).with([map.clone()]).cell(&source).await, Value::Bool(true), "{map:?}");
        ask("INSERT INTO t (v) VALUES ($1)").with([map.clone()]).done(&source).await;
        let stored = database.text(&format!("SELECT (v IS NOT DISTINCT FROM {expected})::text FROM t")).await;
        assert_eq!(stored.as_deref(), Some("true"));
        database.script("DELETE FROM t").await;
    }
    for (map, expected) in [
        ("{}", "ROW(NULL, NULL)"),
        (r#"{"b c": ""}"#, "ROW(NULL, '')"),
        (r#"{"b c": null, "a": 0}"#, "ROW(0, NULL)"),
    ] {
        for map in both(map) {
            let same = format!("SELECT $1::inner_row IS NOT DISTINCT FROM {expected}::inner_row");
            assert_eq!(ask(&same).with([map.clone()]).cell(&source).await, Value::Bool(true), "{map:?}");
        }
    }
    for (map, error) in [
        (r#"{"a": 1, "c": 2}"#, "argument 1: the type has no field \"c\"; it has a, b c"),
        (r#"{"a": 1.5}"#, "argument 1: field \"a\": "),
        (r#"{"a": "x"}"#, "argument 1: field \"a\": "),
        (r#"{"a": []}"#, "argument 1: field \"a\": "),
        (r#"{"b c": {}}"#, "argument 1: field \"b c\": "),
        (r#"{"b c": "a\u0000b"}"#, "argument 1: field \"b c\": "),
    ] {
        for map in both(map) {
            let said = ask("SELECT $1::inner_row").with([map]).error(&source).await;
            assert!(said.starts_with(error), "{said}");
        }
    }
    database.end().await;
}

#[tokio::test]
async fn a_list_of_maps_fills_an_array_of_rows() {
    let database = database!(TYPES);
    let source = database.source();
    let maps = [r#"{"a": 1}"#, r#"{"b c": "x,\"y\""}"#];
    for number in [0, 1] {
        let list =
            Value::Array(maps.iter().map(|map| both(map)[number].clone()).chain([Value::Null]).collect());
        ask("INSERT INTO t (l) VALUES ($1)").with([list]).done(&source).await;
    }
    let expected = r#"ARRAY[ROW(1, NULL)::inner_row, ROW(NULL, 'x,"y"')::inner_row, NULL]"#;
    let right = database.text(&format!("SELECT count(*)::text FROM t WHERE l = {expected}")).await;
    assert_eq!(right.as_deref(), Some("2"));
    let wrong = Value::Array(vec![Value::Json(maps[0].to_owned()), Value::Json(r#"{"x": 1}"#.to_owned())]);
    let error = ask("INSERT INTO t (l) VALUES ($1)").with([wrong]).error(&source).await;
    assert!(error.starts_with("argument 1: entry 2: the type has no field \"x\""), "{error}");
    database.end().await;
}

#[tokio::test]
async fn a_map_for_hstore_may_come_as_json() {
    let database = database!(TYPES);
    let source = database.source();
    for map in both(r#"{"a": "1", "b\"\\": null, "": "x => \"y\"", "n": 1.10, "t": true}"#) {
        let same = r#"SELECT $1::hstore = hstore(ARRAY['a', 'b"\', '', 'n', 't'], ARRAY['1', NULL, 'x => "y"', '1.10', 'true'])"#;
        assert_eq!(ask(same).with([map]).cell(&source).await, Value::Bool(true));
    }
    let text_form = ask("SELECT $1::hstore = 'a=>1'").with([text("a=>1")]);
    assert_eq!(text_form.cell(&source).await, Value::Bool(true));
    for map in both(r#"{"a": {"b": 1}}"#) {
        let error = ask("SELECT $1::hstore").with([map]).error(&source).await;
        assert!(error.starts_with("argument 1: key \"a\": "), "{error}");
    }
    database.end().await;
}

/// As the vectors of an extension take them. The type of this test is a text that no other code knows.
#[tokio::test]
async fn a_list_for_a_type_of_its_own_is_a_list_in_brackets() {
    let database = database!(
        "CREATE TYPE vector;
         CREATE FUNCTION vector_in(cstring) RETURNS vector AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
         CREATE FUNCTION vector_out(vector) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
         CREATE FUNCTION vector_send(vector) RETURNS bytea AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT;
         CREATE FUNCTION vector_recv(internal) RETURNS vector AS 'bytearecv' LANGUAGE internal IMMUTABLE STRICT;
         CREATE TYPE vector (INPUT = vector_in, OUTPUT = vector_out, SEND = vector_send, RECEIVE = vector_recv, LIKE = text);
         CREATE TABLE items (v vector)"
    );
    let source = database.source();
    let list = Value::Array(vec![Value::Float(1.5), Value::Int(2), Value::Decimal("-0.250".to_owned())]);
    ask("INSERT INTO items VALUES ($1)").with([list]).done(&source).await;
    assert_eq!(database.text("SELECT v::text FROM items").await.as_deref(), Some("[1.5,2,-0.250]"));
    database.end().await;
}
