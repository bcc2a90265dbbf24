//! Many calls cancelled at once, at any moment: no order to stop reaches the call of another, and nothing of ours keeps
//! running in the server.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolbox_mysql::{MySql, Options};
use toolbox_source::{SourceError, Value};

use crate::support::{Ask, Database, ask, on_each};

/// Calls at once, and calls that each of them makes after the other.
const CALLERS: u64 = 6;
const ROUNDS: u64 = 25;

/// Numbers for long work.
const NUMBERS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)";

/// A call of one of the kinds that end in different ways.
fn call(kind: u64) -> Ask {
    match kind % 7 {
        // Works without a row.
        0 => ask(&format!(
            "{NUMBERS} SELECT COUNT(*) FROM n a, n b, n c WHERE SHA2(a.i + b.i + c.i, 256) = 'x'"
        )),
        // Sends rows without end, in a transaction of ours.
        1 => ask(&format!("{NUMBERS} SELECT a.i FROM n a, n b, n c")).by_the_model().reading(),
        // Ends by itself at about the time of the order, and hides it.
        2 => ask("SELECT SLEEP(0.004)"),
        // Is over before most orders.
        3 => ask("SELECT n FROM s"),
        4 => ask("UPDATE s SET n = n + SLEEP(0.002)"),
        // Not prepared yet, each time.
        5 => ask(&format!("SELECT COUNT(*), {kind} FROM s a, s b WHERE SLEEP(0.002) = 0")),
        _ => ask("CALL work()"),
    }
}

async fn storm(database: &Database, connections: usize) {
    let options = Options {
        max_connections: connections,
        acquire_timeout: Duration::from_mins(1),
        ..database.options()
    };
    let source = MySql::open("test", options).unwrap();
    let callers = (0..CALLERS).map(|caller| {
        let source = &source;
        async move {
            for round in 0..ROUNDS {
                let number = caller * ROUNDS + round;
                let cancel = CancellationToken::new();
                let after = Duration::from_micros(number * 7_919 % 6_000);
                let canceller = async {
                    tokio::time::sleep(after).await;
                    cancel.cancel();
                };
                let (outcome, ()) = tokio::join!(call(number).cancelled_by(&cancel).sets(source), canceller);
                // A call that was quicker than its end is complete.
                assert!(matches!(outcome, Ok(_) | Err(SourceError::Cancelled)), "{number}: {outcome:?}");
                let own = Value::Int(i64::try_from(number).unwrap());
                let answer = ask(&format!("SELECT {number}")).answer(source).await;
                assert_eq!(answer.map(|set| set.rows), Ok(vec![vec![own]]), "after {number}");
            }
        }
    });
    futures::future::join_all(callers).await;
    // All connections at once.
    let checks = (0..connections).map(|_| ask("SELECT n + SLEEP(0.1) FROM s").cell(&source));
    assert_eq!(futures::future::join_all(checks).await, vec![Value::Int(1); connections]);
    database.wait_for_running("", 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_cancelled_at_once_at_any_moment_harm_no_other_call() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE s (n INT); INSERT INTO s VALUES (1); \
                 CREATE PROCEDURE work() BEGIN DO SLEEP(0.002); SELECT n FROM s; DO SLEEP(0.002); END",
            )
            .await;
        for connections in [1, 4] {
            storm(&database, connections).await;
        }
    })
    .await;
}
