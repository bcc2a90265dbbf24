//! The columns of tables: when the server is asked for them, and by whom.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolbox_source::{SourceError, Value};

use crate::{
    support::{ask, on_each, text},
    wiretap::Wiretap,
};

fn lists(heard: &[String]) -> usize {
    heard.iter().filter(|said| said.starts_with("SHOW COLUMNS")).count()
}

#[tokio::test]
async fn the_columns_are_listed_once_for_all_connections() {
    on_each(|database| async move {
        database.script("CREATE TABLE c (n DOUBLE, t TEXT); INSERT INTO c VALUES (1, 'a')").await;
        let wire = Wiretap::new(&database).await;
        let source = wire.source(&database, 4);
        let plain = (0..8).map(|_| {
            ask("UPDATE c SET n = n + ?, t = ?").with([Value::Int(1), text("2025-01-31")]).done(&source)
        });
        futures::future::join_all(plain).await;
        assert_eq!(lists(&wire.take()), 0);
        let fractions = (0..8).map(|_| ask("UPDATE c SET n = ?").with([Value::Float(1.5)]).done(&source));
        futures::future::join_all(fractions).await;
        let heard = wire.take();
        assert_eq!(lists(&heard), 1, "{heard:?}");
        ask("UPDATE c SET t = ?").with([text("2025-01-31T10:00:00+02:00")]).done(&source).await;
        assert_eq!(lists(&wire.take()), 0);
    })
    .await;
}

#[tokio::test]
async fn a_list_that_does_not_come_holds_up_no_other_call() {
    on_each(|database| async move {
        database.script("CREATE TABLE h (n INT); INSERT INTO h VALUES (1); CREATE TABLE other (n INT)").await;
        let wire = Wiretap::new(&database).await;
        let source = wire.source(&database, 4);
        // No such table, for all of them.
        let missing =
            (0..4).map(|_| ask("INSERT INTO missing VALUES (?)").with([Value::Float(1.5)]).error(&source));
        for error in futures::future::join_all(missing).await {
            assert!(error.contains("missing"), "{error}");
        }
        wire.take();
        wire.hold(Some("SHOW COLUMNS FROM `h`"));
        let write = |table: &str| ask(&format!("UPDATE {table} SET n = ?")).with([Value::Float(1.5)]);
        let others = async {
            wire.hears("SHOW COLUMNS FROM `h`").await;
            let error = write("h").within(Duration::from_millis(200)).fails(&source).await;
            assert!(matches!(error, SourceError::Timeout(_)), "{error:?}");
            let cancel = CancellationToken::new();
            let (error, ()) = tokio::join!(write("h").cancelled_by(&cancel).fails(&source), async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                cancel.cancel();
            });
            assert!(matches!(error, SourceError::Cancelled), "{error:?}");
            let error = write("other").error(&source).await;
            assert!(error.contains("holds integers"), "{error}");
            // Nothing was running for those that went away, so their connections are kept and nobody was told to stop.
            let heard = wire.take();
            assert!(!heard.iter().any(|said| said.starts_with("KILL")) && lists(&heard) == 2, "{heard:?}");
            wire.hold(None);
        };
        let (one, another, ()) = tokio::join!(write("h").error(&source), write("h").error(&source), others);
        assert!(one.contains("holds integers") && another.contains("holds integers"), "{one} {another}");
        // What is refused by a list that was asked for before the call began is looked at anew.
        assert!(lists(&wire.take()) <= 1);
        assert_eq!(ask("SELECT n FROM h").cell(&source).await, Value::Int(1));
    })
    .await;
}

#[tokio::test]
async fn a_call_that_ends_while_it_asks_leaves_the_question_to_the_next() {
    on_each(|database| async move {
        database.script("CREATE TABLE e (n INT); INSERT INTO e VALUES (1)").await;
        let wire = Wiretap::new(&database).await;
        let source = wire.source(&database, 4);
        let write = || ask("UPDATE e SET n = ?").with([Value::Float(1.5)]);
        let cancel = CancellationToken::new();
        wire.hold(Some("SHOW COLUMNS"));
        let (first, next) = tokio::join!(write().cancelled_by(&cancel).fails(&source), async {
            wire.hears("SHOW COLUMNS").await;
            let (next, ()) = tokio::join!(write().error(&source), async {
                cancel.cancel();
                wire.hears("KILL QUERY").await;
                wire.hold(None);
            });
            next
        });
        let is_either =
            matches!(first, SourceError::Cancelled) || first.to_string().contains("holds integers");
        assert!(is_either && next.contains("holds integers"), "{first:?} {next}");
    })
    .await;
}
