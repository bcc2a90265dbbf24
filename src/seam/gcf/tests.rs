//! The writer and the checker against the gcf crate, which shares no code with them, and against the specification's own
//! conformance cases.

use std::{collections::BTreeSet, fs, panic::catch_unwind, path::Path};

use proptest::prelude::*;
use serde_json::{Map, Number, Value as Json};
use toolbox_source::names;

use super::{check::reads_back, *};
use crate::seam::{answer::Part, json::Keys};

fn table(names: Vec<String>, rows: Vec<Vec<Value>>) -> Table {
    Table { part: Part::Whole, keys: Keys::new(&names), names, rows }
}

fn text(table: &Table) -> String {
    write(table, usize::MAX).expect("every cell is admitted")
}

/// The table as the crate takes it.
fn to_json(table: &Table) -> Json {
    let row = |row: &Vec<Value>| {
        let cells = row.iter().map(|cell| match cell {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Int(value) => Json::Number(Number::from(*value)),
            Value::Float(value) => Json::Number(Number::from_f64(*value).expect("finite")),
            Value::Text(text) => Json::String(text.clone()),
            other => panic!("the crate has no form for {other:?}"),
        });
        Json::Object(table.names.iter().cloned().zip(cells).collect())
    };
    Json::Array(table.rows.iter().map(row).collect())
}

/// Whether what the crate read is this table: names in order, integers exact, doubles by value.
fn is_table(read: &Json, table: &Table) -> bool {
    let same_cell = |read: &Json, cell: &Value| match (read, cell) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(read), Value::Bool(cell)) => read == cell,
        (Json::Number(read), Value::Int(cell)) => read.as_i64() == Some(*cell),
        (Json::Number(read), Value::Float(cell)) => read.as_f64() == Some(*cell),
        (Json::String(read), Value::Text(cell)) => read == cell,
        _ => false,
    };
    let same_row = |read: &Json, row: &Vec<Value>| {
        read.as_object().is_some_and(|read| {
            read.len() == row.len()
                && read.keys().eq(&table.names)
                && read.values().zip(row).all(|(read, cell)| same_cell(read, cell))
        })
    };
    read.as_array().is_some_and(|read| {
        read.len() == table.rows.len() && read.iter().zip(&table.rows).all(|(read, row)| same_row(read, row))
    })
}

/// Words that one part of the grammar or another could take for something else.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "-",
    "~",
    "^",
    "^{a}",
    "^{a",
    "^a}",
    "true",
    "false",
    "null",
    "True",
    "0",
    "-0",
    "1.0",
    "1e5",
    "007",
    "+1",
    "-.5",
    ".5",
    "+.5",
    "-a",
    "+a",
    "0x1",
    "12 monkeys",
    "1e400",
    "#",
    "# note",
    "##",
    "## [1]{a}",
    "##! summary counts=1",
    "@0",
    "@0 a",
    ".a {}",
    "=x",
    "a=b",
    "a,b",
    "a|b",
    "a\"b",
    "a\\b",
    "\"",
    "\\",
    "}",
    "x}y",
    "{",
    "[1]:",
    "a[b] :c",
    "[]",
    "[a]b:",
    "a]:",
    "[[x]:",
    " a",
    "a ",
    "a b",
    "\n",
    "\r",
    "a\rb",
    "\t",
    "\0",
    "\u{1f}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{1680}",
    "\u{2003}",
    "\u{2028}",
    "\u{202f}",
    "\u{3000}",
    "\u{feff}",
    "e\u{301}",
    "日本",
    "🙂",
    "\u{200f}",
    "GCF",
    "GCF profile=generic",
    "NaN",
    "Infinity",
    "9223372036854775808",
    "1.",
    "1e",
    "-1e-7",
    "group=x",
];

const ALPHABET: &[char] = &[
    '"', '\\', '|', ',', '}', '{', '[', ']', ':', '=', ' ', '#', '@', '.', '^', '~', '-', '+', '0', '1', 'e',
    't', 'a', '_', '\n', '\r', '\t', '\0', '\u{85}', '\u{a0}', '\u{2028}', 'é', '日', '🙂',
];

fn hostile_text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(HOSTILE).prop_map(str::to_owned),
        proptest::collection::vec(proptest::sample::select(ALPHABET), 0..8).prop_map(String::from_iter),
        "[a-z ]{1,40}",
        any::<String>(),
    ]
}

/// Whether two shortest texts are equally near to a double, as 268836124373790.12 and .13 are to 268836124373790.125. Ours is
/// the even one, as ECMAScript asks and Node.js and Python print it; the crate prints Rust's, which is the other.
fn is_tie(value: f64) -> bool {
    let digits = |text: &str| -> String {
        let mantissa = text.split_once('e').map_or(text, |(mantissa, _)| mantissa);
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    };
    digits(ryu::Buffer::new().format_finite(value)) != digits(&format!("{value:e}"))
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-3_i64..3).prop_map(Value::Int),
        proptest::sample::select(&[i64::MIN, i64::MAX, 9_007_199_254_740_993, -9_007_199_254_740_993][..])
            .prop_map(Value::Int),
        any::<f64>()
            .prop_filter("finite and no tie", |value| value.is_finite() && !is_tie(*value))
            .prop_map(Value::Float),
        proptest::sample::select(
            &[
                0.0,
                -0.0,
                1.0,
                0.1,
                1e-6,
                9.9e-7,
                1e15,
                9_007_199_254_740_991.0,
                9_007_199_254_740_992.0,
                1e300,
                5e-324
            ][..]
        )
        .prop_map(Value::Float),
        hostile_text().prop_map(Value::Text),
        hostile_text().prop_map(Value::Text),
    ]
}

/// Tables of 1 to 5 columns and 1 to 5 rows, some columns with one value throughout. A `>` in a name is left out, since the
/// guard does not let such names through.
fn tables() -> impl Strategy<Value = Table> {
    (1_usize..=5, 1_usize..=5).prop_flat_map(|(columns, rows)| {
        let names = proptest::collection::vec(hostile_text(), columns);
        let cells = proptest::collection::vec(proptest::collection::vec(scalar(), columns), rows);
        let constant = proptest::collection::vec(proptest::bool::weighted(0.3), columns);
        (names, cells, constant).prop_map(|(names, mut rows, constant)| {
            let names: Vec<String> = names.into_iter().map(|name| name.replace('>', "<")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let first = rows[0].clone();
            for row in &mut rows {
                for (index, _) in constant.iter().enumerate().filter(|(_, constant)| **constant) {
                    row[index] = first[index].clone();
                }
            }
            table(names::unique(&names), rows)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn the_text_is_the_one_of_the_gcf_crate(table in tables()) {
        prop_assert_eq!(text(&table), gcf::encode_generic(&to_json(&table)).unwrap());
    }

    #[test]
    fn an_independent_reader_finds_the_same_names_and_cells(table in tables()) {
        let text = text(&table);
        let read = gcf::decode_generic(&text).unwrap();
        prop_assert!(is_table(&read, &table), "{} reads as {}", text, read);
        prop_assert!(reads_back(&text, &table), "the checker refuses {}", text);
    }

    /// Whatever happens to a text on its way: if the checker still accepts it, an independent reader finds the table in it.
    #[test]
    fn the_checker_accepts_no_damaged_text_that_reads_otherwise(
        table in tables(),
        at in any::<proptest::sample::Index>(),
        length in 0_usize..4,
        put in proptest::collection::vec(proptest::sample::select(ALPHABET), 0..3),
    ) {
        let mut characters: Vec<char> = text(&table).chars().collect();
        let from = at.index(characters.len());
        let to = (from + length).min(characters.len());
        characters.splice(from..to, put);
        let damaged = String::from_iter(characters);
        if reads_back(&damaged, &table) {
            let read = catch_unwind(|| gcf::decode_generic(&damaged)).expect("a text that we accept panics no reader");
            prop_assert!(read.as_ref().is_ok_and(|read| is_table(read, &table)), "{} reads as {:?}", damaged, read);
        }
    }

    /// Nor does it take a text for that of another table.
    #[test]
    fn the_checker_tells_tables_apart(one in tables(), other in tables()) {
        let text = text(&one);
        prop_assert_eq!(reads_back(&text, &other), is_table(&gcf::decode_generic(&text).unwrap(), &other));
    }
}

#[test]
fn every_code_point_that_matters_is_quoted_as_the_crate_quotes_it() {
    let points = (0..0x300).chain([0x1680, 0x2060, 0x3000, 0xfeff, 0x1f642]).chain(0x1ff0..0x2070);
    for character in points.filter_map(char::from_u32) {
        for word in [
            format!("{character}"),
            format!("{character}a"),
            format!("a{character}"),
            format!("a{character}b"),
        ] {
            let cells = [
                vec![Value::Text(word.clone()), Value::Int(1)],
                vec![Value::Text("x".to_owned()), Value::Int(2)],
            ];
            let varying = table(vec!["first".to_owned(), word.replace('>', "<")], cells.to_vec());
            let constant = table(
                varying.names.clone(),
                vec![cells[0].clone(), vec![cells[0][0].clone(), Value::Int(2)]],
            );
            for table in [varying, constant] {
                assert_eq!(text(&table), gcf::encode_generic(&to_json(&table)).unwrap(), "{word:?}");
                assert!(reads_back(&text(&table), &table), "{word:?}");
            }
        }
    }
}

#[test]
fn decimals_keep_their_digits_in_the_text_and_in_the_check() {
    let names = vec!["id".to_owned(), "price".to_owned()];
    let prices = ["1.10", "1.1", "100", "-0.00", "123456789012345678.901234567890"];
    let rows =
        (1..).zip(prices).map(|(id, price)| vec![Value::Int(id), Value::Decimal(price.to_owned())]).collect();
    let table = table(names, rows);
    let text = text(&table);
    assert_eq!(
        text,
        "GCF profile=generic\n## [5]{id,price}\n1|1.10\n2|1.1\n3|100\n4|-0.00\n5|123456789012345678.901234567890\n"
    );
    assert!(reads_back(&text, &table));
    assert!(!reads_back(&text.replace("1.10", "1.100"), &table));
}

#[test]
fn decimals_that_no_reader_of_gcf_can_take_are_not_admitted() {
    let admitted = |digits: &str| admits(&Value::Decimal(digits.to_owned()));
    assert!(admitted("9223372036854775807"));
    assert!(!admitted("9223372036854775808"));
    assert!(admitted("9223372036854775808.0"));
    assert!(!admitted(&format!("1{}.5", "0".repeat(400))));
    for digits in ["NaN", "Infinity", "1e5", ".5", "5.", "+5", "007", ""] {
        assert!(!admitted(digits), "{digits:?}");
    }
}

#[test]
fn mixed_zeros_are_one_value_in_a_constant_column() {
    let names = vec!["zero".to_owned(), "id".to_owned()];
    let zeros = [Value::Int(0), Value::Float(0.0), Value::Float(-0.0)];
    let rows = (1..).zip(zeros).map(|(id, zero)| vec![zero, Value::Int(id)]).collect();
    let table = table(names, rows);
    assert_eq!(text(&table), "GCF profile=generic\n## [3]{zero=0,id}\n1\n2\n3\n");
    assert_eq!(text(&table), gcf::encode_generic(&to_json(&table)).unwrap());
    assert!(reads_back(&text(&table), &table));
}

/// The cases of the conformance suite that are tables of scalars, rows with the same names in the same order.
#[test]
fn conformance_cases_that_are_tables_of_scalars_come_out_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/gcf-conformance");
    if !folder.is_dir() {
        println!("skipped: no conformance cases at {}", folder.display());
        return;
    }
    let mut applied = BTreeSet::new();
    for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(entry.path()).unwrap().map(Result::unwrap) {
            let case: Json = serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap();
            let writes = matches!(case["operation"].as_str(), Some("encode" | "roundtrip"));
            let Some(table) = from_json(&case["input"]).filter(|_| writes) else { continue };
            let name = file.path().strip_prefix(&folder).unwrap().display().to_string();
            if !Gcf.admits_names(&table.names) {
                println!("not for this writer, since a name holds a `>`: {name}");
                continue;
            }
            let text = text(&table);
            if let Some(expected) = case["expected"].as_str() {
                assert_eq!(text, expected, "{name}");
            }
            assert!(reads_back(&text, &table), "{name}");
            applied.insert(name);
        }
    }
    println!("{} conformance cases applied: {applied:?}", applied.len());
    assert!(applied.len() >= 15, "only {applied:?}");
}

/// The cases that are tables with nested values go through the crate, whose text the guard compares with the rows.
#[test]
fn conformance_cases_with_nested_cells_come_out_byte_for_byte_or_not_at_all() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/gcf-conformance");
    if !folder.is_dir() {
        println!("skipped: no conformance cases at {}", folder.display());
        return;
    }
    let (mut applied, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(entry.path()).unwrap().map(Result::unwrap) {
            let case: Json = serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap();
            let writes = matches!(case["operation"].as_str(), Some("encode" | "roundtrip"));
            let plain = case["options"].is_null();
            let Some(table) = nested_from_json(&case["input"]).filter(|_| writes && plain) else { continue };
            let name = file.path().strip_prefix(&folder).unwrap().display().to_string();
            let admitted = Gcf.admits_names(&table.names) && table.rows.iter().all(|row| Gcf.admits_row(row));
            let text =
                nested::write(&table, usize::MAX).filter(|text| admitted && nested::reads_back(text, &table));
            let Some(text) = text else {
                refused.insert(name);
                continue;
            };
            if let Some(expected) = case["expected"].as_str() {
                assert_eq!(text, expected, "{name}");
            }
            applied.insert(name);
        }
    }
    println!("{} cases applied: {applied:?}\nrefused: {refused:?}", applied.len());
    assert!(applied.len() >= 13, "only {applied:?}");
    assert!(refused.is_empty(), "refused: {refused:?}");
}

/// A non-empty array of objects with the same names in the same order, some of them with nested values.
fn nested_from_json(input: &Json) -> Option<Table> {
    let objects: Vec<&Map<String, Json>> =
        input.as_array()?.iter().map(Json::as_object).collect::<Option<_>>()?;
    let names: Vec<String> = objects.first().filter(|object| !object.is_empty())?.keys().cloned().collect();
    let cell = |value: &Json| scalar_from_json(value).unwrap_or_else(|| Value::Json(value.to_string()));
    let row = |object: &&Map<String, Json>| {
        object.keys().eq(&names).then(|| object.values().map(cell).collect::<Vec<Value>>())
    };
    let rows = objects.iter().map(row).collect::<Option<Vec<_>>>()?;
    rows.iter().flatten().any(tree::is_nested).then(|| table(names, rows))
}

/// A non-empty array of objects of scalars with the same names in the same order, as a table.
fn from_json(input: &Json) -> Option<Table> {
    let objects: Vec<&Map<String, Json>> =
        input.as_array()?.iter().map(Json::as_object).collect::<Option<_>>()?;
    let names: Vec<String> = objects.first().filter(|object| !object.is_empty())?.keys().cloned().collect();
    let row = |object: &&Map<String, Json>| {
        object
            .keys()
            .eq(&names)
            .then(|| object.values().map(scalar_from_json).collect::<Option<Vec<Value>>>())?
    };
    let rows = objects.iter().map(row).collect::<Option<Vec<_>>>()?;
    Some(table(names, rows))
}

fn scalar_from_json(value: &Json) -> Option<Value> {
    match value {
        Json::Null => Some(Value::Null),
        Json::Bool(value) => Some(Value::Bool(*value)),
        Json::Number(number) if number.as_str().contains(['.', 'e', 'E']) => {
            number.as_f64().map(Value::Float)
        }
        Json::Number(number) => number.as_i64().map(Value::Int),
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Array(_) | Json::Object(_) => None,
    }
}
