//! Nothing that one call does is seen by the next, and lost connections are replaced.

use std::time::Duration;

use toolbox_postgres::{Options, Postgres};
use toolbox_source::{Source as _, SourceError, Value};

use crate::support::{Database, ask, database, text};

/// Ends all sessions of the source, as an operator or a restart would.
async fn kill_sessions(database: &Database) {
    database
        .script("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'toolbox/%' AND datname = current_database()")
        .await;
}

#[tokio::test]
async fn what_the_model_leaves_in_a_session_is_gone() {
    let database = database!("CREATE ROLE nobody_in_particular; CREATE TABLE t (a int)");
    let source = database.narrow_source();
    let session = ask("SELECT pg_backend_pid()").cell(&source).await;
    for statement in [
        "SET search_path = nowhere",
        "SET SESSION AUTHORIZATION nobody_in_particular",
        "SET ROLE nobody_in_particular",
        "CREATE TEMP TABLE left_over (a int)",
        "SELECT pg_advisory_lock(7)",
        "LISTEN news",
        "SET statement_timeout = 1",
        "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
        "SET TimeZone = 'Asia/Tokyo'",
        "SELECT set_config('a.b', 'x', false)",
        "SET default_transaction_read_only = on",
    ] {
        ask(statement).by_the_model().answer(&source).await.unwrap();
    }
    let state = ask(
        "SELECT pg_backend_pid(), current_setting('search_path'), current_user = session_user, current_setting('TimeZone'), \
         (SELECT count(*) FROM pg_class WHERE relname = 'left_over'), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), \
         (SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_cursors WHERE is_holdable), \
         current_setting('statement_timeout'), coalesce(current_setting('a.b', true), ''), current_setting('default_transaction_read_only')",
    )
    .rows(&source)
    .await;
    let zero = Value::Int(0);
    assert_eq!(
        state,
        [vec![
            session,
            text("\"$user\", public"),
            Value::Bool(true),
            text("UTC"),
            zero.clone(),
            zero.clone(),
            zero.clone(),
            zero,
            text("0"),
            text(""),
            text("off")
        ]]
    );
    database.script("DROP ROLE nobody_in_particular").await;
    database.end().await;
}

#[tokio::test]
async fn the_operators_session_changes_do_not_leak_either() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    for statement in [
        "SET search_path = nowhere",
        "SELECT set_config('search_path', 'nowhere', false)",
        "SELECT pg_try_advisory_lock(8)",
        "SELECT 1 AS a INTO TEMP t",
        "EXPLAIN ANALYZE CREATE TEMP TABLE t AS SELECT 1",
    ] {
        ask(statement).answer(&source).await.unwrap();
        assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(0), "{statement}");
    }
    assert_eq!(
        ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").cell(&source).await,
        Value::Int(0)
    );
    database.end().await;
}

/// A statement prepared in SQL could stand under the name of one that sqlx has prepared.
#[tokio::test]
async fn no_statement_can_be_planted_under_the_name_of_another() {
    let database = database!("CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
    let reads = ["SELECT a FROM t", "SELECT a + 1 FROM t", "SELECT a + 2 FROM t", "SELECT a + 3 FROM t"];
    for planted in 0..8 {
        let plant = format!("EXECUTE 'PREPARE sqlx_s_{planted} AS SELECT 666'");
        for first in ["", "EXECUTE 'DEALLOCATE ALL';"] {
            for model in [true, false] {
                let source = database.narrow_source();
                for read in &reads[..3] {
                    ask(read).rows(&source).await;
                }
                let plant = ask(&format!(
                    "DO $$ BEGIN {first} {plant}; EXCEPTION WHEN duplicate_prepared_statement THEN NULL; END $$"
                ));
                let plant = if model { plant.by_the_model() } else { plant };
                plant.done(&source).await;
                for (read, expected) in reads.iter().zip(1..) {
                    assert_eq!(ask(read).cell(&source).await, Value::Int(expected), "{planted} {first}");
                }
            }
        }
    }
    database.end().await;
}

#[tokio::test]
async fn the_seed_of_random_numbers_does_not_leak() {
    let database = database!("");
    let source = database.narrow_source();
    let mut numbers = Vec::new();
    for seed in ["SELECT setseed(0.5)", "SELECT set_config('seed', '0.5', false)", "SET seed = 0.5"] {
        for model in [true, false] {
            let asked = if model { ask(seed).by_the_model() } else { ask(seed) };
            asked.answer(&source).await.unwrap();
            let Value::Float(number) = ask("SELECT random()").cell(&source).await else { panic!() };
            assert!(!numbers.contains(&number), "{seed}");
            numbers.push(number);
        }
    }
    database.end().await;
}

#[tokio::test]
async fn a_notification_is_no_failure_of_the_statement_before_it() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    let write =
        "DO $$ BEGIN EXECUTE 'LISTEN news'; INSERT INTO t VALUES (1); PERFORM pg_notify('news', 'x'); END $$";
    for asked in [ask(write), ask(write).by_the_model()] {
        assert_eq!(asked.done(&source).await.rows_affected, Some(0));
    }
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
    database.end().await;
}

#[tokio::test]
async fn the_read_lane_is_as_good_as_new_after_the_model() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    let read = |sql: &str| ask(sql).by_the_model().reading();
    let session = read("SELECT pg_backend_pid()").cell(&source).await;
    read("SELECT set_config('default_transaction_read_only', 'off', false)").cell(&source).await;
    assert_eq!(
        read("SELECT pg_backend_pid()").cell(&source).await,
        session,
        "the reset works in a read-only session"
    );
    assert_eq!(ask("SHOW default_transaction_read_only").reading().cell(&source).await, text("on"));
    let error = ask("INSERT INTO t VALUES (1)").reading().error(&source).await;
    assert!(error.contains("read-only"), "{error}");
    database.end().await;
}

#[tokio::test]
async fn a_killed_session_is_replaced_without_an_error() {
    let database = database!("CREATE TABLE t (a int)");
    for connections in [1, 4] {
        let source =
            Postgres::open("test", Options { max_connections: connections, ..database.options() }).unwrap();
        // Several idle sessions, all of which end.
        futures::future::join_all((0..connections).map(|_| ask("SELECT pg_sleep(0.1)").answer(&source)))
            .await;
        ask("INSERT INTO t VALUES (0)").done(&source).await;
        kill_sessions(&database).await;
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        kill_sessions(&database).await;
        assert_eq!(ask("INSERT INTO t VALUES (1)").done(&source).await.rows_affected, Some(1));
        kill_sessions(&database).await;
        assert_eq!(ask("SELECT 2").by_the_model().reading().cell(&source).await, Value::Int(2));
        kill_sessions(&database).await;
        tokio::time::sleep(Duration::from_millis(1100)).await;
        assert_eq!(ask("INSERT INTO t VALUES (2)").done(&source).await.rows_affected, Some(1));
        source.close().await;
    }
    assert_eq!(database.text("SELECT count(*) FROM t").await.unwrap(), "6");
    database.end().await;
}

#[tokio::test]
async fn a_session_killed_among_the_rows_is_an_error_and_the_next_call_works() {
    let database = database!("");
    let source = database.narrow_source();
    let mut stream =
        ask("SELECT n, repeat('x', 1000) FROM generate_series(1, 1000000) n").stream(&source).await.unwrap();
    stream.next().await.unwrap().unwrap();
    stream.next().await.unwrap().unwrap();
    kill_sessions(&database).await;
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(matches!(error, SourceError::Database(_)), "{error:?}");
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    database.end().await;
}

#[tokio::test]
async fn calls_at_once_share_the_connections() {
    let database = database!("CREATE TABLE t (a int)");
    // Each change of the lane opens a connection, and a busy machine takes its time for forty of them.
    let options = Options { acquire_timeout: Duration::from_mins(1), ..database.options() };
    let source = Postgres::open("test", options).unwrap();
    let calls = (0..40_i64).map(|number| {
        let asked = match number % 3 {
            0 => ask("SELECT $1::bigint"),
            1 => ask("SELECT $1::bigint").reading(),
            _ => ask("INSERT INTO t VALUES ($1::bigint) RETURNING a::bigint"),
        };
        let source = &source;
        async move { assert_eq!(asked.with([Value::Int(number)]).cell(source).await, Value::Int(number)) }
    });
    futures::future::join_all(calls).await;
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'toolbox/%' AND datname = current_database()";
    let sessions: i64 = database.text(sql).await.unwrap().parse().unwrap();
    assert!((1..=4).contains(&sessions), "{sessions}");
    database.end().await;
}

#[tokio::test]
async fn a_configured_statement_costs_one_round_trip() {
    let database =
        database!("CREATE TABLE t (id bigint, at timestamptz); INSERT INTO t VALUES (1, '2024-01-02')");
    let (source, proxy) = database.counted_source().await;
    let asked = || {
        ask("SELECT id, at FROM t WHERE id = $1 AND at = $2")
            .with([Value::Int(1), text("2024-01-02T00:00:00Z")])
    };
    assert_eq!(asked().rows(&source).await.len(), 1);
    proxy.trips();
    for _ in 0..10 {
        assert_eq!(asked().rows(&source).await.len(), 1);
    }
    assert_eq!(proxy.trips(), 10);
    database.end().await;
}

#[tokio::test]
async fn a_write_costs_one_round_trip() {
    let database = database!("CREATE TABLE t (a int, b text, c numeric, d date, e boolean, f uuid)");
    let (source, proxy) = database.counted_source().await;
    let write = |number: Value| {
        ask("INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6)").with([
            Value::Int(1),
            text("x"),
            number,
            text("2024-01-02"),
            Value::Bool(true),
            Value::Null,
        ])
    };
    write(Value::Int(1)).done(&source).await;
    proxy.trips();
    let mut costs = Vec::new();
    for number in [Value::Int(2), Value::Float(0.5), Value::Float(0.5), Value::Int(2), Value::Float(1.5)] {
        write(number).done(&source).await;
        costs.push(proxy.trips());
    }
    // The first argument that a cast could change makes the guard.
    assert_eq!(costs, [1, 5, 1, 1, 1]);
    database.end().await;
}
