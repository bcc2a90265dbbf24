//! Results that are larger than their limits: what is sent, what is said, and what the source is told.

use super::*;

fn rows(count: i64) -> Vec<Row> {
    (0..count).map(|id| vec![Value::Int(id), text("a note of some length")]).collect()
}

fn max_rows(limit: u64) -> Limits {
    Limits { max_rows: Some(limit), ..Limits::default() }
}

fn max_bytes(limit: u64) -> Limits {
    Limits { max_bytes: Some(limit), ..Limits::default() }
}

fn max_cell_bytes(limit: u64) -> Limits {
    Limits { max_cell_bytes: Some(limit), ..Limits::default() }
}

/// Encodes one text cell under a limit and gives what came out.
fn cut_cell(value: Value, limit: u64) -> String {
    let encoded =
        encode(table(&["v"], vec![vec![value]]), Encoding::Json, &max_cell_bytes(limit)).expect("no error");
    let read: serde_json::Value = serde_json::from_str(&encoded.blocks()[0]).expect("valid JSON");
    match &read["v"] {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[test]
fn exactly_as_many_rows_as_the_limit_are_not_cut() {
    for wish in Encoding::ALL {
        let encoded = encode(table(&["id", "note"], rows(50)), wish, &max_rows(50)).expect("no error");
        assert_eq!(encoded, encode_table(&["id", "note"], rows(50), wish));
        assert_eq!(encoded.truncated(), None);
    }
}

#[test]
fn one_row_more_than_the_limit_is_cut_and_said_in_the_last_block() {
    let encoded = encode(table(&["id", "note"], rows(51)), Encoding::Json, &max_rows(50)).expect("no error");
    let truncated = encoded.truncated().expect("cut");
    assert_eq!(truncated.rows, 50);
    assert!(truncated.hint.contains("50") && truncated.hint.contains("maxRows"), "{}", truncated.hint);
    assert_eq!(encoded.blocks().len(), 51);
    assert_eq!(encoded.blocks()[49], r#"{"id":49,"note":"a note of some length"}"#);
    let last: serde_json::Value = serde_json::from_str(&encoded.blocks()[50]).expect("valid JSON");
    assert_eq!(last, serde_json::json!({"toolbox/truncated": {"rows": 50, "hint": truncated.hint}}));
    assert_eq!(encoded.bytes(), encoded.json_bytes());
}

#[test]
fn a_cut_result_in_gcf_says_so_in_a_comment_that_readers_drop() {
    let encoded = encode(table(&["id", "note"], rows(51)), Encoding::Gcf, &max_rows(50)).expect("no error");
    assert_eq!(encoded.encoding(), Encoding::Gcf);
    let [gcf] = encoded.blocks() else { panic!("one block") };
    let hint = &encoded.truncated().expect("cut").hint;
    assert!(gcf.ends_with(&format!("\n49\n# truncated after 50 rows: {hint}\n")), "{gcf}");
    let whole = encode_table(&["id", "note"], rows(50), Encoding::Gcf);
    assert_eq!(::gcf::decode_generic(gcf), ::gcf::decode_generic(&whole.blocks()[0]));
}

#[test]
fn a_read_stops_at_the_first_row_beyond_the_limit() {
    let events: Vec<Event> = table(&["id", "note"], rows(10_000)).into_iter().map(Result::unwrap).collect();
    let (stream, taken) = obedient(events, true);
    let encoded = seam::encode(stream, Encoding::Json.into(), &max_rows(50))
        .now_or_never()
        .expect("ready")
        .expect("no error");
    assert_eq!(encoded.blocks().len(), 51);
    // The columns, 50 rows, the row that shows that there are more, and the end.
    assert_eq!(taken.load(Ordering::Relaxed), 53);
}

#[test]
fn a_write_runs_to_its_end_and_the_notice_says_so() {
    for wish in Encoding::ALL {
        let events =
            table_of(&["id", "note"], rows(5000), changed(5000)).into_iter().map(Result::unwrap).collect();
        let (stream, taken) = obedient(events, false);
        let encoded = seam::encode(stream, wish.into(), &max_rows(50))
            .now_or_never()
            .expect("ready")
            .expect("no error");
        assert_eq!(taken.load(Ordering::Relaxed), 5002, "every row of a write is read");
        let truncated = encoded.truncated().expect("cut");
        assert_eq!(truncated.rows, 50);
        assert!(truncated.hint.contains("completed and changed 5000 rows"), "{}", truncated.hint);
        assert!(encoded.blocks().concat().contains("completed and changed 5000 rows"));
    }
}

#[test]
fn a_procedure_whose_rows_are_cut_says_that_it_ran_to_its_end() {
    for (rows_affected, expected) in [(3, "completed and changed 3 rows"), (0, "ran to its end")] {
        let mut events = table(&["id", "note"], rows(60));
        events.push(Ok(Event::Done(changed(rows_affected))));
        let encoded = encode(events, Encoding::Json, &max_rows(50)).expect("no error");
        let hint = &encoded.truncated().expect("cut").hint;
        assert!(hint.contains(expected), "{hint}");
        assert_eq!(encoded.blocks()[50], format!("{{\"rows_affected\":{rows_affected}}}"));
    }
}

#[test]
fn an_error_after_the_cut_is_still_an_error() {
    let mut events = table(&["id", "note"], rows(60));
    events.insert(55, Err(SourceError::Cancelled));
    assert_eq!(encode(events, Encoding::Json, &max_rows(50)), Err(SourceError::Cancelled));
}

#[test]
fn bytes_are_counted_as_json_and_a_row_that_just_fits_is_sent() {
    let size = encode_table(&["id", "note"], rows(10), Encoding::Json).json_bytes() as u64;
    for wish in Encoding::ALL {
        let fits = encode(table(&["id", "note"], rows(10)), wish, &max_bytes(size)).expect("no error");
        assert_eq!(fits.truncated(), None);
        let encoded = encode(table(&["id", "note"], rows(10)), wish, &max_bytes(size - 1)).expect("no error");
        let truncated = encoded.truncated().expect("cut");
        assert_eq!(truncated.rows, 9);
        assert!(truncated.hint.contains("maxBytes"), "{}", truncated.hint);
    }
}

#[test]
fn no_smaller_row_slips_in_after_the_cut() {
    let rows = vec![vec![text("a")], vec![text(&"b".repeat(100))], vec![text("c")]];
    let encoded = encode(table(&["v"], rows), Encoding::Json, &max_bytes(50)).expect("no error");
    assert_eq!(encoded.blocks().len(), 2);
    assert_eq!(encoded.blocks()[0], r#"{"v":"a"}"#);
    assert_eq!(encoded.truncated().map(|truncated| truncated.rows), Some(1));
}

#[test]
fn the_first_row_is_sent_however_long_it_is() {
    let rows = (0..3).map(|_| vec![text(&"x".repeat(5_000_000))]).collect();
    let limits = Limits { max_bytes: Some(1000), max_cell_bytes: Some(1000), ..Limits::default() };
    let cut = format!("{}…[cut: 5000000 bytes in full]", "x".repeat(1000));
    for wish in Encoding::ALL {
        let encoded =
            encode(table_of(&["v"], Vec::clone(&rows), Done::default()), wish, &limits).expect("no error");
        assert_eq!(encoded.truncated().map(|truncated| truncated.rows), Some(1));
        if encoded.encoding() == Encoding::Json {
            assert_eq!(encoded.blocks().len(), 2);
            assert_eq!(encoded.blocks()[0], format!("{{\"v\":\"{cut}\"}}"));
        } else {
            assert!(encoded.blocks()[0].contains(&cut), "{wish}");
        }
    }
}

#[test]
fn a_cut_result_says_so_in_every_form() {
    let cut = |wish| {
        let encoded = encode(table(&["id", "note"], rows(51)), wish, &max_rows(50)).expect("no error");
        let hint = encoded.truncated().expect("cut").hint.clone();
        (encoded.encoding(), encoded.into_blocks(), hint)
    };
    let (sent, blocks, hint) = cut(Encoding::Table);
    assert_eq!((sent, blocks.len()), (Encoding::Table, 1));
    let read: serde_json::Value = serde_json::from_str(&blocks[0]).expect("valid JSON");
    assert_eq!(read["rows"].as_array().map(Vec::len), Some(50));
    assert_eq!(read["truncated"], serde_json::json!({"rows": 50, "hint": hint}));

    let (sent, blocks, _) = cut(Encoding::Gcx);
    assert_eq!((sent, blocks.len()), (Encoding::Gcx, 1));
    assert!(blocks[0].starts_with("GCX1 tool=rows fields=id,note rows=50 truncated=true\n"), "{}", blocks[0]);

    let (sent, blocks, hint) = cut(Encoding::Toon);
    assert_eq!((sent, blocks.len()), (Encoding::Toon, 2));
    let last: serde_json::Value = serde_json::from_str(&blocks[1]).expect("valid JSON");
    assert_eq!(last, serde_json::json!({"toolbox/truncated": {"rows": 50, "hint": hint}}));
}

#[test]
fn of_several_tables_those_that_were_cut_say_so() {
    let cut = |limit| {
        let encoded = encode(several(30), Encoding::Table, &max_rows(limit)).expect("no error");
        let [text] = encoded.blocks() else { panic!("one block") };
        serde_json::from_str::<serde_json::Value>(text).expect("valid JSON")
    };
    let rows = |read: &serde_json::Value| [0, 1].map(|at| read[at]["rows"].as_array().map_or(0, Vec::len));
    let marks = |read: &serde_json::Value| [0, 1].map(|at| read[at]["truncated"]["rows"].as_u64());
    for (limit, expected_rows, expected_marks) in [
        (60, [30, 30], [None, None]),
        (40, [30, 10], [None, Some(40)]),
        (30, [30, 0], [None, Some(30)]),
        (20, [20, 0], [Some(20), Some(20)]),
    ] {
        let read = cut(limit);
        assert_eq!((rows(&read), marks(&read)), (expected_rows, expected_marks), "{limit}");
        assert_eq!(read[2], serde_json::json!({"rows_affected": 7}));
    }
}

#[test]
fn the_limit_of_rows_holds_over_all_result_sets_together() {
    let mut events = table(&["a", "note"], rows(30));
    events.extend(table(&["b", "note"], rows(30)));
    events.push(Ok(Event::Done(changed(7))));
    let encoded = encode(events, Encoding::Json, &max_rows(40)).expect("no error");
    assert_eq!(encoded.truncated().map(|truncated| truncated.rows), Some(40));
    assert_eq!(encoded.blocks().len(), 42);
    assert_eq!(encoded.blocks()[39], r#"{"b":9,"note":"a note of some length"}"#);
    assert_eq!(encoded.blocks()[40], r#"{"rows_affected":7}"#);
}

#[test]
fn long_text_is_cut_within_no_character_and_marked_with_its_length() {
    assert_eq!(cut_cell(text("日本語日本語"), 7), "日本…[cut: 18 bytes in full]");
    assert_eq!(cut_cell(text("日本語"), 9), "日本語");
    assert_eq!(cut_cell(text("日本語"), 2), "…[cut: 9 bytes in full]");
    assert_eq!(cut_cell(text("abcdef"), 5), "abcde…[cut: 6 bytes in full]");
    assert_eq!(cut_cell(text("🙂🙂"), 4), "🙂…[cut: 8 bytes in full]");
}

#[test]
fn long_bytes_are_cut_to_base64_that_cannot_be_taken_for_whole() {
    assert_eq!(cut_cell(Value::Bytes(vec![0xff; 10]), 10), "/////////////w==");
    assert_eq!(cut_cell(Value::Bytes(vec![0xff; 10]), 8), "////////…[cut: 10 bytes in full]");
    assert_eq!(cut_cell(Value::Bytes(vec![0xff; 10]), 2), "…[cut: 10 bytes in full]");
}

#[test]
fn long_json_arrays_and_objects_become_cut_text() {
    let json = r#"{"key":"some long text"}"#;
    assert_eq!(cut_cell(Value::Json(json.to_owned()), 24), json);
    assert_eq!(cut_cell(Value::Json(json.to_owned()), 9), "{\"key\":\"s…[cut: 24 bytes in full]");
    let array = Value::Array(vec![text("äöü"), Value::Int(1)]);
    assert_eq!(cut_cell(array.clone(), 12), r#"["äöü",1]"#);
    assert_eq!(cut_cell(array, 5), "[\"ä…[cut: 12 bytes in full]");
    let object = Value::Object(vec![("a".to_owned(), Value::Bytes(vec![0; 30]))]);
    assert_eq!(cut_cell(object, 10), "{\"a\":\"AAAA…[cut: 48 bytes in full]");
}

#[test]
fn numbers_are_never_cut() {
    assert_eq!(cut_cell(decimal("123456789.10"), 3), "123456789.10");
    assert_eq!(cut_cell(Value::Int(i64::MIN), 3), i64::MIN.to_string());
}

#[test]
fn a_cut_bytes_cell_still_means_json() {
    let rows: Vec<Row> = (0..30).map(|id| vec![Value::Int(id), Value::Bytes(vec![7; 10])]).collect();
    let encoded =
        encode(table(&["identifier", "picture"], rows), Encoding::Gcf, &max_cell_bytes(6)).expect("no error");
    assert_eq!(encoded.encoding(), Encoding::Json);
    assert_eq!(encoded.blocks()[0], "{\"identifier\":0,\"picture\":\"BwcHBwcH…[cut: 10 bytes in full]\"}");
}

#[test]
fn a_cut_text_cell_may_go_out_as_gcf() {
    let rows: Vec<Row> = (0..30).map(|id| vec![Value::Int(id), text("a|b|c|d")]).collect();
    let encoded =
        encode(table(&["identifier", "note"], rows), Encoding::Gcf, &max_cell_bytes(3)).expect("no error");
    assert!(encoded.blocks()[0].contains("\"a|b…[cut: 7 bytes in full]\""), "{}", encoded.blocks()[0]);
}
