//! Where nothing in a statement settles the type of a parameter, an argument is what its literal is.

use toolbox_source::{
    Declared::{self, Boolean, Float, Integer, Text},
    Value,
};

use crate::support::{ask, database, decimal, text};

/// The literal of a value.
fn literal(value: &Value) -> String {
    match value {
        Value::Int(integer) => format!("({integer})"),
        Value::Float(float) => format!("({float:?})"),
        Value::Bool(truth) => truth.to_string(),
        Value::Text(text) => format!("'{text}'"),
        other => panic!("{other:?}"),
    }
}

fn declared(value: &Value) -> Declared {
    match value {
        Value::Int(_) => Integer,
        Value::Float(_) => Float,
        Value::Bool(_) => Boolean,
        _ => Text,
    }
}

/// Whether two answers are the same: a sum of `bigint` is a `numeric`, and one of the literal, an `integer`, a `bigint`.
fn are_equal(one: &[Vec<Value>], other: &[Vec<Value>]) -> bool {
    let is_equal = |(one, other): (&Value, &Value)| match (one, other) {
        (Value::Decimal(digits), Value::Int(integer)) => *digits == integer.to_string(),
        _ => one == other,
    };
    let are_equal = |(one, other): (&Vec<Value>, &Vec<Value>)| {
        one.len() == other.len() && one.iter().zip(other).all(is_equal)
    };
    one.len() == other.len() && one.iter().zip(other).all(are_equal)
}

const SCHEMA: &str = "CREATE TABLE t (id int, b bigint, d numeric, f float8, s text, day date, l int[], r int4range, j jsonb); \
    INSERT INTO t VALUES (7, 9007199254740993, 2.50, 0.5, '7', '2024-02-28', '{5,6}', '[1,9)', '{\"7\": \"k\", \"a\": [10, 20]}'), \
    (10, -3, 0.1, -2, '10', '2025-01-01', '{}', '[20,30)', '[\"x\", \"y\", \"z\"]'); \
    CREATE FUNCTION kind(text) RETURNS text LANGUAGE sql AS $$ SELECT 'text ' || $1 $$; \
    CREATE FUNCTION kind(bigint) RETURNS text LANGUAGE sql AS $$ SELECT 'bigint ' || $1 $$; \
    CREATE FUNCTION kind(boolean) RETURNS text LANGUAGE sql AS $$ SELECT 'boolean ' || $1 $$";

#[tokio::test]
async fn an_argument_whose_type_nothing_settles_is_what_its_literal_is() {
    let database = database!(SCHEMA);
    let source = database.narrow_source();
    let (int, float, truth) = (Value::Int, Value::Float, Value::Bool);
    for (statement, values) in [
        ("SELECT $1", vec![int(7)]),
        ("SELECT $1", vec![int(9_007_199_254_740_993)]),
        ("SELECT $1", vec![float(2.5)]),
        ("SELECT $1", vec![truth(true)]),
        ("SELECT $1", vec![text("7")]),
        ("SELECT $1 < $2, $1 = $2", vec![int(10), int(9)]),
        ("SELECT $1 < $2", vec![int(10), float(9.5)]),
        ("SELECT $1 BETWEEN $2 AND $3", vec![int(10), int(9), int(11)]),
        ("SELECT greatest($1, $2), least($1, $2)", vec![int(10), int(9)]),
        ("SELECT coalesce($1, $2) FROM t", vec![int(10), int(9)]),
        (
            "SELECT x FROM (SELECT $1 AS x UNION SELECT $2 UNION SELECT $3) q ORDER BY x",
            vec![int(10), int(9), int(-1)],
        ),
        ("SELECT max(column1) FROM (VALUES ($1), ($2)) v", vec![int(10), int(9)]),
        ("SELECT j -> $1 FROM t", vec![int(1)]),
        ("SELECT j -> 'a' ->> $1 FROM t", vec![int(1)]),
        ("SELECT j - $1 FROM t WHERE id = 10", vec![int(0)]),
        ("SELECT j -> $1 FROM t", vec![text("7")]),
        ("SELECT 10 / $1, id / $1 FROM t", vec![float(4.0)]),
        ("SELECT id * $1 + $1 FROM t", vec![float(2.5)]),
        ("SELECT id / $1 FROM t", vec![int(4)]),
        ("SELECT abs($1), round($1), sign($1)", vec![int(9_007_199_254_740_993)]),
        ("SELECT abs($1), round($1), trunc($1)", vec![float(2.5)]),
        ("SELECT sum($1), avg($1) FROM t", vec![int(3)]),
        ("SELECT n FROM generate_series($1, $2) n", vec![int(1), int(3)]),
        ("SELECT l || $1, $1 || l, array_append(l, $1) FROM t", vec![int(4)]),
        ("SELECT ARRAY[$1, $2]", vec![int(10), int(9)]),
        ("SELECT id FROM t WHERE r @> $1", vec![int(4)]),
        ("SELECT day + $1, day - $1 FROM t", vec![int(2)]),
        ("SELECT $1::bit(4), CAST($1 AS bit(8))", vec![int(5)]),
        ("SELECT $1::int, $2::boolean", vec![truth(true), int(1)]),
        ("SELECT kind($1)", vec![int(4)]),
        ("SELECT kind($1)", vec![truth(false)]),
        ("SELECT kind($1)", vec![text("x")]),
        (
            "SELECT jsonb_build_object('i', $1, 'f', $2, 'b', $3, 's', $4)",
            vec![int(7), float(2.5), truth(true), text("x")],
        ),
        ("SELECT to_jsonb($1), to_char($1, '999')", vec![int(7)]),
        ("SELECT $1 || 'a', concat($1, 'b'), 'c' || $1 || s FROM t", vec![int(7)]),
        ("SELECT $1 || ' days', format('%s of %s', $1, $2)", vec![int(7), truth(true)]),
        ("SELECT id FROM t WHERE f = $1 AND b > $2", vec![float(0.5), int(9_007_199_254_740_992)]),
        ("SELECT f * $1, f + $1 FROM t", vec![int(3)]),
        ("SELECT CASE WHEN $1 THEN $2 ELSE $3 END < 9.5", vec![truth(true), int(10), int(9)]),
        ("SELECT $1 IS NULL, $1 < $2", vec![int(10), int(9)]),
    ] {
        let mut written = statement.to_owned();
        for (index, value) in values.iter().enumerate().rev() {
            written = written.replace(&format!("${}", index + 1), &literal(value));
        }
        let expected = ask(&written).rows(&source).await;
        let kinds: Vec<Declared> = values.iter().map(declared).collect();
        for _ in 0..2 {
            let asked = ask(statement).with(values.clone()).declaring(kinds.clone());
            let said = asked.rows(&source).await;
            assert!(
                are_equal(&said, &expected),
                "{statement} with {values:?}: {said:?} and not {expected:?}"
            );
        }
    }
    database.end().await;
}

#[tokio::test]
async fn an_integer_goes_where_a_text_is_wanted() {
    let database = database!(SCHEMA);
    let source = database.narrow_source();
    for (statement, expected) in [
        ("SELECT id FROM t WHERE s = $1", Value::Int(7)),
        ("SELECT id FROM t WHERE $1 = s", Value::Int(7)),
        ("SELECT id FROM t WHERE s IN ($1, 'x')", Value::Int(7)),
        ("SELECT id FROM t WHERE s LIKE $1", Value::Int(7)),
        ("SELECT id FROM t WHERE $1 = '' OR s = $1", Value::Int(7)),
        ("SELECT length($1) + length(md5($1)) FROM t LIMIT 1", Value::Int(33)),
        ("SELECT coalesce($1, 'none')", text("7")),
        ("UPDATE t SET s = $1 || 'x' WHERE id = 10 RETURNING s", text("7x")),
        ("UPDATE t SET s = $1 WHERE id = 10 RETURNING s", text("7")),
        ("INSERT INTO t (s) SELECT $1 RETURNING s", text("7")),
        ("INSERT INTO t (s, id) SELECT 'a', $1 UNION ALL SELECT 'a', $1 RETURNING s", text("a")),
    ] {
        let asked = ask(statement).with([Value::Int(7)]).declaring([Integer]);
        assert_eq!(asked.rows(&source).await[0][0], expected, "{statement}");
    }
    database.end().await;
}

#[tokio::test]
async fn each_declaration_of_a_parameter_has_a_statement_of_its_own() {
    let database = database!("");
    let source = database.narrow_source();
    for _ in 0..2 {
        let said = |value: Value| {
            let asked = ask("SELECT $1 -- as it is").declaring([declared(&value)]).with([value]);
            let source = &source;
            async move { asked.cell(source).await }
        };
        assert_eq!(said(text("7")).await, text("7"));
        assert_eq!(said(Value::Int(7)).await, Value::Int(7));
        assert_eq!(said(Value::Bool(true)).await, Value::Bool(true));
        assert_eq!(said(Value::Float(2.5)).await, decimal("2.5"));
        let beyond = ask("SELECT $1").with([Value::UInt(u64::MAX)]).declaring([Integer]);
        assert_eq!(beyond.cell(&source).await, decimal("18446744073709551615"));
    }
    database.end().await;
}

#[tokio::test]
async fn a_float_is_not_rounded_to_a_column_of_integers() {
    let database = database!("CREATE TABLE n (a int, b int); INSERT INTO n VALUES (1, 2)");
    let source = database.narrow_source();
    for statement in [
        "UPDATE n SET a = $1",
        "UPDATE n SET a = a + $1",
        "INSERT INTO n (a) SELECT $1",
        "INSERT INTO n (a) SELECT $1 UNION ALL SELECT $1",
        "INSERT INTO n (a) SELECT coalesce(NULL, $1)",
    ] {
        ask(statement).with([Value::Float(2.5)]).declaring([Float]).error(&source).await;
    }
    assert_eq!(database.text("SELECT string_agg(a || ',' || b, ' ') FROM n").await.as_deref(), Some("1,2"));
    database.end().await;
}

#[tokio::test]
async fn a_declared_type_goes_together_with_guards_projections_and_ends() {
    let database = database!(
        "CREATE TYPE mood AS ENUM ('ok'); CREATE TABLE w (id int, f float8, m money, k mood); \
         INSERT INTO w VALUES (1, 0.5, 2.5, 'ok')"
    );
    let source = database.narrow_source();
    let update = || {
        let statement = "UPDATE w SET f = f * $1 WHERE id = $2 RETURNING f::text, $3; -- all of them";
        ask(statement)
            .with([Value::Float(0.1), Value::Int(1), Value::Int(5)])
            .declaring([Float, Integer, Integer])
    };
    for expected in ["0.05", "0.005000000000000001"] {
        assert_eq!(update().rows(&source).await[0], [text(expected), Value::Int(5)]);
    }
    // An exact column is multiplied exactly.
    database.script("ALTER TABLE w ALTER f TYPE numeric USING 0.3").await;
    assert_eq!(update().rows(&source).await[0], [text("0.03"), Value::Int(5)]);
    for _ in 0..2 {
        let asked = ask("SELECT $1, m, k, $2 < $3 FROM w WHERE id < $3 -- all")
            .with([Value::Int(7), Value::Int(10), Value::Int(9)])
            .declaring([Integer, Integer, Integer]);
        let row = asked.rows(&source).await.remove(0);
        assert_eq!(row, [Value::Int(7), text("$2.50"), text("ok"), Value::Bool(false)]);
    }
    database.end().await;
}
