//! Connecting: what is refused, and what an error tells.

use std::time::{Duration, Instant};

use toolbox_mysql::{MySql, Options};
use toolbox_source::{Source as _, SourceError, Value};

use crate::support::{ask, on_each, text};

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_of_the_call_without_its_address() {
    let options = Options {
        host: "127.0.0.1".to_owned(),
        port: 1,
        database: None,
        user: Some("somebody".to_owned()),
        password: Some("hidden-word".to_owned().into()),
        query_params: Vec::new(),
        query_timeout: None,
        statement_timeout: None,
        migrations: None,
        read_only: false,
        max_connections: 2,
        acquire_timeout: Duration::from_secs(1),
    };
    let source = MySql::open("absent", options).unwrap();
    let begun = Instant::now();
    let error = ask("SELECT 1").error(&source).await;
    assert!(error.starts_with("cannot connect to the database:"), "{error}");
    for secret in ["127.0.0.1", "somebody", "hidden-word"] {
        assert!(!error.contains(secret), "{error}");
        assert!(!format!("{source:?}").contains(secret));
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(matches!(source.ping().await, Err(SourceError::Connect(_))));
}

#[tokio::test]
async fn a_wrong_password_is_told_without_the_user() {
    on_each(|database| async move {
        let user = Some("toolbox_nobody".to_owned());
        let source = MySql::open("test", Options { user, ..database.options() }).unwrap();
        let error = ask("SELECT 1").error(&source).await;
        assert!(error.contains("Access denied") && error.contains("SQLSTATE 28000"), "{error}");
        assert!(!error.contains("toolbox_nobody"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_source_gives_a_sign_of_life_and_can_be_closed() {
    on_each(|database| async move {
        let source = database.source();
        source.ping().await.unwrap();
        source.close().await;
        assert_eq!(ask("SELECT 1").fails(&source).await, SourceError::Cancelled);
    })
    .await;
}

#[tokio::test]
async fn session_variables_and_tls_come_from_query_params() {
    on_each(|database| async move {
        let params = [("group_concat_max_len", "4321"), ("collation", "utf8mb4_unicode_ci")];
        let query_params = params.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let source = MySql::open("test", Options { query_params, ..database.options() }).unwrap();
        assert_eq!(ask("SELECT @@group_concat_max_len").cell(&source).await, Value::Int(4321));
        assert_eq!(ask("SELECT @@collation_connection").cell(&source).await, text("utf8mb4_unicode_ci"));
    })
    .await;
}

#[tokio::test]
async fn tls_is_used_where_it_is_asked_for_and_refused_where_the_server_has_none() {
    on_each(|database| async move {
        let cipher = async |tls: Option<&str>| {
            let query_params = tls.map(|tls| ("tls".to_owned(), tls.to_owned())).into_iter().collect();
            let source = MySql::open("test", Options { query_params, ..database.options() }).unwrap();
            let rows = ask("SHOW SESSION STATUS LIKE 'Ssl_cipher'").sets(&source).await?;
            Ok::<_, SourceError>(rows[0].rows[0][1] != text(""))
        };
        for tls in [None, Some("false")] {
            assert_eq!(cipher(tls).await, Ok(false));
        }
        // MySQL always has TLS; MariaDB may be without.
        let has_tls = database
            .text("SELECT COALESCE((SELECT 'no' FROM DUAL WHERE @@version LIKE '%MariaDB%'), 'yes')")
            .await
            == "yes"
            || database.text("SELECT @@have_ssl").await == "YES";
        assert_eq!(cipher(Some("preferred")).await, Ok(has_tls));
        match cipher(Some("skip-verify")).await {
            Ok(encrypted) => assert!(encrypted && has_tls),
            Err(error) => {
                let SourceError::Connect(said) = &error else { panic!("{error:?}") };
                assert!(
                    !has_tls && said.message.contains("offers none") && said.message.contains("queryParams"),
                    "{error}"
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused_without_the_host() {
    on_each(|database| async move {
        let query_params = vec![("tls".to_owned(), "true".to_owned())];
        let source = MySql::open("test", Options { query_params, ..database.options() }).unwrap();
        let error = ask("SELECT 1").error(&source).await;
        assert!(error.starts_with("cannot connect to the database:"), "{error}");
        assert!(!error.contains("127.0.0.1"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn the_servers_own_limit_is_a_little_later_than_ours() {
    on_each(|database| async move {
        let statement_timeout = Some(Duration::from_secs(7));
        let source = MySql::open("test", Options { statement_timeout, ..database.options() }).unwrap();
        let (variable, expected) = match database.server {
            crate::support::Server::MySql => ("max_execution_time", Value::Int(8_000)),
            crate::support::Server::MariaDb => ("max_statement_time", Value::Float(8.0)),
        };
        let value = ask(&format!("SELECT @@SESSION.{variable}")).cell(&source).await;
        let value = match value {
            Value::Decimal(digits) => Value::Float(digits.parse().unwrap()),
            value => value,
        };
        assert_eq!(value, expected);
    })
    .await;
}

#[tokio::test]
async fn an_option_that_cannot_be_obeyed_is_refused_before_connecting() {
    on_each(|database| async move {
        let query_params = vec![("loc".to_owned(), "Europe/Berlin".to_owned())];
        let error = MySql::open("test", Options { query_params, ..database.options() }).unwrap_err();
        assert!(error.to_string().contains("UTC"), "{error}");
    })
    .await;
}
