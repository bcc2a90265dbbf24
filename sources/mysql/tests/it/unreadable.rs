//! Cells that cannot be read exactly: an error names the column and what to write, and no later call is harmed.

use sqlx::{AssertSqlSafe, Executor as _, Row as _};
use toolbox_source::{Done, SourceError, Value};

use crate::support::{Server, ask, names, on_each, text};

#[tokio::test]
async fn a_vector_of_mysql_is_refused_with_its_name_and_harms_no_later_call() {
    on_each(|database| async move {
        // MySQL 8 has no VECTOR.
        if database.server != Server::MySql || !database.knows("VECTOR(2)").await {
            return;
        }
        database
            .script(
                "CREATE TABLE v (id INT, `my ``vector` VECTOR(2), w VECTOR(3)); \
                 INSERT INTO v VALUES (1, TO_VECTOR('[1,2]'), NULL)",
            )
            .await;
        let source = database.narrow_source();
        for (statement, column) in [
            ("SELECT * FROM v", Some("my `vector")),
            ("SELECT w, id FROM v -- note", Some("w")),
            ("SELECT v.id, v.w FROM v WHERE id = 1", Some("w")),
            ("SELECT STRING_TO_VECTOR('[1,2]')", Some("STRING_TO_VECTOR('[1,2]')")),
            ("SELECT 1, STRING_TO_VECTOR('[1,2]') AS v", Some("v")),
            ("SELECT w AS other, VECTOR_TO_STRING(`my ``vector`) FROM v", Some("other")),
            (
                "SELECT 1 AS x, 2 AS y, w `the w`, w, TO_VECTOR('[1]') FROM v ORDER BY 1 LIMIT 2 -- note",
                Some("the w"),
            ),
            ("SELECT a.*, x.w FROM (SELECT 1, x'00', 3, 4 AS `f``our`) a, v x LIMIT 1", Some("w")),
            ("WITH c AS (SELECT w AS a, id FROM v) SELECT id, a FROM c", Some("a")),
            ("WITH c AS (SELECT w AS a, id FROM v) SELECT 7 AS n, v.* FROM v, c", Some("my `vector")),
            ("SELECT w AS one FROM v UNION ALL SELECT `my ``vector` AS other FROM v", Some("one")),
            ("TABLE v", Some("my `vector")),
            ("SELECT id AS w, w FROM v", Some("w")),
            // No table has a column of this name, and the text does not show it.
            ("SELECT id, c.* FROM v, (SELECT TO_VECTOR('[1,2]') AS made FROM v) AS c", None),
            ("VALUES ROW(1, TO_VECTOR('[1,2]'))", None),
        ] {
            let error = ask(statement).fails(&source).await;
            match (&error, column) {
                (SourceError::Column { column, message }, Some(expected)) => {
                    assert_eq!(column, expected);
                    assert!(message.contains("VECTOR_TO_STRING"), "{message}");
                }
                (SourceError::Refused(message), None) => {
                    assert!(message.starts_with("column 2 of the result:"), "{message}");
                    assert!(message.contains("VECTOR_TO_STRING"), "{message}");
                }
                _ => panic!("{statement}: {error:?}"),
            }
            assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        }
        let error = ask("SELECT id, w AS found FROM v WHERE id = ? LIMIT ?")
            .with([Value::Int(1), Value::Int(1)])
            .by_the_model()
            .reading()
            .fails(&source)
            .await;
        assert!(matches!(&error, SourceError::Column { column, .. } if column == "found"), "{error:?}");
        // What a procedure answers shows only when it runs.
        database.script("CREATE PROCEDURE vectors() SELECT 1, w FROM v").await;
        let error = ask("CALL vectors()").fails(&source).await;
        assert!(
            matches!(&error, SourceError::Refused(message) if message.contains("VECTOR_TO_STRING")),
            "{error:?}"
        );
        let shown = database.text("SELECT VECTOR_TO_STRING(`my ``vector`) FROM v").await;
        assert_eq!(ask("SELECT VECTOR_TO_STRING(`my ``vector`) FROM v").cell(&source).await, text(&shown));
    })
    .await;
}

#[tokio::test]
async fn a_vector_of_mariadb_is_its_bytes() {
    on_each(|database| async move {
        // MariaDB has it since 11.7.
        let knows = "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.sql_functions WHERE function = 'VEC_FROMTEXT'";
        if database.server != Server::MariaDb || database.text(knows).await == "0" {
            return;
        }
        database
            .script("CREATE TABLE v (v VECTOR(2) NOT NULL); INSERT INTO v VALUES (VEC_FromText('[1,-2.5]'))")
            .await;
        let bytes = [1.0_f32, -2.5].map(f32::to_le_bytes).concat();
        assert_eq!(ask("SELECT v FROM v").cell(&database.source()).await, Value::Bytes(bytes));
    })
    .await;
}

#[tokio::test]
async fn a_statement_that_cannot_be_prepared_alone_answers_as_exactly_in_a_block() {
    on_each(|database| async move {
        if database.server != Server::MariaDb {
            return;
        }
        database
            .script(
                "CREATE TABLE f (f FLOAT, d DOUBLE, t TIMESTAMP(3) NULL); \
                 INSERT INTO f VALUES (16777217, 0.1, '2024-01-02 03:04:05.678'), (0.1, 2, NULL); \
                 CREATE PROCEDURE p() BEGIN SELECT f FROM f WHERE d = 2; SELECT 1 AS one WHERE FALSE; SELECT 7 AS seven; END",
            )
            .await;
        let source = database.source();
        let exact = [
            [Value::Float(16_777_216.0), Value::Float(0.1), text("2024-01-02T03:04:05.678Z")],
            [Value::Float(0.1), Value::Float(2.0), Value::Null],
        ];
        // In the text protocol the server shows 16777200.
        let answer = ask("EXECUTE IMMEDIATE CONCAT('SELECT f, d, t FROM f') -- a note").set(&source).await;
        assert_eq!((answer.columns, answer.done), (Some(names(&["f", "d", "t"])), Done::default()));
        assert_eq!(answer.rows, exact);
        let answer = ask("EXECUTE IMMEDIATE CONCAT('SELECT f, ? AS x FROM f ', ?) USING ?")
            .with([text("ORDER BY d DESC LIMIT 1"), Value::Int(i64::MAX)])
            .set(&source)
            .await;
        assert_eq!(answer.rows, [[Value::Float(0.1), Value::Int(i64::MAX)]]);
        let sets = ask("EXECUTE IMMEDIATE CONCAT('CALL p()')").sets(&source).await.unwrap();
        let rows: Vec<_> = sets.iter().map(|set| set.rows.clone()).collect();
        assert_eq!(rows, [vec![vec![Value::Float(0.1)]], Vec::new(), vec![vec![Value::Int(7)]]]);
        let none = ask("EXECUTE IMMEDIATE CONCAT('SELECT f FROM f WHERE FALSE')").set(&source).await;
        assert_eq!((none.rows.len(), none.columns.is_some(), none.done), (0, true, Done::default()));
    })
    .await;
}

#[tokio::test]
async fn a_change_that_cannot_be_prepared_alone_says_how_many_rows_it_changed() {
    on_each(|database| async move {
        if database.server != Server::MariaDb {
            return;
        }
        database.script("CREATE TABLE c (n INT)").await;
        let source = database.source();
        assert_eq!(
            ask("EXECUTE IMMEDIATE CONCAT('INSERT INTO c VALUES (1), (2)')").changes(&source).await,
            2
        );
        assert_eq!(ask("EXECUTE IMMEDIATE CONCAT('DELETE FROM c WHERE n = 3')").changes(&source).await, 0);
        assert_eq!(ask("EXECUTE IMMEDIATE CONCAT('ALTER TABLE c ADD m INT')").changes(&source).await, 0);
        let sets = ask("EXECUTE IMMEDIATE CONCAT('INSERT INTO c VALUES (5, 6) RETURNING m')")
            .sets(&source)
            .await
            .unwrap();
        assert_eq!(sets[0].rows, [[Value::Int(6)]]);
        let error = ask("EXECUTE IMMEDIATE CONCAT('SELEC 1')").error(&source).await;
        assert!(error.contains("near 'SELEC 1'"), "{error}");
        let error = ask("EXECUTE IMMEDIATE CONCAT('SELECT 1') 2").error(&source).await;
        assert!(error.contains("near '2' at line 1"), "{error}");
        let error = ask("EXECUTE IMMEDIATE CONCAT('START TRANSACTION')").error(&source).await;
        assert!(error.contains("left a transaction open"), "{error}");
        assert_eq!(ask("SELECT COUNT(*) FROM c").cell(&source).await, Value::Int(3));
    })
    .await;
}

#[tokio::test]
async fn a_large_cell_that_only_the_text_protocol_brings_is_never_lost_in_silence() {
    on_each(|database| async move {
        // The plans of MySQL 8, which has no VECTOR, hold no condition of that length.
        if database.server != Server::MySql || !database.knows("VECTOR(2)").await {
            return;
        }
        database.script("CREATE TABLE wide (a LONGTEXT); INSERT INTO wide VALUES ('a')").await;
        let mut other = database.connect().await;
        let row = other.fetch_one("SELECT CAST(CONNECTION_ID() AS SIGNED)").await.unwrap();
        let number = row.try_get_unchecked::<i64, _>(0).unwrap();
        let large = "x".repeat(17_000_000);
        let slow = format!("SELECT SLEEP(60) FROM wide WHERE a <> '{large}' /* wide */");
        let running = tokio::spawn(async move { other.execute(AssertSqlSafe(slow)).await.map(drop) });
        database.wait_for_running("SELECT SLEEP(60) FROM wide", 1).await;
        let source = database.narrow_source();
        // The plan holds the condition. The driver takes a row that begins with a cell of 16 MiB for the end of the answer.
        let error = ask(&format!("EXPLAIN FORMAT=JSON FOR CONNECTION {number}")).error(&source).await;
        assert!(error.contains("16 MiB"), "{error}");
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        database.script(&format!("KILL {number}")).await;
        assert!(running.await.unwrap().is_err());
    })
    .await;
}
