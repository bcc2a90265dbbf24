//! Whether a compact form says what JSON says, by readers that are not ours: `serde_json` with all digits, and the gcf crate.

use serde_json::Value as Json;
use toolbox::seam::{Encoded, Encoding};

/// Holds an answer to the JSON of the only cell of each of its rows.
#[track_caller]
pub(crate) fn assert_says(encoded: &Encoded, json: &str) {
    let cell: Json = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    let rows = rows(encoded);
    assert!(!rows.is_empty());
    for row in &rows {
        let fields = row.as_object().unwrap_or_else(|| panic!("no object: {row}"));
        assert_eq!(fields.len(), 1, "{row}");
        let said = fields.values().next().expect("a field");
        assert!(same(said, &cell), "{said} is not {cell} in {:?}", encoded.blocks());
    }
}

/// Holds an answer to another one of the same rows.
#[track_caller]
pub(crate) fn assert_same(one: &Encoded, other: &Encoded) {
    let (rows, others) = (rows(one), rows(other));
    assert_eq!(rows.len(), others.len());
    for (row, other) in rows.iter().zip(&others) {
        assert!(same(row, other), "{row} is not {other}");
    }
}

/// The rows of an answer as an independent reader reads them.
pub(crate) fn rows(encoded: &Encoded) -> Vec<Json> {
    match encoded.encoding() {
        Encoding::Gcf => match gcf::decode_generic(&encoded.blocks()[0]) {
            Ok(Json::Array(rows)) => rows,
            other => panic!("no rows: {other:?} in {:?}", encoded.blocks()),
        },
        _ => encoded
            .blocks()
            .iter()
            .map(|block| serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}")))
            .collect(),
    }
}

/// Numbers are the same when they are the same integer, or the same double where one of them has a point or an exponent: the
/// gcf crate reads those as doubles. The two zeros are one number in JSON and in GCF. Everything else is the same when it is equal, the order of fields included.
fn same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => {
            let (one, other) = (one.to_string(), other.to_string());
            match (one.parse::<i128>(), other.parse::<i128>()) {
                (Ok(one), Ok(other)) => one == other,
                _ => one == other || one.parse::<f64>().is_ok_and(|one| Ok(one) == other.parse::<f64>()),
            }
        }
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|((name, one), (other_name, other))| name == other_name && same(one, other))
        }
        (one, other) => one == other,
    }
}
