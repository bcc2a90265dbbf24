//! Any result at all, asked for in every form: what comes out reads back to what went in, with readers that are not ours.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value as Json;

use super::*;

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(
            &[
                "",
                "-",
                "~",
                "^",
                "^{a}",
                "true",
                "null",
                "007",
                "1e5",
                "#x",
                "@0 a",
                ".a",
                " a ",
                "a|b",
                "a,b",
                "\"",
                "\\",
                "\n",
                "[1]:",
                "}",
                "\u{a0}",
                "\u{85}",
                "日本🙂"
            ][..]
        )
        .prop_map(str::to_owned),
        "[a-z]{1,12}",
        any::<String>(),
    ]
}

fn scalar() -> BoxedStrategy<Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => any::<i64>().prop_map(Value::Int),
        2 => any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Value::Float),
        2 => "-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,20})?".prop_map(Value::Decimal),
        4 => hostile().prop_map(Value::Text),
    ]
    .boxed()
}

/// A text as JSON that escapes more than it must: all beyond ASCII, as many writers do, and `/`.
fn escaped(text: &str) -> String {
    let mut json = "\"".to_owned();
    for character in text.chars() {
        match character {
            '/' => json.push_str("\\/"),
            ' '..='~' if !"\"\\".contains(character) => json.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    write!(json, "\\u{unit:04x}").unwrap();
                }
            }
        }
    }
    json + "\""
}

/// Every kind of value, those that only JSON can say among them.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        8 => scalar(),
        1 => any::<u64>().prop_map(Value::UInt),
        1 => any::<f64>().prop_map(Value::Float),
        1 => "[-+0-9.eE]{0,6}".prop_map(Value::Decimal),
        1 => proptest::collection::vec(any::<u8>(), 0..20).prop_map(Value::Bytes),
        1 => proptest::sample::select(&["{}", "[1,2.50,{\"b\":null}]", "\"x\"", "1e400", "{\"a\":"][..])
            .prop_map(|text| Value::Json(text.to_owned())),
        1 => hostile().prop_map(|text| Value::Json(escaped(&text))),
        1 => hostile().prop_map(|text| Value::Json(format!("{{\"b\":{}}}", escaped(&text)))),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec(inner, 0..4).prop_map(|values| {
                let name = |(index, value)| (format!("f{index}"), value);
                Value::Object(values.into_iter().enumerate().map(name).collect())
            }),
        ]
    })
}

/// Names and rows, with enough rows of long enough names for GCF to win often.
fn result(cell: BoxedStrategy<Value>) -> impl Strategy<Value = (Vec<String>, Vec<Row>)> {
    (1_usize..=5, 0_usize..=25).prop_flat_map(move |(columns, rows)| {
        let row = proptest::collection::vec(cell.clone(), columns);
        (proptest::collection::vec(hostile(), columns), proptest::collection::vec(row, rows))
    })
}

/// Any result set at all.
pub(super) fn any_result() -> impl Strategy<Value = (Vec<String>, Vec<Row>)> {
    result(any_value().boxed())
}

/// Whether JSON that an independent parser read is this value: every digit of a number counts, doubles bit by bit.
fn is_value(read: &Json, value: &Value) -> bool {
    match (read, value) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(read), Value::Bool(value)) => read == value,
        (Json::Number(read), Value::Int(value)) => read.as_str() == value.to_string(),
        (Json::Number(read), Value::UInt(value)) => read.as_str() == value.to_string(),
        (Json::Number(read), Value::Float(value)) => {
            read.as_str().parse::<f64>().is_ok_and(|read| read.to_bits() == value.to_bits())
        }
        (Json::String(read), Value::Float(value)) => match read.as_str() {
            "NaN" => value.is_nan(),
            "Infinity" => *value == f64::INFINITY,
            "-Infinity" => *value == f64::NEG_INFINITY,
            _ => false,
        },
        // The parser spells every exponent `e+1`.
        (Json::Number(read), Value::Decimal(digits)) => {
            read.as_str().replace("e+", "e") == digits.to_lowercase().replace("e+", "e")
        }
        (Json::String(read), Value::Decimal(digits)) => {
            read == digits && serde_json::from_str::<serde_json::Number>(digits).is_err()
        }
        (Json::String(read), Value::Text(text)) => read == text,
        (Json::String(read), Value::Bytes(bytes)) => {
            use base64::{Engine as _, engine::general_purpose::STANDARD};
            STANDARD.decode(read).as_ref() == Ok(bytes)
        }
        (read, Value::Json(text)) => {
            serde_json::from_str::<Json>(text).unwrap_or_else(|_| Json::String(text.clone())) == *read
        }
        (Json::Array(read), Value::Array(items)) => {
            read.len() == items.len() && read.iter().zip(items).all(|(read, item)| is_value(read, item))
        }
        (Json::Object(read), Value::Object(fields)) => {
            read.len() == fields.len()
                && read
                    .iter()
                    .zip(fields)
                    .all(|((key, read), (name, field))| key == name && is_value(read, field))
        }
        _ => false,
    }
}

/// Whether a form that an independent reader read holds this value: integers exact, doubles by value, text of JSON as JSON.
fn is_loosely(read: &Json, value: &Value) -> bool {
    match (read, value) {
        (Json::Number(read), Value::Int(value)) => read.as_i64() == Some(*value),
        (Json::Number(read), Value::Float(value)) => read.as_f64() == Some(*value),
        // The crates read a decimal as a double; our own check compares the digits.
        (Json::Number(number), Value::Decimal(digits)) => {
            // One beyond the doubles is in GCX1 only, which keeps its digits.
            is_value(read, value) || number.as_f64() == digits.parse().ok()
        }
        (Json::Array(read), Value::Array(items)) => {
            read.len() == items.len() && read.iter().zip(items).all(|(read, item)| is_loosely(read, item))
        }
        (Json::Object(read), Value::Object(fields)) => {
            read.len() == fields.len()
                && read
                    .iter()
                    .zip(fields)
                    .all(|((key, read), (name, field))| key == name && is_loosely(read, field))
        }
        (read, value) => is_value(read, value),
    }
}

/// A reader of GCX1 by its grammar and the two rules for cells: names and rows of its only section.
fn read_gcx(text: &str) -> Option<(Vec<String>, Vec<Vec<Json>>)> {
    let mut lines = text.split_terminator('\n');
    let mut pairs = lines.next()?.strip_prefix("GCX1 ")?.split(' ').map(|pair| pair.split_once('='));
    let pairs: std::collections::BTreeMap<&str, &str> = pairs.by_ref().collect::<Option<_>>()?;
    let names: Vec<String> = pairs.get("fields")?.split(',').map(str::to_owned).collect();
    let types: Vec<char> = pairs.get("types").map(|types| types.chars().collect()).unwrap_or_default();
    let cell = |index: usize, cell: &str| {
        let mut plain = String::new();
        let mut characters = cell.chars();
        while let Some(character) = characters.next() {
            plain.push(match character {
                '\\' => match characters.next()? {
                    't' => '\t',
                    'n' => '\n',
                    other => other,
                },
                other => other,
            });
        }
        let json = serde_json::from_str::<Json>(&plain).ok();
        Some(match types.get(index) {
            Some('s') if plain.starts_with('"') => json?,
            _ if plain.is_empty() => Json::Null,
            Some('s') => Json::String(plain),
            Some(_) => json?,
            None => json.unwrap_or(Json::String(plain)),
        })
    };
    let row = |line: &str| {
        line.split('\t').enumerate().map(|(index, text)| cell(index, text)).collect::<Option<Vec<_>>>()
    };
    let rows = lines.map(row).collect::<Option<Vec<_>>>()?;
    (pairs.get("rows")?.parse() == Ok(rows.len())).then_some((names, rows))
}

/// What an independent reader finds: a list of names with cells for each row.
pub(crate) fn read(encoded: &Encoded) -> Vec<Vec<(String, Json)>> {
    let blocks = encoded.blocks();
    let object = |row: Json| match row {
        Json::Object(fields) => fields.into_iter().collect(),
        other => panic!("no row: {other}"),
    };
    let list = |read: Json| match read {
        Json::Array(rows) => rows.into_iter().map(object).collect(),
        other => panic!("no rows: {other}"),
    };
    match encoded.encoding() {
        Encoding::Json => blocks
            .iter()
            .map(|block| object(serde_json::from_str(block).expect("a block is valid JSON")))
            .collect(),
        Encoding::Table => {
            let table: Json = serde_json::from_str(&blocks[0]).expect("a table is valid JSON");
            let list = |key: &str| table[key].as_array().expect("a list");
            let names: Vec<&str> =
                list("columns").iter().map(|name| name.as_str().expect("a name")).collect();
            let row = |row: &Json| {
                let cells = row.as_array().expect("a row").iter().cloned();
                names.iter().map(|name| (*name).to_owned()).zip(cells).collect()
            };
            list("rows").iter().map(row).collect()
        }
        Encoding::Gcf => list(::gcf::decode_generic(&blocks[0]).expect("our GCF is readable")),
        Encoding::Toon => list(toon_format::decode_strict(&blocks[0]).expect("our TOON is readable")),
        Encoding::Gcx => {
            let (names, rows) = read_gcx(&blocks[0]).expect("our GCX is readable");
            rows.into_iter().map(|row| names.iter().cloned().zip(row).collect()).collect()
        }
        Encoding::Auto => panic!("auto is no form"),
    }
}

/// Asks for every form, and reads back what comes out.
fn check(names: &[String], rows: &[Row]) -> Result<(), TestCaseError> {
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    let json = encode_table(&columns, rows.to_vec(), Encoding::Json);
    for wish in Encoding::ALL {
        let encoded = encode_table(&columns, rows.to_vec(), wish);
        let sent = encoded.encoding();
        if sent == Encoding::Json {
            prop_assert_eq!(&encoded, &json);
        } else {
            prop_assert!(sent == wish || wish == Encoding::Auto);
            prop_assert!(sent == Encoding::Table || !rows.iter().flatten().any(Value::holds_bytes));
            prop_assert!(encoded.bytes() < json.bytes() || wish == Encoding::Table);
        }
        if !matches!(sent, Encoding::Json | Encoding::Table) || wish == sent {
            let objects = read(&encoded);
            prop_assert_eq!(objects.len(), rows.len());
            for (object, row) in objects.iter().zip(rows) {
                prop_assert_eq!(object.len(), row.len());
                for (((key, read), cell), name) in object.iter().zip(row).zip(names) {
                    prop_assert!(key.starts_with(name.as_str()), "{key:?} for {name:?}");
                    let is_exact = matches!(sent, Encoding::Json | Encoding::Table);
                    let same = if is_exact { is_value(read, cell) } else { is_loosely(read, cell) };
                    prop_assert!(same, "{}: {} for {:?}", sent, read, cell);
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn scalars_read_back_in_every_form((names, rows) in result(scalar())) {
        check(&names, &rows)?;
    }

    #[test]
    fn values_of_every_kind_read_back_in_every_form((names, rows) in any_result()) {
        check(&names, &rows)?;
    }
}
