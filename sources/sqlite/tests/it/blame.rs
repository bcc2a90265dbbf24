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
         INSERT INTO c VALUES (1, 1, 1, 'x', 1), (2, 2, 20, 'two', 1);
         CREATE TABLE log (what TEXT NOT NULL); CREATE TRIGGER logs AFTER UPDATE OF u ON t BEGIN INSERT INTO log VALUES (NULL); END;
         CREATE TABLE b (big INT); INSERT INTO b VALUES (-9223372036854775808);
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
        ("SELECT abs(big), ? + 1 FROM b", vec![int(5)], &[]),
        ("SELECT json_extract(name, ?), json(?) FROM t", vec![text("$.a"), text("[1]")], &[]),
        ("UPDATE c SET n = n - 5, v = ?", vec![text("x")], &[]),
        ("UPDATE st SET i = x, x = ?", vec![text("b")], &[]),
        // Another row, or what is done instead.
        ("INSERT INTO c (n, v) VALUES (?, 'a'), (-1, 'b')", vec![int(3)], &[]),
        ("INSERT INTO c (n, k) VALUES (?, 1) ON CONFLICT (k) DO UPDATE SET n = -5", vec![int(3)], &[]),
        ("INSERT INTO c (k, v) VALUES (?, 'q'), (1, 'r')", vec![int(70)], &[]),
        (
            "INSERT INTO c (k, m) VALUES (1, ?) ON CONFLICT (k) DO UPDATE SET m = 2, v = 'two'",
            vec![int(9)],
            &[],
        ),
        ("INSERT INTO st (i) VALUES (?), ('x')", vec![text("5")], &[]),
        ("UPDATE c SET n = CASE WHEN k = 1 THEN -1 ELSE ? END", vec![int(-1)], &[]),
        // Of several the one that is to blame.
        ("INSERT INTO c (n, v) VALUES (?, 'a'), (?, 'b'), (?, 'c')", vec![int(3), int(-1), int(4)], &[1]),
        ("INSERT INTO c (n, v) VALUES (?, 'a'), (?, 'b')", vec![int(-3), int(-1)], &[0, 1]),
        ("INSERT INTO c (k) VALUES (?), (?), (?)", vec![int(50), int(1), int(51)], &[1]),
        ("INSERT INTO c (p, v) VALUES (?, 'a'), (?, 'b')", vec![int(1), int(7)], &[1]),
        (
            "INSERT INTO c (n, m, v) VALUES (?, ?, 'a'), (?, ?, 'b')",
            vec![int(3), int(1), int(5), int(50)],
            &[2, 3],
        ),
        ("INSERT INTO st (i) VALUES (?), (?)", vec![text("5"), text("1.5")], &[1]),
        ("UPDATE st SET i = ?, r = ?", vec![text("1.5"), text("1.5")], &[0]),
        (
            "INSERT INTO st (i, x) VALUES (?, ?)",
            vec![Value::Decimal("0.10000000000000000001".to_owned()), text("a")],
            &[0],
        ),
        ("SELECT json_extract(?, ?)", vec![text("{}"), text("a[")], &[1]),
        ("SELECT json_extract(?, ?)", vec![text("{x"), text("$.a")], &[0]),
        ("SELECT abs(?), ? + 1", vec![int(i64::MIN), int(5)], &[0]),
        ("SELECT ntile(?) OVER () FROM t WHERE n > ?", vec![int(0), int(0)], &[0]),
        ("SELECT id FROM t WHERE n >= ? LIMIT ? OFFSET ?", vec![int(0), text("one"), int(0)], &[1]),
        ("SELECT id FROM t WHERE name LIKE ? ESCAPE ?", vec![text("a!"), text("!!")], &[1]),
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
    // What was tried for this has left nothing.
    assert_eq!(ask("SELECT count(*), max(n) FROM c").rows(&source).await, [[int(2), int(2)]]);
}
