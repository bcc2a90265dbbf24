//! The writer and the check against the crate `toon-format`, which shares no code with them.

use std::panic::catch_unwind;

use proptest::prelude::*;
use serde_json::{Map, Value as Json};

use super::*;
use crate::seam::{answer::Part, json::Keys, samples};

/// As many random tables as asked for by `TOOLBOX_NESTED_TABLES`.
fn tables() -> u32 {
    std::env::var("TOOLBOX_NESTED_TABLES").ok().and_then(|count| count.parse().ok()).unwrap_or(1000)
}

fn of_crate(rows: &[Map<String, Json>]) -> String {
    let rows = rows.iter().cloned().map(Json::Object).collect();
    toon_format::encode_default(&Json::Array(rows)).expect("TOON")
}

/// What the crate makes of a whole text, as JSON; none where it fails or panics.
fn read(text: &str) -> Option<String> {
    catch_unwind(|| toon_format::decode_strict::<Json>(text)).ok()?.ok().map(|read| read.to_string())
}

fn as_json(rows: &[Map<String, Json>]) -> String {
    Json::Array(rows.iter().cloned().map(Json::Object).collect()).to_string()
}

fn admitted(rows: &[Map<String, Json>]) -> Option<Table> {
    let table = samples::table(rows);
    table.rows.iter().all(|row| Toon.admits_row(row)).then_some(table)
}

#[track_caller]
fn compare(rows: &[Map<String, Json>]) {
    let Some(table) = admitted(rows) else { return };
    let of_crate = of_crate(rows);
    let Some(text) = nested::write(&table, usize::MAX) else {
        // A table in which the order of keys would be lost.
        assert_ne!(read(&of_crate), Some(as_json(rows)), "{of_crate}");
        return;
    };
    assert_eq!(text, of_crate, "{}", as_json(rows));
    let same = read(&text) == Some(as_json(rows));
    assert_eq!(nested::reads_back(&text, &table), same, "{text}\n{}", as_json(rows));
    if !table.rows.iter().flatten().any(tree::is_nested) {
        assert_eq!(write(&table, usize::MAX).as_deref(), Some(&*text));
        assert_eq!(check::reads_back(&text, &table), same, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tables(), ..ProptestConfig::default() })]

    #[test]
    fn the_text_and_what_is_read_in_it_are_those_of_the_crate_for_the_whole_table(seed in any::<u64>()) {
        compare(&samples::rows(seed));
    }

    /// Whatever happens to a text on its way: if the check still accepts it, the crate finds the table in it.
    #[test]
    fn no_damaged_text_is_accepted_that_reads_otherwise(
        seed in any::<u64>(),
        at in any::<proptest::sample::Index>(),
        length in 0_usize..4,
        put in "[\",#={}\\[\\]: \na1-]{0,3}",
    ) {
        let rows = samples::rows(seed);
        let Some(table) = admitted(&rows) else { return Ok(()) };
        if let Some(text) = nested::write(&table, usize::MAX) {
            let mut characters: Vec<char> = text.chars().collect();
            let from = at.index(characters.len());
            let to = (from + length).min(characters.len());
            characters.splice(from..to, put.chars());
            let damaged = String::from_iter(characters);
            if nested::reads_back(&damaged, &table) {
                prop_assert_eq!(read(&damaged), Some(as_json(&rows)), "{}", damaged);
            }
        }
    }

    #[test]
    fn tables_are_told_apart(one in any::<u64>(), other in any::<u64>()) {
        let (one, other) = (samples::rows(one), samples::rows(other));
        if let (Some(first), Some(second)) = (admitted(&one), admitted(&other)) {
            let Some(text) = nested::write(&first, usize::MAX) else { return Ok(()) };
            prop_assert_eq!(nested::reads_back(&text, &second), read(&text) == Some(as_json(&other)));
        }
    }
}

fn digits() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,20})?",
        "[-+0-9.eE]{0,6}",
        proptest::sample::select(
            &[
                "-0",
                "0.10",
                "18446744073709551615",
                "18446744073709551616",
                "100000000000000000000",
                "1e5",
                "NaN"
            ][..]
        )
        .prop_map(str::to_owned),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    let whole = proptest::sample::select(
        &[
            1.0,
            -0.0,
            9_007_199_254_740_992.0,
            1e16,
            1.5e18,
            1.234_567_890_123_456_7e18,
            9_223_372_036_854_775_808.0,
            1e19,
            1.379_994_884_394_836_6e19,
            -1.379_994_884_394_836_6e19,
            1e20,
            1e21,
            5e-324,
            1e300,
        ][..],
    );
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => any::<i64>().prop_map(Value::Int),
        1 => any::<u64>().prop_map(Value::UInt),
        2 => any::<f64>().prop_map(Value::Float),
        2 => whole.prop_map(Value::Float),
        2 => digits().prop_map(Value::Decimal),
        2 => "[-+0-9.eE]{0,6}".prop_map(Value::Text),
        2 => "[ :,\"\\\\\\[\\]{}#\n\r\t\u{0}\u{8}\u{c}\u{a0}a日-]{0,5}".prop_map(Value::Text),
        2 => proptest::sample::select(&["true", "false", "null", "True", "nul", "- a", "#a", ""][..])
            .prop_map(|word| Value::Text(word.to_owned())),
        2 => any::<String>().prop_map(Value::Text),
    ]
}

/// Whether two shortest texts are equally near to a double. Ours is the even one, and Rust prints the other.
fn is_tie(cell: &Value) -> bool {
    let double = match cell {
        Value::Float(value) => Some(*value),
        Value::Decimal(digits) => digits.parse().ok(),
        _ => None,
    };
    double.is_some_and(|value| value.is_finite() && cell::spelled(value) != format!("{value}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * tables(), ..ProptestConfig::default() })]

    /// What is admitted is what the crate writes and reads back to the same JSON: no more and no less.
    #[test]
    fn scalars_are_those_of_the_crate(cell in scalar().prop_filter("no tie", |cell| !is_tie(cell))) {
        let names = vec!["n".to_owned()];
        let table = Table { part: Part::Whole, keys: Keys::new(&names), names, rows: vec![vec![cell.clone()]] };
        let tree = tree::of_row(&table, &table.rows[0]);
        let of_crate = tree.and_then(|tree| toon_format::encode_default(&Json::Array(vec![tree])).ok());
        let read = of_crate.as_ref().and_then(|text| toon_format::decode_strict::<Json>(text).ok());
        let keeps = read.is_some_and(|read| read.as_array().is_some_and(|rows| tree::is_row(&rows[0], &table, &table.rows[0])));
        if Toon.admits_row(&table.rows[0]) {
            prop_assert!(keeps, "{:?}: {:?}", cell, of_crate);
            let text = write(&table, usize::MAX);
            prop_assert_eq!(&text, &of_crate);
            prop_assert!(check::reads_back(&text.expect("written"), &table));
        } else {
            // A decimal keeps its digits where JSON would write an exponent, and is not admitted in their place.
            let is_small = matches!(&cell, Value::Decimal(digits) if digits.contains(['e', 'E']));
            prop_assert!(!keeps || is_small, "{:?}: {:?}", cell, of_crate);
        }
    }
}

/// The random tables are worth something only if they come in every form.
#[test]
fn random_tables_come_in_every_form() {
    let mut seen = [0; 4];
    let (mut exact, mut lost) = (0, 0);
    for table in (0..4000).filter_map(|seed| admitted(&samples::rows(seed))) {
        let Some(text) = nested::write(&table, usize::MAX) else {
            seen[0] += 1;
            continue;
        };
        let is_table = text.split_once(']').is_some_and(|(_, rest)| rest.starts_with('{'));
        let is_nested =
            table.rows.iter().flatten().any(|cell| matches!(tree::opened(cell), Some(tree::Cell::Nested(_))));
        seen[1 + usize::from(is_table) + usize::from(is_table && is_nested)] += 1;
        if nested::reads_back(&text, &table) { exact += 1 } else { lost += 1 }
    }
    println!("{seen:?}, {exact} tables read back, {lost} do not");
    assert!(seen[1..].iter().all(|count| *count >= 100) && seen[0] > 3, "{seen:?}");
    assert!(exact > 1000 && lost > 5, "{exact} {lost}");
}
