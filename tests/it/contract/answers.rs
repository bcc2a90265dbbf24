//! What statements answer: columns, rows, what changed, errors.

use std::time::Duration;

use toolbox_source::{Access, Done, Row, SourceError, Value};

use super::{
    Subject,
    ask::{Leaves as _, Set, ask, text},
    on_every_database,
};
use crate::support::{Engine, Sql, all, only};

on_every_database!(
    the_table_of_statements_is_answered,
    a_write_tells_the_key_that_the_database_made,
    a_routine_is_called_and_all_its_results_arrive,
    an_error_in_the_middle_of_rows_is_an_error_of_the_whole,
    several_statements_are_refused_and_none_of_them_runs,
    a_refused_statement_says_what_the_database_says_and_leaves_the_source_usable,
    a_statement_is_read_anew_after_its_table_changed,
);

/// What a statement must answer.
enum Expected {
    Rows(&'static [&'static str], Vec<Row>),
    /// No columns, and so many rows changed.
    Changed(u64),
    /// Rows from a statement that changed so many.
    Returned(&'static [&'static str], Vec<Row>, u64),
}
use Expected::{Changed, Returned, Rows};

struct Case {
    what: &'static str,
    sql: Sql,
    expected: Expected,
}

fn case(what: &'static str, sql: Sql, expected: Expected) -> Case {
    Case { what, sql, expected }
}

fn int(value: i64) -> Value {
    Value::Int(value)
}

/// In order: later ones see what earlier ones wrote.
fn cases() -> Vec<Case> {
    vec![
        case(
            "columns come in their order",
            all("SELECT 1 AS b, 2 AS a, 3 AS c"),
            Rows(&["b", "a", "c"], vec![vec![int(1), int(2), int(3)]]),
        ),
        case(
            "repeated and odd names are kept by place",
            only()
                .sqlite(r#"SELECT 1 AS x, 2 AS x, 3 AS "b b", 4 AS "a.b""#)
                .postgres(r#"SELECT 1 AS x, 2 AS x, 3 AS "b b", 4 AS "a.b""#)
                .mysql("SELECT 1 AS x, 2 AS x, 3 AS `b b`, 4 AS `a.b`"),
            Rows(&["x", "x", "b b", "a.b"], vec![vec![int(1), int(2), int(3), int(4)]]),
        ),
        case(
            "rows come in their order",
            all("SELECT n FROM numbers WHERE n <= 3 ORDER BY n DESC"),
            Rows(&["n"], vec![vec![int(3)], vec![int(2)], vec![int(1)]]),
        ),
        case(
            "an empty result has its columns",
            all("SELECT id, name, note FROM things WHERE id < 0"),
            Rows(&["id", "name", "note"], vec![]),
        ),
        case(
            "an insert tells how many rows",
            all("INSERT INTO things (id, name) VALUES (1, 'one'), (2, 'two'), (3, 'three')"),
            Changed(3),
        ),
        case(
            "an update counts the rows that it found",
            all("UPDATE things SET note = 'x' WHERE id <= 2"),
            Changed(2),
        ),
        case(
            "also those that it left as they were",
            all("UPDATE things SET note = 'x' WHERE id <= 2"),
            Changed(2),
        ),
        case("an update may find nothing", all("UPDATE things SET note = 'y' WHERE id = 99"), Changed(0)),
        case(
            "null is not a text",
            all("SELECT id, note FROM things ORDER BY id"),
            Rows(
                &["id", "note"],
                vec![vec![int(1), text("x")], vec![int(2), text("x")], vec![int(3), Value::Null]],
            ),
        ),
        case(
            "an insert may give rows",
            only()
                .sqlite("INSERT INTO things (id, name) VALUES (4, 'four'), (5, 'five') RETURNING id, name")
                .postgres("INSERT INTO things (id, name) VALUES (4, 'four'), (5, 'five') RETURNING id, name")
                .mariadb("INSERT INTO things (id, name) VALUES (4, 'four'), (5, 'five') RETURNING id, name"),
            Returned(&["id", "name"], vec![vec![int(4), text("four")], vec![int(5), text("five")]], 2),
        ),
        case(
            "an update may give rows",
            only()
                .sqlite("UPDATE things SET note = 'z' WHERE id = 3 RETURNING id, note")
                .postgres("UPDATE things SET note = 'z' WHERE id = 3 RETURNING id, note"),
            Returned(&["id", "note"], vec![vec![int(3), text("z")]], 1),
        ),
        case(
            // MariaDB tells no columns of a RETURNING when it prepares it, and its driver none without a row.
            "a write that gives rows may find none",
            only()
                .sqlite("DELETE FROM things WHERE id = 99 RETURNING id")
                .postgres("DELETE FROM things WHERE id = 99 RETURNING id"),
            Returned(&["id"], vec![], 0),
        ),
        case("a delete tells how many rows", all("DELETE FROM things WHERE id <= 2"), Changed(2)),
        case("a definition changes no rows", all("CREATE TABLE extra (a INTEGER)"), Changed(0)),
        case("and is in force at once", all("INSERT INTO extra VALUES (7)"), Changed(1)),
        case(
            "a trailing semicolon and comments are no second statement",
            all("/* a */ SELECT a FROM extra; -- b"),
            Rows(&["a"], vec![vec![int(7)]]),
        ),
        case("a definition can be undone", all("DROP TABLE extra"), Changed(0)),
    ]
}

async fn the_table_of_statements_is_answered(subject: &mut Subject) {
    let source = subject.source();
    for Case { what, sql, expected } in cases() {
        let Some(statement) = sql.of(subject.engine) else { continue };
        let answer = ask(&statement).answer(&*source).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let Set { columns, rows, done } = answer;
        match expected {
            Rows(expected_columns, expected) => {
                assert_eq!(
                    (columns, rows, done),
                    (names(expected_columns), expected, Done::default()),
                    "{what}"
                );
            }
            Changed(count) => {
                assert_eq!((columns, rows, done.rows_affected), (None, vec![], Some(count)), "{what}");
            }
            Returned(expected_columns, expected, count) => {
                let expected = (names(expected_columns), expected, Some(count));
                assert_eq!((columns, rows, done.rows_affected), expected, "{what}");
            }
        }
    }
    // SQLite and PostgreSQL end with three, four and five, MariaDB too, and MySQL without the two that only others could add.
    let expected = if subject.engine == Engine::MySql { 1 } else { 3 };
    assert_eq!(subject.count("things").await, expected);
}

async fn a_write_tells_the_key_that_the_database_made(subject: &mut Subject) {
    let source = subject.source();
    for (name, key) in [("a", 1), ("b", 2)] {
        let sql = all("INSERT INTO things (name) VALUES (?1)").of(subject.engine).unwrap();
        let done = ask(&sql).with([text(name)]).answer(&*source).await.unwrap().done;
        // PostgreSQL tells a key only where RETURNING asks for it.
        let expected = (subject.engine != Engine::Postgres).then_some(int(key));
        assert_eq!(done, Done { rows_affected: Some(1), last_insert_id: expected });
        assert_eq!(
            subject.database.number(&format!("SELECT id FROM things WHERE name = '{name}'")).await,
            key
        );
    }
}

async fn a_routine_is_called_and_all_its_results_arrive(subject: &mut Subject) {
    let source = subject.source();
    match subject.engine {
        // It has no routines.
        Engine::Sqlite => {}
        Engine::Postgres => {
            subject
                .database
                .run(
                    "CREATE PROCEDURE add_thing(thing text, INOUT total bigint) LANGUAGE plpgsql AS $$
                     BEGIN
                         INSERT INTO things (name) VALUES (thing);
                         SELECT count(*) INTO total FROM things;
                     END $$",
                )
                .await;
            let sets = ask("CALL add_thing('a', NULL)").sets(&*source).await.unwrap();
            assert_eq!(sets[0].columns, Some(vec!["total".to_owned()]));
            assert_eq!(sets[0].rows, [[int(1)]]);
        }
        Engine::MySql | Engine::MariaDb => {
            subject
                .database
                .run(
                    "CREATE PROCEDURE add_thing(thing VARCHAR(10))
                     BEGIN
                         SELECT thing AS added;
                         INSERT INTO things (name) VALUES (thing);
                         SELECT name, id FROM things WHERE id < 0;
                         SELECT count(*) AS total FROM things;
                     END",
                )
                .await;
            let sets = ask("CALL add_thing(?)").with([text("a")]).sets(&*source).await.unwrap();
            let columns: Vec<_> = sets.iter().filter_map(|set| set.columns.clone()).collect();
            // The driver shows no columns of a result without rows, and a CALL has none when it is prepared.
            assert_eq!(columns, [vec!["added"], vec![], vec!["total"]]);
            let rows: Vec<Row> = sets.iter().flat_map(|set| set.rows.clone()).collect();
            assert_eq!(rows, [[text("a")], [int(1)]]);
        }
    }
    if subject.engine != Engine::Sqlite {
        assert_eq!(subject.count("things").await, 1);
        assert_eq!(
            ask("SELECT 1").cell(&*source).await,
            int(1),
            "nothing of the call is left on the connection"
        );
    }
}

async fn an_error_in_the_middle_of_rows_is_an_error_of_the_whole(subject: &mut Subject) {
    let source = subject.narrow_source();
    // The row of 900 cannot be computed.
    let sql = only()
        .sqlite("SELECT abs(CASE n WHEN 900 THEN -9223372036854775807 - 1 ELSE n END) AS a FROM numbers ORDER BY n")
        .postgres("SELECT 1 / (900 - n) AS a FROM numbers ORDER BY n")
        .mysql("SELECT 9223372036854775807 + (n = 900) AS a FROM numbers ORDER BY n")
        .of(subject.engine)
        .unwrap();
    for access in [Access::ReadWrite, Access::ReadOnly] {
        let mut ask = ask(&sql);
        if access == Access::ReadOnly {
            ask = ask.reading();
        }
        let error = ask.encoded(&*source).await.unwrap_err();
        let SourceError::Database(said) = &error else { panic!("{error:?}") };
        let words = match subject.engine {
            Engine::Sqlite => "integer overflow",
            Engine::Postgres => "division by zero",
            Engine::MySql | Engine::MariaDb => "out of range",
        };
        assert!(said.message.contains(words), "{said}");
    }
    assert_eq!(ask("SELECT 1").cell(&*source).await, int(1));
}

async fn several_statements_are_refused_and_none_of_them_runs(subject: &mut Subject) {
    let source = subject.source();
    for sql in [
        "INSERT INTO things (name) VALUES ('a'); INSERT INTO things (name) VALUES ('b')",
        "INSERT INTO things (name) VALUES ('a'); -- and\nSELECT 1",
        "SELECT 1; DELETE FROM numbers",
        "SELECT 1;;DELETE FROM numbers;",
    ] {
        for by_the_model in [false, true] {
            let question = if by_the_model { ask(sql).by_the_model() } else { ask(sql) };
            let error = question.fails(&*source).await;
            assert!(matches!(error, SourceError::Refused(_) | SourceError::Database(_)), "{sql}: {error:?}");
        }
    }
    assert_eq!((subject.count("things").await, subject.count("numbers").await), (0, 1000));
}

async fn a_refused_statement_says_what_the_database_says_and_leaves_the_source_usable(subject: &mut Subject) {
    let source = subject.narrow_source();
    ask("INSERT INTO things (id, name) VALUES (1, 'one')").changes(&*source).await;
    for (sql, words) in [
        ("SELEKT 1", "SELEKT"),
        ("SELECT nothing_of_this_name FROM things", "nothing_of_this_name"),
        ("SELECT * FROM no_table_of_this_name", "no_table_of_this_name"),
        ("INSERT INTO things (id, name) VALUES (1, 'again')", ""),
        ("INSERT INTO things (id, name) VALUES (2, NULL)", "name"),
    ] {
        let error = ask(sql).fails(&*source).await;
        let SourceError::Database(said) = &error else { panic!("{sql}: {error:?}") };
        assert!(said.message.contains(words), "{sql}: {said}");
        assert!(said.code.is_some(), "{sql}: {said}");
        assert!(!said.message.contains('\n'), "{sql}: {said}");
    }
    for sql in ["", " ", ";", "-- nothing", "/* nothing */ ;"] {
        ask(sql).fails(&*source).await;
        ask(sql).by_the_model().reading().fails(&*source).await;
    }
    assert_eq!(ask("SELECT name FROM things").cell(&*source).await, text("one"));
}

async fn a_statement_is_read_anew_after_its_table_changed(subject: &mut Subject) {
    let source = subject.narrow_source();
    subject.database.run("CREATE TABLE changing (a INTEGER)").await;
    subject.database.run("INSERT INTO changing VALUES (1)").await;
    let select = || ask("SELECT * FROM changing").reading().answer(&*source);
    assert_eq!(select().await.unwrap().rows, [[int(1)]]);
    subject.database.run("ALTER TABLE changing ADD COLUMN b VARCHAR(5) DEFAULT 'x'").await;
    let answer = select().await.unwrap();
    assert_eq!(answer.columns, Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(answer.rows, [[int(1), text("x")]]);
    subject.database.run("DROP TABLE changing").await;
    assert!(matches!(select().await, Err(SourceError::Database(_))));
    subject.database.run("CREATE TABLE changing (c VARCHAR(5))").await;
    if subject.engine.is_mysql() {
        // The driver shows no columns of an answer without rows, so the source asks for them anew, once a second at most.
        tokio::time::sleep(Duration::from_millis(1100)).await;
    }
    assert_eq!(select().await.unwrap().columns, Some(vec!["c".to_owned()]));
}
