//! What may not be asked, and that the database itself refuses writes on the read lane.

use toolbox_postgres::{Options, Postgres};
use toolbox_source::Value;

use crate::support::{ask, database};

#[tokio::test]
async fn the_model_can_only_read() {
    let database = database!(
        "CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE SEQUENCE s; CREATE FUNCTION w() RETURNS int LANGUAGE sql AS $$ INSERT INTO t VALUES (2) RETURNING a $$"
    );
    let source = database.source();
    let refused = [
        "INSERT INTO t VALUES (2)",
        "WITH x AS (INSERT INTO t VALUES (2) RETURNING a) SELECT * FROM x",
        "DROP TABLE t",
        "SELECT * INTO u FROM t",
        "SELECT * FROM t FOR UPDATE",
        "EXPLAIN ANALYZE DELETE FROM t",
        "SET search_path = x",
        "CALL p()",
        "DO $$ BEGIN END $$",
        "COPY t TO '/tmp/x'",
        "LISTEN x",
        "LOCK t",
        "VACUUM",
        "TRUNCATE t",
        "SET TRANSACTION READ WRITE",
        "COMMIT",
        "SELECT 1; DELETE FROM t",
        "PREPARE x AS SELECT 1",
        "DISCARD ALL",
        "",
        "/* only a comment */",
        "SELECT U&\"pg\\005fread_file\"('PG_VERSION')",
        "SELECT query_to_xml('SELECT pg_reload_conf()', true, true, '')",
        "SELECT ts_stat('SELECT to_tsvector(pg_read_file(''PG_VERSION''))')",
        "SELECT pg_clear_relation_stats('public', 't')",
        "SELECT lo_from_bytea(0, 'x')",
    ];
    for statement in refused {
        let error = ask(statement).by_the_model().reading().answer(&source).await.unwrap_err();
        assert!(matches!(error, toolbox_source::SourceError::Refused(_)), "{statement}: {error}");
    }
    // What the form does not show, the server refuses.
    for statement in
        ["SELECT w()", "SELECT nextval('s')", "SELECT set_config('transaction_read_only', 'off', false), w()"]
    {
        let error = ask(statement).by_the_model().reading().error(&source).await;
        assert!(
            error.contains("read-only") || error.contains("must be set before any query"),
            "{statement}: {error}"
        );
    }
    for statement in [
        "SELECT 1",
        "TABLE t",
        "VALUES (1)",
        "WITH x AS (SELECT a FROM t) SELECT * FROM x",
        "  -- c\n SELECT 1 ; ",
        "(SELECT 1)",
    ] {
        assert_eq!(ask(statement).by_the_model().reading().cell(&source).await, Value::Int(1), "{statement}");
    }
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(1));
    database.end().await;
}

#[tokio::test]
async fn a_read_only_source_writes_for_nobody() {
    let database = database!("CREATE TABLE t (a int)");
    let source = Postgres::open("test", Options { read_only: true, ..database.options() }).unwrap();
    let error = ask("INSERT INTO t VALUES (1)").error(&source).await;
    assert_eq!(error, "cannot execute INSERT in a read-only transaction (code 25006)");
    let error = ask("INSERT INTO t VALUES (1)").by_the_model().error(&source).await;
    assert!(error.contains("this call is read-only"), "{error}");
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(0));
    database.end().await;
}

#[tokio::test]
async fn the_model_may_write_where_it_is_allowed_but_not_hold_a_transaction() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    assert_eq!(ask("INSERT INTO t VALUES (1)").by_the_model().done(&source).await.rows_affected, Some(1));
    for statement in ["BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT a", "END", "ABORT"] {
        for asked in [ask(statement), ask(statement).by_the_model()] {
            let error = asked.error(&source).await;
            assert!(error.contains("every call is a transaction of its own"), "{statement}: {error}");
        }
    }
    for statement in ["COPY t FROM STDIN", "COPY t TO STDOUT"] {
        assert!(ask(statement).error(&source).await.contains("is refused"), "{statement}");
    }
    let error = ask("SELECT 1; SELECT 2").error(&source).await;
    assert!(error.contains("more than one statement (the second begins at character 11)"), "{error}");
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(1));
    database.end().await;
}
