//! Writers that lie, fail and panic: the guard must send none of what they write.

use super::*;
use crate::seam::json::Keys;

/// Thirty rows `{"id":…,"name":"instance …"}`, large enough for GCF to win.
fn table() -> Table {
    let names = vec!["id".to_owned(), "name".to_owned()];
    let rows = (0..30).map(|id| vec![Value::Int(id), Value::Text(format!("instance {id}"))]).collect();
    Table { keys: Keys::new(&names), names, rows }
}

fn json_bytes(table: &Table) -> usize {
    let Table { names, keys, rows } = table;
    let copy = Table { names: names.clone(), keys: keys.clone(), rows: rows.clone() };
    copy.into_blocks().iter().map(String::len).sum()
}

#[test]
fn an_honest_writer_passes() {
    let table = table();
    let text = judged(&table, "", json_bytes(&table), gcf::write);
    assert!(
        text.is_some_and(|text| text.starts_with("GCF profile=generic\n## [30]{id,name}\n0|instance 0\n"))
    );
}

#[test]
fn a_panicking_writer_means_json() {
    let table = table();
    assert_eq!(judged(&table, "", json_bytes(&table), |_, _| panic!("a writer with a fault")), None);
}

#[test]
fn a_writer_that_gives_up_means_json() {
    let table = table();
    assert_eq!(judged(&table, "", json_bytes(&table), |_, _| None), None);
}

#[test]
fn one_wrong_cell_means_json() {
    let table = table();
    let changed = |from: &'static str, to: &'static str| {
        judged(&table, "", json_bytes(&table), move |table, most| {
            gcf::write(table, most).map(|text| text.replacen(from, to, 1))
        })
    };
    assert!(changed("no such text", "").is_some());
    assert_eq!(changed("29|instance 29\n", "28|instance 29\n"), None);
    assert_eq!(changed("29|instance 29\n", "29.5|instance 29\n"), None);
    assert_eq!(changed("29|instance 29\n", "29|instance  29\n"), None);
    assert_eq!(changed("29|instance 29\n", "29|-\n"), None);
    assert_eq!(changed("29|instance 29\n", ""), None);
    assert_eq!(changed("29|instance 29\n", "29|instance 29\n30|instance 30\n"), None);
    assert_eq!(changed("[30]", "[31]"), None);
    assert_eq!(changed("{id,name}", "{name,id}"), None);
    assert_eq!(changed("{id,name}", "{id,title}"), None);
}

#[test]
fn an_integer_beyond_two_to_the_53_is_not_its_neighbor() {
    let mut table = table();
    table.rows.push(vec![Value::Int(9_007_199_254_740_993), Value::Text("large".to_owned())]);
    let written = |digits: &'static str| {
        judged(&table, "", json_bytes(&table), move |table, most| {
            gcf::write(table, most).map(|text| text.replace("9007199254740993", digits))
        })
    };
    assert!(written("9007199254740993").is_some());
    assert_eq!(written("9007199254740992"), None);
    assert_eq!(written("9.007199254740993e+15"), None);
}

#[test]
fn exactly_sixty_four_bytes_must_be_saved() {
    let table = table();
    let size = gcf::write(&table, usize::MAX).map_or(0, |text| text.len());
    assert!(judged(&table, "", size + 64, gcf::write).is_some());
    assert_eq!(judged(&table, "", size + 63, gcf::write), None);
    assert_eq!(judged(&table, "", 0, gcf::write), None);
}

#[test]
fn a_comment_counts_and_is_all_that_may_follow_the_rows() {
    let table = table();
    let size = gcf::write(&table, usize::MAX).map_or(0, |text| text.len());
    assert!(
        judged(&table, "# cut\n", size + 6 + 64, gcf::write).is_some_and(|text| text.ends_with("\n# cut\n"))
    );
    assert_eq!(judged(&table, "# cut\n", size + 6 + 63, gcf::write), None);
    assert_eq!(judged(&table, "cut\n", usize::MAX, gcf::write), None);
}
