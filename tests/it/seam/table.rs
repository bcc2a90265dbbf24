//! `table`: JSON with the names once, sent whenever it is asked for.

use super::*;

/// Encodes as a table, which is one block of JSON.
#[track_caller]
fn written(events: Events) -> String {
    let encoded = encode(events, Encoding::Table, &Limits::default()).expect("no error");
    assert_eq!(encoded.encoding(), Encoding::Table);
    let [text] = encoded.blocks() else { panic!("one block") };
    serde_json::from_str::<serde_json::Value>(text).expect("valid JSON");
    text.clone()
}

#[test]
fn names_stand_once_and_cells_are_those_of_the_json() {
    let row = vec![
        Value::Int(9_007_199_254_740_993),
        decimal("1.10"),
        text("a\"b\n"),
        Value::Null,
        Value::Json(r#"{"b":1.50,"a":[]}"#.to_owned()),
        Value::Float(f64::NAN),
    ];
    let text = written(table(&["id", "id", "a \"name\"", "n", "j", "f"], vec![row.clone(), row]));
    let cells = r#"[9007199254740993,1.10,"a\"b\n",null,{"b":1.50,"a":[]},"NaN"]"#;
    assert_eq!(
        text,
        format!(r#"{{"columns":["id","id_2","a \"name\"","n","j","f"],"rows":[{cells},{cells}]}}"#)
    );
}

#[test]
fn bytes_no_rows_and_no_columns_are_tables_too() {
    let bytes = vec![vec![Value::Bytes(vec![0xde, 0xad, 0xbe, 0xef])]];
    assert_eq!(written(table(&["b"], bytes)), r#"{"columns":["b"],"rows":[["3q2+7w=="]]}"#);
    assert_eq!(written(table(&["id", "name"], Vec::new())), r#"{"columns":["id","name"],"rows":[]}"#);
    assert_eq!(written(table(&[], vec![Vec::new(), Vec::new()])), r#"{"columns":[],"rows":[[],[]]}"#);
}

#[test]
fn one_value_is_a_table_although_its_json_is_shorter() {
    assert_eq!(
        written(table(&["count"], vec![vec![Value::Int(5)]])),
        r#"{"columns":["count"],"rows":[[5]]}"#
    );
}

#[test]
fn several_result_sets_are_a_list_in_order_and_the_count_last() {
    assert_eq!(
        written(several(2)),
        concat!(
            r#"[{"columns":["first_number","note"],"rows":[[0,"the same words"],[1,"the same words"]]},"#,
            r#"{"columns":["second_number","note"],"rows":[[100,"the same words"],[101,"the same words"]]},"#,
            r#"{"rows_affected":7}]"#
        )
    );
    let mut events = table(&["id"], Vec::new());
    events
        .push(Ok(Event::Done(Done { rows_affected: Some(1), last_insert_id: Some(Value::UInt(u64::MAX)) })));
    assert_eq!(
        written(events),
        r#"[{"columns":["id"],"rows":[]},{"rows_affected":1,"last_insert_id":18446744073709551615}]"#
    );
}

#[test]
fn a_statement_without_rows_stays_the_object_that_it_is() {
    let encoded =
        encode(vec![Ok(Event::Done(changed(3)))], Encoding::Table, &Limits::default()).expect("no error");
    assert_eq!(encoded.blocks(), [r#"{"rows_affected":3}"#]);
    assert_eq!(encoded.encoding(), Encoding::Json);
}
