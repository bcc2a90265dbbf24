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
            // The names of the tables say nothing of these.
            ("SELECT TO_VECTOR('[1,2]') AS made", None),
            ("SELECT w AS other, VECTOR_TO_STRING(`my ``vector`) FROM v", None),
        ] {
            let error = ask(statement).fails(&source).await;
            match (&error, column) {
                (SourceError::Column { column, message }, Some(expected)) => {
                    assert_eq!(column, expected);
                    assert!(message.contains("VECTOR_TO_STRING"), "{message}");
                }
                (SourceError::Refused(message), None) => {
                    assert!(message.contains("VECTOR_TO_STRING"), "{message}");
                }
                _ => panic!("{statement}: {error:?}"),
            }
            assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
        }
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
