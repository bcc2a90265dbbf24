//! What goes wrong inside a call is a result that the model reads, not a protocol error.

use serde_json::json;

use super::on_both;

#[test]
fn every_wrong_argument_is_named_at_once_and_nothing_runs() {
    on_both(&[], |client| {
        let answer = client.call("number", &json!({"value": "5x", "other": 5.5}));
        assert!(answer.is_error);
        assert_eq!(answer.blocks.len(), 1);
        let text = &answer.blocks[0];
        assert!(text.starts_with("provided parameters were invalid: parameter \"value\" "), "{text}");
        assert!(text.contains("; parameter \"other\" "), "{text}");
        assert!(!text.contains('\n'), "{text}");
        assert!(client.call("add", &json!({"label": null})).is_error);
        assert!(client.call("add", &json!({})).is_error);
        let count = client.call("sql", &json!({"sql": "SELECT count(*) AS items FROM items"}));
        assert_eq!(count.rows(), [json!({"items": 0})]);
    });
}

#[test]
fn what_the_database_says_reaches_the_model() {
    on_both(&[], |client| {
        let answer = client.call("sql", &json!({"sql": "SELECT * FROM no_such_table"}));
        assert!(answer.is_error);
        assert!(answer.blocks[0].contains("no such table: no_such_table"), "{:?}", answer.blocks);
        assert!(!client.call("add", &json!({"label": "once"})).is_error);
        let again = client.call("add", &json!({"label": "once"}));
        assert!(again.is_error);
        assert!(again.blocks[0].contains("UNIQUE constraint failed: items.label"), "{:?}", again.blocks);
    });
}

#[test]
fn sql_of_the_model_only_reads_unless_the_operator_says_otherwise() {
    let write = json!({"sql": "INSERT INTO items (label) VALUES ('by the model')"});
    on_both(&[], |client| {
        let answer = client.call("sql", &write);
        assert!(answer.is_error);
        assert!(answer.blocks[0].contains("read-only"), "{:?}", answer.blocks);
        let count = client.call("sql", &json!({"sql": "SELECT count(*) AS items FROM items"}));
        assert_eq!(count.rows(), [json!({"items": 0})]);
    });
    on_both(&["--allow-writes"], |client| {
        assert_eq!(client.call("sql", &write).rows()[0]["rows_affected"], 1);
    });
    on_both(&["--read-only"], |client| {
        assert!(client.call("sql", &write).is_error);
        let names: Vec<_> = client.tools().iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(names, ["endless", "number", "rows", "sql", "text"], "add writes, so it is not served");
        let error = client
            .request("tools/call", &json!({"name": "add", "arguments": {"label": "a"}}))
            .expect_err("no such tool");
        assert_eq!(error["code"], -32602);
    });
}
