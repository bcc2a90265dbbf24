//! `auto`: the form with the fewest tokens, the same one every time.

use super::*;

#[track_caller]
fn sent(names: &[&str], rows: Vec<Row>) -> Encoding {
    let encoded = encode_table(names, rows.clone(), Encoding::Auto);
    assert_eq!(
        encoded,
        encode_table(names, rows.clone(), Encoding::Auto),
        "the same rows give the same bytes"
    );
    let json = encode_table(names, rows, Encoding::Json);
    assert!(encoded.encoding() == Encoding::Json || encoded.bytes() < json.bytes());
    assert_eq!(encoded.json_bytes(), json.bytes());
    encoded.encoding()
}

#[test]
fn one_value_stays_json() {
    assert_eq!(sent(&["count"], vec![vec![Value::Int(5)]]), Encoding::Json);
    assert_eq!(sent(&["count"], Vec::new()), Encoding::Json);
}

#[test]
fn columns_with_one_value_are_for_gcf() {
    let row = |id| vec![text("eu-west-1"), text("active"), text("standard"), Value::Int(id)];
    assert_eq!(sent(&["region", "state", "tier", "id"], (0..500).map(row).collect()), Encoding::Gcf);
}

#[test]
fn sparse_rows_are_for_gcx() {
    let row = |id: i64| {
        let mut row = vec![Value::Null; 12];
        row[0] = Value::Int(id);
        row[usize::try_from(id).unwrap_or_default() % 11 + 1] = text("x");
        row
    };
    let names = ["id", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
    assert_eq!(sent(&names, (0..500).map(row).collect()), Encoding::Gcx);
}

/// A name with a blank is nothing for GCX, and one with `>` nothing for GCF.
#[test]
fn what_no_other_form_can_hold_is_a_table() {
    let row = |id| vec![Value::Int(id), text("some words"), Value::Bytes(vec![1, 2])];
    assert_eq!(sent(&["identifier", "description", "data"], (0..100).map(row).collect()), Encoding::Table);
    let row = |id| vec![Value::Int(id), text("some words")];
    assert_eq!(sent(&["a > 1", "a description"], (0..100).map(row).collect()), Encoding::Table);
}

/// In the first 990 rows the first column is constant; the samples must not be taken in by that.
#[test]
fn a_column_that_changes_at_last_is_not_taken_for_constant() {
    let row = |id: i64| {
        let region = if id < 990 { "a region with a long name, and more words" } else { "another" };
        vec![text(region), Value::Int(id)]
    };
    let rows: Vec<Row> = (0..1000).map(row).collect();
    let encoded = |wish| encode_table(&["region", "id"], rows.clone(), wish);
    let tokens = |encoded: &Encoded| {
        let tokenizer = tiktoken_rs::o200k_base_singleton();
        encoded.blocks().iter().map(|block| tokenizer.count_ordinary(block)).sum::<usize>()
    };
    let best = Encoding::ALL.map(|wish| tokens(&encoded(wish))).into_iter().min().expect("some");
    assert!(tokens(&encoded(Encoding::Auto)) * 100 <= best * 101);
}

#[test]
fn several_result_sets_are_sections_of_gcx() {
    let encoded = encode(several(60), Encoding::Auto, &Limits::default()).expect("no error");
    let gcx = encode(several(60), Encoding::Gcx, &Limits::default()).expect("no error");
    assert_eq!(gcx.encoding(), Encoding::Gcx);
    let headers: Vec<&str> = gcx.blocks()[0].lines().filter(|line| line.starts_with("GCX1")).collect();
    assert_eq!(
        headers,
        [
            "GCX1 tool=rows.1 fields=first_number,note rows=60",
            "GCX1 tool=rows.2 fields=second_number,note rows=60",
            "GCX1 tool=rows.3 fields=rows_affected rows=1",
        ]
    );
    assert!(matches!(encoded.encoding(), Encoding::Gcx | Encoding::Table));
    assert_eq!(encoded.json_bytes(), gcx.json_bytes());
}

/// The work on a large result moves other tasks away from its thread; on a runtime of one thread there is nowhere to move.
#[test]
fn large_results_are_encoded_on_every_kind_of_runtime() {
    let row = |id| vec![Value::Int(id), text("some words of a large result")];
    let rows: Vec<Row> = (0..5000).map(row).collect();
    let expected = encode_table(&["id", "words"], rows.clone(), Encoding::Auto);
    let encode = || async {
        let events = table(&["id", "words"], rows.clone());
        let stream = RowStream::new(stream::iter(events).boxed(), CancellationToken::new());
        seam::encode(stream, Encoding::Auto.into(), &Limits::default()).await
    };
    let one = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let many = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    assert_eq!(one.block_on(encode()).as_ref(), Ok(&expected));
    assert_eq!(many.block_on(encode()).as_ref(), Ok(&expected));
}
