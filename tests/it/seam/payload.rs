//! What the seam sends is read back by the readers of payloads to the rows that its JSON says, in every form.

use proptest::prelude::*;
use toolbox::payload;

use super::{random, *};

/// Sends rows in every form, and reads them back.
fn check(names: &[String], rows: &[Row]) -> Result<(), TestCaseError> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let json = encode_table(&names, rows.to_vec(), Encoding::Json);
    for wish in Encoding::ALL {
        let sent = encode_table(&names, rows.to_vec(), wish);
        let text = sent.blocks().join("\n");
        let read = match sent.encoding() {
            Encoding::Json => payload::json::rows(&text),
            Encoding::Table | Encoding::Auto => payload::json::read(&text),
            Encoding::Gcf => payload::gcf::read(&text),
            Encoding::Gcx => payload::gcx::read(&text),
            Encoding::Toon => payload::toon::read(&text),
        };
        let read = match read {
            Ok(sheets) => payload::events(sheets),
            // Text that looks like a number with too many digits; refused rather than rounded.
            Err(error) if matches!(sent.encoding(), Encoding::Gcf | Encoding::Toon) => {
                prop_assert!(error.message.contains("more digits"), "{}: {}", error, text);
                continue;
            }
            Err(error) => panic!("{error}: {text}"),
        };
        let limits = Limits::default();
        let again = seam::encode(read, Encoding::Json.into(), &limits);
        let again = again.now_or_never().expect("always ready").expect("no source");
        prop_assert_eq!(unescaped(again.blocks()), unescaped(json.blocks()), "{}", text);
    }
    Ok(())
}

/// Blocks of JSON as an independent writer writes them, which keeps all digits and escapes what it must.
fn unescaped(blocks: &[String]) -> Vec<String> {
    let block = |block: &String| serde_json::from_str::<serde_json::Value>(block).unwrap().to_string();
    blocks.iter().map(block).collect()
}

/// Rows with a decimal and JSON, which GCF holds side by side.
fn prices() -> impl Strategy<Value = Vec<Row>> {
    let digits = "-?(0|[1-9][0-9]{0,17})\\.[0-9]{1,20}";
    let text = "[a-z]{1,9}|[-+0-9.eE=]{1,6}|x=1[.]50";
    let row = (digits, text, "[a-z]{1,9}", any::<i64>(), proptest::collection::vec(0..9, 0..3));
    let rows = proptest::collection::vec(row, 20..40);
    (rows, any::<bool>()).prop_map(|(rows, lists)| {
        let row = |(digits, note, name, number, list): (String, _, _, i64, Vec<i32>)| {
            let list = if lists { format!(",\"list\":{list:?}") } else { String::new() };
            let json = format!(r#"{{"name":"{name}","number":{number}{list}}}"#).replace(' ', "");
            vec![decimal(&digits), Value::Text(note), Value::Json(json)]
        };
        rows.into_iter().map(row).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn any_result_reads_back_from_every_form((names, rows) in random::any_result()) {
        check(&names, &rows)?;
    }

    #[test]
    fn decimals_beside_json_read_back_from_every_form(rows in prices()) {
        check(&["price", "description", "properties"].map(str::to_owned), &rows)?;
    }
}

#[test]
fn prices_with_objects_are_sent_as_gcf() {
    let row = |id: i64| {
        vec![
            decimal(&format!("{id}.10")),
            text("note"),
            Value::Json(format!(r#"{{"name":"x","number":{id}}}"#)),
        ]
    };
    let sent =
        encode_table(&["price", "description", "properties"], (0..20).map(row).collect(), Encoding::Gcf);
    assert_eq!(sent.encoding(), Encoding::Gcf);
}
