//! Which arguments an error names, where the statement makes something of them or a constraint does not hold.

use toolbox_source::{SourceError, Value};

use crate::support::{Database, ask, text};

#[tokio::test(flavor = "multi_thread")]
async fn the_arguments_that_a_refused_value_is_made_of_are_named() {
    let database = Database::with(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT NOT NULL DEFAULT 0, s TEXT CHECK (length(s) < 4), name TEXT, u INT UNIQUE);
         INSERT INTO t (n, s, name, u) VALUES (1, 'a', 'a long name', 1);
         CREATE TABLE st (i INT, r REAL, x TEXT, b BLOB) STRICT; INSERT INTO st VALUES (1, 1.5, 'a', x'00');
         CREATE TABLE parent (id INTEGER PRIMARY KEY); INSERT INTO parent VALUES (1);
         CREATE TABLE c (n INT, m INT, k INT UNIQUE, v TEXT, p INT REFERENCES parent, CONSTRAINT \"more than 0\" CHECK (n > 0),
           CONSTRAINT both_small CHECK (n + m < 10), UNIQUE (m, v));
         INSERT INTO c VALUES (1, 1, 1, 'x', 1);
         CREATE TABLE log (what TEXT NOT NULL); CREATE TRIGGER logs AFTER UPDATE OF u ON t BEGIN INSERT INTO log VALUES (NULL); END;
         CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('hello')",
    )
    .await;
    let source = database.source();
    let int = Value::Int;
    let cases: Vec<(&str, Vec<Value>, &[usize])> = vec![
        // What a new value is made of.
        ("UPDATE t SET n = n + ?", vec![Value::Null], &[0]),
        ("UPDATE t SET n = CASE WHEN id = ? THEN ? ELSE n END", vec![int(1), Value::Null], &[1]),
        ("UPDATE st SET x = ?, i = ? || 'x'", vec![text("a"), int(1)], &[1]),
        ("UPDATE st SET i = coalesce(?, i)", vec![text("x")], &[0]),
        ("UPDATE st SET (x, i) = (?, ?)", vec![text("a"), text("x")], &[1]),
        ("INSERT INTO st (i, x) VALUES (? + 0.5, ?)", vec![int(5), text("a")], &[0]),
        (
            "WITH q AS (SELECT ?1) INSERT INTO st SELECT ?2, ?3, 'a', x'' FROM q",
            vec![int(1), text("x"), Value::Float(1.5)],
            &[1],
        ),
        ("INSERT INTO t (id, s) VALUES (?, ?)", vec![text("one"), text("a")], &[0]),
        // What constraints are about.
        ("UPDATE t SET s = ?1 || 'x', name = ?2", vec![text("abc"), text("x")], &[0]),
        ("INSERT INTO c (n, m) VALUES (?, ?)", vec![int(-1), int(1)], &[0]),
        ("INSERT INTO c VALUES (?, ?, 2, 'a', 1)", vec![int(5), int(50)], &[0, 1]),
        ("INSERT INTO c (k, v) VALUES (?, ?)", vec![int(1), text("a")], &[0]),
        ("INSERT INTO c (n, m, v) VALUES (?, ?, ?)", vec![int(2), int(1), text("x")], &[1, 2]),
        ("INSERT INTO c (p, v) VALUES (?, ?)", vec![int(7), text("a")], &[0]),
        ("INSERT INTO c (n, k) SELECT ?, ? + 1", vec![int(-5), int(7)], &[0]),
        ("UPDATE c SET n = n - ? WHERE k = ?", vec![int(5), int(1)], &[0]),
        // What functions do not take.
        ("SELECT json_set('{}', ?, json(?)), ?", vec![text("$.a"), text("{x"), text("[1]")], &[1]),
        ("SELECT json_extract('{}', ?) WHERE ? = 1", vec![text("bad"), int(1)], &[0]),
        ("SELECT abs(?), ? = 'a'", vec![int(i64::MIN), text("a")], &[0]),
        ("SELECT id FROM t WHERE name LIKE 'a' ESCAPE ? AND n = ?", vec![text("xx"), int(1)], &[0]),
        ("SELECT rowid FROM f WHERE f MATCH ? AND rowid = ?", vec![text("\"x"), int(1)], &[0]),
        ("SELECT id FROM t WHERE name = ? LIMIT ?", vec![text("a"), text("one")], &[1]),
        // Rows are to blame, or a trigger.
        ("SELECT json_extract(name, ?) FROM t", vec![text("$.a")], &[]),
        ("UPDATE t SET s = name WHERE n = ?", vec![int(1)], &[]),
        ("UPDATE t SET u = ?", vec![Value::Null], &[]),
        ("DELETE FROM parent WHERE id = ?", vec![int(1)], &[]),
    ];
    for (statement, arguments, expected) in cases {
        let error = ask(statement).with(arguments).answer(&source).await.unwrap_err();
        let found = match &error {
            SourceError::Argument { index, .. } => vec![*index],
            SourceError::Arguments { indexes, .. } => indexes.clone(),
            SourceError::Database(_) => Vec::new(),
            _ => panic!("{statement} {error:?}"),
        };
        assert_eq!(found, expected, "{statement} {error:?}");
    }
}
