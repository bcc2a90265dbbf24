//! Columns, events, counts and errors.

use toolbox_source::{DatabaseError, Done, SourceError, Value};

use crate::support::{ask, collect, database, object, text};

#[tokio::test]
async fn an_empty_result_has_its_columns() {
    let database = database!("CREATE TABLE t (a int, b text)");
    let source = database.source();
    // Twice: the second time the connection knows the statement.
    for _ in 0..2 {
        let answer = ask("SELECT a, b, a + 1 FROM t").answer(&source).await.unwrap();
        assert_eq!(answer.columns.unwrap(), ["a", "b", "?column?"]);
        assert!(answer.rows.is_empty());
        assert_eq!(answer.done, Done::default());
    }
    database.end().await;
}

#[tokio::test]
async fn names_may_repeat_and_be_empty_of_meaning() {
    let database = database!("");
    let source = database.source();
    let answer = ask("SELECT 1 AS a, 2 AS a, 3 AS \"\u{1f98a} x\", 4").answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["a", "a", "\u{1f98a} x", "?column?"]);
    assert_eq!(answer.rows, [[Value::Int(1), Value::Int(2), Value::Int(3), Value::Int(4)]]);
    database.end().await;
}

#[tokio::test]
async fn writes_say_how_many_rows_they_changed() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.source();
    let cases = [
        ("INSERT INTO t VALUES (1), (2), (3)", Some(3)),
        ("UPDATE t SET a = a + 1 WHERE a > 1", Some(2)),
        ("UPDATE t SET a = 0 WHERE false", Some(0)),
        ("WITH d AS (SELECT 1) DELETE FROM t WHERE a = 1", Some(1)),
        // The server counts them, as psql shows.
        ("CREATE TABLE u AS SELECT * FROM t", Some(2)),
        ("COPY t FROM PROGRAM 'echo 5'", Some(1)),
        ("CREATE TABLE v (a int)", Some(0)),
        ("TRUNCATE t", Some(0)),
        ("DO $$ BEGIN INSERT INTO t VALUES (1), (2); END $$", Some(0)),
        ("VACUUM t", Some(0)),
        ("SELECT 1", None),
    ];
    for (statement, rows_affected) in cases {
        let done = ask(statement).done(&source).await;
        assert_eq!(done, Done { rows_affected, last_insert_id: None }, "{statement}");
    }
    if database.version().await >= 150_000 {
        let merge = "MERGE INTO t USING (VALUES (2)) v(a) ON t.a = v.a WHEN MATCHED THEN UPDATE SET a = 2";
        assert_eq!(ask(merge).done(&source).await.rows_affected, Some(1));
    }
    let returned = ask("DELETE FROM t RETURNING a, a::text").answer(&source).await.unwrap();
    assert_eq!(returned.columns.unwrap(), ["a", "a"]);
    assert_eq!(returned.rows, [[Value::Int(1), text("1")], [Value::Int(2), text("2")]]);
    assert_eq!(returned.done.rows_affected, Some(2));
    database.end().await;
}

#[tokio::test]
async fn a_call_answers_with_its_out_parameters() {
    let database = database!(
        "CREATE PROCEDURE p(INOUT a int, OUT b text) LANGUAGE sql AS $$ SELECT a + 1, 'x'::text $$; CREATE PROCEDURE q() LANGUAGE sql AS $$ SELECT 1 $$"
    );
    let source = database.source();
    let answer = ask("CALL p(1, NULL)").answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["a", "b"]);
    assert_eq!(answer.rows, [[Value::Int(2), text("x")]]);
    let answer = ask("CALL q()").answer(&source).await.unwrap();
    assert_eq!((answer.columns, answer.done.rows_affected), (None, Some(0)));
    database.end().await;
}

#[tokio::test]
async fn the_server_renders_what_a_call_answers() {
    let database = database!(
        "CREATE EXTENSION hstore; CREATE EXTENSION seg; CREATE TYPE priced AS (id int, price money); \
         CREATE TABLE t (a int); \
         CREATE PROCEDURE p(INOUT a int, OUT m money, OUT r regclass, OUT l money[], OUT h hstore, OUT c priced, OUT n money, OUT \"T\" timestamptz) \
         LANGUAGE sql AS $$ INSERT INTO t VALUES (a); SELECT a + 1, 12.34::money, 'pg_class'::regclass, ARRAY[1::money, NULL], \
         'a=>1, b=>NULL'::hstore, ROW(7, 5)::priced, NULL::money, '2024-01-02T03:04:05Z'::timestamptz $$; \
         CREATE PROCEDURE s(OUT s seg) LANGUAGE sql AS $$ INSERT INTO t VALUES (0); SELECT '1 .. 2'::seg $$; \
         CREATE PROCEDURE f(OUT m money) LANGUAGE sql AS $$ SELECT (1 / 0)::money $$"
    );
    let source = database.narrow_source();
    for _ in 0..2 {
        let answer =
            ask("CALL p(1, NULL, NULL, NULL, NULL, NULL, NULL, NULL)").answer(&source).await.unwrap();
        assert_eq!(answer.columns.unwrap(), ["a", "m", "r", "l", "h", "c", "n", "T"]);
        let expected = [
            Value::Int(2),
            text("$12.34"),
            text("pg_class"),
            Value::Array(vec![text("$1.00"), Value::Null]),
            Value::Json("{\"a\":\"1\",\"b\":null}".to_owned()),
            object([("id", Value::Int(7)), ("price", text("$5.00"))]),
            Value::Null,
            text("2024-01-02T03:04:05Z"),
        ];
        assert_eq!(answer.rows, [expected]);
    }
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
    // A type that the server would not take back is refused before anything runs.
    let error = ask("CALL s(NULL)").error(&source).await;
    assert!(error.starts_with("column \"s\": its type seg cannot be read from a CALL"), "{error}");
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
    assert_eq!(ask("CALL f(NULL)").error(&source).await, "division by zero (code 22012)");
    database.end().await;
}

#[tokio::test]
async fn show_and_explain_are_read_like_tables() {
    let database = database!("");
    let source = database.source();
    assert_eq!(ask("SHOW TimeZone").cell(&source).await, text("UTC"));
    let plan = ask("EXPLAIN SELECT 1").by_the_model().reading().cell(&source).await;
    assert!(matches!(plan, Value::Text(plan) if plan.starts_with("Result")));
    database.end().await;
}

#[tokio::test]
async fn a_schema_that_changed_is_noticed_by_the_next_call() {
    let database = database!("CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
    let source = database.narrow_source();
    assert_eq!(ask("SELECT * FROM t").rows(&source).await, [[Value::Int(1)]]);
    database.script("ALTER TABLE t ADD b text DEFAULT 'new'").await;
    let answer = ask("SELECT * FROM t").answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["a", "b"]);
    assert_eq!(answer.rows, [[Value::Int(1), text("new")]]);
    database.script("ALTER TABLE t ALTER a TYPE text").await;
    let answer = ask("SELECT * FROM t").by_the_model().reading().answer(&source).await.unwrap();
    assert_eq!(answer.rows, [[text("1"), text("new")]]);
    database.script("ALTER TABLE t DROP b").await;
    assert_eq!(ask("SELECT * FROM t").by_the_model().reading().rows(&source).await, [[text("1")]]);
    assert_eq!(ask("SELECT * FROM t").rows(&source).await, [[text("1")]]);
    database.end().await;
}

#[tokio::test]
async fn an_error_holds_what_the_server_said() {
    let database = database!("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
    let source = database.source();
    let error = ask("SELECT ide FROM t").answer(&source).await.unwrap_err();
    assert_eq!(
        error,
        SourceError::Database(DatabaseError {
            message: "column \"ide\" does not exist".to_owned(),
            code: Some("42703".to_owned()),
            position: Some(8),
            detail: None,
            hint: Some("Perhaps you meant to reference the column \"t.id\".".to_owned()),
        })
    );
    let error = ask("INSERT INTO t VALUES (1)").error(&source).await;
    assert_eq!(
        error,
        "duplicate key value violates unique constraint \"t_pkey\" (code 23505); detail: Key (id)=(1) already exists."
    );
    let error = ask("SELEC 1").error(&source).await;
    assert_eq!(error, "syntax error at or near \"SELEC\" (code 42601) at character 1");
    database.end().await;
}

#[tokio::test]
async fn an_error_among_the_rows_comes_after_them_and_the_connection_lives_on() {
    let database = database!("");
    let source = database.narrow_source();
    for model in [false, true] {
        let asked = ask("SELECT 10 / (500 - n) FROM generate_series(1, 1000) n");
        let asked = if model { asked.by_the_model().reading() } else { asked };
        let error = collect(asked.stream(&source).await.unwrap()).await.unwrap_err();
        assert!(error.to_string().contains("division by zero (code 22012)"), "{error}");
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    }
    database.end().await;
}

#[tokio::test]
async fn a_configured_statement_is_prepared_once_for_a_connection() {
    let database = database!("");
    let source = database.narrow_source();
    for number in 0..5 {
        let cell = ask("SELECT $1::int + 0").with([Value::Int(number)]).cell(&source).await;
        assert_eq!(cell, Value::Int(number));
    }
    let known =
        ask("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%+ 0'").cell(&source).await;
    assert_eq!(known, Value::Int(1));
    database.end().await;
}

#[tokio::test]
async fn more_statements_than_a_connection_remembers_all_work() {
    let database = database!("");
    let source = database.narrow_source();
    for round in 0..2 {
        for number in 0..130_i64 {
            assert_eq!(ask(&format!("SELECT {number}")).cell(&source).await, Value::Int(number), "{round}");
        }
    }
    let Value::Int(known) = ask("SELECT count(*) FROM pg_prepared_statements").cell(&source).await else {
        panic!()
    };
    assert!(known <= 101, "{known}");
    database.end().await;
}
