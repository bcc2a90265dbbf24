//! TOON where it may stand in for JSON.

use super::*;

fn rows() -> Vec<Row> {
    (0..40).map(|id| vec![Value::Int(id), text(&format!("instance {id}"))]).collect()
}

#[track_caller]
fn stands_back(rows: Vec<Row>) {
    let json = encode_table(&["identifier", "description"], rows.clone(), Encoding::Json);
    assert_eq!(encode_table(&["identifier", "description"], rows, Encoding::Toon), json);
}

#[test]
fn a_table_of_scalars_is_a_header_and_a_line_a_row() {
    let encoded = encode_table(&["identifier", "description"], rows(), Encoding::Toon);
    assert_eq!(encoded.encoding(), Encoding::Toon);
    let [text] = encoded.blocks() else { panic!("one block") };
    assert!(text.starts_with("[40]{identifier,description}:\n  0,instance 0\n  1,instance 1\n"), "{text}");
}

#[test]
fn values_that_toon_cannot_say_mean_json() {
    let with = |value: Value| {
        let mut rows = rows();
        rows[25][1] = value;
        stands_back(rows);
    };
    with(Value::Bytes(vec![1, 2, 3]));
    with(Value::Float(f64::NAN));
    with(Value::Float(f64::INFINITY));
    with(Value::Float(-0.0));
    with(decimal("1.10"));
    with(decimal("123456789012345678901234567890"));
    with(decimal("NaN"));
    with(Value::Json(r#"{"a":1.0}"#.to_owned()));
}

#[test]
fn integers_keep_every_digit() {
    let mut rows = rows();
    let numbers =
        [Value::Int(i64::MIN), Value::Int(9_007_199_254_740_993), Value::UInt(u64::MAX), decimal("1.5")];
    for (row, number) in rows.iter_mut().zip(numbers) {
        row[1] = number;
    }
    let encoded = encode_table(&["identifier", "description"], rows, Encoding::Toon);
    assert_eq!(encoded.encoding(), Encoding::Toon);
    for line in ["0,-9223372036854775808\n", "1,9007199254740993\n", "2,18446744073709551615\n", "3,1.5\n"] {
        assert!(encoded.blocks()[0].contains(line), "{line}");
    }
}

/// One list in one cell makes TOON repeat all names in every row.
#[test]
fn a_list_in_a_cell_means_json() {
    let mut rows = rows();
    rows[25][1] = Value::Array(vec![Value::Int(1)]);
    stands_back(rows);
}
