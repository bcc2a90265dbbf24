//! What may not be asked, and what may.

use toolbox_mysql::{MySql, Options};
use toolbox_source::{SourceError, Value};

use crate::{
    dice::Dice,
    support::{ask, on_each, text},
};

/// Statements that must not change anything or reach beyond rows, read-only, from the model.
const REFUSED: [&str; 44] = [
    "INSERT INTO g VALUES (9)",
    "REPLACE INTO g VALUES (9)",
    "UPDATE g SET n = 9",
    "DELETE FROM g",
    "WITH x AS (SELECT 1) DELETE FROM g",
    "TRUNCATE g",
    "DROP TABLE g",
    "CREATE TABLE h (n INT)",
    "CREATE TEMPORARY TABLE h (n INT)",
    "ALTER TABLE g ADD COLUMN m INT",
    "SELECT * FROM g FOR UPDATE",
    "SELECT * FROM g FOR SHARE",
    "SELECT * FROM g LOCK IN SHARE MODE",
    "SELECT n INTO OUTFILE '/tmp/toolbox_gate' FROM g",
    "SELECT n FROM g INTO DUMPFILE '/tmp/toolbox_gate'",
    "SELECT 1.0INTO OUTFILE '/tmp/toolbox_gate'",
    "SELECT 1.INTO DUMPFILE '/tmp/toolbox_gate'",
    "SELECT * FROM g WHERE n = 1e0FOR UPDATE",
    "SELECT n INTO @a FROM g LIMIT 1",
    "SELECT 1; DELETE FROM g",
    "SELECT 1 /*! ; DELETE FROM g */",
    "/*!50000 DELETE FROM g */",
    "/*!99999 SELECT 1 */ DELETE FROM g",
    "SELECT /*M! 1 */ 2",
    "SELECT GET_LOCK('a', 1)",
    "SELECT get_lock /* x */ ('a', 1)",
    "SELECT `sleep`(1)",
    "SELECT SLEEP(1)",
    "SELECT BENCHMARK(1, 1)",
    "SELECT LOAD_FILE('/etc/passwd')",
    "SET @a = 1",
    "USE mysql",
    "LOCK TABLES g READ",
    "LOAD DATA INFILE '/etc/passwd' INTO TABLE g",
    "BEGIN",
    "START TRANSACTION READ WRITE",
    "COMMIT",
    "CALL p()",
    "EXPLAIN ANALYZE DELETE FROM g",
    "HANDLER g OPEN",
    "SHOW GRANTS",
    "SHOW /* */ grants FOR CURRENT_USER()",
    "SHOW CREATE USER CURRENT_USER",
    "",
];

#[tokio::test]
async fn the_model_cannot_write_lock_wait_or_touch_the_session() {
    on_each(|database| async move {
        database.script("CREATE TABLE g (n INT); INSERT INTO g VALUES (1), (2)").await;
        let source = database.source();
        for statement in REFUSED {
            let error = ask(statement).by_the_model().reading().fails(&source).await;
            assert!(matches!(error, SourceError::Refused(_)), "{statement}: {error:?}");
        }
        let rows = ask("SELECT n FROM g ORDER BY n").rows(&source).await;
        assert_eq!(rows, [[Value::Int(1)], [Value::Int(2)]]);
    })
    .await;
}

#[tokio::test]
async fn reading_forms_and_names_like_functions_pass() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE g (n INT, sleep INT, `get_lock` TEXT); INSERT INTO g VALUES (1, 2, 'x')")
            .await;
        let source = database.source();
        for statement in [
            "SELECT sleep, get_lock FROM g",
            "SELECT (sleep) FROM g",
            "WITH x AS (SELECT n FROM g) SELECT * FROM x",
            "(SELECT 1) UNION (SELECT 2)",
            "SELECT 'DELETE FROM g; /*! x */'",
            "SELECT 1 -- ; DELETE\n",
            "SELECT 1;",
            "SHOW COLUMNS FROM g",
            "DESC g",
            "SELECT @@version",
            "SELECT COUNT(*) FROM g WHERE n IN (SELECT n FROM g)",
        ] {
            let answer = ask(statement).by_the_model().reading().set(&source).await;
            assert!(!answer.rows.is_empty(), "{statement}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_server_itself_refuses_what_writes_on_the_read_lane() {
    on_each(|database| async move {
        database.script("CREATE TABLE g (n INT)").await;
        // A source that only reads refuses by the text; a function hides the write from the text.
        let source = MySql::open("test", Options { read_only: true, ..database.options() }).unwrap();
        let error = ask("INSERT INTO g VALUES (1)").error(&source).await;
        assert!(error.contains("read-only"), "{error}");
        database
            .script(
                "SET GLOBAL log_bin_trust_function_creators = 1; \
                 CREATE FUNCTION sneak() RETURNS INT BEGIN INSERT INTO g VALUES (1); RETURN 1; END",
            )
            .await;
        let error = ask("SELECT sneak()").fails(&source).await;
        assert!(matches!(&error, SourceError::Database(said) if said.code.as_deref() == Some("1792, SQLSTATE 25006")));
        assert_eq!(ask("SELECT COUNT(*) FROM g").cell(&source).await, Value::Int(0));
    })
    .await;
}

#[tokio::test]
async fn a_model_that_may_write_writes_data_and_still_nothing_else() {
    on_each(|database| async move {
        database.script("CREATE TABLE g (n INT)").await;
        let source = database.source();
        let done = ask("INSERT INTO g VALUES (1), (2)").by_the_model().done(&source).await;
        assert_eq!(done.rows_affected, Some(2));
        for statement in [
            "SET GLOBAL max_connections = 10",
            "USE mysql",
            "LOCK TABLES g WRITE",
            "BEGIN",
            "SELECT GET_LOCK('a', 1)",
        ] {
            let error = ask(statement).by_the_model().fails(&source).await;
            assert!(matches!(error, SourceError::Refused(_)), "{statement}: {error:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn nothing_follows_the_body_of_a_routine() {
    on_each(|database| async move {
        database.script("CREATE TABLE g (n INT)").await;
        let source = database.source();
        let statement = "CREATE PROCEDURE q() BEGIN SELECT 1; END; DROP TABLE g";
        let error = ask(statement).by_the_model().error(&source).await;
        assert!(error.contains("1064"), "{error}");
        assert_eq!(ask("SELECT COUNT(*) FROM g").cell(&source).await, Value::Int(0));
    })
    .await;
}

#[tokio::test]
async fn a_mode_that_ends_strings_elsewhere_keeps_the_model_out() {
    on_each(|database| async move {
        let mode = ("sql_mode".to_owned(), "'NO_BACKSLASH_ESCAPES'".to_owned());
        let source = MySql::open("test", Options { query_params: vec![mode], ..database.options() }).unwrap();
        let error = ask("SELECT 1").by_the_model().reading().error(&source).await;
        assert!(error.contains("NO_BACKSLASH_ESCAPES"), "{error}");
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    })
    .await;
}

#[tokio::test]
async fn what_would_change_the_meaning_of_values_is_refused_whoever_wrote_it() {
    on_each(|database| async move {
        database.script("CREATE TABLE z (t TIMESTAMP); INSERT INTO z VALUES ('2024-01-02 03:04:05')").await;
        let source = database.source();
        for statement in [
            "SELECT /*+ SET_VAR(time_zone = '+05:00') */ t FROM z",
            "SELECT /*+ BKA(z) set_var ( TIME_ZONE='+05:00' )*/ t FROM z",
            "SET STATEMENT time_zone = '+05:00' FOR SELECT t FROM z",
            "set statement max_statement_time = 5, `time_zone` = '+05:00' for select t from z",
        ] {
            let error = ask(statement).fails(&source).await;
            let SourceError::Refused(reason) = &error else { panic!("{statement}: {error:?}") };
            assert!(reason.contains("time_zone") && reason.contains("CONVERT_TZ"), "{reason}");
        }
        let hinted = "SELECT /*+ MAX_EXECUTION_TIME(1000) */ t FROM z WHERE 'time_zone' <> '/*+'";
        assert_eq!(ask(hinted).cell(&source).await, text("2024-01-02T03:04:05Z"));
    })
    .await;
}

#[tokio::test]
async fn what_an_earlier_statement_left_is_not_shown() {
    on_each(|database| async move {
        let source = database.source();
        for statement in [
            "SHOW WARNINGS",
            "show errors limit 1",
            "SHOW COUNT(*) WARNINGS",
            "SHOW PROFILES",
            "SHOW PROFILE ALL",
        ] {
            let error = ask(statement).fails(&source).await;
            assert!(
                matches!(&error, SourceError::Refused(reason) if reason.contains("earlier")),
                "{statement}: {error:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_model_that_may_write_cannot_act_on_accounts_and_the_server() {
    on_each(|database| async move {
        let source = database.source();
        for statement in [
            "CREATE USER toolbox_gate IDENTIFIED BY 'x'",
            "CREATE OR REPLACE USER toolbox_gate",
            "ALTER USER root IDENTIFIED BY 'x'",
            "DROP USER toolbox_gate",
            "RENAME USER toolbox_gate TO other",
            "CREATE ROLE toolbox_gate",
            "GRANT ALL ON *.* TO toolbox_gate",
            "REVOKE ALL ON *.* FROM toolbox_gate",
            "CREATE FUNCTION f RETURNS STRING SONAME 'f.so'",
            "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'h')",
            "ALTER INSTANCE ROTATE INNODB MASTER KEY",
            "FLUSH TABLES WITH READ LOCK",
            "RESET MASTER",
            "PURGE BINARY LOGS TO 'x'",
            "SELECT WSREP_SYNC_WAIT_UPTO_GTID('x')",
        ] {
            let error = ask(statement).by_the_model().fails(&source).await;
            assert!(matches!(error, SourceError::Refused(_)), "{statement}: {error:?}");
        }
        ask("CREATE TABLE gate (user INT, server INT, soname INT)").by_the_model().done(&source).await;
    })
    .await;
}

#[tokio::test]
async fn a_function_that_makes_its_session_writable_still_writes_nothing() {
    on_each(|database| async move {
        database
            .script(
                "SET GLOBAL log_bin_trust_function_creators = 1; \
                 CREATE TABLE g (n INT); CREATE TABLE m (n INT) ENGINE = MyISAM; \
                 CREATE FUNCTION opens() RETURNS INT \
                 BEGIN SET SESSION TRANSACTION READ WRITE; INSERT INTO g VALUES (1); RETURN 1; END; \
                 CREATE FUNCTION outside() RETURNS INT BEGIN INSERT INTO m VALUES (1); RETURN 1; END",
            )
            .await;
        let source = database.source();
        for function in ["opens()", "outside()"] {
            let statement = format!("SELECT {function}");
            for asked in [ask(&statement).by_the_model().reading(), ask(&statement).reading()] {
                let error = asked.fails(&source).await;
                assert!(matches!(&error, SourceError::Database(said) if said.code.as_deref() == Some("1792, SQLSTATE 25006")), "{error:?}");
            }
        }
        let rows = ask("SELECT (SELECT COUNT(*) FROM g), (SELECT COUNT(*) FROM m)").rows(&source).await;
        assert_eq!(rows, [[Value::Int(0), Value::Int(0)]]);
    })
    .await;
}

#[tokio::test]
async fn no_statement_takes_a_file_of_this_machine() {
    on_each(|database| async move {
        database.script("CREATE TABLE g (t TEXT)").await;
        let source = database.source();
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let error = ask(&format!("LOAD DATA LOCAL INFILE '{file}' INTO TABLE g")).fails(&source).await;
        // Even where the server allows it: this program does not.
        assert!(
            matches!(&error, SourceError::Database(said) if said.message.contains("disabled")),
            "{error:?}"
        );
        assert_eq!(ask("SELECT COUNT(*) FROM g").cell(&source).await, Value::Int(0));
    })
    .await;
}

/// Pieces of statements that begin, end or escape something, or look as if they did.
const PIECES: [&str; 58] = [
    "'",
    "\"",
    "`",
    "\\",
    "--",
    "-- ",
    "--\t",
    "#",
    "\n",
    "/*",
    "*/",
    "/*+",
    " ",
    "a",
    "1",
    "1.",
    "1.0",
    "e5",
    ".",
    "0x1F",
    "_utf8mb4'",
    "N'",
    "x'41'",
    " WHERE n = ",
    " AND 'a'=",
    " LIMIT 1",
    " ORDER BY ",
    "@a",
    ":=",
    "\u{a0}",
    "\u{feff}",
    "''",
    "\\'",
    "\"\"",
    ",",
    "$$",
    "$a$",
    " AS ",
    " x",
    "\r",
    "\u{c}",
    "\u{b}",
    "\u{1}",
    "-",
    "+",
    "b'1'",
    "=",
    "(",
    ")",
    "-1",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "--\u{1}",
    "--\u{a0}",
    "/**/",
    "*",
    "/",
];

#[tokio::test]
async fn the_gate_and_the_server_see_the_same_words_in_any_text() {
    on_each(|database| async move {
        database.script("CREATE TABLE g (n INT); INSERT INTO g VALUES (1)").await;
        let source = database.source();
        let mut dice = Dice::new();
        let (mut refused, mut answered) = (0, 0);
        for _ in 0..1_500 {
            let mut pieces = |most: u64| -> String {
                (0..dice.below(most)).map(|_| PIECES[usize::try_from(dice.below(58)).unwrap()]).collect()
            };
            let statement = format!("SELECT n FROM g{}FOR UPDATE{}", pieces(5), pieces(4));
            match ask(&statement).by_the_model().reading().sets(&source).await {
                Ok(_) => answered += 1,
                Err(SourceError::Refused(_)) => refused += 1,
                // The server stops a lock in a transaction that only reads, but here the gate should have seen it first.
                Err(SourceError::Database(said)) => {
                    assert_ne!(said.code.as_deref(), Some("1792, SQLSTATE 25006"), "{statement:?}");
                }
                Err(error) => panic!("{statement:?}: {error:?}"),
            }
        }
        assert!(refused > 100 && answered > 10, "{refused} refused, {answered} answered");
    })
    .await;
}
