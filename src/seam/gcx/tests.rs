//! The writer against texts written by hand from the grammar, against the checker, and against a small reader that follows
//! the grammar and the cell rules alone and leaves JSON to `serde_json`.

use proptest::prelude::*;
use serde_json::Value as Json;

use super::*;
use crate::{
    payload,
    seam::{answer::Part, json::Keys},
};
use toolbox_source::{Row, Value};

fn table(names: &[&str], rows: Vec<Row>) -> Table {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    Table { part: Part::Whole, keys: Keys::new(&names), names, rows }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn decimal(digits: &str) -> Value {
    Value::Decimal(digits.to_owned())
}

fn json(text: &str) -> Value {
    Value::Json(text.to_owned())
}

const HEADER: Header<'static> = Header { tool: "t", truncated: false };

fn written(table: Table) -> String {
    let sheets = [table];
    let text = write(&sheets, &HEADER, usize::MAX).expect("every name and cell is admitted");
    assert!(reads_back(&text, &sheets, &HEADER), "{text}");
    text
}

/// The one row of a table with a first column of numbers, so that nothing is at the beginning of a line or alone in it.
fn second_cell(cell: Value) -> String {
    let text = written(table(&["n", "c"], vec![vec![Value::Int(0), cell]]));
    let line = text.strip_prefix("GCX1 tool=t fields=n,c rows=1\n0\t").expect("the typed rule");
    line.strip_suffix('\n').expect("a line").to_owned()
}

#[test]
fn a_header_a_line_a_row_and_tabs_between_cells() {
    let rows = vec![
        vec![Value::Int(1), text("Alice"), text("first\tsecond\nthird \\ fourth")],
        vec![Value::Int(2), text("Bob"), Value::Null],
    ];
    let expected =
        "GCX1 tool=t fields=id,name,note rows=2\n1\tAlice\tfirst\\tsecond\\nthird \\\\ fourth\n2\tBob\t\n";
    assert_eq!(written(table(&["id", "name", "note"], rows)), expected);
}

#[test]
fn a_table_without_rows_has_its_names() {
    assert_eq!(written(table(&["id", "count(*)"], Vec::new())), "GCX1 tool=t fields=id,count(*) rows=0\n");
}

#[test]
fn the_typed_rule_shows_what_each_value_is() {
    for (value, expected) in [
        (Value::Null, ""),
        (Value::Bool(true), "true"),
        (Value::Bool(false), "false"),
        (Value::Int(i64::MIN), "-9223372036854775808"),
        (Value::UInt(u64::MAX), "18446744073709551615"),
        (Value::Float(1.0), "1"),
        (Value::Float(-0.0), "-0"),
        (Value::Float(1e300), "1e+300"),
        (Value::Float(f64::NAN), "NaN"),
        (Value::Float(f64::NEG_INFINITY), "-Infinity"),
        (decimal("1.10"), "1.10"),
        (decimal("123456789012345678901234567890.5"), "123456789012345678901234567890.5"),
        (decimal("NaN"), "NaN"),
        (json("{\"a\":[1.50,\"x\\ny\"]}"), "{\"a\":[1.50,\"x\\\\ny\"]}"),
        (json("1.50"), "1.50"),
        (json("\"plain\""), "plain"),
        (json("\"1\""), "\"1\""),
        (json("null"), ""),
        (json("{damaged"), "{damaged"),
        (json("\"\\ud800\""), "\"\\\\ud800\""),
        (Value::Array(vec![Value::Int(1), Value::Null, text("a\"b")]), "[1,null,\"a\\\\\"b\"]"),
        (Value::Object(vec![("f1".to_owned(), decimal("2.50"))]), "{\"f1\":2.50}"),
    ] {
        assert_eq!(second_cell(value.clone()), expected, "{value:?}");
    }
}

#[test]
fn text_that_is_json_is_a_json_string_under_the_typed_rule_and_other_text_is_bare() {
    for quoted in ["", "1", "-0", "1e400", "true", "null", " 1", "1 ", "\"x\"", "{}", "[1]", "\n5", "a\rb"] {
        let json = serde_json::to_string(quoted).expect("JSON").replace('\\', "\\\\");
        assert_eq!(second_cell(text(quoted)), json, "{quoted:?}");
    }
    for bare in [
        "007",
        "+1",
        ".5",
        "1 2",
        "2026-01-31",
        "True",
        "nul",
        "\"",
        "\"a\" b",
        "{",
        "[1",
        " ",
        "#",
        "GCX1",
        "日本🙂",
    ] {
        assert_eq!(second_cell(text(bare)), bare);
    }
    assert_eq!(second_cell(text(&"[".repeat(100_000))), "[".repeat(100_000));
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(second_cell(text(&deep)), format!("\"{deep}\""));
}

#[test]
fn a_line_is_never_a_comment_a_header_or_empty() {
    let first = |cell: &str| written(table(&["c", "n"], vec![vec![text(cell), Value::Int(0)]]));
    for cell in ["#", "# a", "GCX1", "GCX1 tool=x fields=y", "GCX10"] {
        assert_eq!(first(cell), format!("GCX1 tool=t fields=c,n rows=1\n\"{cell}\"\t0\n"));
    }
    for cell in ["a#", " #", "GCX", "GCX2 tool=x fields=y"] {
        assert_eq!(first(cell), format!("GCX1 tool=t fields=c,n rows=1\n{cell}\t0\n"));
    }
    let single =
        vec![vec![Value::Null], vec![text("")], vec![text("null")], vec![text(" ")], vec![text("a")]];
    assert_eq!(
        written(table(&["c"], single)),
        "GCX1 tool=t fields=c rows=5\nnull\n\"\"\n\"null\"\n\" \"\na\n"
    );
}

#[test]
fn number_like_text_in_many_rows_goes_bare_under_letters() {
    let row = |index: i64| {
        vec![
            Value::Int(index),
            text(&index.to_string()),
            Value::Float(0.5),
            decimal("1.10"),
            Value::Bool(true),
            json("[1]"),
            Value::Null,
        ]
    };
    let names = ["i", "s", "f", "d", "b", "j", "z"];
    let lines: Vec<String> =
        (0..20).map(|index| format!("{index}\t{index}\t0.5\t1.10\ttrue\t[1]\t\n")).collect();
    assert_eq!(
        written(table(&names, (0..20).map(row).collect())),
        format!("GCX1 tool=t fields=i,s,f,d,b,j,z rows=20 types=isfdbjs\n{}", lines.concat())
    );
}

#[test]
fn letters_are_used_when_they_save_more_than_they_cost_and_not_before() {
    let of = |count: usize| written(table(&["a", "s"], vec![vec![Value::Null, text("7")]; count]));
    // ` types=ss` is nine bytes, and each text has two quotes.
    assert_eq!(of(4), format!("GCX1 tool=t fields=a,s rows=4\n{}", "\t\"7\"\n".repeat(4)));
    assert_eq!(of(5), format!("GCX1 tool=t fields=a,s rows=5 types=ss\n{}", "\t7\n".repeat(5)));
}

#[test]
fn text_that_begins_with_a_quote_counts_against_letters() {
    // Bare under the typed rule, a JSON string under letters.
    let row = vec![text("\"a\" and \"b\""), text("7")];
    assert!(!written(table(&["a", "s"], vec![row; 50])).contains(" types="));
}

#[test]
fn a_column_of_several_kinds_of_numbers_keeps_the_digits_and_one_of_other_mixtures_is_json() {
    let rows = (0..20)
        .map(|index| {
            let number = if index % 2 == 0 { Value::UInt(u64::MAX) } else { decimal("2.50") };
            let mixed = if index == 0 { text("t") } else { Value::Int(index) };
            vec![text("7"), number, mixed]
        })
        .collect();
    let text = written(table(&["s", "d", "j"], rows));
    assert!(text.starts_with(
        "GCX1 tool=t fields=s,d,j rows=20 types=sdj\n7\t18446744073709551615\t\"t\"\n7\t2.50\t1\n"
    ));
}

#[test]
fn a_single_column_of_text_with_nulls_is_json_under_letters() {
    let mut rows = vec![vec![text("7")]; 20];
    rows.push(vec![Value::Null]);
    assert!(written(table(&["s"], rows)).ends_with("\n\"7\"\nnull\n"));
}

#[test]
fn several_result_sets_are_numbered_sections_and_each_says_that_the_result_was_cut() {
    let sheets = [table(&["a"], vec![vec![Value::Int(1)]]), table(&["b", "c"], Vec::new())];
    let header = Header { tool: "report", truncated: true };
    let text = write(&sheets, &header, usize::MAX).expect("admitted");
    assert_eq!(
        text,
        "GCX1 tool=report.1 fields=a rows=1 truncated=true\n1\nGCX1 tool=report.2 fields=b,c rows=0 truncated=true\n"
    );
    assert!(reads_back(&text, &sheets, &header));
    assert!(!reads_back(&text, &sheets[..1], &header));
    assert!(!reads_back(&text, &sheets, &Header { truncated: false, ..header }));
    assert!(!reads_back(&text, &sheets, &Header { tool: "other", ..header }));
}

#[test]
fn names_that_a_header_cannot_hold_are_not_admitted() {
    let admitted = |name: &str| admits_names(&[name.to_owned()]);
    for name in ["id", "count(*)", "?column?", "a>b", "größe", "a\"b", "#", "GCX1", "'x'||y"] {
        assert!(admitted(name), "{name:?}");
    }
    for name in ["", "a b", " ", "a,b", "a=b", "a\\b", "a\tb", "a\nb", "a\rb", "a\u{a0}b", "\u{feff}a", "a\0"]
    {
        assert!(!admitted(name), "{name:?}");
        assert_eq!(write(&[table(&[name], Vec::new())], &HEADER, usize::MAX), None);
        let header = Header { tool: name, truncated: false };
        assert_eq!(write(&[table(&["a"], Vec::new())], &header, usize::MAX), None);
    }
    assert!(!admits_names(&[]));
    assert_eq!(write(&[], &HEADER, usize::MAX), None);
}

#[test]
fn bytes_are_not_admitted_at_any_depth_and_end_the_writing() {
    let bytes = || Value::Bytes(vec![1]);
    for value in [
        bytes(),
        Value::Array(vec![Value::Array(vec![bytes()])]),
        Value::Object(vec![("a".to_owned(), bytes())]),
        json("{\n}"),
    ] {
        assert!(!admits(&value), "{value:?}");
        assert_eq!(write(&[table(&["a"], vec![vec![value]])], &HEADER, usize::MAX), None);
    }
}

#[test]
fn the_writer_gives_up_when_its_text_is_too_long() {
    let sheets = [table(&["a"], vec![vec![Value::Int(1)], vec![Value::Int(2)]])];
    let text = write(&sheets, &HEADER, usize::MAX).expect("admitted");
    assert_eq!(write(&sheets, &HEADER, text.len()), Some(text.clone()));
    assert_eq!(write(&sheets, &HEADER, text.len() - 1), None);
}

/// Each text differs from the right one in one place, and each is readable.
#[test]
fn the_checker_sees_every_difference() {
    let row =
        || vec![Value::Int(1), text("a"), Value::Float(0.5), decimal("1.10"), Value::Bool(true), Value::Null];
    let sheets = [table(&["i", "s", "f", "d", "b", "z"], vec![row(), row()])];
    let right = write(&sheets, &HEADER, usize::MAX).expect("admitted");
    assert!(reads_back(&right, &sheets, &HEADER));
    for (from, to) in [
        ("GCX1", "GCX2"),
        ("tool=t", "tool=u"),
        ("tool=t", "tool=t.1"),
        ("fields=i,s", "fields=s,i"),
        ("rows=2", "rows=3"),
        ("rows=2", "rows=2 truncated=true"),
        ("rows=2", "rows=2 rows=2"),
        ("rows=2", "rows=2 other=1"),
        ("rows=2", "rows=2 types=isf"),
        ("rows=2", "rows=2 types=ssfdbs"),
        ("rows=2", "rows=2 types=isfibs"),
        ("1\ta", "2\ta"),
        ("1\ta", "1\tA"),
        ("1\ta", "1\t\"a"),
        ("1\ta", "\"1\"\ta"),
        ("1\ta", "#1\ta"),
        ("1\ta", "\n1\ta"),
        ("0.5", "0.50000000001"),
        ("1.10", "1.1"),
        ("true", "false"),
        ("true\t\n", "true\t0\n"),
        ("true\t\n", "true\n"),
        ("true\t\n", "true\t\t\n"),
        ("true\t\n", "true\t\r\n"),
        ("true\t\n", "true\t\n1\n"),
    ] {
        let wrong = right.replacen(from, to, 1);
        assert_ne!(wrong, right, "{from}");
        assert!(!reads_back(&wrong, &sheets, &HEADER), "{wrong}");
    }
    assert!(!reads_back(right.trim_end(), &sheets, &HEADER));
    assert!(!reads_back("", &sheets, &HEADER));
}

/// Any GCX1 as its sections: the fields, and cells as JSON. By the grammar alone, and with a parser of JSON that neither the
/// writer nor the checker asks what a value is.
fn read(text: &str) -> Vec<(Vec<String>, Vec<Vec<Json>>)> {
    let mut sections: Vec<(Vec<String>, Vec<Vec<Json>>)> = Vec::new();
    let mut types = String::new();
    for line in text.split_terminator('\n').map(|line| line.replace('\r', "")) {
        if let Some(header) = line.strip_prefix("GCX1") {
            let pair = |key: &str| {
                header
                    .split(' ')
                    .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
                    .map(str::to_owned)
            };
            pair("tool").expect("a tool");
            types = pair("types").unwrap_or_default();
            let fields = pair("fields").expect("fields").split(',').map(str::to_owned).collect();
            sections.push((fields, Vec::new()));
        } else if !line.is_empty() && !line.starts_with('#') {
            let (fields, rows) = sections.last_mut().expect("a header before rows");
            let mut cells: Vec<Json> = Vec::new();
            for (index, cell) in line.split('\t').enumerate() {
                let cell = plain(cell);
                cells.push(match types.chars().nth(index) {
                    Some('s') if cell.starts_with('"') => serde_json::from_str(&cell).expect("a JSON string"),
                    Some('s') if !cell.is_empty() => Json::String(cell),
                    _ if cell.is_empty() => Json::Null,
                    None => serde_json::from_str(&cell).unwrap_or(Json::String(cell)),
                    Some(_) => serde_json::from_str(&cell).expect("JSON"),
                });
            }
            assert!(cells.len() <= fields.len(), "{line:?}");
            cells.resize(fields.len(), Json::Null);
            rows.push(cells);
        }
    }
    sections
}

fn plain(cell: &str) -> String {
    let mut out = String::new();
    let mut characters = cell.chars();
    while let Some(character) = characters.next() {
        out.push(match character {
            '\\' => match characters.next().expect("an escape is complete") {
                't' => '\t',
                'n' => '\n',
                other => other,
            },
            other => other,
        });
    }
    out
}

/// The value as our JSON shows it, read by the same parser.
fn shown(value: &Value) -> Json {
    let mut json = String::new();
    crate::seam::json::write_value(&mut json, value);
    serde_json::from_str(&json).expect("our JSON is valid")
}

fn hostile() -> impl Strategy<Value = String> {
    let words = [
        "",
        "null",
        "true",
        "1",
        "-0",
        "007",
        "1e5",
        "1e400",
        "\"",
        "\"x\"",
        "\"x",
        "{}",
        "{\"a\":1}",
        "[",
        "[1,2]",
        " 1",
        "1\n",
        "#",
        "# x",
        "GCX1",
        "GCX1 tool=a fields=b",
        "GCX2",
        "\t",
        "\n",
        "\r",
        "a\r\nb",
        "\\",
        "\\t",
        "a\\",
        " ",
        "NaN",
        "\u{2028}",
        "\u{feff}",
        "日本🙂",
        "=",
        ",",
    ];
    prop_oneof![
        3 => proptest::sample::select(words.map(str::to_owned).to_vec()),
        1 => "[a-z ]{0,12}",
        1 => "[-+0-9.eE ]{0,6}",
        1 => "[\\[\\]{}\":,0-9\\\\\t\n\r#a]{0,8}",
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let documents = ["{}", "[1,2.50,{\"b\":null}]", "\"x\"", "\"1\"", "1.50", "1e400", "null", "{\"a\":"];
    let leaf = prop_oneof![
        2 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => any::<i64>().prop_map(Value::Int),
        1 => any::<u64>().prop_map(Value::UInt),
        2 => any::<f64>().prop_map(Value::Float),
        1 => (-5..5_i8).prop_map(|value| Value::Float(f64::from(value))),
        2 => "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,20})?".prop_map(Value::Decimal),
        1 => "[-+0-9.eE]{0,6}".prop_map(Value::Decimal),
        8 => hostile().prop_map(Value::Text),
        1 => proptest::sample::select(documents.map(str::to_owned).to_vec()).prop_map(Value::Json),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            proptest::collection::vec((hostile(), inner), 0..3).prop_map(Value::Object),
        ]
    })
}

/// Columns of one kind of value are as frequent as mixed ones, so that both rules win often.
fn column(rows: usize) -> impl Strategy<Value = Vec<Value>> {
    let cells = |cell: BoxedStrategy<Value>| proptest::collection::vec(cell, rows);
    prop_oneof![
        cells(value().boxed()),
        cells(hostile().prop_map(Value::Text).boxed()),
        cells(prop_oneof![Just(Value::Null), "[0-9]{1,6}".prop_map(Value::Text)].boxed()),
        cells(any::<i64>().prop_map(Value::Int).boxed()),
        cells(prop_oneof![any::<f64>().prop_map(Value::Float), Just(Value::Null)].boxed()),
    ]
}

fn sheet() -> impl Strategy<Value = Table> {
    (1_usize..=5, 0_usize..=12).prop_flat_map(|(columns, rows)| {
        proptest::collection::vec(column(rows), columns).prop_map(move |columns| {
            let names: Vec<String> = (0..columns.len()).map(|index| format!("c{index}")).collect();
            let row = |row: usize| columns.iter().map(|column| column[row].clone()).collect();
            Table { part: Part::Whole, keys: Keys::new(&names), names, rows: (0..rows).map(row).collect() }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_reader_of_the_grammar_gets_the_values_back(sheets in proptest::collection::vec(sheet(), 1..3)) {
        let text = write(&sheets, &HEADER, usize::MAX).expect("admitted");
        prop_assert!(reads_back(&text, &sheets, &HEADER), "{}", text);
        let read = read(&text);
        prop_assert_eq!(read.len(), sheets.len());
        for ((fields, rows), sheet) in read.iter().zip(&sheets) {
            prop_assert_eq!(fields, &sheet.names);
            let expected: Vec<Vec<Json>> =
                sheet.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
            prop_assert_eq!(rows, &expected, "{}", text);
        }
    }

    #[test]
    fn our_reader_gets_the_same_json_and_writing_that_gives_the_same_bytes(sheets in proptest::collection::vec(sheet(), 1..3)) {
        let text = write(&sheets, &HEADER, usize::MAX).expect("admitted");
        let read: Vec<Table> = payload::gcx::read(&text)
            .expect("our own text")
            .into_iter()
            .map(|sheet| Table {
                part: Part::Whole,
                keys: Keys::new(&sheet.names),
                names: sheet.names.clone(),
                rows: sheet.into_rows().collect(),
            })
            .collect();
        let json = |sheets: &[Table]| -> Vec<String> {
            let row = |table: &Table, row: &Row| {
                let mut json = String::new();
                crate::seam::json::write_row(&mut json, &table.keys, row);
                json
            };
            sheets.iter().flat_map(|table| table.rows.iter().map(move |cells| row(table, cells))).collect()
        };
        prop_assert_eq!(json(&read), json(&sheets), "{}", &text);
        prop_assert_eq!(write(&read, &HEADER, usize::MAX), Some(text));
    }

    /// The other rule is what comes out when each cell is written without a look at sizes.
    #[test]
    fn the_shorter_rule_is_taken(sheet in sheet()) {
        let sheets = [sheet];
        let text = write(&sheets, &HEADER, usize::MAX).expect("admitted");
        let typed: usize = {
            let single = sheets[0].names.len() == 1;
            let mut out = String::new();
            write_header(&mut out, &sheets[0], &HEADER, None, &[]);
            for row in &sheets[0].rows {
                for (index, value) in row.iter().enumerate() {
                    let place = Place { letter: None, first: index == 0, single };
                    cell::write_value(&mut out, value, place).expect("admitted");
                    out.push('\t');
                }
            }
            out.len()
        };
        prop_assert!(text.len() <= typed);
        prop_assert_eq!(text.len() < typed, text.lines().next().is_some_and(|header| header.contains(" types=")));
    }
}
