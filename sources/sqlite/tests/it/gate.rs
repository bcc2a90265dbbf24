//! What may not be asked, and what honest questions must still get.

use toolbox_source::{
    Value,
    scan::{Lexicon, scan},
};

use crate::support::{Database, ask, open};

const TABLES: &str =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b');
    CREATE TABLE load_extension (load_extension TEXT); INSERT INTO load_extension VALUES ('x');";

#[tokio::test(flavor = "multi_thread")]
async fn several_statements_are_refused_however_they_are_hidden() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    for sql in [
        "SELECT 1; DROP TABLE t",
        "SELECT 1;DROP TABLE t;",
        "SELECT 1 /* ; */ ; /* x */ DROP TABLE t",
        "SELECT 1 -- ;\n; DROP TABLE t",
        "SELECT 1 -- \r ' \n; DROP TABLE t -- '",
        "SELECT ';' ; DROP TABLE t",
        "SELECT ''';' ; DROP TABLE t",
        "SELECT '\\'; DROP TABLE t --'",
        "SELECT \"\\\"; DROP TABLE t --\"",
        "SELECT [a]]; DROP TABLE t --]",
        "SELECT [']; DROP TABLE t -- '] FROM t",
        "SELECT `a``` ; DROP TABLE t",
        "SELECT 1;\u{feff}DROP TABLE t",
        "\u{feff};;SELECT 1;;;DROP TABLE t",
        "SELECT /* /* */ 1; DROP TABLE t -- */",
        "SELECT /*/ 1; */ 1; DROP TABLE t",
        "SELECT $$;$$; DROP TABLE t",
        "SELECT 1 # ; \n; DROP TABLE t",
        "SELECT x'00'; DROP TABLE t",
        "SELECT 1;\u{b}DROP TABLE t",
        "SELECT 1;\u{a0}DROP TABLE t",
        "COMMIT; DROP TABLE t",
        "INSERT INTO t (name) VALUES ('c'); DROP TABLE t",
        "CREATE TABLE trigger (a, \"begin\"); DROP TABLE t",
        "CREATE TABLE x (trigger, begin); DROP TABLE t; END",
        "CREATE INDEX trigger ON t (name); SELECT begin; DROP TABLE t; END",
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END; DROP TABLE t",
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; END; DROP TABLE t",
        "CREATE TRIGGER begin AFTER INSERT ON t BEGIN SELECT 1; END; DROP TABLE t",
        "EXPLAIN SELECT 1; DROP TABLE t",
    ] {
        for ask in [ask(sql), ask(sql).reading(), ask(sql).by_the_model(), ask(sql).by_the_model().reading()]
        {
            let error = ask.answer(&source).await.unwrap_err().to_string();
            assert!(
                error.starts_with("the text holds more than one statement")
                    // Where SQLite reads `$$` as a placeholder of its own, that comes first or SQLite refuses the token.
                    || error.contains("has a name")
                    || error.contains("unrecognized token"),
                "{sql}: {error}"
            );
        }
    }
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
    assert_eq!(
        ask("SELECT count(*) FROM sqlite_schema").cell(&source).await,
        Value::Int(2),
        "nothing was created"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nul_does_not_end_the_text_early() {
    let source = open(":memory:");
    for sql in ["SELECT 1\0; DROP TABLE t", "\0", "SELECT '\0'"] {
        let error = ask(sql).error(&source).await;
        assert_eq!(error, "the statement holds a NUL character (U+0000); remove it, or write char(0) in SQL");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_statement_is_refused() {
    let source = open(":memory:");
    for sql in ["", "  ", ";", " -- nothing", "/* nothing */ ; ;", "\u{feff}"] {
        assert_eq!(
            ask(sql).error(&source).await,
            "the statement is empty; write one SQL statement",
            "{sql:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn named_placeholders_are_refused() {
    let source = open(":memory:");
    for name in [":name", "@name", "$name", "$1"] {
        let error = ask(&format!("SELECT {name}")).with([Value::Int(1)]).error(&source).await;
        assert_eq!(
            error,
            format!("the placeholder {name} has a name; mark arguments by position, with ? or ?1")
        );
    }
    assert_eq!(ask("SELECT ':a @b $c'").rows(&source).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn transaction_control_is_refused_for_everybody() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    for verb in ["BEGIN", "begin immediate", "COMMIT", "END", "ROLLBACK", "SAVEPOINT a", "RELEASE a"] {
        for ask in [ask(verb), ask(verb).by_the_model(), ask(verb).reading()] {
            let error = ask.error(&source).await;
            assert!(error.contains("every call is a transaction of its own"), "{error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_cannot_write_in_any_form() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    let outside = database.folder.path().join("outside.db");
    let outside = outside.to_str().unwrap();
    for sql in [
        "INSERT INTO t (name) VALUES ('x')",
        "UPDATE t SET name = 'x'",
        "DELETE FROM t",
        "REPLACE INTO t VALUES (1, 'x')",
        "DELETE FROM t RETURNING id",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "WITH x AS (SELECT 1), y(a) AS (SELECT 2) INSERT INTO t (name) SELECT a FROM y",
        "/* SELECT */ DELETE FROM t",
        "CREATE TABLE made (a)",
        "CREATE TEMP TABLE made (a)",
        "DROP TABLE t",
        "ALTER TABLE t RENAME TO u",
        "REINDEX",
        "ANALYZE",
        "VACUUM",
        &format!("VACUUM INTO '{outside}'"),
        &format!("ATTACH '{outside}' AS other"),
        "DETACH main",
        "PRAGMA writable_schema = 1",
        "PRAGMA writable_schema(1)",
        "PRAGMA query_only = 0",
        "PRAGMA query_only(0)",
        "PRAGMA \"query_only\" = 0",
        "PRAGMA main.query_only = 0",
        "pragma/**/query_only/**/=/**/0",
        "PRAGMA user_version = 9",
        "PRAGMA journal_mode = WAL",
        "PRAGMA foreign_keys(0)",
        "PRAGMA wal_checkpoint",
        "PRAGMA optimize",
        "PRAGMA nonsense",
        "EXPLAIN PRAGMA query_only = 0",
        "EXPLAIN QUERY PLAN PRAGMA query_only = 0",
        "explain/**/pragma query_only(0)",
        "SELECT load_extension('x')",
        "SELECT LOAD_EXTENSION ('x')",
        "SELECT \"load_extension\"('x')",
        "SELECT [load_extension] /* x */ ('x')",
        "SELECT `load_extension`('x')",
        "MERGE INTO t USING u",
        "GRANT ALL",
    ] {
        for ask in [ask(sql).reading(), ask(sql).reading().by_the_model()] {
            let error = ask.error(&source).await;
            assert!(
                error.contains("is refused") || error.contains("changes data, but this call is read-only"),
                "{sql}: {error}"
            );
        }
    }
    assert!(!std::path::Path::new(outside).exists());
    assert_eq!(ask("SELECT group_concat(name) FROM t").cell(&source).await, Value::Text("a,b".to_owned()));
    assert_eq!(ask("PRAGMA user_version").cell(&source).await, Value::Int(0));
    // Whatever slips by the gate meets a connection that cannot write, and the functions of pragmas cannot change that.
    for sql in ["SELECT * FROM pragma_query_only(0)", "SELECT * FROM pragma_user_version(9)"] {
        assert!(ask(sql).reading().error(&source).await.starts_with("too many arguments"));
    }
    let optimized = ask("SELECT * FROM pragma_optimize(65538)").reading().answer(&source).await;
    assert!(optimized.is_err(), "{optimized:?}");
    assert_eq!(ask("SELECT * FROM pragma_query_only").cell(&source).await, Value::Int(1));
    assert_eq!(
        ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'").cell(&source).await,
        Value::Int(0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_other_databases_get_directions() {
    let source = open(":memory:");
    let error = ask("SHOW TABLES").reading().by_the_model().error(&source).await;
    assert_eq!(
        error,
        "SQLite has no SHOW: use PRAGMA table_list for the tables, PRAGMA table_info(name) for the columns of one, and SELECT \
         for its rows"
    );
    // These have no form in SQLite, and it says so itself.
    for sql in [
        "WITH x AS (DELETE FROM t RETURNING id) SELECT * FROM x",
        "SELECT * INTO u FROM t",
        "SELECT 1 FOR UPDATE",
    ] {
        let error = ask(sql).reading().error(&source).await;
        assert!(error.contains("syntax error (code 1)"), "{sql}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn honest_questions_pass_the_gate() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    for sql in [
        "SELECT 'delete from t', name AS \"update\" FROM t",
        "SELECT load_extension FROM load_extension",
        "SELECT l.load_extension FROM load_extension l WHERE (load_extension) = 'x'",
        "SELECT replace(name, 'a', 'b') FROM t",
        "WITH RECURSIVE a AS (SELECT 1 AS x), b(y) AS MATERIALIZED (SELECT x FROM a) SELECT y FROM b",
        "WITH \"delete\" AS (SELECT 1) SELECT * FROM \"delete\"",
        "WITH a AS (VALUES (1), (2)) SELECT sum(column1) OVER (ORDER BY column1 ROWS UNBOUNDED PRECEDING) FROM a",
        "SELECT count(*) FILTER (WHERE id > 1), max(name) FROM t GROUP BY id HAVING count(*) > 0",
        "VALUES (1)",
        "EXPLAIN DELETE FROM t",
        "EXPLAIN QUERY PLAN UPDATE t SET name = 'x'",
        "PRAGMA table_info(t)",
        "PRAGMA main.table_info('t')",
        "PRAGMA table_list",
        "PRAGMA index_list = t",
        "PRAGMA integrity_check",
        "PRAGMA user_version",
        "PRAGMA journal_mode;",
        "SELECT * FROM pragma_table_info('t')",
        "SELECT '; DROP TABLE t; --'",
    ] {
        let answer = ask(sql).reading().by_the_model().answer(&source).await;
        assert!(answer.is_ok(), "{sql}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_may_write_cannot_reach_beyond_its_call() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    for sql in [
        "ATTACH ':memory:' AS other",
        "DETACH main",
        "VACUUM main INTO 'elsewhere.db'",
        "PRAGMA foreign_keys = 0",
        "PRAGMA query_only(1)",
        "PRAGMA main.cache_size = 1",
    ] {
        let error = ask(sql).by_the_model().error(&source).await;
        assert!(error.contains("is refused"), "{sql}: {error}");
    }
    for sql in [
        "CREATE TABLE made (a)",
        "INSERT INTO made VALUES (1)",
        "CREATE TRIGGER x AFTER INSERT ON made BEGIN UPDATE made SET a = a + 1; SELECT CASE WHEN 1 THEN 2 END; END",
        "INSERT INTO made VALUES (1);",
        "DROP TABLE made",
        "VACUUM",
        "PRAGMA optimize",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    ] {
        let answer = ask(sql).by_the_model().answer(&source).await;
        assert!(answer.is_ok(), "{sql}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_source_refuses_what_its_operator_configured() {
    let database = Database::with(TABLES).await;
    let mut options = database.options();
    options.read_only = true;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    let error = ask("DELETE FROM t").error(&source).await;
    assert_eq!(
        error,
        "DELETE changes data, but this call is read-only; use SELECT, or ask the operator for a tool that may write"
    );
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scan_and_sqlite_agree_on_random_texts() {
    const PIECES: [&str; 30] = [
        "'",
        "''",
        "\"",
        "`",
        "[",
        "]",
        "--",
        "\n",
        "\r",
        "/*",
        "*/",
        "*",
        "/",
        ";",
        "; INSERT INTO t (name) VALUES ('x')",
        " AND 1",
        " OR 0",
        "?",
        "?2",
        "$",
        ":",
        "@",
        "\u{feff}",
        "\u{b}",
        "é",
        "x'00'",
        "(",
        ")",
        "\\",
        "#",
    ];
    let database = Database::with("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)").await;
    let source = open(&format!("file:{}?_pragma=synchronous(off)", database.path().display()));
    let mut state = 7_u64;
    let mut ran = 0;
    for _ in 0..4000 {
        let mut sql = "UPDATE t SET name = 'y' WHERE 0".to_owned();
        for _ in 0..6 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sql.push_str(PIECES[usize::try_from(state >> 33).unwrap() % PIECES.len()]);
        }
        let count = scan(&sql, &Lexicon::SQLITE).placeholders;
        match ask(&sql).with(vec![Value::Int(1); count]).answer(&source).await {
            Ok(_) => ran += 1,
            Err(error) => {
                let error = error.to_string();
                assert!(!error.starts_with("SQLite counts"), "{sql:?}: {error}");
                assert!(!error.starts_with("SQLite found"), "{sql:?}: {error}");
            }
        }
    }
    // Enough of them are whole statements, or this test says little.
    assert!(ran > 100, "{ran}");
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(0));
}
