//! Any result at all, asked for in both forms: what comes out reads back to what went in.

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

/// Whether GCF that an independent reader read is this scalar: integers exact, doubles by value.
fn is_scalar(read: &Json, value: &Value) -> bool {
    match (read, value) {
        (Json::Number(read), Value::Int(value)) => read.as_i64() == Some(*value),
        (Json::Number(read), Value::Float(value)) => read.as_f64() == Some(*value),
        // The crate reads a decimal as a double; our own check compares the digits.
        (Json::Number(read), Value::Decimal(digits)) => read.as_f64() == digits.parse().ok(),
        (read, value) => is_value(read, value),
    }
}

fn check(encoded: &Encoded, names: &[String], rows: &[Row]) -> Result<(), TestCaseError> {
    let objects: Vec<Json> = match encoded.encoding() {
        Encoding::Json => {
            let parse = |block: &String| serde_json::from_str(block).expect("a block is valid JSON");
            encoded.blocks().iter().map(parse).collect()
        }
        Encoding::Gcf => {
            prop_assert_eq!(encoded.blocks().len(), 1);
            match ::gcf::decode_generic(&encoded.blocks()[0]).expect("our GCF is readable") {
                Json::Array(rows) => rows,
                other => panic!("no table: {other}"),
            }
        }
        other => panic!("{other} was not asked for"),
    };
    prop_assert_eq!(objects.len(), rows.len());
    for (object, row) in objects.iter().zip(rows) {
        let object = object.as_object().expect("a row is an object");
        prop_assert_eq!(object.len(), row.len());
        for (((key, read), cell), name) in object.iter().zip(row).zip(names) {
            prop_assert!(key.starts_with(name.as_str()), "{key:?} for {name:?}");
            let same = if encoded.encoding() == Encoding::Gcf {
                is_scalar(read, cell)
            } else {
                is_value(read, cell)
            };
            prop_assert!(same, "{} for {:?}", read, cell);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn scalars_read_back_in_both_forms((names, rows) in result(scalar())) {
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let json = encode_table(&columns, rows.clone(), Encoding::Json);
        check(&json, &names, &rows)?;
        let gcf = encode_table(&columns, rows.clone(), Encoding::Gcf);
        check(&gcf, &names, &rows)?;
        if gcf.encoding() == Encoding::Gcf {
            prop_assert!(gcf.bytes() + 64 <= json.bytes());
            prop_assert_eq!(gcf.json_bytes(), json.bytes());
        } else {
            prop_assert_eq!(gcf, json);
        }
    }

    #[test]
    fn values_of_every_kind_read_back((names, rows) in result(any_value().boxed())) {
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let json = encode_table(&columns, rows.clone(), Encoding::Json);
        check(&json, &names, &rows)?;
        let gcf = encode_table(&columns, rows.clone(), Encoding::Gcf);
        if rows.iter().flatten().any(Value::holds_bytes) {
            prop_assert_eq!(gcf.encoding(), Encoding::Json);
        }
        check(&gcf, &names, &rows)?;
    }
}
