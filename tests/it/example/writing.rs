//! Calls of the tools that write, and what SQLite holds afterwards.

use serde_json::json;

use super::{Example, rows};
use crate::support::Database;

const CUSTOMER: i64 = 7_960_607_143_101_464_577;

/// Opens an order, fills it and reads it back.
pub(crate) fn check(example: &mut Example, encoding: &str) {
    let mut database = example.database();
    let before = database.dump();

    let shipping = json!({"service": "express", "city": "Αθήνα", "remark": "ring \"twice\", it's broken"});
    let note = "two lines,\nand a 🎁";
    let answer =
        example.call("add_order", &json!({"customer_id": CUSTOMER, "shipping": shipping, "note": note}));
    let order: i64 = number(&mut database, "SELECT max(id) FROM orders");
    assert!(order > 1 << 53, "{order}");
    assert_eq!(
        rows::of(&answer, encoding),
        [json!({"rows_affected": 1, "last_insert_id": order}).to_string()]
    );
    let stored = database.objects(&format!(
        "SELECT json_object('customer', customer_id, 'status', status, 'shipping', json(shipping), 'note', note,
                            'placed now', abs(julianday('now') - julianday(placed)) < 0.01)
         FROM orders WHERE id = {order}"
    ));
    let expected =
        json!({"customer": CUSTOMER, "status": "open", "shipping": shipping, "note": note, "placed now": 1});
    assert_eq!(stored, [expected]);

    // The quantity has a default; the line is WITHOUT ROWID, so it has no id to tell.
    let affected = |rows: u64| [json!({"rows_affected": rows}).to_string()];
    let answer = example.call("add_order_line", &json!({"order_id": order, "sku": "007100"}));
    assert_eq!(rows::of(&answer, encoding), affected(1));
    let answer = example.call("add_order_line", &json!({"order_id": order, "sku": "12E4", "quantity": 3}));
    assert_eq!(rows::of(&answer, encoding), affected(1));
    let lines = database.texts(&format!(
        "SELECT format('%d %s %d %d', line, sku, quantity, unit_price_cents) FROM order_lines WHERE order_id = {order}"
    ));
    assert_eq!(lines, ["1 007100 1 1290", "2 12E4 3 8950"]);

    // What was written is there for the next reader.
    let answer = example.call("list_orders", &json!({"customer_id": CUSTOMER, "statuses": ["open"]}));
    let mut listed = rows::of(&answer, encoding);
    let last = listed.pop().expect("the new order");
    assert!(last.starts_with(&format!(r#"{{"id":{order},"status":"open","#)), "{last}");
    assert!(last.contains(r#""lines":2,"total_cents":28140,"#), "{last}");

    // What must not be written is not.
    let after = database.dump();
    assert_ne!(after, before);
    for (order, sku) in [(9_007_199_254_740_993, "007100"), (order, "7100"), (order + 1, "007100")] {
        let answer = example.call("add_order_line", &json!({"order_id": order, "sku": sku}));
        assert_eq!(rows::of(&answer, encoding), affected(0), "{order} {sku}");
    }
    for quantity in [0, -1, 1001] {
        let arguments = json!({"order_id": order, "sku": "007100", "quantity": quantity});
        assert!(example.call("add_order_line", &arguments).is_error, "{quantity}");
    }
    let nobody = example.call("add_order", &json!({"customer_id": 1, "shipping": {}}));
    assert!(nobody.is_error, "{:?}", nobody.blocks);
    assert!(nobody.blocks[0].contains("FOREIGN KEY"), "{:?}", nobody.blocks);
    assert_eq!(database.dump(), after);
}

fn number(database: &mut Database, sql: &str) -> i64 {
    database.texts(&format!("SELECT CAST(({sql}) AS TEXT)"))[0].parse().expect("a number")
}
