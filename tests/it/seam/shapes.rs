//! Result sets of made-up data with which the encodings were measured: sizes and tokens here are those of the program that
//! measured them, which has writers of its own.

use std::{fs, path::PathBuf};

use serde_json::Value as Json;

use super::*;

/// A shape as names and rows; none, with the reason printed, where the fixtures are not there. Decimals are text in the
/// reference program.
fn shape(name: &str) -> Option<(Vec<String>, Vec<Row>)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/fixtures/result-shapes"));
    if !folder.is_dir() {
        println!("skipped {name}: no result shapes at {}", folder.display());
        return None;
    }
    let file = fs::read(folder.join(format!("{name}.json"))).expect("the shape is there");
    let shape: Json = serde_json::from_slice(&file).expect("valid JSON");
    let columns = shape["columns"].as_array().expect("columns");
    let names = columns.iter().map(|column| column["name"].as_str().expect("a name").to_owned()).collect();
    let row = |row: &Json| {
        let cells = row.as_array().expect("cells").iter();
        columns
            .iter()
            .zip(cells)
            .map(|(column, cell)| value(column["type"].as_str().expect("a type"), cell))
            .collect()
    };
    Some((names, shape["rows"].as_array().expect("rows").iter().map(row).collect()))
}

fn value(kind: &str, cell: &Json) -> Value {
    match (kind, cell) {
        (_, Json::Null) => Value::Null,
        ("json", cell) => Value::Json(cell.to_string()),
        ("int64", Json::Number(number)) => Value::Int(number.as_i64().expect("an int64")),
        ("float64", Json::Number(number)) => Value::Float(number.as_f64().expect("a double")),
        (_, Json::Bool(value)) => Value::Bool(*value),
        (_, Json::String(text)) => Value::Text(text.clone()),
        (kind, cell) => panic!("no value of {kind}: {cell}"),
    }
}

fn encoded(name: &str, wish: Encoding) -> Option<Encoded> {
    let (names, rows) = shape(name)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(encode_table(&names, rows, wish))
}

#[test]
fn sizes_of_tables_of_scalars_are_those_of_the_reference_program() {
    for (name, json, gcf) in [
        ("instances_30x7", 5735, 3154),
        ("orders_500x8", 83534, 34126),
        ("logs_200x5", 77407, 68283),
        ("tiny_5x3", 169, 104),
        ("wide_10x60", 15053, 5067),
        ("sparse_100x12", 22499, 5432),
        ("timeseries_1000x3", 50645, 23660),
        ("unicode_100x4", 10739, 7353),
        ("uuids_200x5", 40000, 28101),
        ("money_300x6", 32763, 17830),
        ("tenant_200x6", 26525, 3052),
        ("codes_150x5", 15602, 8015),
    ] {
        let (Some(encoded), Some((_, rows))) = (encoded(name, Encoding::Gcf), shape(name)) else { return };
        assert_eq!(encoded.encoding(), Encoding::Gcf, "{name}");
        // The reference program spelled whole doubles `1.0`; our JSON says `1`.
        let whole = |cell: &&Value| matches!(cell, Value::Float(value) if value.fract() == 0.0);
        let points = rows.iter().flatten().filter(whole).count();
        assert_eq!((encoded.json_bytes() + 2 * points, encoded.bytes()), (json, gcf), "{name}");
    }
}

#[test]
fn shapes_with_nested_json_few_cells_or_no_rows_stay_json() {
    for (name, bytes) in [
        ("list_tables_12x3", 19183),
        ("payloads_80x4", 11176),
        ("edges_40x6", 3323),
        ("count_1x1", 15),
        ("empty_0x4", 0),
    ] {
        let (Some(gcf), Some(json)) = (encoded(name, Encoding::Gcf), encoded(name, Encoding::Json)) else {
            return;
        };
        assert_eq!(gcf, json, "{name}");
        assert_eq!(json.bytes(), bytes, "{name}");
    }
}

/// Not one shape of scalars needs anything but the text of the gcf crate.
#[test]
fn texts_of_the_shapes_are_those_of_the_gcf_crate() {
    for name in
        ["instances_30x7", "orders_500x8", "wide_10x60", "sparse_100x12", "tenant_200x6", "codes_150x5"]
    {
        let (Some(gcf), Some(json)) = (encoded(name, Encoding::Gcf), encoded(name, Encoding::Json)) else {
            return;
        };
        let rows =
            json.blocks().iter().map(|block| serde_json::from_str(block).expect("valid JSON")).collect();
        assert_eq!(::gcf::encode_generic(&Json::Array(rows)).as_ref(), Ok(&gcf.blocks()[0]), "{name}");
    }
}

#[test]
fn the_listing_of_thirty_instances_costs_a_quarter_fewer_tokens() {
    let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary is built in");
    let count = |wish| -> Option<usize> {
        let encoded = encoded("instances_30x7", wish)?;
        Some(encoded.blocks().iter().map(|block| tokenizer.encode_ordinary(block).len()).sum())
    };
    let (Some(json), Some(gcf)) = (count(Encoding::Json), count(Encoding::Gcf)) else { return };
    assert_eq!((json, gcf), (2041, 1527));
}
