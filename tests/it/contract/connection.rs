//! Connections that cannot be made, break, and come back.

use std::time::{Duration, Instant};

use toolbox_source::{SourceError, Value};

use super::{Subject, ask::ask, forwarder::Forwarder, on_every_database, subject::Settings};
use crate::support::Engine;

on_every_database!(
    a_source_answers_a_sign_of_life,
    a_killed_session_is_invisible_to_the_next_read,
    a_write_is_never_done_twice_when_its_session_is_killed,
    an_unreachable_database_is_said_without_secrets_and_found_when_it_comes,
    a_server_that_restarts_is_found_again,
    more_calls_than_connections_wait_for_each_other,
);

async fn a_source_answers_a_sign_of_life(subject: &mut Subject) {
    let source = subject.source();
    assert_eq!(source.ping().await, Ok(()));
    assert_eq!(source.ping().await, Ok(()));
    assert_eq!(ask("SELECT 1").cell(&*source).await, Value::Int(1));
}

async fn a_killed_session_is_invisible_to_the_next_read(subject: &mut Subject) {
    let source = subject.narrow_source();
    for _ in 0..3 {
        for by_the_model in [false, true] {
            let question = ask("SELECT n FROM numbers WHERE n = 7").reading();
            let question = if by_the_model { question.by_the_model() } else { question };
            assert_eq!(question.cell(&*source).await, Value::Int(7));
            subject.kill_sessions().await;
        }
    }
    assert_eq!(ask("SELECT 1").reading().cell(&*source).await, Value::Int(1));
}

async fn a_write_is_never_done_twice_when_its_session_is_killed(subject: &mut Subject) {
    let source = subject.narrow_source();
    let mut said = 0;
    for _ in 0..5 {
        subject.kill_sessions().await;
        match ask("INSERT INTO things (name, note) SELECT coalesce(max(id), 0) + 1, 'a' FROM things")
            .sets(&*source)
            .await
        {
            Ok(_) => said += 1,
            Err(error) => assert!(
                matches!(
                    error,
                    SourceError::OutcomeUnknown(_) | SourceError::Connect(_) | SourceError::Database(_)
                ),
                "{error:?}"
            ),
        }
    }
    let done = subject.count("things").await;
    assert!(done >= said, "what was said to be done is done: {said} and {done}");
    assert!(done <= 5);
    // The source has recovered by itself.
    let mut wrote = false;
    for _ in 0..2 {
        wrote |= ask("DELETE FROM things").sets(&*source).await.is_ok();
    }
    assert!(wrote);
}

async fn an_unreachable_database_is_said_without_secrets_and_found_when_it_comes(subject: &mut Subject) {
    if subject.engine == Engine::Sqlite {
        let source = subject.source();
        let file = subject.database.file().unwrap();
        let away = file.with_extension("away");
        std::fs::rename(&file, &away).unwrap();
        for _ in 0..2 {
            assert!(matches!(ask("SELECT 1").fails(&*source).await, SourceError::Connect(_)));
            assert!(matches!(source.ping().await, Err(SourceError::Connect(_))));
        }
        std::fs::rename(&away, &file).unwrap();
        assert_eq!(ask("SELECT count(*) FROM numbers").cell(&*source).await, Value::Int(1000));
        return;
    }
    let mut network = subject.forwarder().await;
    let source = through(subject, &network);
    let begun = Instant::now();
    for _ in 0..2 {
        assert_names_nothing(subject, network.port(), &ask("SELECT 1").fails(&*source).await);
        assert_names_nothing(subject, network.port(), &source.ping().await.unwrap_err());
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "a refused connection is said at once");
    network.open().await;
    assert_eq!(ask("SELECT count(*) FROM numbers").cell(&*source).await, Value::Int(1000));
}

async fn a_server_that_restarts_is_found_again(subject: &mut Subject) {
    if subject.engine == Engine::Sqlite {
        // It has no server.
        return;
    }
    let mut network = subject.forwarder().await;
    let source = through(subject, &network);
    let read = || ask("SELECT n FROM numbers WHERE n = 7").reading();
    for _ in 0..2 {
        network.open().await;
        assert_eq!(read().cell(&*source).await, Value::Int(7));
        // All connections break, and new ones are taken at once.
        network.cut().await;
        network.open().await;
        assert_eq!(read().cell(&*source).await, Value::Int(7));
        // All connections break, and new ones are refused for a while.
        network.cut().await;
        assert_names_nothing(subject, network.port(), &read().fails(&*source).await);
    }
    network.open().await;
    assert_eq!(read().cell(&*source).await, Value::Int(7));
    assert_eq!(ask("INSERT INTO things (name) VALUES ('a')").changes(&*source).await, 1);
}

async fn more_calls_than_connections_wait_for_each_other(subject: &mut Subject) {
    let source = subject.source_with(Settings { max_connections: 2, ..Settings::default() });
    let calls = (0..50).map(|call| {
        let source = &*source;
        async move {
            let question = ask("SELECT max(n) FROM numbers");
            let question = if call % 2 == 0 { question.reading() } else { question };
            question.cell(source).await
        }
    });
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(|answer| *answer == Value::Int(1000)));
}

fn through(subject: &Subject, network: &Forwarder) -> Box<dyn toolbox_source::Source> {
    subject.source_with(Settings { port: Some(network.port()), ..Settings::default() })
}

/// A failed connection that tells the reason and nothing of where or who.
fn assert_names_nothing(subject: &Subject, port: u16, error: &SourceError) {
    assert!(matches!(error, SourceError::Connect(_)), "{error:?}");
    let url = subject.database.url().unwrap();
    let said = format!("{error} {error:?}");
    for secret in ["127.0.0.1", &port.to_string(), url.username(), url.password().unwrap_or("secret")] {
        // The name of the account may be the name of the database's make.
        assert!(secret == "postgres" || !said.contains(secret), "{secret}: {said}");
    }
}
