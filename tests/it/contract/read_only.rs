//! What must not write does not: a gate says why, and the database refuses what the gate cannot see.

use toolbox_source::{SourceError, Value};

use super::{Subject, ask::ask, on_every_database, subject::Settings};
use crate::support::{Engine, Sql, all, only};

on_every_database!(
    a_write_of_the_model_is_refused,
    the_model_reads_in_every_form_that_reads,
    a_read_only_source_refuses_the_operator_too,
    a_function_that_writes_is_refused_by_the_database,
    nothing_of_one_call_of_the_model_is_seen_by_the_next,
    the_model_may_write_where_it_is_allowed_to,
);

/// Statements that would change something if they ran.
const WRITES: &[Sql] = &[
    all("DELETE FROM numbers"),
    all("DROP TABLE numbers"),
    all("UPDATE numbers SET n = 0"),
    all("INSERT INTO numbers VALUES (0)"),
    all("CREATE TABLE leak (a INTEGER)"),
    all("ALTER TABLE numbers ADD COLUMN leak INTEGER"),
    all("CREATE VIEW leak AS SELECT 1 AS a"),
    all("/* SELECT */ DELETE FROM numbers"),
    all("-- SELECT\nDELETE FROM numbers"),
    all("SELECT 1; DELETE FROM numbers"),
    all("COMMIT"),
    all("ROLLBACK"),
    all("BEGIN"),
    all("SAVEPOINT a"),
    only()
        .sqlite("WITH x AS (SELECT 1) DELETE FROM numbers")
        .postgres("WITH x AS (SELECT 1) DELETE FROM numbers"),
    only().postgres("WITH x AS (DELETE FROM numbers RETURNING n) SELECT n FROM x"),
    only()
        .sqlite("DELETE FROM numbers RETURNING n")
        .postgres("DELETE FROM numbers RETURNING n")
        .mariadb("DELETE FROM numbers RETURNING n"),
    only().sqlite("REPLACE INTO numbers VALUES (0)").mysql("REPLACE INTO numbers VALUES (0)"),
    only().sqlite("ATTACH ':memory:' AS leak"),
    only().sqlite("PRAGMA query_only = OFF"),
    only().sqlite("VACUUM"),
    only().postgres("TRUNCATE numbers").mysql("TRUNCATE TABLE numbers"),
    only().postgres("SELECT n INTO leak FROM numbers"),
    only().postgres("EXPLAIN ANALYZE DELETE FROM numbers"),
    only().postgres("COPY numbers FROM PROGRAM 'echo 0'"),
    only()
        .postgres("COPY numbers TO '/tmp/toolbox-leak'")
        .mysql("SELECT n FROM numbers INTO OUTFILE '/tmp/toolbox-leak'"),
    only().postgres("DO $$ BEGIN DELETE FROM numbers; END $$"),
    only().postgres("SET TRANSACTION READ WRITE").mysql("SET TRANSACTION READ WRITE"),
    only()
        .postgres("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE")
        .mysql("SET SESSION TRANSACTION READ WRITE"),
    only()
        .postgres("SET default_transaction_read_only = off")
        .mysql("SET @@session.transaction_read_only = 0"),
    only().postgres("PREPARE a AS DELETE FROM numbers").mysql("PREPARE a FROM 'DELETE FROM numbers'"),
    only().postgres("LOCK TABLE numbers").mysql("LOCK TABLES numbers WRITE"),
    only().mysql("/*! DELETE FROM numbers */"),
    only().mysql("SELECT 1 /*! INTO OUTFILE '/tmp/toolbox-leak' */"),
    only().mysql("USE mysql"),
    only().mysql("CALL nothing()").postgres("CALL nothing()"),
];

/// Statements that read, in all their forms.
const READS: &[Sql] = &[
    all("SELECT n FROM numbers WHERE n = 1"),
    all("  \n select n from numbers where n = 1  "),
    all("/* DELETE FROM numbers */ SELECT 1 -- DROP TABLE numbers"),
    all("WITH x AS (SELECT n FROM numbers WHERE n < 3) SELECT max(n) FROM x"),
    all("SELECT 'DELETE FROM numbers; DROP TABLE numbers' AS a"),
    only().sqlite("VALUES (1), (2)").postgres("VALUES (1), (2)"),
    only().postgres("TABLE numbers").mysql("SHOW TABLES"),
    only().postgres("SHOW server_version").mysql("SHOW CREATE TABLE numbers"),
    only().mysql("DESCRIBE numbers").sqlite("PRAGMA table_info(numbers)"),
    all("EXPLAIN SELECT n FROM numbers").sqlite("EXPLAIN QUERY PLAN SELECT n FROM numbers"),
];

async fn a_write_of_the_model_is_refused(subject: &mut Subject) {
    let source = subject.source();
    for sql in WRITES {
        let Some(sql) = sql.of(subject.engine) else { continue };
        let error = ask(&sql).by_the_model().reading().fails(&*source).await;
        assert!(matches!(error, SourceError::Refused(_) | SourceError::Database(_)), "{sql}: {error:?}");
        assert_eq!(subject.count("numbers").await, 1000, "{sql}");
    }
    // Not even the name is taken, and the columns are what they were.
    subject.database.run("CREATE TABLE leak (a INTEGER)").await;
    let set =
        ask("SELECT * FROM numbers WHERE n = 1").by_the_model().reading().answer(&*source).await.unwrap();
    assert_eq!((set.columns, set.rows), (Some(vec!["n".to_owned()]), vec![vec![Value::Int(1)]]));
}

async fn the_model_reads_in_every_form_that_reads(subject: &mut Subject) {
    let source = subject.source();
    for sql in READS {
        let Some(sql) = sql.of(subject.engine) else { continue };
        let answer = ask(&sql).by_the_model().reading().answer(&*source).await;
        let answer = answer.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(!answer.rows.is_empty(), "{sql}");
        assert_eq!(answer.done.rows_affected, None, "{sql}");
    }
}

async fn a_read_only_source_refuses_the_operator_too(subject: &mut Subject) {
    let source = subject.source_with(Settings { read_only: true, ..Settings::default() });
    for sql in
        ["DELETE FROM numbers", "INSERT INTO things (name) VALUES ('a')", "CREATE TABLE leak (a INTEGER)"]
    {
        let error = ask(sql).fails(&*source).await;
        assert!(matches!(error, SourceError::Refused(_) | SourceError::Database(_)), "{sql}: {error:?}");
    }
    assert_eq!(ask("SELECT count(*) FROM numbers").cell(&*source).await, Value::Int(1000));
    assert_eq!((subject.count("numbers").await, subject.count("things").await), (1000, 0));
}

async fn a_function_that_writes_is_refused_by_the_database(subject: &mut Subject) {
    let function = only()
        .postgres(
            "CREATE FUNCTION sneak() RETURNS integer LANGUAGE plpgsql AS $$
             BEGIN DELETE FROM numbers; RETURN 1; END $$",
        )
        .mysql(
            "CREATE FUNCTION sneak() RETURNS INTEGER DETERMINISTIC MODIFIES SQL DATA
             BEGIN DELETE FROM numbers; RETURN 1; END",
        );
    // SQLite has no functions but those that a program adds.
    let Some(function) = function.of(subject.engine) else { return };
    subject.database.run(&function).await;
    let source = subject.source();
    for by_the_model in [true, false] {
        let question = ask("SELECT sneak()").reading();
        let question = if by_the_model { question.by_the_model() } else { question };
        let error = question.fails(&*source).await;
        let SourceError::Database(said) = &error else { panic!("{error:?}") };
        assert!(
            said.message.to_lowercase().contains("read-only") || said.message.contains("READ ONLY"),
            "{said}"
        );
        assert_eq!(subject.count("numbers").await, 1000);
    }
}

async fn nothing_of_one_call_of_the_model_is_seen_by_the_next(subject: &mut Subject) {
    let source = subject.narrow_source();
    // What changes a session, and how another call would see it: it must see what it saw before.
    let traces = match subject.engine {
        Engine::Sqlite => vec![("PRAGMA case_sensitive_like = ON", "SELECT 'A' LIKE 'a'")],
        Engine::Postgres => vec![
            (
                "SELECT set_config('search_path', 'pg_catalog', false)",
                "SELECT current_setting('search_path')",
            ),
            ("SELECT set_config('work_mem', '1MB', false)", "SELECT current_setting('work_mem')"),
            ("SELECT set_config('TimeZone', 'Asia/Tokyo', false)", "SELECT current_setting('TimeZone')"),
            (
                "SELECT pg_advisory_lock(7)",
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid <> 0",
            ),
        ],
        Engine::MySql | Engine::MariaDb => vec![
            ("SELECT @leak := 7", "SELECT @leak"),
            ("SELECT GET_LOCK('leak', 0)", "SELECT IS_FREE_LOCK('leak')"),
        ],
    };
    for (change, look) in traces {
        let look = || ask(look).by_the_model().reading().cell(&*source);
        let before = look().await;
        // It may be refused, too.
        let _ = ask(change).by_the_model().reading().sets(&*source).await;
        assert_eq!(look().await, before, "{change}");
        let _ = ask(change).by_the_model().sets(&*source).await;
        assert_eq!(look().await, before, "{change}");
    }
}

async fn the_model_may_write_where_it_is_allowed_to(subject: &mut Subject) {
    let source = subject.narrow_source();
    assert_eq!(ask("INSERT INTO things (name) VALUES ('a')").by_the_model().changes(&*source).await, 1);
    assert_eq!(subject.count("things").await, 1);
    assert_eq!(ask("DELETE FROM things").by_the_model().changes(&*source).await, 1);
    assert_eq!(subject.count("things").await, 0);
    // And the next one, which may not, does not.
    ask("DELETE FROM numbers").by_the_model().reading().fails(&*source).await;
    assert_eq!(subject.count("numbers").await, 1000);
}
