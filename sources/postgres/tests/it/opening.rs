//! Options, connecting, errors of connecting, migrations.

use std::time::{Duration, Instant};

use toolbox_postgres::{Options, Postgres};
use toolbox_source::{Source as _, SourceError, Value};

use crate::support::{ask, database, decimal, text};

fn with(options: Options, params: &[(&str, &str)]) -> Result<Postgres, SourceError> {
    let query_params = params.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Postgres::open("test", Options { query_params, ..options })
}

#[tokio::test]
async fn parameters_of_the_connection_reach_the_server() {
    let database = database!("CREATE SCHEMA shop; CREATE TABLE shop.t (a int)");
    let params = [
        ("search_path", "shop"),
        ("application_name", "my app"),
        ("sslmode", "disable"),
        ("connect_timeout", "5"),
        ("work_mem", "12MB"),
        ("options", "-c enable_seqscan=off --geqo=off"),
        ("pool_max_conns", "2"),
    ];
    let source = with(database.options(), &params).unwrap();
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(0));
    for (setting, value) in [
        ("application_name", "my app"),
        ("work_mem", "12MB"),
        ("enable_seqscan", "off"),
        ("geqo", "off"),
        ("TimeZone", "UTC"),
        ("IntervalStyle", "postgres"),
        ("client_connection_check_interval", "1s"),
        ("default_transaction_read_only", "off"),
    ] {
        assert_eq!(ask(&format!("SHOW {setting}")).cell(&source).await, text(value), "{setting}");
    }
    assert_eq!(ask("SHOW default_transaction_read_only").reading().cell(&source).await, text("on"));
    let source = with(database.options(), &[]).unwrap();
    let name = ask("SHOW application_name").cell(&source).await;
    assert_eq!(name, text(concat!("toolbox/", env!("CARGO_PKG_VERSION"))));
    database.end().await;
}

#[tokio::test]
async fn parameters_that_make_no_sense_are_refused_before_connecting() {
    let options = || Options {
        host: "localhost".to_owned(),
        port: 1,
        database: "d".to_owned(),
        user: "u".to_owned(),
        password: "p".into(),
        query_params: Vec::new(),
        connect_timeout: None,
        statement_timeout: None,
        migrations: None,
        read_only: false,
        max_connections: 1,
        acquire_timeout: Duration::from_secs(1),
    };
    for (key, value) in [
        ("sslmode", "maybe"),
        ("timezone", "Asia/Tokyo"),
        ("DateStyle", "German"),
        ("client_encoding", "LATIN1"),
        ("connect_timeout", "soon"),
        ("port", "1"),
        ("password", "x"),
        ("options", "-x"),
        ("options", "-c TimeZone=CET"),
        ("target_session_attrs", "read-write"),
        ("host", "a,b"),
    ] {
        match with(options(), &[(key, value)]) {
            Err(SourceError::Refused(message)) => {
                assert!(
                    message.to_lowercase().contains(&key.to_lowercase()) || key == "options",
                    "{key}: {message}"
                );
            }
            other => panic!("{key}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn an_error_of_connecting_says_why_without_host_user_and_password() {
    let database = database!("");
    let options = || database.options();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let cases = [
        (Options { port: closed, ..options() }, "the connection was refused"),
        (Options { user: "nobody_here".to_owned(), ..options() }, "(code 28"),
        (
            Options { password: "wrong horse".into(), ..options() },
            "refuses the user name or the password (code 28P01)",
        ),
        (Options { database: "not_there".to_owned(), ..options() }, "does not exist (code 3D000)"),
        (Options { host: "no-such-host.invalid".to_owned(), ..options() }, "cannot connect to the database"),
        (Options { host: "/no/such/folder".to_owned(), ..options() }, "no such socket"),
        (
            Options {
                port: silent.local_addr().unwrap().port(),
                connect_timeout: Some(Duration::from_millis(200)),
                ..options()
            },
            "no answer within 200ms",
        ),
    ];
    for (options, words) in cases {
        let hidden = [
            options.host.clone(),
            "nobody_here".to_owned(),
            "wrong horse".to_owned(),
            options.port.to_string(),
        ];
        let source = Postgres::open("test", options).unwrap();
        let begun = Instant::now();
        let error = source.ping().await.unwrap_err();
        assert!(matches!(error, SourceError::Connect(_)), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
        for word in hidden {
            assert!(!error.to_string().contains(&word), "{word} in {error}");
        }
        assert!(begun.elapsed() < Duration::from_secs(9));
        assert!(!format!("{source:?}").contains("wrong horse"));
    }
    let error = with(options(), &[("no_such_setting", "1")]).unwrap().ping().await.unwrap_err().to_string();
    assert!(error.contains("unrecognized configuration parameter \"no_such_setting\""), "{error}");
    assert!(with(options(), &[]).unwrap().ping().await.is_ok());
    database.end().await;
}

#[tokio::test]
async fn the_example_is_migrated_once_and_a_fault_is_named() {
    let database = database!("");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres");
    for _ in 0..2 {
        let source =
            Postgres::open("test", Options { migrations: Some(folder.into()), ..database.options() })
                .unwrap();
        assert_eq!(ask("SELECT count(*) FROM instances").reading().cell(&source).await, Value::Int(30));
        // The same money as in migrations/sqlite, where it is counted in cents.
        let money = ask("SELECT sum(quantity * unit_price) FROM order_lines").reading().cell(&source).await;
        assert_eq!(money, decimal("25288.22"));
        source.close().await;
    }
    let source =
        Postgres::open("test", Options { migrations: Some("no/such/folder".into()), ..database.options() })
            .unwrap();
    let error = ask("SELECT 1").error(&source).await;
    assert!(error.contains("no/such/folder is no folder"), "{error}");
    database.end().await;
}

#[tokio::test]
async fn an_account_that_may_only_read_is_served_once_another_has_migrated() {
    let database = database!("");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres");
    let role = format!("reader_of_{}", database.text("SELECT current_database()").await.unwrap());
    // Before PostgreSQL 15 everyone may create tables in public.
    let grants =
        format!("CREATE ROLE {role} LOGIN PASSWORD 'reads'; REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    database.script(&grants).await;
    let migrations = Some(folder.into());
    let reader = Options { user: role.clone(), password: "reads".into(), migrations, ..database.options() };
    let source = Postgres::open("test", reader.clone()).unwrap();
    let error = ask("SELECT 1").error(&source).await;
    assert!(
        error.starts_with("cannot apply the migrations: ") && error.contains("permission denied"),
        "{error}"
    );
    source.close().await;

    let owner =
        Options { user: database.options().user, password: database.options().password, ..reader.clone() };
    Postgres::open("test", owner).unwrap().ping().await.unwrap();
    database.script(&format!("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")).await;
    let source = Postgres::open("test", reader).unwrap();
    assert_eq!(ask("SELECT count(*) FROM instances").reading().cell(&source).await, Value::Int(30));
    source.close().await;
    database.script(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
    database.end().await;
}

#[tokio::test]
async fn the_powers_of_an_account_are_named() {
    let database = database!("");
    let (id, role) = (std::process::id(), "toolbox_pg_role");
    let roles: Vec<String> = (0..5).map(|number| format!("{role}_{id}_{number}")).collect();
    let [plain, reader, heir, admin, rising] = &roles[..] else { panic!() };
    database
        .script(&format!(
            "CREATE ROLE {plain} LOGIN PASSWORD 'x'; CREATE ROLE {reader} LOGIN PASSWORD 'x' BYPASSRLS CREATEDB IN ROLE pg_read_server_files; \
             CREATE ROLE {heir} LOGIN PASSWORD 'x' IN ROLE {reader}; \
             CREATE ROLE {admin} LOGIN PASSWORD 'x' REPLICATION CREATEROLE IN ROLE pg_execute_server_program, pg_write_server_files, pg_signal_backend; \
             CREATE ROLE {rising} LOGIN PASSWORD 'x' IN ROLE {}",
            database.options().user
        ))
        .await;
    let read_files = "may read files of the server (pg_read_server_files)";
    let of_reader =
        [read_files, "is not held by row-level security (BYPASSRLS)", "may create databases (CREATEDB)"];
    let of_admin = [
        "may run programs on the server (pg_execute_server_program)",
        "may write files of the server (pg_write_server_files)",
        "may cancel and end the sessions of others (pg_signal_backend)",
        "may copy all databases of the server by replication (REPLICATION)",
        "may create roles (CREATEROLE)",
    ];
    for (user, expected) in [
        (plain, &[][..]),
        (reader, &of_reader),
        (heir, &of_reader),
        (admin, &of_admin),
        (rising, &["may become a superuser (SET ROLE), who may do everything"]),
    ] {
        let options = Options { user: user.clone(), password: "x".into(), ..database.options() };
        let source = Postgres::open("test", options).unwrap();
        assert_eq!(source.powers().await.unwrap(), expected, "{user}");
        source.close().await;
    }
    let superuser = database.source().powers().await.unwrap();
    assert_eq!(superuser, ["is a superuser, who may do everything, also to the files of the server"]);
    for user in &roles {
        database.script(&format!("DROP ROLE {user}")).await;
    }
    database.end().await;
}
