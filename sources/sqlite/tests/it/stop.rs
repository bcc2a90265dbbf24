//! Limits, cancelling and dropping: the statement ends in SQLite, and the source answers at once.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use toolbox_source::{Done, Event, Source as _, SourceError, Value};

use crate::support::{Database, FOREVER, FOREVER_SILENT, ask, collect, open, options};

/// Long enough for a busy machine, far shorter than the statements here would take.
const SOON: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_stops_at_its_time_limit() {
    let source = open(":memory:");
    for sql in [FOREVER_SILENT, FOREVER] {
        let begun = Instant::now();
        let limit = Duration::from_millis(200);
        let error = ask(sql).within(limit).answer(&source).await.unwrap_err();
        assert_eq!(error, SourceError::Timeout(limit));
        assert!(begun.elapsed() >= limit && begun.elapsed() < limit + SOON, "{:?}", begun.elapsed());
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_statement_stops_and_frees_its_connection() {
    let mut options = options(":memory:");
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    for _ in 0..20 {
        let cancel = CancellationToken::new();
        let running = ask(FOREVER_SILENT).cancelled_by(&cancel).stream(&source).await.unwrap();
        cancel.cancel();
        let begun = Instant::now();
        assert_eq!(collect(running).await.unwrap_err(), SourceError::Cancelled);
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_cancelled_before_it_begins_touches_nothing() {
    let database = Database::with("CREATE TABLE t (a)").await;
    let source = database.source();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = ask("INSERT INTO t VALUES (1)").cancelled_by(&cancel).answer(&source).await.unwrap_err();
    assert_eq!(error, SourceError::Cancelled);
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_waits_for_a_connection_can_be_cancelled() {
    let mut options = options(":memory:");
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    let holder = ask(FOREVER).stream(&source).await.unwrap();
    let cancel = CancellationToken::new();
    let waiting = ask("SELECT 1").cancelled_by(&cancel).answer(&source);
    let (waited, ()) = tokio::join!(waiting, async { cancel.cancel() });
    assert_eq!(waited.unwrap_err(), SourceError::Cancelled);
    drop(holder);
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn all_connections_in_use_is_an_error_of_its_own() {
    let mut options = options(":memory:");
    options.max_connections = 1;
    options.acquire_timeout = Duration::from_millis(50);
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    let _holder = ask(FOREVER).stream(&source).await.unwrap();
    let error = ask("SELECT 1").answer(&source).await.unwrap_err();
    assert_eq!(error, SourceError::Busy { connections: 1, waited: Duration::from_millis(50) });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_stream_stops_its_statement() {
    let mut options = options(":memory:");
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    for sql in [FOREVER, FOREVER_SILENT] {
        let mut stream = ask(sql).stream(&source).await.unwrap();
        assert!(matches!(stream.next().await, Some(Ok(Event::Columns(_)))));
        let begun = Instant::now();
        drop(stream);
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn enough_stops_a_read_with_done() {
    let mut options = options(":memory:");
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    let mut stream = ask(FOREVER).stream(&source).await.unwrap();
    let mut rows = 0;
    let begun = Instant::now();
    let done = loop {
        match stream.next().await.unwrap().unwrap() {
            Event::Columns(_) => {}
            Event::Row(_) => {
                rows += 1;
                if rows == 50 {
                    stream.enough();
                }
            }
            Event::Done(done) => break done,
        }
    };
    assert_eq!(done, Done::default());
    // A few rows may have been under way.
    assert!((50..500).contains(&rows), "{rows}");
    assert!(stream.next().await.is_none());
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn enough_lets_a_write_run_to_its_end() {
    let database = Database::with(
        "CREATE TABLE t (a); INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n",
    )
    .await;
    let source = database.source();
    let stream = ask("UPDATE t SET a = -a RETURNING a").stream(&source).await.unwrap();
    stream.enough();
    let answer = collect(stream).await.unwrap().remove(0);
    assert!(answer.rows.len() < 5000);
    assert_eq!(answer.done, Done { rows_affected: Some(5000), last_insert_id: None });
    assert_eq!(ask("SELECT count(*) FROM t WHERE a < 0").cell(&source).await, Value::Int(5000));
}

/// Copies so many rows that stopping it in between is certain.
const LONG_WRITE: &str =
    "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_write_leaves_nothing() {
    let database = Database::with("CREATE TABLE t (a); INSERT INTO t VALUES (0)").await;
    let source = database.source();
    let limit = Duration::from_millis(100);
    assert_eq!(ask(LONG_WRITE).within(limit).answer(&source).await.unwrap_err(), SourceError::Timeout(limit));
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(1));
    // A caller that goes away while it writes.
    let gone = tokio::time::timeout(limit, ask(LONG_WRITE).answer(&source)).await;
    assert!(gone.is_err());
    let begun = Instant::now();
    assert_eq!(ask("INSERT INTO t VALUES (1)").done(&source).await.rows_affected, Some(1));
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_is_held_to_the_time_limit_too() {
    let source = open(":memory:");
    let limit = Duration::from_millis(100);
    let mut stream = ask(FOREVER).within(limit).stream(&source).await.unwrap();
    // Nothing is read until the statement is over.
    tokio::time::sleep(limit * 3).await;
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error, SourceError::Timeout(limit));
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_at_any_moment_leaves_the_source_usable() {
    let database = Database::with("CREATE TABLE t (a)").await;
    let mut options = database.options();
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    ask("SELECT 1").cell(&source).await;
    for microseconds in (0..4000).step_by(40) {
        let cancel = CancellationToken::new();
        let canceller = async {
            tokio::time::sleep(Duration::from_micros(microseconds)).await;
            cancel.cancel();
        };
        let insert = "INSERT INTO t SELECT 1 FROM (SELECT 1 UNION SELECT 2) RETURNING a";
        let sql = if microseconds % 80 == 0 { insert } else { "SELECT count(*) FROM t" };
        let (answer, ()) = tokio::join!(ask(sql).cancelled_by(&cancel).answer(&source), canceller);
        assert!(matches!(answer, Ok(_) | Err(SourceError::Cancelled)), "{answer:?}");
        let Value::Int(rows) = ask("SELECT count(*) FROM t").cell(&source).await else { panic!() };
        assert_eq!(rows % 2, 0, "half a statement");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_ends_what_runs_and_refuses_what_comes() {
    let database = Database::with("CREATE TABLE t (a)").await;
    let source = database.source();
    ask("INSERT INTO t VALUES (1)").done(&source).await;
    let running = ask(FOREVER_SILENT).stream(&source).await.unwrap();
    let (ended, ()) = tokio::join!(collect(running), source.close());
    assert_eq!(ended.unwrap_err(), SourceError::Cancelled);
    assert_eq!(ask("SELECT 1").answer(&source).await.unwrap_err(), SourceError::Cancelled);
    assert_eq!(ask("INSERT INTO t VALUES (2)").answer(&source).await.unwrap_err(), SourceError::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_lock_ends_with_the_call() {
    let database = Database::with("CREATE TABLE t (a)").await;
    let source = database.source();
    let other = Locker::new(&database).await;
    let begun = Instant::now();
    let limit = Duration::from_millis(100);
    let error = ask("INSERT INTO t VALUES (1)").within(limit).answer(&source).await.unwrap_err();
    assert_eq!(error, SourceError::Timeout(limit));
    let cancel = CancellationToken::new();
    let cancelled = ask("INSERT INTO t VALUES (1)").cancelled_by(&cancel).answer(&source);
    let (answer, ()) = tokio::join!(cancelled, async {
        tokio::time::sleep(limit).await;
        cancel.cancel();
    });
    assert_eq!(answer.unwrap_err(), SourceError::Cancelled);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    // A lock that is freed in time is no error.
    let (answer, ()) = tokio::join!(ask("INSERT INTO t VALUES (1)").done(&source), async {
        tokio::time::sleep(limit).await;
        other.free().await;
    });
    assert_eq!(answer.rows_affected, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_held_for_too_long_says_so() {
    let database = Database::with("CREATE TABLE t (a)").await;
    let source = open(&format!("file:{}?_pragma=busy_timeout(100)", database.path().display()));
    let other = Locker::new(&database).await;
    let error = ask("INSERT INTO t VALUES (1)").error(&source).await;
    assert_eq!(
        error,
        "database is locked (code 5); hint: another connection held the lock for all of 100ms (busy_timeout); try again"
    );
    other.free().await;
    assert_eq!(ask("INSERT INTO t VALUES (1)").done(&source).await.rows_affected, Some(1));
}

/// Another program that holds the write lock.
struct Locker(sqlx::sqlite::SqliteConnection);

impl Locker {
    async fn new(database: &Database) -> Self {
        use sqlx::{ConnectOptions as _, Executor as _, sqlite::SqliteConnectOptions};
        let mut connection = SqliteConnectOptions::new().filename(database.path()).connect().await.unwrap();
        connection.execute("BEGIN EXCLUSIVE").await.unwrap();
        Self(connection)
    }

    async fn free(self) {
        use sqlx::Connection as _;
        self.0.close().await.unwrap();
    }
}
