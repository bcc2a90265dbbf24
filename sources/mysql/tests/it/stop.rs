//! Limits, cancelling, dropping: the statement ends in the server and the connection is free again.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use toolbox_mysql::{MySql, Options};
use toolbox_source::{Event, Source as _, SourceError, Value};

use crate::support::{Database, Server, ask, collect, on_each};

/// Nine hundred numbers; three times joined with themselves they make work for minutes.
const NUMBERS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)";

/// A statement that works for minutes without a row, and holds this word.
fn silent(word: &str) -> String {
    format!(
        "{NUMBERS} SELECT COUNT(*) AS {word} FROM n a, n b, n c WHERE SHA2(CONCAT(a.i, b.i, c.i), 256) = 'x'"
    )
}

/// A statement that sends rows for minutes.
fn talkative(word: &str) -> String {
    format!("{NUMBERS} SELECT a.i AS {word} FROM n a, n b, n c")
}

async fn is_free(database: &Database, source: &MySql, word: &str) {
    database.wait_for_running(word, 0).await;
    assert_eq!(ask("SELECT 1").cell(source).await, Value::Int(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_ends_the_statement_in_the_server() {
    on_each(|database| async move {
        let source = database.narrow_source();
        let begun = Instant::now();
        let limit = Duration::from_millis(300);
        let error = ask(&silent("timed_out")).within(limit).fails(&source).await;
        assert_eq!(error, SourceError::Timeout(limit));
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        is_free(&database, &source, "timed_out").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn query_timeout_holds_where_a_call_allows_more() {
    on_each(|database| async move {
        let limit = Duration::from_millis(300);
        let source =
            MySql::open("test", Options { query_timeout: Some(limit), ..database.options() }).unwrap();
        let error = ask(&silent("query_timeout")).within(Duration::from_mins(1)).fails(&source).await;
        assert_eq!(error, SourceError::Timeout(limit));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_ends_in_the_server() {
    on_each(|database| async move {
        for statement in [silent("cancelled"), talkative("cancelled")] {
            let source = database.narrow_source();
            let cancel = CancellationToken::new();
            let call = ask(&statement).by_the_model().reading().cancelled_by(&cancel);
            let canceller = async {
                database.wait_for_running("cancelled", 1).await;
                cancel.cancel();
            };
            let (answer, ()) = tokio::join!(
                async {
                    let mut stream = call.stream(&source).await?;
                    while let Some(event) = stream.next().await {
                        event?;
                    }
                    Ok(())
                },
                canceller
            );
            assert_eq!(answer, Err(SourceError::Cancelled));
            is_free(&database, &source, "cancelled").await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_stream_ends_the_statement_in_the_server() {
    on_each(|database| async move {
        let source = database.narrow_source();
        let mut stream = ask(&talkative("dropped")).stream(&source).await.unwrap();
        assert!(matches!(stream.next().await, Some(Ok(Event::Columns(_)))));
        drop(stream);
        is_free(&database, &source, "dropped").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_stops_politely_when_it_is_enough() {
    on_each(|database| async move {
        let source = database.narrow_source();
        let mut stream = ask(&talkative("plenty")).stream(&source).await.unwrap();
        for _ in 0..5 {
            stream.next().await.unwrap().unwrap();
        }
        stream.enough();
        let mut last = None;
        while let Some(event) = stream.next().await {
            last = Some(event.unwrap());
        }
        let Some(Event::Done(done)) = last else { panic!("{last:?}") };
        assert_eq!(done.rows_affected, None);
        is_free(&database, &source, "plenty").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_runs_to_its_end_when_its_rows_are_enough() {
    on_each(|database| async move {
        if database.server != Server::MariaDb {
            return;
        }
        database.script("CREATE TABLE w (n INT)").await;
        let source = database.narrow_source();
        let statement = "INSERT INTO w SELECT seq FROM seq_1_to_5000 RETURNING n";
        let mut stream = ask(statement).stream(&source).await.unwrap();
        stream.next().await.unwrap().unwrap();
        stream.next().await.unwrap().unwrap();
        stream.enough();
        let mut last = None;
        while let Some(event) = stream.next().await {
            last = Some(event.unwrap());
        }
        let Some(Event::Done(done)) = last else { panic!("{last:?}") };
        assert_eq!(done.rows_affected, Some(5_000));
        assert_eq!(ask("SELECT COUNT(*) FROM w").cell(&source).await, Value::Int(5_000));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_write_leaves_nothing_behind() {
    on_each(|database| async move {
        database.script("CREATE TABLE w (n TEXT)").await;
        let source = database.narrow_source();
        let statement = format!("INSERT INTO w {}", silent("written"));
        let error = ask(&statement).within(Duration::from_millis(300)).fails(&source).await;
        assert!(matches!(error, SourceError::Timeout(_)), "{error:?}");
        is_free(&database, &source, "written").await;
        assert_eq!(ask("SELECT COUNT(*) FROM w").cell(&source).await, Value::Int(0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_gets_every_row() {
    on_each(|database| async move {
        let source = database.source();
        let statement = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) \
                         SELECT i, REPEAT('x', 1000) FROM n";
        let answers = collect(ask(statement).stream(&source).await.unwrap()).await.unwrap();
        let numbers: Vec<Value> = answers[0].rows.iter().map(|row| row[0].clone()).collect();
        assert_eq!(numbers, (1..=900).map(Value::Int).collect::<Vec<_>>());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cell_beyond_one_packet_arrives_whole() {
    on_each(|database| async move {
        // A packet holds 16 MiB, which is all that MariaDB sends where nobody has set it to send more.
        let count = if database.server == Server::MySql { 9_000_000 } else { 8_000_000 };
        let statement = format!("SELECT REPEAT('é', {count})");
        let value = ask(&statement).by_the_model().reading().cell(&database.source()).await;
        let Value::Text(text) = value else { panic!("no text") };
        assert_eq!(text.chars().count(), count);
        assert!(text.chars().all(|character| character == 'é'));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_cancelled_at_any_moment_harms_no_later_one() {
    on_each(|database| async move {
        database.script("CREATE TABLE c (n INT); INSERT INTO c VALUES (1)").await;
        let source = database.narrow_source();
        for round in 0..150_u64 {
            let cancel = CancellationToken::new();
            let statement = match round % 3 {
                0 => "SELECT COUNT(*) FROM c a, c b WHERE SLEEP(0.003) = 0",
                1 => "SELECT n FROM c",
                _ => "UPDATE c SET n = n + SLEEP(0.002)",
            };
            let call = ask(statement).cancelled_by(&cancel);
            let canceller = async {
                tokio::time::sleep(Duration::from_micros(round * 61 % 4_000)).await;
                cancel.cancel();
            };
            let (outcome, ()) = tokio::join!(call.sets(&source), canceller);
            // A call that was quicker than its end is complete.
            assert!(matches!(outcome, Ok(_) | Err(SourceError::Cancelled)), "{outcome:?}");
            assert_eq!(ask("SELECT n FROM c").cell(&source).await, Value::Int(1));
        }
    })
    .await;
}

/// Bytes of a row that is large.
const LARGE: i64 = 8_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn large_rows_are_not_read_far_ahead_of_their_reader() {
    on_each(|database| async move {
        if database.server == Server::MariaDb {
            // It keeps no count of the bytes of another session.
            return;
        }
        let source = database.narrow_source();
        let statement = format!("{NUMBERS} SELECT CONNECTION_ID(), i, REPEAT('x', {LARGE}) AS far_ahead FROM n");
        let mut stream = ask(&statement).stream(&source).await.unwrap();
        assert!(matches!(stream.next().await, Some(Ok(Event::Columns(_)))));
        let Some(Ok(Event::Row(first))) = stream.next().await else { panic!("no row") };
        let Value::Int(connection) = first[0] else { panic!("{:?}", first[0]) };
        let sent = format!(
            "SELECT variable_value FROM performance_schema.status_by_thread JOIN performance_schema.threads USING (thread_id) \
             WHERE variable_name = 'Bytes_sent' AND processlist_id = {connection}"
        );
        let (mut before, mut now) = (-1, 0);
        while now > before {
            tokio::time::sleep(Duration::from_millis(300)).await;
            (before, now) = (now, database.text(&sent).await.parse::<i64>().unwrap());
        }
        // One row waits for the reader, one for its place, and up to ten are in the buffers of the network. Without a bound
        // sixteen wait for the reader.
        assert!(now < 14 * LARGE, "{now} bytes were sent");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_could_not_be_stopped_is_not_called_stopped() {
    on_each(|database| async move {
        database.script("CREATE TABLE w (n INT)").await;
        let source = database.narrow_source();
        // The order to stop ends the pause and not the statement, whose work is done by then.
        ask("CREATE PROCEDURE pauses() BEGIN INSERT INTO w VALUES (1); DO SLEEP(20); END")
            .done(&source)
            .await;
        let error = ask("CALL pauses()").within(Duration::from_millis(300)).fails(&source).await;
        match &error {
            SourceError::Database(said) => assert!(said.message.contains("its changes stay"), "{error}"),
            // The server says that it stopped the procedure.
            SourceError::Timeout(_) => {}
            _ => panic!("{error:?}"),
        }
        let error = ask("DO SLEEP(20)").within(Duration::from_millis(300)).fails(&source).await;
        assert!(
            matches!(&error, SourceError::Database(said) if said.message.contains("complete before it could be stopped")),
            "{error:?}"
        );
        assert_eq!(ask("SELECT COUNT(*) FROM w").cell(&source).await, Value::Int(1));
    })
    .await;
}

/// A source whose account may have so many connections, all of which the source may use.
async fn at_its_limit(database: &Database, connections: usize) -> (MySql, String) {
    let user = format!("{}_l", database.name.replace("toolbox_test", "tbx"));
    database
        .script(&format!(
            "CREATE USER {user} IDENTIFIED BY 'word' WITH MAX_USER_CONNECTIONS {connections}; \
             GRANT ALL ON {}.* TO {user}",
            database.name
        ))
        .await;
    let options = Options {
        user: Some(user.clone()),
        password: Some("word".to_owned().into()),
        max_connections: connections,
        ..database.options()
    };
    (MySql::open("test", options).unwrap(), user)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_connection_gives_the_order_where_no_other_can_be_opened() {
    on_each(|database| async move {
        database.script("CREATE TABLE w (n INT)").await;
        let (source, user) = at_its_limit(&database, 2).await;
        let sleep = || ask("SELECT SLEEP(0.2)").cell(&source);
        assert_eq!(tokio::join!(sleep(), sleep()), (Value::Int(0), Value::Int(0)));
        let limit = Duration::from_millis(300);
        let begun = Instant::now();
        for writes in [false, true] {
            let insert = if writes { "INSERT INTO w " } else { "" };
            let statement = format!("{insert}{}", silent("crowded"));
            let error = ask(&statement).within(limit).fails(&source).await;
            assert_eq!(error, SourceError::Timeout(limit));
        }
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        is_free(&database, &source, "crowded").await;
        assert_eq!(tokio::join!(sleep(), sleep()), (Value::Int(0), Value::Int(0)));
        source.close().await;
        database.script(&format!("DROP USER {user}")).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_nobody_can_stop_is_not_called_stopped() {
    on_each(|database| async move {
        let (source, user) = at_its_limit(&database, 1).await;
        let error = ask("SELECT SLEEP(6) AS alone").within(Duration::from_millis(100)).fails(&source).await;
        let SourceError::Database(said) = &error else { panic!("{error:?}") };
        assert!(said.message.contains("the server did not stop it"), "{error}");
        // Its connection was given up, and the next call has another one as soon as the server has room for it.
        database.wait_for_running("alone", 0).await;
        let mut answer = ask("SELECT 1").answer(&source).await;
        for _ in 0..100 {
            if answer.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            answer = ask("SELECT 1").answer(&source).await;
        }
        assert_eq!(answer.map(|set| set.rows), Ok(vec![vec![Value::Int(1)]]));
        source.close().await;
        database.script(&format!("DROP USER {user}")).await;
    })
    .await;
}
