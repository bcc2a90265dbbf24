//! Calls beside each other: lanes, locks, and nothing of one call in the next.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::join_all;
use toolbox_source::{Done, Source as _, Value};

use crate::support::{Database, FOREVER_SILENT, ask, open, text};

#[tokio::test(flavor = "multi_thread")]
async fn reads_do_not_queue_behind_a_writer_or_each_other() {
    let database = Database::with("CREATE TABLE t (a); INSERT INTO t VALUES (1)").await;
    let mut options = database.options();
    options.max_connections = 22;
    let source = Arc::new(toolbox_sqlite::Sqlite::open("test", options).unwrap());
    // A write and a read that run as long as this test does.
    let write = "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0";
    let writing = tokio::spawn({
        let source = source.clone();
        async move { ask(write).answer(&*source).await }
    });
    let reading = ask(FOREVER_SILENT).stream(&*source).await.unwrap();
    let begun = Instant::now();
    let reads = join_all((0..20).map(|_| ask("SELECT count(*) FROM t").cell(&*source))).await;
    assert!(reads.iter().all(|count| *count == Value::Int(1)));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    drop(reading);
    source.close().await;
    assert!(writing.await.unwrap().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_take_turns_and_none_fails() {
    let database = Database::with("CREATE TABLE t (a); INSERT INTO t VALUES (0)").await;
    for source in [database.source(), open(":memory:")] {
        if ask("SELECT count(*) FROM sqlite_schema").cell(&source).await == Value::Int(0) {
            ask("CREATE TABLE t (a)").done(&source).await;
            ask("INSERT INTO t VALUES (0)").done(&source).await;
        }
        let writes = join_all((0..40).map(|_| ask("UPDATE t SET a = a + 1").answer(&source)));
        let reads = join_all((0..40).map(|_| ask("SELECT a FROM t").answer(&source)));
        let (writes, reads) = tokio::join!(writes, reads);
        for answer in writes {
            assert_eq!(answer.unwrap().done, Done { rows_affected: Some(1), last_insert_id: None });
        }
        for answer in reads {
            assert!(answer.is_ok(), "{answer:?}");
        }
        assert_eq!(ask("SELECT a FROM t").cell(&source).await, Value::Int(40));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_sources_on_one_file_wait_for_each_other() {
    let database = Database::with("CREATE TABLE t (a); INSERT INTO t VALUES (0)").await;
    let (one, two) = (database.source(), database.source());
    let write = |source| async move { ask("UPDATE t SET a = a + 1").answer(source).await };
    let (ones, twos) =
        tokio::join!(join_all((0..15).map(|_| write(&one))), join_all((0..15).map(|_| write(&two))));
    assert!(ones.iter().chain(&twos).all(Result::is_ok), "{ones:?} {twos:?}");
    assert_eq!(ask("SELECT a FROM t").cell(&two).await, Value::Int(30));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_connection_serves_both_lanes() {
    let database = Database::with("CREATE TABLE t (a)").await;
    let mut options = database.options();
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    for rows in 1..20 {
        ask("INSERT INTO t VALUES (1)").done(&source).await;
        assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(rows));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_parallel_calls_do_not_mix() {
    let source = open(":memory:");
    let sql =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT ?1 FROM n";
    let answers = join_all((0..64).map(|call| ask(sql).with([Value::Int(call)]).rows(&source))).await;
    for (rows, call) in answers.into_iter().zip(0..64) {
        assert_eq!(rows.len(), 200);
        assert!(rows.iter().all(|row| row == &[Value::Int(call)]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_a_model_leaves_behind_reaches_the_next_call() {
    let database = Database::with("CREATE TABLE t (a); INSERT INTO t VALUES (1)").await;
    let mut options = database.options();
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    ask("CREATE TEMP TABLE t AS SELECT 'mine' AS a").by_the_model().done(&source).await;
    ask("UPDATE t SET a = 2").done(&source).await;
    assert_eq!(ask("SELECT a FROM t").cell(&source).await, Value::Int(2));
    ask("CREATE TEMP TRIGGER x AFTER INSERT ON main.t BEGIN DELETE FROM t; END")
        .by_the_model()
        .done(&source)
        .await;
    ask("INSERT INTO t VALUES (3)").done(&source).await;
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
    ask("PRAGMA case_sensitive_like = 1").done(&source).await;
    assert_eq!(ask("SELECT 'A' LIKE 'a'").cell(&source).await, Value::Int(1));
    ask("ATTACH ':memory:' AS other").done(&source).await;
    assert_eq!(ask("SELECT count(*) FROM pragma_database_list").cell(&source).await, Value::Int(1));
    assert_eq!(
        ask("SELECT changes() + total_changes() + last_insert_rowid()").cell(&source).await,
        Value::Int(0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_of_a_database_that_another_program_left_in_the_middle_of_a_write_works() {
    let database = Database::with("CREATE TABLE t (a); INSERT INTO t VALUES (1)").await;
    // A crash between journal and commit, as it looks on disk: both files as they are during a write.
    let copy = database.folder.path().join("crashed.db");
    {
        use sqlx::{ConnectOptions as _, Connection as _, Executor as _, sqlite::SqliteConnectOptions};
        let mut writer = SqliteConnectOptions::new().filename(database.path()).connect().await.unwrap();
        // A cache this small spills changed pages into the file before the commit.
        writer.execute("PRAGMA cache_size = 1").await.unwrap();
        writer.execute("BEGIN IMMEDIATE").await.unwrap();
        writer.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO t SELECT randomblob(900) FROM n").await.unwrap();
        std::fs::copy(database.path(), &copy).unwrap();
        std::fs::copy(database.path().with_extension("db-journal"), copy.with_extension("db-journal"))
            .unwrap();
        writer.execute("ROLLBACK").await.unwrap();
        writer.close().await.unwrap();
    }
    {
        use sqlx::{ConnectOptions as _, Executor as _, sqlite::SqliteConnectOptions};
        let mut reader = SqliteConnectOptions::new().filename(&copy).read_only(true).connect().await.unwrap();
        let error = reader.execute("SELECT count(*) FROM t").await.unwrap_err();
        let code = error.as_database_error().unwrap().code().unwrap().into_owned();
        assert_eq!(code, "776", "a reader alone cannot do it (SQLITE_READONLY_ROLLBACK)");
    }
    let source = open(copy.to_str().unwrap());
    assert_eq!(ask("SELECT count(*) FROM t").reading().cell(&source).await, Value::Int(1));
    assert_eq!(ask("PRAGMA integrity_check").cell(&source).await, text("ok"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_ahead_log_works_beside_other_programs() {
    let database =
        Database::with("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)").await;
    let source = database.source();
    assert_eq!(ask("SELECT a FROM t").cell(&source).await, Value::Int(1));
    database.script("INSERT INTO t VALUES (2)").await;
    assert_eq!(ask("INSERT INTO t VALUES (3)").done(&source).await.rows_affected, Some(1));
    assert_eq!(ask("SELECT sum(a) FROM t").cell(&source).await, Value::Int(6));
    source.close().await;
    assert!(!database.path().with_extension("db-wal").exists(), "closing writes the log back");
}
