//! Lanes, killed connections, nothing leaks.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _};
use toolbox_mysql::MySql;
use toolbox_source::{SourceError, Value};

use crate::support::{Database, Server, ask, on_each, text};

/// Kills every connection of the source to the database.
async fn kill_all(database: &Database) {
    let mut admin = database.connect().await;
    let query = format!(
        "SELECT CAST(id AS SIGNED) FROM information_schema.processlist WHERE db = '{}' AND id <> CONNECTION_ID()",
        database.name
    );
    let rows = admin.fetch_all(AssertSqlSafe(query)).await.unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let id = row.try_get_unchecked::<i64, _>(0).unwrap();
        admin.execute(AssertSqlSafe(format!("KILL {id}"))).await.unwrap();
    }
    admin.close().await.unwrap();
}

#[tokio::test]
async fn a_connection_killed_between_two_reads_is_not_seen() {
    on_each(|database| async move {
        let source = database.source();
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        kill_all(&database).await;
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        // The same while the statement must be prepared first.
        kill_all(&database).await;
        assert_eq!(ask("SELECT 2").by_the_model().reading().cell(&source).await, Value::Int(2));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_killed_under_a_write_leaves_its_outcome_open() {
    on_each(|database| async move {
        database.script("CREATE TABLE k (n INT)").await;
        let source = database.source();
        let statement = "INSERT INTO k WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) \
                         SELECT COUNT(*) FROM n a, n b, n c WHERE SHA2(CONCAT(a.i, b.i, c.i), 256) = 'x'";
        let (error, ()) = tokio::join!(ask(statement).fails(&source), async {
            database.wait_for_running("INSERT INTO k", 1).await;
            kill_all(&database).await;
        });
        // Some servers still say that they stopped the statement, which then changed nothing.
        let interrupted = matches!(&error, SourceError::Database(said) if said.message.contains("interrupted"));
        assert!(interrupted || matches!(error, SourceError::OutcomeUnknown(_)), "{error:?}");
        assert_eq!(ask("SELECT COUNT(*) FROM k").cell(&source).await, Value::Int(0));
    })
    .await;
}

#[tokio::test]
async fn nothing_in_a_session_reaches_the_next_call() {
    on_each(|database| async move {
        database.script("CREATE TABLE s (n INT); INSERT INTO s VALUES (1)").await;
        let source = database.narrow_source();
        let before = ask("SELECT DATABASE(), @@sql_mode, @@SESSION.autocommit").rows(&source).await;
        for statement in [
            "SET @leak = 1",
            "SET SESSION sql_mode = ''",
            "USE information_schema",
            "LOCK TABLES s WRITE",
            "SET autocommit = 0",
            "CREATE TEMPORARY TABLE temp_leak (n INT)",
            "SELECT @leak := 5",
        ] {
            ask(statement).sets(&source).await.unwrap();
            assert_eq!(ask("SELECT @leak").cell(&source).await, Value::Null, "{statement}");
            let after = ask("SELECT DATABASE(), @@sql_mode, @@SESSION.autocommit").rows(&source).await;
            assert_eq!(after, before, "{statement}");
            assert!(ask("SELECT * FROM temp_leak").error(&source).await.contains("temp_leak"), "{statement}");
        }
        assert_eq!(ask("SELECT GET_LOCK('toolbox_leak', 1)").cell(&source).await, Value::Int(1));
        let free = ask("SELECT IS_FREE_LOCK('toolbox_leak')");
        // The server frees the lock when it notices that the connection is gone, and the next call is later than that.
        database.wait_for_running("toolbox_leak", 0).await;
        assert_eq!(free.cell(&source).await, Value::Int(1));
    })
    .await;
}

#[tokio::test]
async fn a_session_means_what_the_server_is_set_to() {
    on_each(|database| async move {
        let source = database.source();
        // The driver by itself would ask for other modes.
        let modes = ask("SELECT @@SESSION.sql_mode").cell(&source).await;
        assert_eq!(modes, text(&database.text("SELECT @@GLOBAL.sql_mode").await));
        assert_eq!(ask("SELECT 1 || 0").cell(&source).await, Value::Int(1));
        assert_eq!(ask("SELECT @@SESSION.time_zone").cell(&source).await, text("+00:00"));
        assert_eq!(ask("SELECT @@character_set_results").cell(&source).await, text("utf8mb4"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_share_few_connections() {
    on_each(|database| async move {
        database.script("CREATE TABLE c (n INT)").await;
        let source = std::sync::Arc::new(database.source());
        let calls = (0..40).map(|number| {
            let source = source.clone();
            tokio::spawn(async move {
                ask("INSERT INTO c VALUES (?)").with([Value::Int(number)]).done(&*source).await;
                ask("SELECT COUNT(*) FROM c WHERE n = ?").with([Value::Int(number)]).cell(&*source).await
            })
        });
        let calls: Vec<_> = calls.collect();
        for call in calls {
            assert_eq!(call.await.unwrap(), Value::Int(1));
        }
        let open = format!(
            "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.processlist WHERE db = '{}' AND id <> CONNECTION_ID()",
            database.name
        );
        assert!(database.text(&open).await.parse::<usize>().unwrap() <= 4);
    })
    .await;
}

#[tokio::test]
async fn a_configured_statement_is_prepared_once_and_takes_one_round_trip() {
    on_each(|database| async move {
        let source = database.narrow_source();
        // What the server has done for the one connection of the source, the question itself included.
        let count = async |name: &str| {
            let rows = ask(&format!("SHOW SESSION STATUS LIKE '{name}'")).rows(&source).await;
            let Value::Text(count) = &rows[0][1] else { panic!("{rows:?}") };
            count.parse::<u64>().unwrap()
        };
        for name in ["Com_stmt_prepare", "Com_stmt_execute", "Questions"] {
            let before = (count(name).await, count(name).await).1;
            for number in 0..5 {
                let value = ask("SELECT ? + 1 AS n").with([Value::Int(number)]).cell(&source).await;
                assert_eq!(value, Value::Int(number + 1));
            }
            let done = count(name).await - before;
            match name {
                // Only the first round prepares.
                "Com_stmt_prepare" => assert_eq!(done, 1),
                _ => assert_eq!(done, 6, "{name}"),
            }
        }
    })
    .await;
}

#[tokio::test]
async fn what_a_stored_function_leaves_in_a_session_ends_with_its_call() {
    on_each(|database| async move {
        database
            .script(
                "SET GLOBAL log_bin_trust_function_creators = 1; \
                 CREATE TABLE s (t TIMESTAMP); INSERT INTO s VALUES ('2024-01-02 03:04:05'); \
                 CREATE FUNCTION set_zone() RETURNS INT BEGIN SET SESSION time_zone = '+05:00'; RETURN 1; END; \
                 CREATE FUNCTION variable() RETURNS INT BEGIN SET @leak = 7; RETURN 1; END; \
                 CREATE FUNCTION hold() RETURNS INT RETURN GET_LOCK('toolbox_held', 1); \
                 CREATE FUNCTION temp() RETURNS INT BEGIN CREATE TEMPORARY TABLE temp_leak (n INT); RETURN 1; END",
            )
            .await;
        let source = database.narrow_source();
        let name = &database.name;
        for call in ["set_zone()", "`set_zone` ()", "variable()", "hold()", "temp()", &format!("{name}.set_zone()")] {
            let call = format!("SELECT {call}");
            ask(&call).cell(&source).await;
            let kept = ask("SELECT t FROM s").by_the_model().reading().cell(&source).await;
            assert_eq!(kept, text("2024-01-02T03:04:05Z"), "{call}");
            assert_eq!(ask("SELECT @leak").cell(&source).await, Value::Null, "{call}");
            assert!(ask("SELECT * FROM temp_leak").error(&source).await.contains("temp_leak"), "{call}");
        }
        // The same on the lane on which models read.
        ask("SELECT set_zone()").by_the_model().reading().cell(&source).await;
        assert_eq!(ask("SELECT t FROM s").cell(&source).await, text("2024-01-02T03:04:05Z"));
    })
    .await;
}

#[tokio::test]
async fn a_call_learns_nothing_of_the_statements_before_it_on_its_connection() {
    on_each(|database| async move {
        database.script("CREATE TABLE k (id INT AUTO_INCREMENT PRIMARY KEY, n INT, seen BIGINT)").await;
        let source = database.narrow_source();
        let seen = async |source: &MySql, asked: &str| {
            ask(&format!("INSERT INTO k (seen) SELECT {asked}")).done(source).await;
            ask("SELECT seen FROM k ORDER BY id DESC LIMIT 1").cell(source).await
        };
        for asked in
            ["LAST_INSERT_ID()", "ROW_COUNT()", "FOUND_ROWS()", "@@last_insert_id", "@@session.identity"]
        {
            let at_first = seen(&database.narrow_source(), asked).await;
            ask("INSERT INTO k (n) VALUES (1)").done(&source).await;
            ask("INSERT IGNORE INTO k (n) VALUES ('secret'), (5), (6)").done(&source).await;
            // A write takes the lane of the writes before it.
            assert_eq!(seen(&source, asked).await, at_first, "{asked}");
        }
        database.script("CREATE TRIGGER leaks AFTER UPDATE ON k FOR EACH ROW SET @trigger_leak = 5").await;
        ask("UPDATE k SET n = 3").done(&source).await;
        assert_eq!(seen(&source, "@trigger_leak").await, Value::Null);
        ask("UPDATE k SET n = LAST_INSERT_ID(77) LIMIT 1").done(&source).await;
        ask("INSERT INTO k (seen) SELECT LAST_INSERT_ID()").done(&source).await;
        assert_eq!(ask("SELECT COUNT(*) FROM k WHERE seen = 77").cell(&source).await, Value::Int(0));
    })
    .await;
}

#[tokio::test]
async fn statements_of_every_day_keep_their_connection() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE e (id INT, name VARCHAR(20), `identity` INT); CREATE TABLE c (kept BIGINT)")
            .await;
        let source = database.source();
        // The connections of both lanes.
        let connections = async || {
            ask("INSERT INTO c SELECT CONNECTION_ID()").done(&source).await;
            ask("SELECT MAX(kept), CONNECTION_ID() FROM c").rows(&source).await
        };
        let before = connections().await;
        for statement in [
            &format!("INSERT INTO {}.e (id, name) VALUES (1, UPPER('a'))", database.name),
            "REPLACE e (id) VALUES (2)",
            "UPDATE e SET name = CONCAT(name, 'x') WHERE (id) IN (1, 2)",
            "SELECT COUNT(*), CAST(MAX(id) AS CHAR(10)), DATE_FORMAT(NOW(), '%Y') FROM e WHERE id IN (1, 2)",
            "WITH RECURSIVE x(i) AS (SELECT 1) SELECT IF(i > 0, 'y', 'n'), ROW_NUMBER() OVER (ORDER BY i) FROM x",
            "SELECT e.identity, d.name FROM e JOIN (SELECT name FROM e) AS d USING (name)",
            "SHOW COLUMNS FROM e",
        ] {
            ask(statement).set(&source).await;
            ask("SELECT 'x'").by_the_model().reading().set(&source).await;
        }
        assert_eq!(connections().await, before);
    })
    .await;
}

#[tokio::test]
async fn a_procedure_that_leaves_its_session_wrong_has_no_answer() {
    on_each(|database| async move {
        database
            .script(
                "SET GLOBAL log_bin_trust_function_creators = 1; \
                 CREATE TABLE p (n INT, t TIMESTAMP NULL); INSERT INTO p VALUES (1, '2024-01-02 03:04:05'); \
                 CREATE PROCEDURE opens() BEGIN START TRANSACTION; INSERT INTO p (n) VALUES (2); END; \
                 CREATE PROCEDURE quiet() BEGIN SET autocommit = 0; INSERT INTO p (n) VALUES (2); END; \
                 CREATE PROCEDURE closes() BEGIN START TRANSACTION; INSERT INTO p (n) VALUES (3); COMMIT; END; \
                 CREATE PROCEDURE zone() BEGIN SET time_zone = '+05:00'; SELECT t FROM p WHERE n = 1; END; \
                 CREATE PROCEDURE back() BEGIN SET time_zone = '+05:00'; SELECT t FROM p WHERE n = 1; SET time_zone = '+00:00'; END; \
                 CREATE PROCEDURE told(word TEXT) SELECT t, word FROM p WHERE n = 1; \
                 CREATE PROCEDURE around() CALL back(); \
                 CREATE PROCEDURE `right`() BEGIN SET @x = 1; SELECT t, @@time_zone FROM p WHERE n = 1; END; \
                 CREATE FUNCTION shift() RETURNS INT BEGIN SET time_zone = '+05:00'; RETURN 1; END",
            )
            .await;
        let source = database.narrow_source();
        for call in ["CALL opens()", "CALL quiet()"] {
            let error = ask(call).error(&source).await;
            assert!(error.contains("rolled back") && error.contains("COMMIT"), "{call}: {error}");
        }
        for statement in ["CALL zone()", "CALL back()", "CALL around()", "SELECT shift(), t FROM p WHERE n = 1"] {
            let error = ask(statement).error(&source).await;
            assert!(error.contains("time_zone"), "{statement}: {error}");
        }
        if database.server == Server::MariaDb {
            let shifted = "EXECUTE IMMEDIATE CONCAT('SET STATEMENT time_zone = ''+05:00'' FOR SELECT t FROM p')";
            let error = ask(shifted).error(&source).await;
            assert!(error.contains("time_zone"), "{error}");
        }
        let sets = ask("CALL told(?)").with([text("time_zone")]).sets(&source).await.unwrap();
        assert_eq!(sets[0].rows, [[text("2024-01-02T03:04:05Z"), text("time_zone")]]);
        let sets = ask("CALL `right`()").sets(&source).await.unwrap();
        assert_eq!(sets[0].rows, [[text("2024-01-02T03:04:05Z"), text("+00:00")]]);
        ask("CALL closes()").done(&source).await;
        let kept = ask("SELECT n FROM p ORDER BY n").rows(&source).await;
        assert_eq!(kept, [[Value::Int(1)], [Value::Int(3)]]);
    })
    .await;
}
