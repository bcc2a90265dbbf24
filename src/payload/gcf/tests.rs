//! The reader against payloads written by hand and by the crate.

use toolbox_source::{Row, Value};

use super::*;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn message(text: &str) -> String {
    read(text).expect_err(text).to_string()
}

fn only(payload: &str) -> (Vec<String>, Vec<Row>) {
    let mut sheets = read(payload).expect("GCF");
    assert_eq!(sheets.len(), 1);
    let sheet = sheets.remove(0);
    (sheet.names.clone(), sheet.into_rows().collect())
}

#[test]
fn a_table_is_read_with_its_constant_columns_and_all_digits() {
    let payload = "GCF profile=generic\n## [3]{id,region=\"a,}b\",\"unit price\",note}\n1|1.10|-\n2|9.007199254740992e+15|\"a|\\\"\\n\"\n-3|123456789012345678.90|plain text\n";
    let (names, rows) = only(payload);
    assert_eq!(names, ["id", "region", "unit price", "note"]);
    let constant = || text("a,}b");
    let decimal = |digits: &str| Value::Decimal(digits.to_owned());
    assert_eq!(
        rows,
        [
            [Value::Int(1), constant(), decimal("1.10"), Value::Null],
            [Value::Int(2), constant(), Value::Float(9_007_199_254_740_992.0), text("a|\"\n")],
            [Value::Int(-3), constant(), decimal("123456789012345678.90"), text("plain text")],
        ]
    );
}

#[test]
fn nested_values_are_read_and_the_notice_about_a_cut_is_seen() {
    let json = serde_json::json!([{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": [1.5]}]);
    let payload = ::gcf::encode_generic(&json).expect("GCF") + "# truncated after 2 rows: …\n";
    let (_, rows) = only(&payload);
    assert_eq!(rows[0], [Value::Int(1), Value::Array(vec![text("a"), text("b")])]);
    assert_eq!(rows[1], [Value::Int(2), Value::Array(vec![Value::Float(1.5)])]);
    assert!(read(&payload).expect("GCF")[0].truncated);
}

#[test]
fn decimals_beside_nested_values_keep_their_digits() {
    let payload = "GCF profile=generic\n## [2]{price=1.10,\"a>x\",\"a>y\",text,tags}\n\
                   @0 1.50|2|x=1.50|^\n.tags [2]: 1.5,2\n123456789012345678.90|-|\"1.50\"|-\n";
    let decimal = |digits: &str| Value::Decimal(digits.to_owned());
    let object = |x, y| Value::Object(vec![("x".to_owned(), x), ("y".to_owned(), y)]);
    let tags = Value::Array(vec![Value::Float(1.5), Value::Int(2)]);
    assert_eq!(
        only(payload).1,
        [
            [decimal("1.10"), object(decimal("1.50"), Value::Int(2)), text("x=1.50"), tags],
            [
                decimal("1.10"),
                object(decimal("123456789012345678.90"), Value::Null),
                text("1.50"),
                Value::Null
            ],
        ]
    );
    assert_eq!(
        message(&payload.replace("1.5,2\n", "123456789012345678.90,2\n")),
        "line 4: the number 123456789012345678.90 has more digits than a reader of this form keeps; write it as text, or use GCX1 or JSON"
    );
}

#[test]
fn no_rows_are_no_result_set_and_a_stream_has_no_count() {
    assert_eq!(read("GCF profile=generic\n## [0]\n"), Ok(Vec::new()));
    assert_eq!(only("GCF profile=generic\n## [?]{a}\n1\n##! summary counts=1\n").1, [[Value::Int(1)]]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (payload, expected) in [
        ("", "line 1: expected the header \"GCF profile=generic\""),
        ("GCF profile=graph\n", "line 1: expected the header \"GCF profile=generic\""),
        ("GCF profile=generic\n## [2]{a}\n1\n", "line 2: the section says [2], and 1 rows follow"),
        ("GCF profile=generic\n## [1]{a,b}\n1\n", "line 3: a row ends before its cell of \"b\""),
        ("GCF profile=generic\n## [1]{a}\n1|2\n", "line 3: a row has more than its 1 cells"),
        ("GCF profile=generic\n## [1]{a,a}\n1|2\n", "line 2: the column \"a\" is declared twice"),
        ("GCF profile=generic\n## [1]{a\n1\n", "line 2: the declaration of the columns does not end with }"),
        (
            "GCF profile=generic\n## [1]{a}\n\"x\n",
            "line 3: the cell of \"a\" is \"x, which is no text between quotes",
        ),
        (
            "GCF profile=generic\n## [1]{a,b}\n1|\n",
            "line 3: the cell of \"b\" is empty, expected a value; null is -",
        ),
        (
            "GCF profile=generic\n## [1]{a}\n9223372036854775808\n",
            "line 3: the cell of \"a\" is 9223372036854775808, which is neither an integer of 64 bits nor a finite double",
        ),
        (
            "GCF profile=generic\n## [1]{a}\n1e400\n",
            "line 3: the cell of \"a\" is 1e400, which is neither an integer of 64 bits nor a finite double",
        ),
        ("GCF profile=generic\nx=1\n", "this GCF holds no list of rows"),
    ] {
        assert_eq!(message(payload), expected);
    }
}

#[test]
fn a_reader_that_panics_is_an_error() {
    // The crate slices inside a character here.
    assert!(
        message("GCF profile=generic\n## [1]\n@0 {}\n.a {}\n    b=\"\\u000é\"\n")
            .starts_with("this is no GCF: ")
    );
}

#[test]
fn depth_is_bounded() {
    let deep = format!("GCF profile=generic\n## [1]{{\"{}\"}}\n1\n", vec!["a"; 100_000].join(">"));
    assert!(message(&deep).contains("levels deep"));
    let indented = format!("GCF profile=generic\n## [1]\n@0 {{}}\n{}.a {{}}\n", " ".repeat(400_000));
    assert!(message(&indented).contains("levels deep"));
}
