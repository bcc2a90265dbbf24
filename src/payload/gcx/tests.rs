//! The reader against payloads written by hand, of our writer and of others, and against text of any kind.

use proptest::prelude::*;
use toolbox_source::{Row, Value};

use super::*;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn decimal(digits: &str) -> Value {
    Value::Decimal(digits.to_owned())
}

/// The rows of the only section.
fn rows(payload: &str) -> Vec<Row> {
    let mut sheets = read(payload).expect("a payload");
    assert_eq!(sheets.len(), 1);
    sheets.remove(0).into_rows().collect()
}

fn message(payload: &str) -> String {
    let message = read(payload).expect_err(payload).to_string();
    assert!(!message.contains(['\n', '\t']), "{message}");
    message
}

#[test]
fn a_header_gives_tool_names_and_metadata() {
    let sheets = read(
        "GCX1 tool=find.1 fields=id,count(*) hint=ask\\nagain rows=1 total=7 truncated=true\n1\t2\nGCX1 tool=find.2 fields=c\n",
    )
    .expect("a payload");
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(sheets.len(), 2);
    assert_eq!(sheets[0].tool.as_deref(), Some("find.1"));
    assert_eq!(sheets[0].names, ["id", "count(*)"]);
    assert_eq!(sheets[0].metadata, [pair("hint", "ask\nagain"), pair("total", "7")]);
    assert!(sheets[0].truncated && !sheets[1].truncated);
    assert_eq!((sheets[0].len(), sheets[1].len()), (1, 0));
}

#[test]
fn cells_without_types_are_json_or_text() {
    let payload = "GCX1 tool=t fields=a,b,c,d,e,f\n1\t1.10\ttrue\t\tplain text\t\"1\"\n{\"k\": [1]}\tnull\t007\t[\t\"a\t1e400\n";
    assert_eq!(
        rows(payload),
        [
            vec![
                Value::Int(1),
                decimal("1.10"),
                Value::Bool(true),
                Value::Null,
                text("plain text"),
                text("1")
            ],
            vec![
                Value::Json("{\"k\":[1]}".to_owned()),
                Value::Null,
                text("007"),
                text("["),
                text("\"a"),
                decimal("1e400")
            ],
        ]
    );
}

#[test]
fn types_say_what_cells_are() {
    let payload = "GCX1 tool=t fields=i,f,d,b,s,j types=ifdbsj\n1\t1\t1.10\ttrue\t1\t\"1\"\n\t\t\t\t\t\nnull\t-0\t18446744073709551616\tnull\tnull\tnull\n1\t1e+300\t5\tfalse\t\"\\\\r\"\t[1]\n";
    assert_eq!(
        rows(payload),
        [
            vec![Value::Int(1), Value::Float(1.0), decimal("1.10"), Value::Bool(true), text("1"), text("1")],
            vec![Value::Null; 6],
            vec![
                Value::Null,
                Value::Float(-0.0),
                decimal("18446744073709551616"),
                Value::Null,
                text("null"),
                Value::Null
            ],
            vec![
                Value::Int(1),
                Value::Float(1e300),
                decimal("5"),
                Value::Bool(false),
                text("\r"),
                Value::Json("[1]".to_owned())
            ],
        ]
    );
}

#[test]
fn what_the_grammar_lets_pass_is_read() {
    // Comments, empty lines, line breaks of another system, no line break at the end, cells that are left out, any escape.
    let payload = "# a comment\n\nGCX1 tool=t fields=a,b,c rows=3\r\n# another\r\nx\\ty\\n\\\\\\q\tz\t\r\n\nonly\n\t\tlast\\";
    assert_eq!(
        rows(payload),
        [
            [text("x\ty\n\\q"), text("z"), Value::Null],
            [text("only"), Value::Null, Value::Null],
            [Value::Null, Value::Null, text("last\\")],
        ]
    );
}

#[test]
fn other_versions_are_refused() {
    for version in ["2", "10", "0"] {
        assert_eq!(
            message(&format!("GCX{version} tool=t fields=a\n1\n")),
            format!(
                "line 1: this is version \"{version}\" of GCX, and only version 1 is known; ask for JSON"
            )
        );
    }
}

#[test]
fn what_is_no_gcx1_is_refused_with_its_line_and_what_was_expected() {
    for (payload, expected) in [
        ("", "there is no header: GCX1 begins with a line \"GCX1 tool=… fields=…\""),
        ("# only a comment\n", "there is no header: GCX1 begins with a line \"GCX1 tool=… fields=…\""),
        ("id\tname\n", "line 1: expected a header \"GCX1 tool=… fields=…\", not \"id\\tname\""),
        ("\nGCXX tool=t\n", "line 2: expected a header \"GCX1 tool=… fields=…\", not \"GCXX tool=t\""),
        ("GCX1", "line 1: the header has no tool=…"),
        ("GCX1 tool=t", "line 1: the header has no fields=…,…"),
        ("GCX1 fields=a", "line 1: the header has no tool=…"),
        ("GCX1 tool=t fields=a,,b", "line 1: fields has an empty name"),
        ("GCX1 tool=t fields=a,b,a", "line 1: fields has \"a\" twice"),
        ("GCX1 tool=t  fields=a", "line 1: the header has a blank too many: its pairs have one between them"),
        ("GCX1 tool=t fields=a b", "line 1: the header has \"b\", expected a pair key=value"),
        ("GCX1 tool=t tool=u fields=a", "line 1: the header has \"tool\" twice"),
        ("GCX1 tool=t fields=a rows=x", "line 1: rows is \"x\", expected a number"),
        ("GCX1 tool=t fields=a types=x", "line 1: types has the letter 'x', expected i, f, d, b, s or j"),
        ("GCX1 tool=t fields=a types=ii", "line 1: types has 2 letters, where there are 1 fields"),
        ("GCX1 tool=t fields=a\n1\n1\t2\t3\n", "line 3: a row of 3 cells, where the header has 1 fields"),
        (
            "GCX1 tool=t fields=a rows=2\n1\n\n",
            "line 1: the header says rows=2, and 1 follow; a line was lost, or was empty, which is no row",
        ),
        (
            "GCX1 tool=t fields=a types=i\n1.5\n",
            "line 2: the cell of \"a\" is \"1.5\", expected an integer of 64 bits",
        ),
        (
            "GCX1 tool=t fields=a types=i\n9223372036854775808\n",
            "line 2: the cell of \"a\" is \"9223372036854775808\", expected an integer of 64 bits",
        ),
        (
            "GCX1 tool=t fields=a types=f\n1e400\n",
            "line 2: the cell of \"a\" is \"1e400\", expected a double",
        ),
        ("GCX1 tool=t fields=a types=d\nx\n", "line 2: the cell of \"a\" is \"x\", expected a number"),
        ("GCX1 tool=t fields=a types=b\n1\n", "line 2: the cell of \"a\" is \"1\", expected true or false"),
        ("GCX1 tool=t fields=a types=j\nx\n", "line 2: the cell of \"a\" is \"x\", expected JSON"),
        (
            "GCX1 tool=t fields=a types=s\n\"x\n",
            "line 2: the cell of \"a\" is \"\\\"x\", expected text, or a JSON string since it begins with a quote",
        ),
        (
            "GCX1 tool=t fields=a\n1\nGCX2 tool=t fields=a\n\t\n",
            "line 4: a row of 2 cells, where the header has 1 fields",
        ),
        (
            "GCX1 tool=t fields=a\nGCX1x\n",
            "line 2: expected a header \"GCX1 tool=… fields=…\", not \"GCX1x\"",
        ),
    ] {
        assert_eq!(message(payload), expected);
    }
}

#[test]
fn a_long_cell_is_shown_by_its_beginning() {
    let payload = format!("GCX1 tool=t fields=a types=i\n{}\n", "é".repeat(10_000));
    assert!(message(&payload).len() < 200);
}

#[test]
fn short_rows_of_many_fields_stay_as_small_as_they_are() {
    let fields: Vec<String> = (0..50_000).map(|index| index.to_string()).collect();
    let payload = format!("GCX1 tool=t fields={}\n{}", fields.join(","), "1\n".repeat(50_000));
    let sheet = read(&payload).expect("a payload").remove(0);
    // Each of them would be 50,000 cells wide.
    assert_eq!(sheet.len(), 50_000);
    assert_eq!(sheet.into_rows().next().map(|row| row.len()), Some(50_000));
}

/// The published example of GCX1.
#[test]
fn the_published_example_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/fixtures/gcx-example");
    let (Ok(gcx), Ok(json)) = (
        std::fs::read_to_string(format!("{folder}/search_symbols.gcx")),
        std::fs::read_to_string(format!("{folder}/search_symbols.json")),
    ) else {
        println!("skipped: no example at {folder}");
        return;
    };
    let sheet = read(&gcx).expect("the example").remove(0);
    assert_eq!(sheet.tool.as_deref(), Some("search_symbols"));
    assert_eq!(sheet.names, ["file_path", "id", "kind", "name", "start_line"]);
    let names = sheet.names.clone();
    let expected: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    assert_eq!(sheet.len(), expected.len());
    for (row, expected) in sheet.into_rows().zip(expected) {
        for (name, cell) in names.iter().zip(row) {
            match cell {
                Value::Text(text) => assert_eq!(expected[name], text),
                Value::Int(number) => assert_eq!(expected[name], number),
                other => panic!("{other:?}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = read(&text);
    }

    #[test]
    fn any_payload_with_a_header_is_read_or_refused(
        header in "( (tool|fields|rows|types|x)=[a-c,=\\\\ifdbsj0-3]{0,6}){0,5}",
        body in "[\\[\\]{}\":,0-9\\\\tn\t\n\r#GCX1 é-]{0,60}",
    ) {
        let _ = read(&format!("GCX1{header}\n{body}"));
        if let Ok(sheets) = read(&format!("GCX1 tool=t fields=a,b,c\n{body}")) {
            prop_assert!(sheets.iter().map(Sheet::len).sum::<usize>() <= body.len());
        }
    }
}

#[test]
fn a_notice_behind_all_rows_of_a_cut_result_is_no_row() {
    let notice = r#"{"toolbox/truncated":{"rows":1,"hint":"x"}}"#;
    let lengths = |text: String| read(&text).map(|sheets| sheets.iter().map(Sheet::len).collect::<Vec<_>>());
    assert_eq!(lengths(format!("GCX1 tool=t fields=id rows=1 truncated=true\n1\n{notice}\n")), Ok(vec![1]));
    // Here it is one.
    assert_eq!(lengths(format!("GCX1 tool=t fields=id rows=2 truncated=true\n1\n{notice}\n")), Ok(vec![2]));
    assert_eq!(lengths(format!("GCX1 tool=t fields=id\n{notice}\n")), Ok(vec![1]));
}
