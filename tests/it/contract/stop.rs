//! Stopping: the statement ends in the database, at once, and its connection is free.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use toolbox_source::{Event, SourceError, Value};

use super::{
    Subject,
    ask::{ask, collect},
    on_every_database,
    subject::Settings,
};
use crate::support::{Engine, Sql, all};

on_every_database!(
    a_statement_stops_at_its_time_limit,
    a_cancelled_statement_stops_and_frees_its_connection,
    an_order_to_stop_that_overtakes_its_statement_is_not_lost,
    a_dropped_answer_stops_its_statement,
    a_stopped_write_leaves_nothing,
    a_call_that_waits_for_a_connection_can_be_cancelled,
    a_call_cancelled_before_it_begins_touches_nothing,
    cancelling_at_any_moment_leaves_the_source_usable,
    closing_ends_what_runs_and_refuses_what_comes,
);

/// Far longer than stopping takes on a busy machine, far shorter than the statements here.
const SOON: Duration = Duration::from_secs(10);

/// Looks at 10^12 rows without giving one.
const SILENT: &str = "SELECT a.n FROM numbers AS a, numbers AS b, numbers AS c, numbers AS endless \
                      WHERE a.n + b.n + c.n + endless.n < 0";
/// Gives them all. MySQL would gather them for minutes before the first one if it were not told to loop.
const TALKING: Sql = all("SELECT a.n FROM numbers AS a, numbers AS b, numbers AS c, numbers AS endless")
    .mysql("SELECT /*+ NO_BNL() */ a.n FROM numbers AS a, numbers AS b, numbers AS c, numbers AS endless");
/// How the database's own list of statements shows either.
const WORD: &str = "AS endless";

async fn a_statement_stops_at_its_time_limit(subject: &mut Subject) {
    let source = subject.narrow_source();
    let limit = Duration::from_millis(300);
    for sql in [SILENT, &TALKING.of(subject.engine).unwrap()] {
        for by_the_model in [false, true] {
            let question = ask(sql).within(limit).reading();
            let question = if by_the_model { question.by_the_model() } else { question };
            let begun = Instant::now();
            assert_eq!(question.fails(&*source).await, SourceError::Timeout(limit));
            assert!(begun.elapsed() >= limit && begun.elapsed() < limit + SOON, "{:?}", begun.elapsed());
            subject.wait_until_gone(WORD).await;
            assert_eq!(ask("SELECT 1").cell(&*source).await, Value::Int(1));
        }
    }
}

async fn a_cancelled_statement_stops_and_frees_its_connection(subject: &mut Subject) {
    let source = subject.narrow_source();
    for sql in [SILENT, &TALKING.of(subject.engine).unwrap()] {
        for by_the_model in [false, true] {
            let cancel = CancellationToken::new();
            let question = ask(sql).cancelled_by(&cancel).reading();
            let question = if by_the_model { question.by_the_model() } else { question };
            let canceller = async {
                subject.wait_until_running(WORD).await;
                cancel.cancel();
                Instant::now()
            };
            let (answer, since) = tokio::join!(question.sets(&*source), canceller);
            assert_eq!(answer.unwrap_err(), SourceError::Cancelled);
            assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
            subject.wait_until_gone(WORD).await;
            assert_eq!(ask("SELECT 1").cell(&*source).await, Value::Int(1));
        }
    }
}

async fn an_order_to_stop_that_overtakes_its_statement_is_not_lost(subject: &mut Subject) {
    if subject.engine == Engine::Sqlite {
        return;
    }
    let mut network = subject.forwarder().await;
    network.open().await;
    let settings = Settings { max_connections: 1, port: Some(network.port()), ..Settings::default() };
    let source = subject.source_with(settings);
    for sql in [SILENT, &TALKING.of(subject.engine).unwrap()] {
        // Now the connection has prepared it, so that it is the next thing that the server hears.
        ask(sql).within(Duration::from_millis(200)).reading().fails(&*source).await;
        subject.wait_until_gone(WORD).await;
        network.slow_down(Duration::from_millis(400));
        let cancel = CancellationToken::new();
        let canceller = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            cancel.cancel();
            Instant::now()
        };
        let question = ask(sql).reading().cancelled_by(&cancel);
        let (answer, since) = tokio::join!(question.sets(&*source), canceller);
        assert_eq!(answer.unwrap_err(), SourceError::Cancelled);
        assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
        network.slow_down(Duration::ZERO);
        subject.wait_until_gone(WORD).await;
        assert_eq!(ask("SELECT 1").cell(&*source).await, Value::Int(1));
    }
}

async fn a_dropped_answer_stops_its_statement(subject: &mut Subject) {
    let source = subject.narrow_source();
    // In the middle of its rows.
    let mut stream = ask(&TALKING.of(subject.engine).unwrap()).reading().stream(&*source).await.unwrap();
    for _ in 0..10 {
        let event = stream.next().await.unwrap().unwrap();
        assert!(matches!(event, Event::Columns(_) | Event::Row(_)));
    }
    drop(stream);
    subject.wait_until_gone(WORD).await;
    assert_eq!(ask("SELECT 1").cell(&*source).await, Value::Int(1));
    // Before its first row, as when a client goes away.
    let gone = tokio::time::timeout(Duration::from_millis(300), ask(SILENT).reading().sets(&*source)).await;
    assert!(gone.is_err());
    subject.wait_until_gone(WORD).await;
    assert_eq!(ask("SELECT 1").cell(&*source).await, Value::Int(1));
}

async fn a_stopped_write_leaves_nothing(subject: &mut Subject) {
    subject.database.run("CREATE TABLE copies (n INTEGER)").await;
    let source = subject.narrow_source();
    let limit = Duration::from_millis(300);
    let write =
        "INSERT INTO copies SELECT a.n FROM numbers AS a, numbers AS b, numbers AS c, numbers AS endless";
    assert_eq!(ask(write).within(limit).fails(&*source).await, SourceError::Timeout(limit));
    subject.wait_until_gone(WORD).await;
    let cancel = CancellationToken::new();
    let canceller = async {
        subject.wait_until_running(WORD).await;
        cancel.cancel();
    };
    let (answer, ()) = tokio::join!(ask(write).cancelled_by(&cancel).sets(&*source), canceller);
    assert_eq!(answer.unwrap_err(), SourceError::Cancelled);
    subject.wait_until_gone(WORD).await;
    assert_eq!(subject.count("copies").await, 0);
    assert_eq!(ask("INSERT INTO copies VALUES (1)").changes(&*source).await, 1);
    assert_eq!(subject.count("copies").await, 1);
}

async fn a_call_that_waits_for_a_connection_can_be_cancelled(subject: &mut Subject) {
    let source = subject.narrow_source();
    let mut holder = ask(&TALKING.of(subject.engine).unwrap()).reading().stream(&*source).await.unwrap();
    assert!(matches!(holder.next().await, Some(Ok(Event::Columns(_)))));
    let cancel = CancellationToken::new();
    let waiting = ask("SELECT 1").reading().cancelled_by(&cancel).sets(&*source);
    let (answer, ()) = tokio::join!(waiting, async { cancel.cancel() });
    assert_eq!(answer.unwrap_err(), SourceError::Cancelled);
    drop(holder);
    assert_eq!(ask("SELECT 1").reading().cell(&*source).await, Value::Int(1));
}

async fn a_call_cancelled_before_it_begins_touches_nothing(subject: &mut Subject) {
    let source = subject.source();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = ask("INSERT INTO things (name) VALUES ('a')").cancelled_by(&cancel).fails(&*source).await;
    assert_eq!(error, SourceError::Cancelled);
    assert_eq!(subject.count("things").await, 0);
}

async fn cancelling_at_any_moment_leaves_the_source_usable(subject: &mut Subject) {
    let source = subject.narrow_source();
    let insert =
        all("INSERT INTO things (name, note) SELECT 'a', 'b' WHERE 1 = 1").of(subject.engine).unwrap();
    ask("DELETE FROM things").changes(&*source).await;
    for microseconds in (0..6000).step_by(150) {
        let cancel = CancellationToken::new();
        let canceller = async {
            tokio::time::sleep(Duration::from_micros(microseconds)).await;
            cancel.cancel();
        };
        let (written, ()) = tokio::join!(ask(&insert).cancelled_by(&cancel).sets(&*source), canceller);
        assert!(matches!(written, Ok(_) | Err(SourceError::Cancelled)), "{written:?}");
        let deleted = ask("DELETE FROM things").changes(&*source).await;
        assert!(deleted <= 1);
        assert!(written.is_err() || deleted == 1, "a write that was said to be done is done");
    }
}

async fn closing_ends_what_runs_and_refuses_what_comes(subject: &mut Subject) {
    let source = subject.source();
    let running = ask(&TALKING.of(subject.engine).unwrap()).reading().stream(&*source).await.unwrap();
    let (ended, ()) = tokio::join!(collect(running), source.close());
    assert_eq!(ended.unwrap_err(), SourceError::Cancelled);
    subject.wait_until_gone(WORD).await;
    assert_eq!(ask("SELECT 1").fails(&*source).await, SourceError::Cancelled);
    if subject.engine != Engine::Sqlite {
        assert_eq!(subject.running("SELECT").await, 0);
    }
}
