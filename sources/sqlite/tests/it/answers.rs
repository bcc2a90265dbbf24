//! Columns, events, counts and keys.

use toolbox_source::{Done, Value};

use crate::support::{Database, ask, open, text};

const TABLES: &str = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INT CHECK (size < 100));
    INSERT INTO item VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30);
    CREATE TABLE plain (word TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT);
    CREATE TABLE audited (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TRIGGER audit AFTER INSERT ON audited BEGIN INSERT INTO log (id, what) VALUES (new.id + 1000, new.name); END;
    CREATE TRIGGER audit2 AFTER UPDATE ON audited BEGIN INSERT INTO log (what) VALUES (new.name); END;
    CREATE VIEW items AS SELECT * FROM item;
    CREATE TRIGGER through INSTEAD OF INSERT ON items BEGIN INSERT INTO item (name) VALUES (new.name); END;";

fn changed(rows: u64) -> Done {
    Done { rows_affected: Some(rows), last_insert_id: None }
}

fn inserted(rows: u64, id: i64) -> Done {
    Done { rows_affected: Some(rows), last_insert_id: Some(Value::Int(id)) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_has_columns_rows_and_no_count() {
    let source = Database::with(TABLES).await;
    let source = source.source();
    let answer = ask("SELECT id, name FROM item WHERE size > ? ORDER BY id")
        .with([Value::Int(10)])
        .answer(&source)
        .await
        .unwrap();
    assert_eq!(answer.columns.unwrap(), ["id", "name"]);
    assert_eq!(answer.rows, [vec![Value::Int(2), text("b")], vec![Value::Int(3), text("c")]]);
    assert_eq!(answer.done, Done::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_result_has_its_columns() {
    let source = open(":memory:");
    let answer = ask("SELECT 1 AS a, 2 AS a, 3 AS \"\", 4 AS \"a b\", 5 AS \"ä\" WHERE 0")
        .answer(&source)
        .await
        .unwrap();
    assert_eq!(answer.columns.unwrap(), ["a", "a", "", "a b", "ä"]);
    assert_eq!(answer.rows, Vec::<Vec<Value>>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_names_keep_their_cells() {
    let source = open(":memory:");
    let answer = ask("SELECT 1 AS id, 'x' AS id, 2 AS id").answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["id", "id", "id"]);
    assert_eq!(answer.rows, [vec![Value::Int(1), text("x"), Value::Int(2)]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn select_star_sees_a_column_added_between_two_calls() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    let star = "SELECT * FROM item WHERE id = 1";
    assert_eq!(ask(star).answer(&source).await.unwrap().columns.unwrap().len(), 3);
    // Once by the source itself, once by another program.
    ask("ALTER TABLE item ADD COLUMN color TEXT DEFAULT 'red'").done(&source).await;
    let answer = ask(star).answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["id", "name", "size", "color"]);
    assert_eq!(answer.rows[0][3], text("red"));
    database.script("ALTER TABLE item ADD COLUMN shape TEXT DEFAULT 'round'").await;
    let answer = ask(star).answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["id", "name", "size", "color", "shape"]);
    assert_eq!(answer.rows[0][4], text("round"));
    database.script("ALTER TABLE item DROP COLUMN size").await;
    let answer = ask(star).answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["id", "name", "color", "shape"]);
    assert_eq!(answer.rows[0], [Value::Int(1), text("a"), text("red"), text("round")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_schema_costs_its_call_and_nothing_else() {
    // A name that is no UTF-8 makes sqlx's thread panic.
    let database = Database::with(
        "CREATE TABLE t (abc); PRAGMA writable_schema = 1;
         UPDATE sqlite_schema SET sql = CAST(X'435245415445205441424C4520742028FFFE29' AS TEXT) WHERE name = 't';",
    )
    .await;
    let mut options = database.options();
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    for _ in 0..3 {
        let error = ask("SELECT * FROM t").error(&source).await;
        assert_eq!(error, "the thread of the connection ended unexpectedly");
        assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
    }
}

/// When this fails, sqlx has learned to follow the schema, and a statement needs no transaction to pin it.
#[tokio::test(flavor = "multi_thread")]
async fn sqlx_alone_still_loses_the_connection_when_a_cached_statement_gains_a_column() {
    use sqlx::{ConnectOptions as _, sqlite::SqliteConnectOptions};
    let database = Database::with(TABLES).await;
    let mut connection = SqliteConnectOptions::new().filename(database.path()).connect().await.unwrap();
    sqlx::query("SELECT * FROM item").fetch_all(&mut connection).await.unwrap();
    database.script("ALTER TABLE item ADD COLUMN color TEXT").await;
    let rows = sqlx::query("SELECT * FROM item").fetch_all(&mut connection).await.unwrap();
    assert_eq!(rows.len(), 0, "the rows are lost without an error");
    // A command that the dying thread still takes is never answered; a later one gets an error.
    let limit = std::time::Duration::from_millis(500);
    let next = tokio::time::timeout(limit, sqlx::query("SELECT 1").fetch_all(&mut connection)).await;
    assert!(matches!(next, Err(_) | Ok(Err(sqlx::Error::WorkerCrashed))), "{next:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_counts_its_own_rows_only() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    assert_eq!(ask("UPDATE item SET size = size + 1").done(&source).await, changed(3));
    assert_eq!(ask("UPDATE item SET size = 0 WHERE id = 99").done(&source).await, changed(0));
    assert_eq!(ask("DELETE FROM item WHERE id = 3").done(&source).await, changed(1));
    assert_eq!(
        ask("WITH old AS (SELECT 2 AS id) DELETE FROM item WHERE id IN (SELECT id FROM old)")
            .done(&source)
            .await,
        changed(1)
    );
    // SQLite's own counter still says 1 after these.
    assert_eq!(ask("CREATE TABLE made (a)").done(&source).await, changed(0));
    assert_eq!(ask("CREATE INDEX made_a ON made (a)").done(&source).await, changed(0));
    assert_eq!(ask("CREATE TABLE copied AS SELECT * FROM item").done(&source).await, changed(0));
    assert_eq!(ask("DROP TABLE made").done(&source).await, changed(0));
    assert_eq!(ask("VACUUM").done(&source).await, changed(0));
    assert_eq!(ask("ANALYZE").done(&source).await, changed(0));
    assert_eq!(ask("PRAGMA user_version = 7").done(&source).await, changed(0));
    assert_eq!(ask("PRAGMA user_version").cell(&source).await, Value::Int(7));
    assert_eq!(ask("SELECT count(*) FROM item").done(&source).await, Done::default());
    assert_eq!(ask("EXPLAIN QUERY PLAN DELETE FROM item").done(&source).await, Done::default());
    assert_eq!(ask("SELECT count(*) FROM item").cell(&source).await, Value::Int(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_with_returning_has_rows_and_a_count() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    let answer = ask("UPDATE item SET size = 1 RETURNING id").answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["id"]);
    assert_eq!(answer.rows.len(), 3);
    assert_eq!(answer.done, changed(3));
    let answer =
        ask("INSERT INTO item (name) VALUES ('d'), ('e') RETURNING id").answer(&source).await.unwrap();
    assert_eq!(answer.rows, [[Value::Int(4)], [Value::Int(5)]]);
    assert_eq!(answer.done, inserted(2, 5));
    let answer = ask("DELETE FROM item WHERE 0 RETURNING name").answer(&source).await.unwrap();
    assert_eq!(
        (answer.columns.unwrap(), answer.rows.len(), answer.done),
        (vec!["name".to_owned()], 0, changed(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_insert_reports_the_key_of_its_last_row() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    assert_eq!(ask("INSERT INTO item (name) VALUES ('d')").done(&source).await, inserted(1, 4));
    // The same key again, in another table: SQLite's own memory does not change.
    assert_eq!(ask("INSERT INTO log (id) VALUES (4)").done(&source).await, inserted(1, 4));
    assert_eq!(ask("REPLACE INTO item (id, name) VALUES (4, 'e')").done(&source).await, inserted(1, 4));
    assert_eq!(ask("INSERT INTO \"item\" (id, name) VALUES (0, 'zero')").done(&source).await, inserted(1, 0));
    assert_eq!(
        ask("INSERT INTO main.[item] (id, name) VALUES (-7, 'minus')").done(&source).await,
        inserted(1, -7)
    );
    assert_eq!(
        ask("WITH n AS (SELECT 'w' AS w) INSERT INTO item (name) SELECT w FROM n").done(&source).await,
        inserted(1, 5)
    );
    let huge = i64::MAX;
    assert_eq!(
        ask("INSERT INTO item (id) VALUES (?)").with([Value::Int(huge)]).done(&source).await,
        inserted(1, huge)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_inserted_nothing_reports_no_key() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    assert_eq!(ask("INSERT INTO item (name) VALUES ('d')").done(&source).await, inserted(1, 4));
    assert_eq!(ask("INSERT OR IGNORE INTO item (id, name) VALUES (4, 'x')").done(&source).await, changed(0));
    assert_eq!(
        ask("INSERT INTO item (id, name) VALUES (4, 'x') ON CONFLICT (id) DO UPDATE SET name = 'y'")
            .done(&source)
            .await,
        changed(1)
    );
    assert_eq!(ask("INSERT INTO item (name) SELECT 'x' WHERE 0").done(&source).await, changed(0));
    assert_eq!(ask("UPDATE item SET size = 5 WHERE id = 4").done(&source).await, changed(1));
    assert_eq!(ask("DELETE FROM item WHERE id = 4").done(&source).await, changed(1));
    assert_eq!(ask("INSERT INTO plain VALUES ('a')").done(&source).await, changed(1));
    assert_eq!(
        ask("SELECT last_insert_rowid()").cell(&source).await,
        Value::Int(0),
        "keys do not leak to the next caller"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_triggers_are_not_the_statements_own() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    assert_eq!(ask("INSERT INTO audited VALUES (5, 'a')").done(&source).await, inserted(1, 5));
    assert_eq!(
        ask("INSERT INTO audited VALUES (5, 'b') ON CONFLICT DO UPDATE SET name = 'b'").done(&source).await,
        changed(1),
        "the trigger's row is not ours"
    );
    assert_eq!(ask("SELECT max(id) FROM log").cell(&source).await, Value::Int(1006));
    // Rows that a trigger of a view inserts are the trigger's.
    assert_eq!(ask("INSERT INTO items (name) VALUES ('v')").done(&source).await.last_insert_id, None);
    assert_eq!(ask("SELECT count(*) FROM item WHERE name = 'v'").cell(&source).await, Value::Int(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_carry_the_words_of_sqlite_and_its_code() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    assert_eq!(
        ask("SELECT * FORM item").error(&source).await,
        "near \"FORM\": syntax error (code 1) at character 10"
    );
    assert_eq!(ask("SELECT nope FROM item").error(&source).await, "no such column: nope (code 1)");
    assert_eq!(
        ask("INSERT INTO item VALUES (1, 'z', 1)").error(&source).await,
        "UNIQUE constraint failed: item.id (code 1555)"
    );
    assert_eq!(
        ask("INSERT INTO item VALUES (9, 'z', 100)").error(&source).await,
        "CHECK constraint failed: size < 100 (code 275)"
    );
    assert_eq!(
        ask("SELECT 'abc").error(&source).await,
        "unrecognized token: \"'abc\" (code 1) at character 8"
    );
    // Characters are counted, not bytes; a token that stands there twice has no certain place.
    let error = ask("-- é 🙂\nSELECT 'é', 1 2").error(&source).await;
    assert_eq!(error, "near \"2\": syntax error (code 1) at character 22");
    assert_eq!(ask("SELECT 2, 1 2").error(&source).await, "near \"2\": syntax error (code 1)");
    assert_eq!(ask("SELECT abs(-9223372036854775808)").error(&source).await, "integer overflow (code 1)");
    assert_eq!(
        ask("SELECT count(*) FROM item").cell(&source).await,
        Value::Int(3),
        "a failed write leaves nothing"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_after_some_rows_ends_the_stream() {
    let source = open(":memory:");
    let sql = "SELECT abs(column1) FROM (VALUES (1), (2), (-9223372036854775808))";
    let mut stream = ask(sql).stream(&source).await.unwrap();
    let mut rows = 0;
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(toolbox_source::Event::Row(_)) => rows += 1,
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!((rows, error.to_string().as_str()), (2, "integer overflow (code 1)"));
    assert!(stream.next().await.is_none());
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_clause_keeps_its_meaning() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    let count = || ask("SELECT count(*) FROM item");
    ask("INSERT INTO item (id, name) VALUES (10, 'x'), (11, 'a')").error(&source).await;
    assert_eq!(count().cell(&source).await, Value::Int(3), "the statement as a whole is undone");
    ask("INSERT OR FAIL INTO item (id, name) VALUES (10, 'x'), (11, 'a')").error(&source).await;
    assert_eq!(count().cell(&source).await, Value::Int(4), "OR FAIL keeps the rows before");
    ask("INSERT OR ROLLBACK INTO item (id, name) VALUES (12, 'y'), (13, 'a')").error(&source).await;
    assert_eq!(count().cell(&source).await, Value::Int(4));
    assert_eq!(ask("INSERT INTO item (id) VALUES (14)").done(&source).await, inserted(1, 14));
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_keys_are_enforced_also_when_deferred() {
    let database = Database::with(
        "CREATE TABLE parent (id INTEGER PRIMARY KEY);
         CREATE TABLE child (id INTEGER PRIMARY KEY, parent INT REFERENCES parent DEFERRABLE INITIALLY DEFERRED);",
    )
    .await;
    let source = database.source();
    let error = ask("INSERT INTO child VALUES (1, 99)").error(&source).await;
    assert_eq!(error, "FOREIGN KEY constraint failed (code 787)");
    assert_eq!(ask("SELECT count(*) FROM child").cell(&source).await, Value::Int(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_may_stand_between_comments_and_semicolons() {
    let source = open(":memory:");
    for sql in [
        "SELECT 1;",
        "SELECT 1;;  -- done",
        ";; SELECT 1",
        "\u{feff}SELECT 1",
        "/* a; b */ -- c; d\n SELECT 1 /* e */ ;\n-- f",
        "select 1 -- no line break at the end",
        "SELECT 1 /* open",
        "(((SELECT 1)))",
    ] {
        // SQLite has no leading parentheses.
        if sql.starts_with('(') {
            assert_eq!(ask(sql).error(&source).await, "near \"(\": syntax error (code 1)");
        } else {
            assert_eq!(ask(sql).cell(&source).await, Value::Int(1), "{sql}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pragmas_and_plans_answer_with_rows() {
    let database = Database::with(TABLES).await;
    let source = database.source();
    let answer = ask("PRAGMA table_info(item)").reading().by_the_model().answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["cid", "name", "type", "notnull", "dflt_value", "pk"]);
    assert_eq!(answer.rows.len(), 3);
    assert_eq!(ask("EXPLAIN QUERY PLAN SELECT * FROM item").reading().rows(&source).await.len(), 1);
    assert_eq!(ask("VALUES (1, 2), (3, 4)").reading().rows(&source).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_arrives_in_order_for_many_rows() {
    let source = open(":memory:");
    let sql =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n";
    let answer = ask(sql).set(&source).await;
    assert!(answer.rows.iter().zip(1..=20000).all(|(row, expected)| row == &[Value::Int(expected)]));
    assert_eq!(answer.rows.len(), 20000);
}
