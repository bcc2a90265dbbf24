//! The shapes of results, as they leave the server: names, no rows, statements about the database, several result sets.

use toolbox::seam::Encoding;

use super::{
    Subject,
    ask::{Leaves as _, ask},
    on_every_database,
};
use crate::support::{Engine, Sql, all, only};

on_every_database!(
    repeated_names_are_told_apart_and_lose_no_cell,
    strange_names_are_kept,
    a_join_keeps_all_columns_of_both_tables,
    a_result_without_rows_has_no_blocks_and_a_write_says_what_it_changed,
    statements_about_the_database_answer_with_rows,
    groups_are_counted,
);

async fn repeated_names_are_told_apart_and_lose_no_cell(subject: &mut Subject) {
    let source = subject.source();
    let answer = ask("SELECT 1 AS id, 2 AS id, 3 AS id_2, 4 AS id").json(&*source).await;
    assert_eq!(answer, [r#"{"id":1,"id_3":2,"id_2":3,"id_4":4}"#]);
    // Columns without a name have the one that the database gives them.
    let expected = match subject.engine {
        Engine::Postgres => r#"{"?column?":1,"?column?_2":"x"}"#,
        Engine::Sqlite => r#"{"1":1,"'x'":"x"}"#,
        Engine::MySql | Engine::MariaDb => r#"{"1":1,"x":"x"}"#,
    };
    assert_eq!(ask("SELECT 1, 'x'").json(&*source).await, [expected]);
    assert_eq!(ask("SELECT 1, 1").json(&*source).await.len(), 1);
}

async fn strange_names_are_kept(subject: &mut Subject) {
    let source = subject.source();
    for name in [
        "select",
        "a b",
        "ä 日本",
        "\"",
        "'",
        "a\"b\"\"c",
        "`x",
        "a\tb",
        "a>b",
        "{a}",
        "$1",
        "?",
        "null",
        "1",
        "--",
    ] {
        let quoted = match subject.engine {
            Engine::MySql | Engine::MariaDb => format!("`{}`", name.replace('`', "``")),
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        };
        let blocks = ask(&format!("SELECT 1 AS {quoted}, 2 AS {quoted}")).json(&*source).await;
        let key = |name: &str| serde_json::to_string(name).expect("JSON");
        assert_eq!(blocks, [format!("{{{}:1,{}:2}}", key(name), key(&format!("{name}_2")))], "{name}");
    }
    // PostgreSQL has no empty names.
    if subject.engine != Engine::Postgres {
        let empty = only().sqlite("SELECT 1 AS \"\", 2 AS \"\"").mysql("SELECT 1 AS '', 2 AS ''");
        let blocks = ask(&empty.of(subject.engine).unwrap()).json(&*source).await;
        assert_eq!(blocks, [r#"{"":1,"_2":2}"#]);
    }
}

async fn a_join_keeps_all_columns_of_both_tables(subject: &mut Subject) {
    subject.database.run("INSERT INTO things (id, name, note) VALUES (1, 'a', 'x'), (2, 'b', 'x')").await;
    let source = subject.source();
    let join =
        "SELECT a.id, a.name, b.id, b.name FROM things a JOIN things b ON b.note = a.note AND b.id > a.id";
    assert_eq!(ask(join).json(&*source).await, [r#"{"id":1,"name":"a","id_2":2,"name_2":"b"}"#]);
    let star = "SELECT * FROM things a JOIN things b ON b.id = a.id WHERE a.id = 1";
    let expected = r#"{"id":1,"name":"a","note":"x","id_2":1,"name_2":"a","note_2":"x"}"#;
    assert_eq!(ask(star).json(&*source).await, [expected]);
}

async fn a_result_without_rows_has_no_blocks_and_a_write_says_what_it_changed(subject: &mut Subject) {
    let source = subject.narrow_source();
    for encoding in [Encoding::Json, Encoding::Gcf] {
        assert_eq!(
            ask("SELECT * FROM things").encoded_as(encoding, &*source).await.expect("rows").into_blocks(),
            [""; 0]
        );
    }
    let insert = "INSERT INTO things (name) VALUES ('a')";
    let expected = match subject.engine {
        Engine::Postgres => r#"{"rows_affected":1}"#,
        _ => r#"{"rows_affected":1,"last_insert_id":1}"#,
    };
    assert_eq!(ask(insert).json(&*source).await, [expected]);
    for (statement, expected) in [
        ("UPDATE things SET note = 'x'", r#"{"rows_affected":1}"#),
        ("DELETE FROM things WHERE id = 99", r#"{"rows_affected":0}"#),
        ("CREATE TABLE made (a INTEGER)", r#"{"rows_affected":0}"#),
        ("DROP TABLE made", r#"{"rows_affected":0}"#),
    ] {
        for encoding in [Encoding::Json, Encoding::Gcf] {
            if statement.starts_with("CREATE") || statement.starts_with("DROP") {
                // Once only.
                if encoding == Encoding::Gcf {
                    continue;
                }
            }
            assert_eq!(
                ask(statement).encoded_as(encoding, &*source).await.expect("rows").into_blocks(),
                [expected],
                "{statement}"
            );
        }
    }
}

async fn statements_about_the_database_answer_with_rows(subject: &mut Subject) {
    let source = subject.narrow_source();
    // A statement, and a part of the only or the first row.
    let cases: &[(Sql, &str)] = &[
        (only().sqlite("VALUES (1, 'a')").postgres("VALUES (1, 'a')"), r#""column1":1,"column2":"a""#),
        (only().mysql("VALUES ROW(1, 'a')").mariadb("VALUES (1, 'a')"), ":1,"),
        (only().postgres("TABLE things"), r#""name":"t""#),
        (only().sqlite("PRAGMA table_info(things)"), r#""name":"id""#),
        (only().sqlite("PRAGMA table_list"), r#""name""#),
        (only().postgres("SHOW TimeZone"), r#"{"TimeZone":"UTC"}"#),
        (only().mysql("SHOW TABLES"), r#""numbers"}"#),
        (only().mysql("SHOW COLUMNS FROM things"), r#"{"Field":"id","Type":"bigint"#),
        (only().mysql("DESCRIBE things"), r#"{"Field":"id","Type":"bigint"#),
        (
            only()
                .sqlite("EXPLAIN QUERY PLAN SELECT * FROM things")
                .postgres("EXPLAIN SELECT * FROM things")
                .mysql("EXPLAIN SELECT * FROM things"),
            "things",
        ),
        (only().sqlite("EXPLAIN SELECT 1"), r#""opcode":"Init""#),
        (
            only().postgres("EXPLAIN (FORMAT JSON) SELECT 1"),
            r#"{"QUERY PLAN":[{"Plan":{"Node Type":"Result""#,
        ),
        (only().mysql("EXPLAIN FORMAT=JSON SELECT 1"), r#"{"EXPLAIN":"#),
        (all("WITH a AS (SELECT 1 AS n) SELECT n FROM a"), r#"{"n":1}"#),
    ];
    subject.database.run("INSERT INTO things (id, name) VALUES (1, 't')").await;
    for (sql, part) in cases {
        let Some(sql) = sql.of(subject.engine) else { continue };
        // MySQL alone has ROW.
        if subject.engine == Engine::MySql && sql.starts_with("VALUES (") {
            continue;
        }
        for model in [false, true] {
            let question = if model { ask(&sql).by_the_model().reading() } else { ask(&sql).reading() };
            let blocks = question.json(&*source).await;
            assert!(blocks.iter().any(|block| block.contains(part)), "{sql}: {blocks:?}");
        }
    }
}

async fn groups_are_counted(subject: &mut Subject) {
    subject
        .database
        .run("INSERT INTO things (id, name, note) VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')")
        .await;
    let source = subject.source();
    let counted = "SELECT note, COUNT(*) AS n, MIN(id) AS least FROM things GROUP BY note ORDER BY note";
    let expected = [r#"{"note":"x","n":2,"least":1}"#, r#"{"note":"y","n":1,"least":3}"#];
    assert_eq!(ask(counted).json(&*source).await, expected);
    let sums = "SELECT SUM(n) AS s, AVG(n) AS a FROM numbers WHERE n <= 4";
    let expected = match subject.engine {
        Engine::Sqlite => r#"{"s":10,"a":2.5}"#,
        Engine::Postgres => r#"{"s":10,"a":2.5000000000000000}"#,
        Engine::MySql | Engine::MariaDb => r#"{"s":10,"a":2.5000}"#,
    };
    assert_eq!(ask(sums).json(&*source).await, [expected]);
}
