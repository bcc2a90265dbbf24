//! Rows with JSON, lists and objects in cells: as GCF or TOON where they read back and no token is lost, else as JSON.

use super::*;

fn json(text: &str) -> Value {
    Value::Json(text.to_owned())
}

/// Thirty rows with a cell that the number of the row gives.
fn rows(cell: impl Fn(i64) -> Value) -> Vec<Row> {
    (0..30).map(|id| vec![Value::Int(id), cell(id)]).collect()
}

#[track_caller]
fn gcf(cell: impl Fn(i64) -> Value) -> String {
    let encoded = encode_table(&["identifier", "client"], rows(cell), Encoding::Gcf);
    assert_eq!(encoded.encoding(), Encoding::Gcf, "{:?}", encoded.blocks());
    encoded.into_blocks().remove(0)
}

#[track_caller]
fn stands_back(cell: impl Fn(i64) -> Value) {
    let json = encode_table(&["identifier", "client"], rows(&cell), Encoding::Json);
    assert_eq!(encode_table(&["identifier", "client"], rows(&cell), Encoding::Gcf), json);
}

#[test]
fn objects_of_one_kind_become_columns() {
    let text = gcf(|id| json(&format!(r#"{{"browser":"Firefox {id}","mobile":false}}"#)));
    assert!(
        text.starts_with(
            "GCF profile=generic\n## [30]{identifier,\"client>browser\",\"client>mobile\"}\n0|Firefox 0|false\n"
        ),
        "{text}"
    );
    let same = gcf(|id| {
        let browser = text_of("Firefox", id);
        Value::Object(vec![("browser".to_owned(), browser), ("mobile".to_owned(), Value::Bool(false))])
    });
    assert_eq!(text, same);
}

fn text_of(word: &str, id: i64) -> Value {
    text(&format!("{word} {id}"))
}

/// Eight rows with an object and a list in each: 1,180 bytes and 441 tokens, and 1,170 bytes and 581 tokens as GCF.
#[test]
fn attachments_that_cost_more_tokens_mean_json() {
    let row = |id: i64| {
        vec![
            Value::Int(id),
            json(&format!(r#"{{"a":"x{id}","b":null,"c":[{id}]}}"#)),
            json(&format!("[{id},6]")),
        ]
    };
    let rows: Vec<Row> = (0..8).map(row).collect();
    let json = encode_table(&["id", "first", "second"], rows.clone(), Encoding::Json);
    assert_eq!(encode_table(&["id", "first", "second"], rows, Encoding::Gcf), json);
}

#[test]
fn numbers_whose_digits_would_not_come_back_mean_json() {
    for number in [
        "1.50",
        "1.0",
        "1e5",
        "1E2",
        "-0",
        "9223372036854775808",
        "18446744073709551615",
        "0.1234567890123456789",
    ] {
        stands_back(|id| json(&format!(r#"{{"browser":"Firefox {id}","version":{number}}}"#)));
    }
    for number in ["1.5", "-0.25", "9223372036854775807", "-9223372036854775808", "9007199254740993"] {
        let text = gcf(|id| json(&format!(r#"{{"browser":"Firefox {id}","version":{number}}}"#)));
        assert!(text.contains(number), "{text}");
    }
}

#[test]
fn decimals_beside_nested_cells_go_bare_with_their_own_digits() {
    let with = |digits: &str| {
        let row =
            |id| vec![Value::Int(id), decimal(digits), json(&format!(r#"{{"browser":"Firefox {id}"}}"#))];
        let encoded =
            encode_table(&["identifier", "price", "client"], (0..30).map(row).collect(), Encoding::Gcf);
        encoded.into_blocks().remove(0)
    };
    let declared = |digits: &str| {
        format!("GCF profile=generic\n## [30]{{identifier,price={digits},\"client>browser\"}}\n")
    };
    for digits in ["1.5", "1.50", "12345678901234567890.5"] {
        assert!(with(digits).starts_with(&declared(digits)), "{digits}");
    }
    assert!(with("12345678901234567890").starts_with('{'));
}

#[test]
fn values_that_a_reader_would_lose_mean_json() {
    // A key twice: a reader keeps one of them.
    stands_back(|id| json(&format!(r#"{{"browser":"Firefox {id}","browser":"Chrome {id}"}}"#)));
    // A key that the parser takes for a mark of its own.
    stands_back(|id| json(&format!(r#"{{"$serde_json::private::Number":"{id}"}}"#)));
    // Damaged JSON, which is text in JSON.
    stands_back(|id| json(&format!(r#"{{"browser":"Firefox {id}""#)));
    // Names that read as paths.
    stands_back(|id| json(&format!(r#"[{{"a>b":{id}}}]"#)));
    // Objects whose keys change places: a table has one order.
    stands_back(|id| json(if id % 2 == 0 { r#"[{"a":1,"b":2},{"b":3,"a":4}]"# } else { "[]" }));
}

/// The type `json` of PostgreSQL keeps escapes that JSON does not ask for, which many writers make.
#[test]
fn escapes_that_json_does_not_ask_for_are_no_other_value() {
    let plain = |id: i64| json(&format!(r#"{{"browser":"Café {id} 🙂/","na\"me":"\u0000\n"}}"#));
    let escaped = |id: i64| {
        json(&format!(r#"{{"br\u006fwser":"Caf\u00e9 {id} \ud83d\ude42\/","na\u0022me":"\u0000\u000A"}}"#))
    };
    let text = gcf(plain);
    assert_eq!(gcf(escaped), text);
    assert!(text.contains("Café 7 🙂/"), "{text}");
    let list = |cell: Value| match cell {
        Value::Json(text) => json(&format!("[{text},[\"\\u00e9\"]]")),
        other => other,
    };
    let rows: Vec<Row> = (0..30).map(|id| vec![Value::Int(id), list(escaped(id))]).collect();
    for encoding in [Encoding::Gcf, Encoding::Toon] {
        let encoded = encode_table(&["identifier", "client"], rows.clone(), encoding);
        assert!(
            encoded.blocks().iter().all(|block| !block.contains("\\u00e9") || block.starts_with('{')),
            "{encoding}"
        );
    }
    // Half of a pair is no text.
    stands_back(|id| json(&format!(r#"{{"browser":"Firefox {id} \ud83d"}}"#)));
    // A key twice, once with an escape.
    stands_back(|id| json(&format!(r#"{{"browser":"Firefox {id}","br\u006fwser":"Chrome {id}"}}"#)));
}

#[test]
fn cells_nested_beyond_what_readers_must_take_mean_json() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for levels in [31, 1000, 100_000] {
        stands_back(|_| json(&deep(levels)));
    }
}

/// Rows go to the crate one by one, so only the length of a cell is bounded.
#[test]
fn results_of_any_size_are_written_and_cells_beyond_a_megabyte_stay_json() {
    let sent = |rows: i64, length: usize, wish| {
        let row = |id: i64| vec![Value::Int(id), json(&format!(r#"{{"browser":"{}"}}"#, "x".repeat(length)))];
        let limits = Limits { max_cell_bytes: None, ..Limits::default() };
        let events = table(&["id", "client"], (0..rows).map(row).collect());
        encode(events, wish, &limits).expect("no error").encoding()
    };
    for wish in [Encoding::Gcf, Encoding::Toon] {
        assert_eq!(sent(30_000, 100, wish), wish);
        assert_eq!(sent(3, 1_000_000, wish), wish);
        assert_eq!(sent(3, 1_100_000, wish), Encoding::Json);
    }
}
