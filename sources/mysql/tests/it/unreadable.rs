//! Cells that cannot be read exactly: an error names the column and what to write, and no later call is harmed.

use toolbox_source::{SourceError, Value};

use crate::support::{Server, ask, on_each, text};

#[tokio::test]
async fn a_vector_of_mysql_is_refused_with_its_name_and_harms_no_later_call() {
    on_each(|database| async move {
        if database.server != Server::MySql {
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
async fn a_float_that_the_server_rounds_is_refused_and_not_shown() {
    on_each(|database| async move {
        if database.server != Server::MariaDb {
            return;
        }
        database.script("CREATE TABLE f (f FLOAT, d DOUBLE); INSERT INTO f VALUES (16777217, 0.1)").await;
        let source = database.source();
        // This statement cannot be prepared, and in the text protocol the server shows 16777200.
        let error = ask("EXECUTE IMMEDIATE 'SELECT d, f FROM f'").fails(&source).await;
        assert!(matches!(&error, SourceError::Column { column, message } if column == "f" && message.contains("DOUBLE")), "{error:?}");
        let row = ask("EXECUTE IMMEDIATE 'SELECT d, CAST(f AS DOUBLE) FROM f'").rows(&source).await;
        assert_eq!(row, [[Value::Float(0.1), Value::Float(16_777_216.0)]]);
    })
    .await;
}
