//! Rows of an answer in any encoding, in one form that can be compared.

use serde_json::Value as Json;

use crate::support::Answer;

/// The rows of an answer, each as compact JSON in column order; panics where the tool reported an error, or where the
/// answer is not what its `_meta` says.
pub(crate) fn of(answer: &Answer, encoding: &str) -> Vec<String> {
    assert!(!answer.is_error, "{:?}", answer.blocks);
    let Some(sent) = answer.meta.get("toolbox/encoding") else {
        assert_eq!(encoding, "json", "what a compact encoding came to is told");
        return canonical(&answer.rows());
    };
    let bytes: usize = answer.blocks.iter().map(String::len).sum();
    assert_eq!(sent["bytes"], bytes, "{sent}");
    match sent["name"].as_str() {
        Some("json") => {
            assert_eq!(sent["jsonBytes"], bytes, "{sent}");
            canonical(&answer.rows())
        }
        Some("gcf") => {
            assert_eq!(encoding, "gcf", "nobody asked for GCF");
            assert!(sent["jsonBytes"].as_u64() > sent["bytes"].as_u64(), "{sent}");
            assert_eq!(answer.blocks.len(), 1);
            canonical(&decode(&answer.blocks[0]))
        }
        _ => panic!("unknown encoding: {sent}"),
    }
}

/// Rows as compact JSON, key order kept; a number that is no integer in the shortest digits that give the same double.
pub(crate) fn canonical(rows: &[Json]) -> Vec<String> {
    rows.iter()
        .map(|row| {
            let mut row = row.clone();
            for cell in row.as_object_mut().expect("an object a row").values_mut() {
                if let Json::Number(number) = cell {
                    let digits = number.to_string();
                    if digits.contains(['.', 'e', 'E']) {
                        let double: f64 = digits.parse().expect("a double");
                        *cell = serde_json::from_str(&double.to_string()).expect("a number");
                    }
                }
            }
            row.to_string()
        })
        .collect()
}

/// Reads GCF with an implementation that is not ours.
fn decode(text: &str) -> Vec<Json> {
    match gcf::decode_generic(text) {
        Ok(Json::Array(rows)) => rows,
        other => panic!("no table ({other:?}): {text}"),
    }
}
