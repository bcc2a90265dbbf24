//! GCF where it may stand in for JSON, and the very same JSON where it may not.

use super::*;

/// Rows of a table that is large enough for GCF: 40 rows of a number and a text.
fn rows() -> Vec<Row> {
    (0..40).map(|id| vec![Value::Int(id), text(&format!("instance {id}"))]).collect()
}

/// Encodes as GCF, which must be what comes out, and gives the text.
#[track_caller]
fn gcf(names: &[&str], rows: Vec<Row>) -> String {
    let json = encode_table(names, rows.clone(), Encoding::Json);
    let encoded = encode_table(names, rows, Encoding::Gcf);
    assert_eq!(encoded.encoding(), Encoding::Gcf, "{:?}", encoded.blocks());
    assert_eq!(encoded.json_bytes(), json.bytes());
    assert!(encoded.bytes() < encoded.json_bytes());
    let [text] = encoded.blocks() else { panic!("one block") };
    text.clone()
}

/// Asks for GCF, which must stand back: what comes out is the JSON, byte for byte.
#[track_caller]
fn stands_back(names: &[&str], rows: Vec<Row>) {
    let json = encode_table(names, rows.clone(), Encoding::Json);
    assert_eq!(encode_table(names, rows, Encoding::Gcf), json);
}

#[test]
fn names_stand_once_in_the_header_and_cells_in_column_order() {
    let text = gcf(
        &["zone", "id", "a name"],
        (0..40).map(|id| vec![text("z"), Value::Int(id), text("x")]).collect(),
    );
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("GCF profile=generic"));
    assert_eq!(lines.next(), Some(r#"## [40]{zone=z,id,"a name"=x}"#));
    assert_eq!(lines.next(), Some("0"));
    assert_eq!(lines.count(), 39);

    let text = gcf(
        &["z", "a", "m"],
        (0..40).map(|id| vec![Value::Int(id), Value::Null, Value::Bool(id > 3)]).collect(),
    );
    assert!(text.starts_with("GCF profile=generic\n## [40]{z,a=-,m}\n0|false\n"), "{text}");
}

#[test]
fn of_columns_that_all_are_constant_the_last_stays_in_the_rows() {
    let text = gcf(&["tenant", "state"], vec![vec![text("a,b"), text("active")]; 40]);
    assert_eq!(
        text,
        format!("GCF profile=generic\n## [40]{{tenant=\"a,b\",state}}\n{}", "active\n".repeat(40))
    );
}

#[test]
fn a_result_that_would_not_shrink_stays_the_very_same_json() {
    stands_back(&["status"], vec![vec![text("x")]; 3]);
    stands_back(&["count"], vec![vec![Value::Int(5)]]);
    stands_back(&["text"], vec![vec![text(&"\n\"".repeat(1000))]]);
    stands_back(&["note"], (0..4).map(|id| vec![text(&format!("|{id}"))]).collect());
}

#[test]
fn one_row_may_be_gcf_when_it_is_wide() {
    let names: Vec<String> = (0..60).map(|index| format!("metric_{index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let row = vec![Value::Null; 60];
    let text = gcf(&names, vec![row]);
    assert!(text.starts_with("GCF profile=generic\n## [1]{metric_0,metric_1,"), "{text}");
    assert!(text.ends_with("|-|-\n"), "{text}");
    // Here the header costs more tokens than it saves.
    stands_back(&names, vec![(0..60).map(Value::Int).collect()]);
}

#[test]
fn integers_beyond_two_to_the_53_keep_every_digit() {
    let numbers =
        [9_007_199_254_740_993, -9_007_199_254_740_993, i64::MAX, i64::MIN, 7_960_607_143_101_464_576];
    let rows: Vec<Row> =
        numbers.into_iter().cycle().take(40).map(|id| vec![Value::Int(id), text("x")]).collect();
    let text = gcf(&["identifier", "note"], rows);
    let read = ::gcf::decode_generic(&text).expect("readable");
    for (index, number) in numbers.into_iter().cycle().take(40).enumerate() {
        assert_eq!(read[index]["identifier"].as_i64(), Some(number));
    }
}

#[test]
fn decimals_go_bare_with_their_own_digits() {
    let rows = (10..50).map(|id| vec![Value::Int(id), decimal(&format!("{id}.10"))]).collect();
    let text = gcf(&["id", "price"], rows);
    assert!(text.starts_with("GCF profile=generic\n## [40]{id,price}\n10|10.10\n11|11.10\n"), "{text}");
}

#[test]
fn values_that_gcf_cannot_say_mean_json() {
    let with = |value: Value| {
        let mut rows = rows();
        rows[25][1] = value;
        stands_back(&["identifier", "description"], rows);
    };
    with(Value::Bytes(vec![1, 2, 3]));
    with(Value::Bytes(Vec::new()));
    with(Value::Array(vec![Value::Int(1), Value::Array(vec![Value::Bytes(vec![1])])]));
    with(Value::Object(vec![("a".to_owned(), Value::Bytes(vec![1]))]));
    with(Value::Array(vec![decimal("1.5")]));
    with(Value::Object(vec![("a".to_owned(), Value::UInt(u64::MAX))]));
    with(Value::UInt(u64::MAX));
    with(Value::Float(f64::NAN));
    with(Value::Float(f64::NEG_INFINITY));
    with(decimal("12345678901234567890"));
    with(decimal("NaN"));
}

#[test]
fn names_that_gcf_cannot_say_mean_json() {
    stands_back(&["identifier", "a > 1"], rows());
    stands_back(&[">", "description"], rows());
}

#[test]
fn repeated_empty_and_hostile_names_go_out_as_gcf() {
    assert!(gcf(&["id", "id"], rows()).contains("{id,id_2}\n"));
    assert!(gcf(&["", ""], rows()).contains("{\"\",_2}\n"));
    let text = gcf(&["a,b}=\"\\\n|", "count(*)"], rows());
    assert!(text.contains(r#"## [40]{"a,b}=\"\\\n|","count(*)"}"#), "{text}");
    let read = ::gcf::decode_generic(&text).expect("readable");
    assert_eq!(read[39]["a,b}=\"\\\n|"], serde_json::json!(39));
}

#[test]
fn null_empty_text_and_a_blank_are_three_things() {
    let cells = [Value::Null, text(""), text(" "), text("-"), text("null"), text("0"), Value::Int(0)];
    let rows: Vec<Row> = cells.iter().cycle().take(42).map(|cell| vec![text("same"), cell.clone()]).collect();
    let text = gcf(&["a", "value"], rows);
    let expected = "-\n\"\"\n\" \"\n\"-\"\nnull\n\"0\"\n0\n".repeat(6);
    assert_eq!(text, format!("GCF profile=generic\n## [42]{{a=same,value}}\n{expected}"));
}

#[test]
fn doubles_come_back_by_value() {
    let numbers = [1.0, -0.0, 0.1, 1e300, 5e-324, 9_007_199_254_740_992.0, 1e15, 1e-7];
    let rows: Vec<Row> =
        numbers.into_iter().cycle().take(40).map(|v| vec![Value::Float(v), Value::Null]).collect();
    let text = gcf(&["measurement", "x"], rows);
    let cells: Vec<&str> = text.lines().skip(2).take(8).collect();
    assert_eq!(
        cells,
        ["1", "0", "0.1", "1e+300", "5e-324", "9.007199254740992e+15", "1000000000000000", "1e-7"]
    );
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let twice = [(); 2].map(|()| encode_table(&["identifier", "description"], rows(), Encoding::Gcf));
    assert_eq!(twice[0], twice[1]);
}
