//! Limits, cancelling and dropping: the statement ends in the server, and the source answers at once.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use toolbox_postgres::{Options, Postgres};
use toolbox_source::{Done, Event, Source as _, SourceError, Value};

use crate::support::{ask, collect, database};

/// Long enough for a busy machine, far shorter than the statements here would take.
const SOON: Duration = Duration::from_secs(4);

/// Statements that run until they are stopped: one that waits, one that computes, one that sends rows.
const ENDLESS: [&str; 3] = [
    "SELECT pg_sleep(3600)",
    "SELECT count(*) FROM generate_series(1, 1000000000000)",
    "SELECT generate_series(1, 1000000000000)",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_stops_at_its_time_limit() {
    let database = database!("");
    let source = database.narrow_source();
    for sql in ENDLESS {
        for model in [false, true] {
            let begun = Instant::now();
            let limit = Duration::from_millis(200);
            let asked = if model { ask(sql).by_the_model().reading() } else { ask(sql) };
            assert_eq!(asked.within(limit).answer(&source).await.unwrap_err(), SourceError::Timeout(limit));
            assert!(begun.elapsed() >= limit && begun.elapsed() < limit + SOON, "{:?}", begun.elapsed());
            assert!(database.is_gone(sql).await, "{sql}");
            assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        }
    }
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_itself_keeps_the_time_limit_of_the_source() {
    let database = database!("");
    let limit = Duration::from_millis(200);
    let options = Options { statement_timeout: Some(limit), ..database.options() };
    let source = Postgres::open("test", options).unwrap();
    assert_eq!(ask("SHOW statement_timeout").cell(&source).await, Value::Text("200ms".to_owned()));
    assert_eq!(ask(ENDLESS[0]).answer(&source).await.unwrap_err(), SourceError::Timeout(limit));
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_statement_stops_and_keeps_its_connection() {
    let database = database!("");
    let source = database.narrow_source();
    let session = ask("SELECT pg_backend_pid()").cell(&source).await;
    for sql in ENDLESS {
        let cancel = CancellationToken::new();
        let running = ask(sql).cancelled_by(&cancel).answer(&source);
        let (ended, ()) = tokio::join!(running, async {
            assert!(database.is_running(sql).await, "{sql}");
            cancel.cancel();
        });
        assert_eq!(ended.unwrap_err(), SourceError::Cancelled, "{sql}");
        assert!(database.is_gone(sql).await, "{sql}");
        let next = ask("SELECT pg_backend_pid()").cell(&source).await;
        // Of a stream, more rows may be under way than are worth reading; then its connection is given up.
        assert!(next == session || sql == ENDLESS[2], "{sql}");
    }
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_waits_for_a_connection_can_be_cancelled() {
    let database = database!("");
    let source = database.narrow_source();
    let holder = ask(ENDLESS[2]).stream(&source).await.unwrap();
    let cancel = CancellationToken::new();
    let waiting = ask("SELECT 1").cancelled_by(&cancel).answer(&source);
    let (waited, ()) = tokio::join!(waiting, async { cancel.cancel() });
    assert_eq!(waited.unwrap_err(), SourceError::Cancelled);
    drop(holder);
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_connections_in_use_is_an_error_of_its_own() {
    let database = database!("");
    let acquire_timeout = Duration::from_millis(50);
    let options = Options { max_connections: 1, acquire_timeout, ..database.options() };
    let source = Postgres::open("test", options).unwrap();
    let _holder = ask(ENDLESS[2]).stream(&source).await.unwrap();
    let error = ask("SELECT 1").answer(&source).await.unwrap_err();
    assert_eq!(error, SourceError::Busy { connections: 1, waited: acquire_timeout });
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_stream_stops_its_statement() {
    let database = database!("");
    let source = database.narrow_source();
    for sql in ENDLESS {
        let mut stream = ask(sql).stream(&source).await.unwrap();
        assert!(matches!(stream.next().await, Some(Ok(Event::Columns(_)))));
        let begun = Instant::now();
        drop(stream);
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        assert!(database.is_gone(sql).await, "{sql}");
    }
    // A caller that goes away before the first event.
    let gone = tokio::time::timeout(Duration::from_millis(100), ask(ENDLESS[0]).answer(&source)).await;
    assert!(gone.is_err());
    assert!(database.is_gone(ENDLESS[0]).await);
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enough_stops_a_read_with_done() {
    let database = database!("");
    let source = database.narrow_source();
    for model in [false, true] {
        let asked = if model { ask(ENDLESS[2]).by_the_model().reading() } else { ask(ENDLESS[2]) };
        let mut stream = asked.stream(&source).await.unwrap();
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
        assert!(database.is_gone(ENDLESS[2]).await);
    }
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enough_lets_a_write_run_to_its_end() {
    let database = database!("CREATE TABLE t (a int); INSERT INTO t SELECT generate_series(1, 5000)");
    let source = database.source();
    let stream = ask("UPDATE t SET a = -a RETURNING a").stream(&source).await.unwrap();
    stream.enough();
    let answer = collect(stream).await.unwrap().remove(0);
    assert!(answer.rows.len() < 5000);
    assert_eq!(answer.done, Done { rows_affected: Some(5000), last_insert_id: None });
    assert_eq!(ask("SELECT count(*) FROM t WHERE a < 0").cell(&source).await, Value::Int(5000));
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_write_leaves_nothing() {
    let database = database!("CREATE TABLE t (a bigint)");
    let source = database.narrow_source();
    let write = "INSERT INTO t SELECT generate_series(1, 1000000000000)";
    let limit = Duration::from_millis(100);
    assert_eq!(ask(write).within(limit).answer(&source).await.unwrap_err(), SourceError::Timeout(limit));
    let gone = tokio::time::timeout(limit, ask(write).answer(&source)).await;
    assert!(gone.is_err());
    assert!(database.is_gone("1000000000000").await);
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(0));
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_is_held_to_the_time_limit_too() {
    let database = database!("");
    let source = database.narrow_source();
    // Long enough for the first row on a busy machine.
    let limit = Duration::from_secs(1);
    let mut stream = ask(ENDLESS[2]).within(limit).stream(&source).await.unwrap();
    // Nothing is read until the statement is over.
    assert!(database.is_gone(ENDLESS[2]).await);
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error, SourceError::Timeout(limit));
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_at_any_moment_leaves_the_source_usable() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    ask("SELECT 1").cell(&source).await;
    for microseconds in (0..4000).step_by(80) {
        let cancel = CancellationToken::new();
        let canceller = async {
            tokio::time::sleep(Duration::from_micros(microseconds)).await;
            cancel.cancel();
        };
        let insert = "INSERT INTO t SELECT 1 FROM (SELECT 1 UNION SELECT 2) AS two RETURNING a";
        let sql = if microseconds % 160 == 0 { insert } else { "SELECT count(*) FROM t" };
        let (answer, ()) = tokio::join!(ask(sql).cancelled_by(&cancel).answer(&source), canceller);
        if let Err(error) = answer {
            // A write may have been faster than its cancelling, and says so.
            let fits = error == SourceError::Cancelled || error.to_string().contains("its changes stay");
            assert!(fits, "{error}");
        }
        let Value::Int(rows) = ask("SELECT count(*) FROM t").cell(&source).await else { panic!() };
        assert_eq!(rows % 2, 0, "half a statement");
    }
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_lock_ends_with_the_call() {
    use sqlx::Executor as _;
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    let mut other = database.connect().await;
    other.execute("BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let limit = Duration::from_millis(100);
    // Preparing waits for the lock already.
    let error = ask("SELECT * FROM t").within(limit).answer(&source).await.unwrap_err();
    assert_eq!(error, SourceError::Timeout(limit));
    assert!(database.is_gone("SELECT * FROM t").await);
    other.execute("ROLLBACK").await.unwrap();
    assert!(ask("SELECT * FROM t").rows(&source).await.is_empty());
    database.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_ends_what_runs_and_refuses_what_comes() {
    let database = database!("");
    let source = database.source();
    let running = ask(ENDLESS[0]).stream(&source).await.unwrap();
    let (ended, ()) = tokio::join!(collect(running), source.close());
    assert_eq!(ended.unwrap_err(), SourceError::Cancelled);
    assert_eq!(ask("SELECT 1").answer(&source).await.unwrap_err(), SourceError::Cancelled);
    assert!(database.is_gone(ENDLESS[0]).await);
    database.end().await;
}

/// Cancelling takes a connection beyond those of the source, and only one however many statements are cancelled at once.
#[tokio::test(flavor = "multi_thread")]
async fn cancelling_many_statements_at_once_takes_one_connection_more() {
    let database = database!("");
    let role = format!("toolbox_pg_limited_{}", std::process::id());
    database
        .script(&format!(
            "CREATE ROLE {role} LOGIN PASSWORD 'x' CONNECTION LIMIT 4; GRANT pg_read_all_stats TO {role}"
        ))
        .await;
    let options =
        Options { user: role.clone(), password: "x".into(), max_connections: 3, ..database.options() };
    let source = Postgres::open("test", options).unwrap();
    let sessions = async || {
        let asked = (0..3).map(|_| ask("SELECT pg_backend_pid() FROM pg_sleep(0.2)").cell(&source));
        let mut sessions: Vec<String> =
            futures::future::join_all(asked).await.iter().map(|session| format!("{session:?}")).collect();
        sessions.sort();
        sessions
    };
    let before = sessions().await;
    let cancel = CancellationToken::new();
    let running = (0..3).map(|_| ask(ENDLESS[0]).cancelled_by(&cancel).answer(&source));
    let (ended, ()) = tokio::join!(futures::future::join_all(running), async {
        while database.text("SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3600)' AND state = 'active' AND datname = current_database()").await.unwrap() != "3" {}
        cancel.cancel();
    });
    for answer in ended {
        assert_eq!(answer.unwrap_err(), SourceError::Cancelled);
    }
    assert_eq!(sessions().await, before, "all of them were cancelled, and none was given up");
    source.close().await;
    database.script(&format!("DROP ROLE {role}")).await;
    database.end().await;
}
