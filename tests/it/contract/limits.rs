//! Limits, as they act on what leaves the server.

use std::time::{Duration, Instant};

use toolbox_source::Value;

use super::{
    Subject,
    ask::{Leaves as _, ask},
    on_every_database,
};
use crate::support::{Engine, Sql, all, only};

on_every_database!(
    as_many_rows_as_the_limit_are_not_cut,
    one_row_more_than_the_limit_is_cut_and_said,
    a_result_is_cut_at_its_bytes_and_its_first_row_is_always_sent,
    a_cut_read_stops_in_the_database,
    a_write_that_gives_more_rows_than_the_limit_is_completed,
    a_limit_of_one_call_is_none_of_the_next,
);

const NUMBERS: &str = "SELECT n FROM numbers ORDER BY n";

/// A result that would take hours to the end. MySQL would gather it for minutes before its first row if it were not told to
/// loop.
const ENDLESS: Sql = all("SELECT a.n FROM numbers AS a, numbers AS b, numbers AS c, numbers AS d")
    .mysql("SELECT /*+ NO_BNL() */ a.n FROM numbers AS a, numbers AS b, numbers AS c, numbers AS d");

async fn as_many_rows_as_the_limit_are_not_cut(subject: &mut Subject) {
    let source = subject.source();
    let answer = ask(NUMBERS).rows_at_most(1000).encoded(&*source).await.unwrap();
    assert_eq!(answer.truncated(), None);
    assert_eq!(answer.blocks().len(), 1000);
    assert_eq!(answer.blocks()[999], r#"{"n":1000}"#);
    let bytes = u64::try_from(answer.bytes()).unwrap();
    let answer = ask(NUMBERS).bytes_at_most(bytes).encoded(&*source).await.unwrap();
    assert_eq!((answer.truncated(), answer.blocks().len()), (None, 1000));
}

async fn one_row_more_than_the_limit_is_cut_and_said(subject: &mut Subject) {
    let source = subject.source();
    for by_the_model in [false, true] {
        let question = ask(NUMBERS).rows_at_most(999).reading();
        let question = if by_the_model { question.by_the_model() } else { question };
        let answer = question.encoded(&*source).await.unwrap();
        let truncated = answer.truncated().expect("a cut result");
        assert_eq!(truncated.rows, 999);
        assert!(truncated.hint.contains("999"), "{}", truncated.hint);
        let [rows @ .., notice] = answer.blocks() else { panic!("no block") };
        assert_eq!(rows.len(), 999);
        assert_eq!(rows[998], r#"{"n":999}"#);
        assert!(notice.contains("toolbox/truncated"), "{notice}");
    }
}

async fn a_result_is_cut_at_its_bytes_and_its_first_row_is_always_sent(subject: &mut Subject) {
    let source = subject.source();
    // Nine rows of 7 bytes, then rows of 8.
    let answer = ask(NUMBERS).bytes_at_most(9 * 7 + 8).encoded(&*source).await.unwrap();
    assert_eq!(answer.truncated().map(|truncated| truncated.rows), Some(10));
    let answer = ask(NUMBERS).bytes_at_most(1).encoded(&*source).await.unwrap();
    assert_eq!(answer.truncated().map(|truncated| truncated.rows), Some(1));
    assert_eq!(answer.blocks()[0], r#"{"n":1}"#);
}

async fn a_cut_read_stops_in_the_database(subject: &mut Subject) {
    let source = subject.narrow_source();
    let begun = Instant::now();
    for reading in [true, false] {
        let question = ask(&ENDLESS.of(subject.engine).unwrap()).rows_at_most(10);
        let question = if reading { question.reading() } else { question };
        let answer = question.encoded(&*source).await.unwrap();
        assert_eq!(answer.truncated().map(|truncated| truncated.rows), Some(10));
        subject.wait_until_gone("numbers AS d").await;
        assert_eq!(ask("SELECT 1").cell(&*source).await, Value::Int(1));
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

async fn a_write_that_gives_more_rows_than_the_limit_is_completed(subject: &mut Subject) {
    let source = subject.narrow_source();
    let write = only()
        .sqlite("UPDATE numbers SET n = -n RETURNING n")
        .postgres("UPDATE numbers SET n = -n RETURNING n")
        .mariadb("DELETE FROM numbers WHERE n > 1 RETURNING n");
    let Some(write) = write.of(subject.engine) else { return };
    let answer = ask(&write).rows_at_most(5).encoded(&*source).await.unwrap();
    let truncated = answer.truncated().expect("a cut result");
    assert_eq!(truncated.rows, 5);
    let changed = if subject.engine == Engine::MariaDb { 999 } else { 1000 };
    assert!(truncated.hint.contains(&format!("changed {changed} rows")), "{}", truncated.hint);
    let left = i64::from(subject.engine == Engine::MariaDb);
    assert_eq!(subject.database.number("SELECT count(*) FROM numbers WHERE n > 0").await, left);
}

async fn a_limit_of_one_call_is_none_of_the_next(subject: &mut Subject) {
    let source = subject.narrow_source();
    for rows in [3, 1000, 1, 1000] {
        let answer = ask(NUMBERS).rows_at_most(rows).encoded(&*source).await.unwrap();
        assert_eq!(answer.truncated().is_some(), rows < 1000);
    }
    assert_eq!(ask(NUMBERS).rows(&*source).await.len(), 1000);
}
