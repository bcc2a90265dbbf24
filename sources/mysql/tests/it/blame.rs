//! Which arguments an error names, where the statement makes something of them.

use toolbox_source::{SourceError, Value};

use crate::support::{Database, Server, ask, on_each, text};

const SET_UP: &str = "\
    CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, ti TINYINT, u INT UNSIGNED, d DECIMAL(5,2), s VARCHAR(3), e ENUM('a','b'), \
      da DATE, dt DATETIME, bi BIT(3), y YEAR, j JSON, nn INT NOT NULL DEFAULT 0, name VARCHAR(50)); \
    INSERT INTO t (ti, u, d, s, e, da, dt, bi, y, j, name) \
      VALUES (1, 1, 1, 'a', 'a', '2024-01-01', '2024-01-01', 1, 2024, '{}', 'a long name'); \
    CREATE TABLE parent (id INT PRIMARY KEY); INSERT INTO parent VALUES (1); \
    CREATE TABLE c (n INT, m INT, k INT, p INT, v VARCHAR(9), CONSTRAINT `more than 0` CHECK (n > 0), \
      CONSTRAINT both_small CHECK (n + m < 10), UNIQUE KEY one (k), UNIQUE KEY two (m, v), \
      CONSTRAINT of_parent FOREIGN KEY (p) REFERENCES parent (id)); \
    INSERT INTO c VALUES (1, 1, 1, 1, 'x'); \
    CREATE TABLE parts (a INT, k INT) PARTITION BY RANGE (k) (PARTITION p VALUES LESS THAN (9)); \
    CREATE PROCEDURE takes(a TINYINT, b VARCHAR(3), c DATE) SELECT a, b, c; \
    CREATE PROCEDURE writes(a INT) UPDATE t SET ti = a; \
    CREATE FUNCTION gives(a TINYINT, b VARCHAR(3)) RETURNS VARCHAR(9) DETERMINISTIC RETURN CONCAT(a, b)";

/// The places of the arguments that the error names.
async fn blamed(database: &Database, statement: &str, arguments: Vec<Value>) -> Vec<usize> {
    match ask(statement).with(arguments).fails(&database.source()).await {
        SourceError::Argument { index, .. } => vec![index],
        SourceError::Arguments { indexes, .. } => indexes,
        SourceError::Database(_) => Vec::new(),
        error => panic!("{statement}: {error:?}"),
    }
}

fn float(number: f64) -> Value {
    Value::Float(number)
}

fn int(number: i64) -> Value {
    Value::Int(number)
}

async fn check(database: &Database, cases: Vec<(&str, Vec<Value>, &[usize])>) {
    for (statement, arguments, expected) in cases {
        let found = blamed(database, statement, arguments).await;
        assert_eq!(found, expected, "{:?} {statement}", database.server);
    }
}

#[tokio::test]
async fn what_a_new_value_is_made_of_is_named() {
    on_each(|database| async move {
        database.script(SET_UP).await;
        check(
            &database,
            vec![
                ("UPDATE t SET ti = ti + ?", vec![int(300)], &[0]),
                ("UPDATE t SET ti = COALESCE(ti, 0) + ? WHERE id = ?", vec![int(300), int(1)], &[0]),
                ("UPDATE t SET s = ?, ti = ABS(?)", vec![text("a"), int(300)], &[1]),
                ("UPDATE t SET ti = ? * ?", vec![int(30), int(10)], &[0, 1]),
                ("UPDATE t SET d = ROUND(?, 1)", vec![float(1000.5)], &[0]),
                ("UPDATE t SET s = CONCAT(s, ?)", vec![text("long")], &[0]),
                ("UPDATE t SET y = y + ?", vec![int(500)], &[0]),
                ("UPDATE t SET bi = bi + ?", vec![int(9)], &[0]),
                ("UPDATE t SET nn = nn + ?", vec![Value::Null], &[0]),
                ("UPDATE t SET e = LOWER(?)", vec![text("Z")], &[0]),
                ("UPDATE t SET da = STR_TO_DATE(?, ?)", vec![text("2024-13-01"), text("%Y-%m-%d")], &[0]),
                (
                    "INSERT INTO t (ti, s) VALUES (ABS(?), 'a'), (ABS(?), CONCAT(?, 'b'))",
                    vec![int(10), int(300), text("c")],
                    &[1],
                ),
                ("INSERT INTO t (ti, s) SELECT ABS(?), UPPER(?)", vec![int(10), text("long")], &[1]),
                (
                    "INSERT INTO t (id, ti) VALUES (1, 1) ON DUPLICATE KEY UPDATE ti = ti + ?",
                    vec![int(300)],
                    &[0],
                ),
                ("UPDATE t a JOIN t b ON a.id = b.id SET a.ti = b.u + ?", vec![int(300)], &[0]),
                (
                    "INSERT INTO t (ti) SELECT v FROM (SELECT ? AS v) q WHERE v > ?",
                    vec![int(300), int(5)],
                    &[0],
                ),
                (
                    "INSERT INTO t (ti) SELECT v FROM JSON_TABLE(?, '$[*]' COLUMNS (v INT PATH '$')) j",
                    vec![text("[1, 300]")],
                    &[0],
                ),
                ("INSERT INTO t (ti) VALUES ((SELECT ?))", vec![int(300)], &[0]),
                (
                    "INSERT INTO t (id, ti) VALUES (?, ?) ON DUPLICATE KEY UPDATE ti = ti + ?",
                    vec![int(1), int(1), int(127)],
                    &[2],
                ),
                // The value comes from somewhere else.
                ("UPDATE t SET ti = u * 1000 WHERE id = ?", vec![int(1)], &[]),
                ("UPDATE t SET ti = u * 1000, s = ? WHERE LEFT(name, ?) = 'a'", vec![text("a"), int(1)], &[]),
                ("INSERT INTO t (ti) SELECT u * 1000 FROM t WHERE LEFT(name, ?) = 'a'", vec![int(1)], &[]),
            ],
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn of_several_that_may_be_chosen_the_refused_one_is_named() {
    on_each(|database| async move {
        database.script(SET_UP).await;
        check(
            &database,
            vec![
                ("UPDATE t SET ti = IF(id = ?, ?, ti)", vec![int(1), int(300)], &[1]),
                ("UPDATE t SET ti = CASE WHEN id = 1 THEN ? ELSE ? END", vec![int(300), int(1)], &[0]),
                ("UPDATE t SET ti = CASE id WHEN ? THEN ? ELSE 2 END", vec![int(1), int(300)], &[1]),
                ("UPDATE t SET ti = GREATEST(ti, ?, ?)", vec![int(5), int(300)], &[1]),
                ("UPDATE t SET ti = NULLIF(?, 0)", vec![int(300)], &[0]),
                ("UPDATE t SET d = IF(id = 1, ?, d)", vec![float(1000.5)], &[0]),
                ("UPDATE t SET s = IF(id = 1, ?, s)", vec![text("日本語文")], &[0]),
                ("UPDATE t SET e = IF(id = 1, ?, e), s = ?", vec![text("z"), text("z")], &[0]),
                ("UPDATE t SET da = IF(id = 1, ?, da)", vec![text("2024-13-01")], &[0]),
                ("UPDATE t SET nn = IF(id = ?, ?, nn)", vec![int(1), Value::Null], &[1]),
                ("UPDATE t SET j = IF(id = 1, ?, j)", vec![text("{x")], &[0]),
                ("INSERT INTO t (bi) VALUES (IF(1 = ?, ?, NULL))", vec![int(1), text("abc")], &[1]),
                ("UPDATE t SET s = IF(id = ?, name, 'x')", vec![int(1)], &[]),
                // Another value of the choice is too long.
                ("UPDATE t SET s = IF(id = 1, name, ?)", vec![text("abc")], &[]),
                ("UPDATE t SET s = COALESCE(name, ?)", vec![text("abc")], &[]),
            ],
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn arguments_of_constraints_are_named() {
    on_each(|database| async move {
        database.script(SET_UP).await;
        let insert = "INSERT INTO c (n, m, k, p, v) VALUES (?, ?, ?, ?, ?)";
        let row = |n, m, k, p, v: &str| vec![int(n), int(m), int(k), int(p), text(v)];
        check(
            &database,
            vec![
                (insert, row(-1, 2, 2, 1, "a"), &[0]),
                (insert, row(5, 50, 2, 1, "a"), &[0, 1]),
                (insert, row(2, 2, 1, 1, "a"), &[2]),
                (insert, row(2, 1, 2, 1, "x"), &[1, 4]),
                (insert, row(2, 2, 2, 7, "a"), &[3]),
                ("UPDATE c SET n = n - ? WHERE k = ?", vec![int(5), int(1)], &[0]),
                ("INSERT INTO c (k) VALUES (?), (?), (?)", vec![int(5), int(1), int(6)], &[1]),
                ("INSERT INTO c (k, v) VALUES (1, ?)", vec![text("1")], &[]),
                ("INSERT INTO parts VALUES (?, ?)", vec![int(40), int(50)], &[1]),
                ("INSERT INTO c (k, v) SELECT k, ? FROM c", vec![text("b")], &[]),
            ],
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn arguments_of_functions_and_procedures_are_named() {
    on_each(|database| async move {
        database.script(SET_UP).await;
        check(
            &database,
            vec![
                ("CALL takes(?, ?, ?)", vec![int(300), text("a"), text("2024-01-01")], &[0]),
                ("CALL takes(?, ?, ?)", vec![int(3), text("long"), text("2024-01-01")], &[1]),
                ("CALL takes(?, ?, ?)", vec![int(3), text("a"), text("2024-13-01")], &[2]),
                ("CALL takes(? + 1, CONCAT(?, 'x'), NULL)", vec![int(3), text("abc")], &[1]),
                ("CALL takes(?, 'x', NULL)", vec![int(300)], &[0]),
                ("SELECT gives(?, ?), name FROM t WHERE id = ?", vec![int(300), text("a"), int(1)], &[0]),
                ("SELECT gives(LENGTH(?), ?)", vec![text("long"), text("long")], &[1]),
                ("SELECT id FROM t WHERE name REGEXP ? AND id = ?", vec![text("("), int(1)], &[0]),
                ("SELECT u - ? FROM t WHERE id = ?", vec![int(5), int(1)], &[0]),
                ("SELECT 9223372036854775807 + ?", vec![int(1)], &[0]),
                ("SELECT EXP(?), 'a' = ?", vec![int(1000), text("a")], &[0]),
                ("UPDATE t SET u = u - ? WHERE id = ?", vec![int(5), int(1)], &[0]),
                ("UPDATE t SET ti = u / ?, s = ?", vec![int(0), text("a")], &[0]),
                ("UPDATE t SET dt = DATE_ADD(dt, INTERVAL ? DAY)", vec![int(99_999_999)], &[0]),
                ("SELECT NTILE(?) OVER (ORDER BY id) FROM t WHERE id = ?", vec![int(0), int(1)], &[0]),
                // Their rows are to blame.
                ("SELECT EXP(u * 1000) FROM t WHERE id + ? > 0", vec![int(7)], &[]),
                ("CALL writes(?)", vec![int(300)], &[]),
            ],
        )
        .await;
        let of_server: Vec<(&str, Vec<Value>, &[usize])> = match database.server {
            Server::MySql => vec![
                ("SELECT JSON_CONTAINS(j, ?, ?) FROM t", vec![text("{x"), text("$.a")], &[0]),
                ("SELECT JSON_EXTRACT(j, ?) FROM t WHERE id = ?", vec![text("a..b"), int(1)], &[0]),
                ("SELECT JSON_EXTRACT(?, ?)", vec![text("{}"), text("a..b")], &[1]),
                ("SELECT JSON_EXTRACT(?, ?)", vec![text("{x"), text("$.a")], &[0]),
                ("SELECT JSON_EXTRACT(name, ?) FROM t", vec![text("$.a")], &[]),
                ("SELECT LOWER(?), UUID_TO_BIN(?)", vec![text("a"), text("x")], &[1]),
                ("SELECT ST_AsText(ST_GeomFromText(?)), LOWER(?)", vec![text("PONT(1)"), text("a")], &[0]),
                (
                    "SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS (v TINYINT PATH '$' ERROR ON ERROR)) l",
                    vec![text("[300]")],
                    &[0],
                ),
            ],
            Server::MariaDb => vec![(
                "UPDATE t SET j = JSON_SET(j, ?, JSON_EXTRACT(?, '$'))",
                vec![text("$.a"), text("{x")],
                &[1],
            )],
        };
        check(&database, of_server).await;
    })
    .await;
}
