//! The table's lines and the attachments of single cells, against the text that the crate makes of the whole table and what it reads
//! in it.

use std::panic::catch_unwind;

use super::*;
use crate::seam::{form::Form as _, gcf::Gcf, samples};
use proptest::prelude::*;

/// As many random tables as asked for by `TOOLBOX_NESTED_TABLES`.
fn tables() -> u32 {
    std::env::var("TOOLBOX_NESTED_TABLES").ok().and_then(|count| count.parse().ok()).unwrap_or(1000)
}

fn of_crate(rows: &[Map<String, Json>]) -> String {
    let rows = rows.iter().cloned().map(Json::Object).collect();
    gcf::encode_generic(&Json::Array(rows)).expect("GCF")
}

/// What the crate makes of a whole text, as JSON; none where it fails or panics.
fn read(text: &str) -> Option<String> {
    catch_unwind(|| gcf::decode_generic(text)).ok()?.ok().map(|read| read.to_string())
}

fn as_json(rows: &[Map<String, Json>]) -> String {
    Json::Array(rows.iter().cloned().map(Json::Object).collect()).to_string()
}

fn admitted(rows: &[Map<String, Json>]) -> Option<Table> {
    let table = samples::table(rows);
    table.rows.iter().all(|row| Gcf.admits_row(row)).then_some(table)
}

#[track_caller]
fn check(rows: &[Map<String, Json>]) {
    let Some(table) = admitted(rows) else { return };
    let text = write(&table, usize::MAX).expect("the crate writes every cell");
    assert_eq!(text, of_crate(rows), "{}", as_json(rows));
    assert_eq!(reads_back(&text, &table), read(&text) == Some(as_json(rows)), "{text}\n{}", as_json(rows));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tables(), ..ProptestConfig::default() })]

    #[test]
    fn the_text_and_what_is_read_in_it_are_those_of_the_crate_for_the_whole_table(seed in any::<u64>()) {
        check(&samples::rows(seed));
    }

    /// Whatever happens to a text on its way: if the check still accepts it, the crate finds the table in it.
    #[test]
    fn no_damaged_text_is_accepted_that_reads_otherwise(
        seed in any::<u64>(),
        at in any::<proptest::sample::Index>(),
        length in 0_usize..4,
        put in "[\"|,^@.={}\\[\\]: \na1-]{0,3}",
    ) {
        let rows = samples::rows(seed);
        if let Some(table) = admitted(&rows) {
            let mut characters: Vec<char> = write(&table, usize::MAX).expect("GCF").chars().collect();
            let from = at.index(characters.len());
            let to = (from + length).min(characters.len());
            characters.splice(from..to, put.chars());
            let damaged = String::from_iter(characters);
            if reads_back(&damaged, &table) {
                prop_assert_eq!(read(&damaged), Some(as_json(&rows)), "{}", damaged);
            }
        }
    }

    #[test]
    fn tables_are_told_apart(one in any::<u64>(), other in any::<u64>()) {
        let (one, other) = (samples::rows(one), samples::rows(other));
        if let (Some(first), Some(second)) = (admitted(&one), admitted(&other)) {
            let text = write(&first, usize::MAX).expect("GCF");
            prop_assert_eq!(reads_back(&text, &second), read(&text) == Some(as_json(&other)));
        }
    }
}

/// The random tables are worth something only if they come in every form.
#[test]
fn random_tables_come_in_every_form_of_column() {
    let mut seen = [0; 7];
    let (mut exact, mut lost) = (0, 0);
    for table in (0..4000).filter_map(|seed| admitted(&samples::rows(seed))) {
        for column in column::of(&table).expect("JSON") {
            seen[match column {
                Column::Constant => 0,
                Column::Flat(shape) if shape.count() > shape.fields().len() => 1,
                Column::Flat(_) => 2,
                Column::Cells(Attached::Alone) => 3,
                Column::Cells(Attached::Line(_)) => 4,
                Column::Cells(Attached::Table(_)) if table.rows.len() > 1 => 5,
                Column::Cells(Attached::Table(_)) => 6,
            }] += 1;
        }
        if reads_back(&write(&table, usize::MAX).expect("GCF"), &table) { exact += 1 } else { lost += 1 }
    }
    println!("{seen:?}, {exact} tables read back, {lost} do not");
    assert!(seen.iter().all(|count| *count >= 50), "{seen:?}");
    assert!(exact > 1000 && lost > 5, "{exact} {lost}");
}

/// The crate looks for the scalars of `info` in another object that has the name of the column, finds a null, and takes the one for
/// an object of nulls, which cannot be columns (specification 3.6, section 7.4.6). It reads the columns as they are meant.
#[test]
fn an_object_is_no_object_of_nulls_because_another_one_is() {
    let rows = serde_json::from_str::<Vec<Map<String, Json>>>(
        r#"[{"data":{"info":{"x":1},"data":{"info":{"x":null}}}},{"data":{"info":{"x":2},"data":{"info":{"x":null}}}}]"#,
    )
    .expect("JSON");
    let table = admitted(&rows).expect("admitted");
    let text = write(&table, usize::MAX).expect("GCF");
    assert_eq!(text, "GCF profile=generic\n## [2]{\"data>info>x\",\"data>data>info>x\"}\n1|-\n2|-\n");
    assert!(reads_back(&text, &table));
    assert_eq!(read(&text), Some(as_json(&rows)));
    assert!(of_crate(&rows).contains("{data}\n@0 ^\n.data ["));
}

/// What a reader would take for something else than rows of this table.
#[test]
fn attachments_must_be_where_they_belong() {
    let rows = serde_json::from_str::<Vec<Map<String, Json>>>(
        r#"[{"id":1,"tags":["a"],"list":[{"x":1,"y":2}]},{"id":2,"tags":null,"list":[{"x":3,"y":4}]}]"#,
    )
    .expect("JSON");
    let table = admitted(&rows).expect("admitted");
    let text = write(&table, usize::MAX).expect("GCF");
    assert_eq!(
        text,
        "GCF profile=generic\n## [2]{id,tags,list}\n@0 1|^|^\n.tags [1]: a\n.list [1]{x,y}\n    1|2\n\
         @1 2|-|^\n.list [1]\n    3|4\n"
    );
    assert!(reads_back(&text, &table));
    for (from, to) in [
        ("@1 2", "@2 2"),
        ("@0 1", "1"),
        (".tags [1]: a\n", ""),
        (".tags [1]: a\n", ".tags [1]: a\n.tags [1]: a\n"),
        (".tags [1]: a\n.list [1]{x,y}\n    1|2\n", ".list [1]{x,y}\n    1|2\n.tags [1]: a\n"),
        ("{x,y}\n", "{y,x}\n"),
        ("    3|4\n", "    4|3\n"),
        ("    3|4\n", ""),
        ("2|-|^", "2|~|^"),
        ("2|-|^", "2|-|^{x,y}"),
        ("\n.list [1]\n", "\n.list [2]\n"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(!reads_back(&text.replacen(from, to, 1), &table), "{from:?} as {to:?}");
    }
}
