//! Whether a compact form says what JSON says, to readers that are not ours.

use serde_json::Value as Json;
use toolbox::seam::Encoded;

use crate::seam::random::read;

/// Holds an answer to the JSON of the only cell of each of its rows.
#[track_caller]
pub(crate) fn assert_says(encoded: &Encoded, json: &str) {
    let cell: Json = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    let rows = read(encoded);
    assert!(!rows.is_empty());
    for row in &rows {
        let [(_, said)] = row.as_slice() else { panic!("not one cell: {row:?}") };
        assert!(same(said, &cell), "{said} is not {cell} in {:?}", encoded.blocks());
    }
}

/// Holds two answers of the same rows to each other.
#[track_caller]
pub(crate) fn assert_same(one: &Encoded, other: &Encoded) {
    let (rows, others) = (read(one), read(other));
    assert_eq!(rows.len(), others.len());
    for (row, other) in rows.iter().zip(&others) {
        assert_eq!(row.len(), other.len());
        let same = row
            .iter()
            .zip(other)
            .all(|((name, one), (other_name, other))| name == other_name && same(one, other));
        assert!(same, "{row:?} is not {other:?}");
    }
}

/// Numbers are the same when they are the same integer, or the same double where one of them has a point or an exponent: the
/// crates read those as doubles. The two zeros are one number in JSON and in GCF. Everything else is the same when it is equal, the order of fields included.
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
