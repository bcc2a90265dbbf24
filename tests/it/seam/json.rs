//! JSON: one block a row, exact values, and everything that is no row.

use toolbox_source::DatabaseError;

use super::*;

/// Encodes a value alone and takes the row off again.
fn spelled(value: Value) -> String {
    let encoded = encode_table(&["v"], vec![vec![value]], Encoding::Json);
    let block = encoded.blocks().first().expect("one row is one block");
    serde_json::from_str::<serde_json::Value>(block).expect("a block is valid JSON");
    block.strip_prefix("{\"v\":").and_then(|rest| rest.strip_suffix('}')).expect("one field").to_owned()
}

#[test]
fn every_kind_of_value_has_its_spelling() {
    let json = |text: &str| Value::Json(text.to_owned());
    for (value, expected) in [
        (Value::Null, "null"),
        (Value::Bool(true), "true"),
        (Value::Bool(false), "false"),
        (Value::Int(0), "0"),
        (Value::Int(9_007_199_254_740_993), "9007199254740993"),
        (Value::Int(i64::MIN), "-9223372036854775808"),
        (Value::UInt(u64::MAX), "18446744073709551615"),
        (Value::Float(1.0), "1"),
        (Value::Float(0.1), "0.1"),
        (Value::Float(-0.0), "-0"),
        (Value::Float(1e300), "1e+300"),
        (Value::Float(1e20), "100000000000000000000"),
        (Value::Float(1e21), "1e+21"),
        (Value::Float(1e-7), "1e-7"),
        (Value::Float(f64::NAN), r#""NaN""#),
        (Value::Float(f64::INFINITY), r#""Infinity""#),
        (Value::Float(f64::NEG_INFINITY), r#""-Infinity""#),
        (decimal("1.10"), "1.10"),
        (decimal("123456789012345678901234567890.123"), "123456789012345678901234567890.123"),
        (decimal("NaN"), r#""NaN""#),
        (decimal(".5"), r#"".5""#),
        (decimal("+5"), r#""+5""#),
        (decimal("007"), r#""007""#),
        (text(""), r#""""#),
        (text("null"), r#""null""#),
        (text("a\"b\\c/d"), r#""a\"b\\c/d""#),
        (text("\u{8}\u{c}\n\r\t\0\u{1b}\u{1f}\u{7f}"), "\"\\b\\f\\n\\r\\t\\u0000\\u001b\\u001f\u{7f}\""),
        (text("<a href='x'>&</a>\u{2028}日本🙂"), "\"<a href='x'>&</a>\u{2028}日本🙂\""),
        (json(r#"{"b":1.50,"a":[9007199254740993,null]}"#), r#"{"b":1.50,"a":[9007199254740993,null]}"#),
        (json("null"), "null"),
        (Value::Bytes(vec![0xde, 0xad, 0xbe, 0xef, 0]), r#""3q2+7wA=""#),
        (Value::Bytes(Vec::new()), r#""""#),
        (
            Value::Array(vec![Value::Int(1), Value::Array(vec![Value::Null]), text("b,c")]),
            r#"[1,[null],"b,c"]"#,
        ),
        (Value::Array(Vec::new()), "[]"),
        (
            Value::Object(vec![
                ("z".to_owned(), Value::Int(1)),
                ("a \"b\"".to_owned(), Value::Bytes(vec![1])),
            ]),
            r#"{"z":1,"a \"b\"":"AQ=="}"#,
        ),
        (Value::Object(Vec::new()), "{}"),
    ] {
        assert_eq!(spelled(value.clone()), expected, "{value:?}");
    }
}

#[test]
fn a_damaged_json_cell_becomes_text_and_leaves_its_row_whole() {
    for damaged in [r#"{"a":1"#, "", "nul", "{} {}", "[1,]", "{\"a\":1}}", "\u{0}", "01", "\"a\nb\""] {
        let row = vec![Value::Int(1), Value::Json(damaged.to_owned()), Value::Int(2)];
        let encoded = encode_table(&["a", "j", "b"], vec![row], Encoding::Json);
        let read: serde_json::Value = serde_json::from_str(&encoded.blocks()[0]).expect("valid JSON");
        assert_eq!(read["j"], serde_json::Value::String(damaged.to_owned()));
        assert_eq!(read["b"], serde_json::json!(2));
    }
}

#[test]
fn json_nested_deeper_than_any_parser_limit_is_still_inline() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let encoded = encode_table(&["j"], vec![vec![Value::Json(deep.clone())]], Encoding::Gcf);
    assert_eq!(encoded.blocks(), [format!("{{\"j\":{deep}}}")]);
}

#[test]
fn rows_are_blocks_in_order_and_fields_are_in_column_order() {
    let rows =
        vec![vec![Value::Int(2), text("b"), Value::Null], vec![Value::Int(1), text("a"), Value::Bool(true)]];
    let encoded = encode_table(&["z", "a", "m"], rows, Encoding::Json);
    assert_eq!(encoded.blocks(), [r#"{"z":2,"a":"b","m":null}"#, r#"{"z":1,"a":"a","m":true}"#]);
    assert_eq!(encoded.encoding(), Encoding::Json);
    assert_eq!(encoded.bytes(), 48);
    assert_eq!(encoded.json_bytes(), 48);
    assert_eq!(encoded.truncated(), None);
}

#[test]
fn repeated_names_are_told_apart_and_odd_names_are_kept() {
    let encoded = encode_table(
        &["id", "id", "id_2"],
        vec![vec![Value::Int(1), Value::Int(2), Value::Int(3)]],
        Encoding::Json,
    );
    assert_eq!(encoded.blocks(), [r#"{"id":1,"id_3":2,"id_2":3}"#]);
    let names = ["select", "a b", "ä", "\"", "", "a > 1"];
    let row = (1..=6).map(Value::Int).collect();
    let encoded = encode_table(&names, vec![row], Encoding::Json);
    assert_eq!(encoded.blocks(), [r#"{"select":1,"a b":2,"ä":3,"\"":4,"":5,"a > 1":6}"#]);
}

#[test]
fn no_rows_are_no_blocks() {
    for wish in Encoding::ALL.into_iter().filter(|wish| *wish != Encoding::Table) {
        let encoded = encode_table(&["id", "name"], Vec::new(), wish);
        assert_eq!(encoded.blocks(), [] as [&str; 0]);
        assert_eq!((encoded.encoding(), encoded.json_bytes()), (Encoding::Json, 0));
    }
}

#[test]
fn rows_without_columns_are_empty_objects() {
    for wish in Encoding::ALL.into_iter().filter(|wish| *wish != Encoding::Table) {
        assert_eq!(encode_table(&[], vec![Vec::new(), Vec::new()], wish).blocks(), ["{}", "{}"]);
    }
}

#[test]
fn a_statement_without_columns_answers_with_what_it_changed() {
    for wish in Encoding::ALL {
        let answer =
            |done| encode(vec![Ok(Event::Done(done))], wish, &Limits::default()).map(Encoded::into_blocks);
        assert_eq!(answer(changed(3)), Ok(vec![r#"{"rows_affected":3}"#.to_owned()]));
        let inserted = Done { rows_affected: Some(1), last_insert_id: Some(Value::UInt(u64::MAX)) };
        let expected = r#"{"rows_affected":1,"last_insert_id":18446744073709551615}"#;
        assert_eq!(answer(inserted), Ok(vec![expected.to_owned()]));
    }
}

#[test]
fn several_result_sets_are_rows_in_order_and_the_count_last() {
    for wish in [Encoding::Json, Encoding::Gcf, Encoding::Toon] {
        let encoded = encode(several(20), wish, &Limits::default()).expect("no error");
        assert_eq!(encoded.encoding(), Encoding::Json);
        assert_eq!(encoded.blocks().len(), 41);
        assert_eq!(encoded.blocks()[0], r#"{"first_number":0,"note":"the same words"}"#);
        assert_eq!(encoded.blocks()[20], r#"{"second_number":100,"note":"the same words"}"#);
        assert_eq!(encoded.blocks()[40], r#"{"rows_affected":7}"#);
        assert_eq!(encoded.bytes(), encoded.json_bytes());
    }
}

#[test]
fn an_error_in_the_middle_of_the_rows_is_an_error_of_the_whole() {
    let fault =
        SourceError::Database(DatabaseError { message: "division by zero".to_owned(), ..Default::default() });
    for wish in Encoding::ALL {
        let mut events = table(&["id"], (0..100).map(|id| vec![Value::Int(id)]).collect());
        events.insert(50, Err(fault.clone()));
        assert_eq!(encode(events, wish, &Limits::default()), Err(fault.clone()));
    }
}

#[test]
fn a_source_that_breaks_its_contract_gets_an_error_and_no_rows() {
    let check = |events: Vec<Event>, expected: &str| {
        for wish in Encoding::ALL {
            let answer = encode(events.iter().cloned().map(Ok).collect(), wish, &Limits::default());
            assert_eq!(answer.map_err(|error| error.to_string()), Err(expected.to_owned()));
        }
    };
    let row = |cells| Event::Row(vec![Value::Null; cells]);
    check(vec![columns(&["a", "b"]), row(3)], "a row has 3 cells for 2 columns");
    check(vec![columns(&["a", "b"]), row(1)], "a row has 1 cells for 2 columns");
    check(vec![row(1)], "a row came before its columns");
    check(vec![columns(&["a"]), columns(&["b"])], "a result set began before the one before it was complete");
    check(vec![columns(&["a"]), row(1)], "the answer ended before it was complete");
    check(Vec::new(), "the answer ended before it was complete");
}
