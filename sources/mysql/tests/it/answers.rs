//! Columns, events, counts and keys.

use toolbox_source::{Done, SourceError, Value};

use crate::support::{Server, Set, ask, names, on_each, text};

fn changed(rows: u64) -> Done {
    Done { rows_affected: Some(rows), last_insert_id: None }
}

#[tokio::test]
async fn an_empty_result_has_its_columns() {
    on_each(|database| async move {
        database.script("CREATE TABLE e (id INT, name TEXT)").await;
        let source = database.source();
        for asked in [ask("SELECT * FROM e"), ask("SELECT * FROM e").by_the_model().reading()] {
            let answer = asked.set(&source).await;
            let expected =
                Set { columns: Some(names(&["id", "name"])), rows: Vec::new(), done: Done::default() };
            assert_eq!(answer, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn columns_keep_their_order_and_repeated_names() {
    on_each(|database| async move {
        let answer = ask("SELECT 1 AS z, 2 AS a, 3 AS z, NULL AS n").set(&database.source()).await;
        assert_eq!(answer.columns, Some(names(&["z", "a", "z", "n"])));
        assert_eq!(answer.rows, [[Value::Int(1), Value::Int(2), Value::Int(3), Value::Null]]);
    })
    .await;
}

#[tokio::test]
async fn writes_say_how_many_rows_they_changed_and_the_key_that_was_made() {
    on_each(|database| async move {
        let source = database.source();
        let create = ask("CREATE TABLE w (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, n INT)");
        assert_eq!(create.done(&source).await, changed(0));
        let insert = ask("INSERT INTO w (n) VALUES (?)").with([Value::Int(5)]).done(&source).await;
        assert_eq!(insert, Done { rows_affected: Some(1), last_insert_id: Some(Value::Int(1)) });
        // MySQL tells only the first of several keys.
        assert_eq!(ask("INSERT INTO w (n) VALUES (6), (7)").done(&source).await, changed(2));
        assert_eq!(ask("UPDATE w SET n = 0 WHERE n > 5").done(&source).await, changed(2));
        assert_eq!(ask("DELETE FROM w WHERE n = 99").done(&source).await, changed(0));
        let large = ask("INSERT INTO w VALUES (18446744073709551614, 1)").done(&source).await;
        assert_eq!(large.rows_affected, Some(1));
        assert_eq!(ask("SELECT COUNT(*) FROM w").cell(&source).await, Value::Int(4));
    })
    .await;
}

#[tokio::test]
async fn insert_returning_of_mariadb_gives_rows_and_their_count() {
    on_each(|database| async move {
        if database.server != Server::MariaDb {
            return;
        }
        database.script("CREATE TABLE r (id INT AUTO_INCREMENT PRIMARY KEY, n INT)").await;
        let source = database.source();
        let answer = ask("INSERT INTO r (n) VALUES (7), (8) RETURNING id, n").set(&source).await;
        assert_eq!(answer.columns, Some(names(&["id", "n"])));
        assert_eq!(answer.rows, [[Value::Int(1), Value::Int(7)], [Value::Int(2), Value::Int(8)]]);
        assert_eq!(answer.done, changed(2));
        for (statement, columns) in [
            ("DELETE FROM r WHERE n = 99 RETURNING id, n AS `a>b`", &["id", "a>b"][..]),
            ("DELETE FROM r WHERE n = ? RETURNING r.*", &["id", "n"]),
            ("INSERT IGNORE INTO r VALUES (1, ?) RETURNING n, 'x' AS x", &["n", "x"]),
            ("REPLACE r (n) SELECT n FROM r WHERE n = ? RETURNING 1", &["1"]),
        ] {
            let arguments = if statement.contains('?') { vec![Value::Int(99)] } else { Vec::new() };
            for _ in 0..2 {
                let none = ask(statement).with(arguments.clone()).set(&source).await;
                let expected = Set { columns: Some(names(columns)), rows: Vec::new(), done: changed(0) };
                assert_eq!(none, expected, "{statement}");
            }
        }
        assert_eq!(ask("SELECT COUNT(*) FROM r").cell(&source).await, Value::Int(2));
    })
    .await;
}

#[tokio::test]
async fn call_answers_every_result_set_in_order() {
    on_each(|database| async move {
        let source = database.source();
        database.script("CREATE TABLE c (n INT)").await;
        ask("CREATE PROCEDURE p(IN k INT) BEGIN SELECT k AS first; SELECT 2 AS second WHERE k > 100; \
             SELECT 3 AS third; INSERT INTO c VALUES (1), (2); END")
        .done(&source)
        .await;
        let answers = ask("CALL p(?)").with([Value::Int(1)]).sets(&source).await.unwrap();
        assert_eq!(answers.len(), 4, "{answers:?}");
        assert_eq!(
            (&answers[0].columns, &answers[0].rows),
            (&Some(names(&["first"])), &vec![vec![Value::Int(1)]])
        );
        // The driver shows no columns of an empty result in the middle.
        assert_eq!((&answers[1].columns, answers[1].rows.len()), (&Some(names(&[])), 0));
        assert_eq!(
            (&answers[2].columns, &answers[2].rows),
            (&Some(names(&["third"])), &vec![vec![Value::Int(3)]])
        );
        assert_eq!(answers[3].columns, None);
        assert!(answers[3].done.rows_affected.is_some());
        assert_eq!(ask("SELECT COUNT(*) FROM c").cell(&source).await, Value::Int(2));
    })
    .await;
}

#[tokio::test]
async fn show_describe_and_explain_answer_rows() {
    on_each(|database| async move {
        database.script("CREATE TABLE d (id INT PRIMARY KEY)").await;
        let source = database.source();
        for statement in [
            "SHOW TABLES",
            "DESCRIBE d",
            "EXPLAIN SELECT * FROM d",
            "SHOW CREATE TABLE d",
            "SHOW VARIABLES LIKE 'port'",
        ] {
            let answer = ask(statement).by_the_model().reading().set(&source).await;
            assert!(!answer.rows.is_empty(), "{statement}");
            assert!(answer.rows.iter().flatten().all(|cell| !cell.holds_bytes()), "{statement}: {answer:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_cached_statement_follows_a_change_of_its_table() {
    on_each(|database| async move {
        database.script("CREATE TABLE x (a INT); INSERT INTO x VALUES (1)").await;
        let source = database.narrow_source();
        assert_eq!(ask("SELECT * FROM x").rows(&source).await, [[Value::Int(1)]]);
        database.script("ALTER TABLE x ADD COLUMN b VARCHAR(5) DEFAULT 'new'").await;
        let answer = ask("SELECT * FROM x").set(&source).await;
        assert_eq!(answer.columns, Some(names(&["a", "b"])));
        assert_eq!(answer.rows, [[Value::Int(1), text("new")]]);
        database.script("ALTER TABLE x DROP COLUMN a; DELETE FROM x").await;
        // The columns of an answer without rows are trusted for a second.
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
        assert_eq!(ask("SELECT * FROM x").set(&source).await.columns, Some(names(&["b"])));
    })
    .await;
}

#[tokio::test]
async fn errors_say_what_the_server_said() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE k (id INT PRIMARY KEY, n INT NOT NULL); INSERT INTO k VALUES (1, 1)")
            .await;
        let source = database.source();
        for (statement, number, state) in [
            ("SELECT * FROM absent", 1146, "42S02"),
            ("SELEC 1", 1064, "42000"),
            ("SELECT nothing FROM k", 1054, "42S22"),
            ("INSERT INTO k VALUES (1, 2)", 1062, "23000"),
            ("INSERT INTO k VALUES (2, NULL)", 1048, "23000"),
        ] {
            let error = ask(statement).fails(&source).await;
            let SourceError::Database(said) = &error else { panic!("{statement}: {error:?}") };
            assert_eq!(said.code, Some(format!("{number}, SQLSTATE {state}")), "{statement}");
        }
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    })
    .await;
}

#[tokio::test]
async fn an_error_in_the_middle_of_rows_ends_the_answer_and_frees_the_connection() {
    on_each(|database| async move {
        database.script("CREATE TABLE q (n INT); INSERT INTO q VALUES (1), (2), (3)").await;
        let source = database.narrow_source();
        let statement = "SELECT n, (SELECT m.n FROM q m WHERE m.n >= q.n) FROM q ORDER BY n DESC";
        let error = ask(statement).fails(&source).await;
        assert!(matches!(&error, SourceError::Database(said) if said.code.as_deref() == Some("1242, SQLSTATE 21000")));
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    })
    .await;
}

#[tokio::test]
async fn too_few_and_too_many_arguments_are_refused_with_both_counts() {
    on_each(|database| async move {
        let source = database.narrow_source();
        let error = ask("SELECT ?, ?").with([Value::Int(1)]).error(&source).await;
        assert_eq!(error, "the statement takes 2 arguments, but 1 is given");
        let error = ask("SELECT 1").with([Value::Int(1)]).error(&source).await;
        assert_eq!(error, "the statement takes 0 arguments, but 1 is given");
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    })
    .await;
}

#[tokio::test]
async fn a_function_that_writes_runs_where_the_call_may_write() {
    on_each(|database| async move {
        let source = database.source();
        database.script("CREATE TABLE f (n INT); SET GLOBAL log_bin_trust_function_creators = 1").await;
        ask("CREATE FUNCTION put(k INT) RETURNS INT BEGIN INSERT INTO f VALUES (k); RETURN k; END")
            .done(&source)
            .await;
        assert_eq!(ask("SELECT put(?)").with([Value::Int(4)]).cell(&source).await, Value::Int(4));
        assert_eq!(ask("SELECT n FROM f").rows(&source).await, [[Value::Int(4)]]);
        let refused = ask("SELECT put(5)").by_the_model().reading().error(&source).await;
        assert!(refused.contains("READ ONLY"), "{refused}");
        assert_eq!(ask("SELECT COUNT(*) FROM f").cell(&source).await, Value::Int(1));
    })
    .await;
}

#[tokio::test]
async fn every_table_of_the_catalog_reads_and_only_its_binary_columns_are_bytes() {
    on_each(|database| async move {
        let source = database.source();
        let tables = "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'information_schema'";
        let tables = ask(tables).rows(&source).await;
        assert!(tables.len() > 50);
        for table in &tables {
            let Value::Text(table) = &table[0] else { panic!("{table:?}") };
            let types = "SELECT column_name AS name, data_type AS kind FROM information_schema.columns \
                         WHERE table_schema = 'information_schema' AND table_name = ? ORDER BY ordinal_position";
            let types = ask(types).with([text(table)]).rows(&source).await;
            let statement = format!("SELECT * FROM information_schema.`{table}` LIMIT 5");
            let answer = ask(&statement).by_the_model().reading().set(&source).await;
            let columns = answer.columns.unwrap();
            assert_eq!(columns.iter().map(|name| text(name)).collect::<Vec<_>>(), types.iter().map(|row| row[0].clone()).collect::<Vec<_>>());
            for (cell, declared) in answer.rows.iter().flat_map(|row| row.iter().zip(&types)) {
                let Value::Text(kind) = &declared[1] else { panic!("{declared:?}") };
                let is_binary = kind.contains("binary") || kind.contains("blob");
                assert!(is_binary || !cell.holds_bytes(), "{table}.{:?} is {kind}: {cell:?}", declared[0]);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn names_are_those_of_the_server_however_strange() {
    on_each(|database| async move {
        let source = database.source();
        let strange =
            ["", "a\"b", "it's", "a\tb", "a>b", "back``tick", "select", "ä 中", "a b", "1", "a,b", "{}"];
        let list: Vec<String> =
            strange.iter().enumerate().map(|(number, name)| format!("{number} AS `{name}`")).collect();
        let expected: Vec<String> = strange.iter().map(|name| name.replace("``", "`")).collect();
        for statement in
            [format!("SELECT {}", list.join(", ")), format!("SELECT {} LIMIT 0", list.join(", "))]
        {
            assert_eq!(ask(&statement).set(&source).await.columns, Some(expected.clone()));
        }
        let unnamed = ask("SELECT 1, 1, NULL, 'it''s', COUNT(*), -1").set(&source).await;
        assert_eq!(unnamed.columns, Some(names(&["1", "1", "NULL", "it's", "COUNT(*)", "-1"])));
    })
    .await;
}

#[tokio::test]
async fn values_table_and_set_operations_answer_rows() {
    on_each(|database| async move {
        database.script("CREATE TABLE t (id INT, name VARCHAR(5)); INSERT INTO t VALUES (1, 'a')").await;
        let source = database.source();
        let rows = [[Value::Int(1), text("a")]];
        let statements: &[&str] = match database.server {
            Server::MySql => {
                &["TABLE t", "VALUES ROW(1, 'a')", "SELECT * FROM t INTERSECT TABLE t", "(TABLE t)"]
            }
            Server::MariaDb => {
                &["VALUES (1, 'a')", "SELECT * FROM t INTERSECT SELECT * FROM t", "(SELECT * FROM t)"]
            }
        };
        for statement in statements {
            for asked in [ask(statement), ask(statement).by_the_model().reading()] {
                assert_eq!(asked.rows(&source).await, rows, "{statement}");
            }
        }
        for statement in [
            "EXPLAIN FORMAT=JSON SELECT * FROM t",
            "EXPLAIN SELECT * FROM t",
            "SHOW CREATE TABLE t",
            "SHOW INDEX FROM mysql.db",
        ] {
            let shown = ask(statement).by_the_model().reading().set(&source).await;
            assert!(shown.rows.iter().flatten().all(|cell| !cell.holds_bytes()), "{statement}: {shown:?}");
            assert!(!shown.rows.is_empty(), "{statement}");
        }
        for statement in
            ["SELECT 1; SELECT 2", "INSERT INTO t VALUES (2, 'b'); DELETE FROM t", ";;SELECT 1;;SELECT 2"]
        {
            let error = ask(statement).error(&source).await;
            assert!(
                error.contains("more than one statement") && error.contains("one statement a call"),
                "{error}"
            );
        }
        assert_eq!(ask("SELECT COUNT(*) FROM t").cell(&source).await, Value::Int(1));
    })
    .await;
}

#[tokio::test]
async fn a_comment_that_the_server_executes_is_part_of_the_statement() {
    on_each(|database| async move {
        database.script("CREATE TABLE m (id INT PRIMARY KEY, n INT); INSERT INTO m VALUES (1, 2)").await;
        let source = database.source();
        for statement in [
            "SELECT id FROM m /*!50000 FORCE INDEX (PRIMARY) */",
            "SELECT id FROM m /*! WHERE n = 2 */ ; -- the end",
            "SELECT id /*! FROM m */ /* no part */",
            "/*!50000 SELECT id */ FROM m",
            "/* no part */ /*! SELECT id FROM m */",
        ] {
            assert_eq!(ask(statement).cell(&source).await, Value::Int(1), "{statement}");
        }
        let two = ask("SELECT n FROM m WHERE id = ? /*! AND n > ? */ /*! AND n < ? */");
        let arguments = [1, 1, 3].map(Value::Int);
        assert_eq!(two.with(arguments).cell(&source).await, Value::Int(2));
        let create = "CREATE TABLE p (id INT) /*!50100 PARTITION BY HASH(id) PARTITIONS 4 */";
        assert_eq!(ask(create).changes(&source).await, 0);
        let error = ask("SELECT id FROM m /*! WHERE n = 2").error(&source).await;
        assert!(error.contains("close it"), "{error}");
    })
    .await;
}
