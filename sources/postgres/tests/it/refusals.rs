//! A value that the server refuses comes back with the place of its argument, whoever refuses it: the parameter, the column,
//! or a cast.

use toolbox_postgres::Postgres;
use toolbox_source::{SourceError, Value};

use crate::support::{ask, database, decimal, text};

fn list(items: &[&str]) -> Value {
    Value::Array(items.iter().map(|item| text(item)).collect())
}

/// A list of a list for each item.
fn nested(items: &[&str]) -> Value {
    Value::Array(items.iter().map(|item| list(&[item])).collect())
}

#[tokio::test]
async fn a_refused_value_has_the_place_of_its_argument() {
    let database = database!(
        "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN posint AS int CHECK (VALUE > 0); \
         CREATE DOMAIN code AS varchar(3); CREATE DOMAIN must AS text NOT NULL; \
         CREATE TABLE t (i int, s smallint, v varchar(5), c char(3), n numeric(5,2), d date, ts timestamp, tz timestamptz, \
         tm time, iv interval, u uuid, m mood, p posint, k code, must must DEFAULT 'x', b bit(4), vb varbit(4), ia int[], \
         va varchar(3)[], ca char(3)[], na numeric(4,1)[], ba bit(3)[], vba varbit(3)[], ka code[], pa posint[], \
         j jsonb, ip inet, mr int4multirange, nn text NOT NULL DEFAULT 'x', r int4range, x xml, by bytea, rt regtype, rp regprocedure, ro regoperator, rc regclass)"
    );
    let source = database.narrow_source();
    // The column, a value that it refuses, and what the error says.
    for (column, value, said) in [
        ("i", text("x"), "whole number"),
        ("s", Value::Int(40_000), "beyond the range of smallint"),
        ("rt", text("-5"), "syntax error"),
        ("rt", text("int["), "syntax error"),
        ("rt", text("nothing"), "does not exist"),
        ("rp", text("fq(1 2)"), "syntax error"),
        ("rp", text("fq(int)"), "does not exist"),
        ("ro", text("+(int"), "expected a right parenthesis"),
        ("rc", text("no.such"), "does not exist"),
        ("v", text("abcdef"), "value too long for type character varying(5)"),
        ("c", text("abcd"), "value too long for type character(3)"),
        ("n", decimal("1000.5"), "numeric field overflow"),
        ("d", text("2025-02-30"), "date/time field value out of range"),
        ("d", text("someday"), "invalid input syntax for type date"),
        ("ts", text("300000-01-01"), "timestamp out of range"),
        ("tz", text("2025-01-31T25:00:00Z"), "date/time field value out of range"),
        ("tm", text("25:00"), "date/time field value out of range"),
        ("iv", text("1 dya"), "invalid input syntax for type interval"),
        ("u", text("018f3a1e"), "invalid input syntax for type uuid"),
        ("m", text("glad"), "invalid input value for enum mood"),
        ("p", Value::Int(-1), "value for domain posint violates check constraint"),
        ("k", text("abcd"), "value too long for type character varying(3)"),
        ("must", Value::Null, "domain must does not allow null values"),
        ("b", text("101"), "bit string length 3 does not match type bit(4)"),
        ("vb", text("10101"), "bit string too long for type bit varying(4)"),
        ("ia", text("{1,x}"), "invalid input syntax for type integer"),
        ("ia", text("{1"), "malformed array literal"),
        ("ia", Value::Array(vec![Value::Int(1), text("x")]), "entry 2"),
        ("va", list(&["abc", "abcd"]), "value too long for type character varying(3)"),
        ("va", nested(&["abc", "abcd"]), "value too long for type character varying(3)"),
        ("va", text("{abc,abcd}"), "value too long for type character varying(3)"),
        ("ca", list(&["abc   ", "abcd"]), "value too long for type character(3)"),
        ("na", Value::Array(vec![Value::Null, decimal("1000.5")]), "numeric field overflow"),
        ("ba", list(&["101", "10"]), "bit string length 2 does not match type bit(3)"),
        ("vba", list(&["101", "1010"]), "bit string too long for type bit varying(3)"),
        ("ka", list(&["abc", "abcd"]), "value too long for type character varying(3)"),
        (
            "pa",
            Value::Array(vec![Value::Int(1), Value::Int(-1)]),
            "value for domain posint violates check constraint",
        ),
        ("j", text("{"), "invalid input syntax for type json"),
        ("ip", text("300.0.0.1"), "invalid input syntax for type inet"),
        ("mr", text("[1"), "malformed multirange literal"),
        ("nn", Value::Null, "null value in column \"nn\""),
        ("r", text("[5,1)"), "range lower bound must be less than or equal to range upper bound"),
        ("x", text("<a>"), "invalid XML content"),
        ("by", text("\\x0"), "invalid hexadecimal data"),
    ] {
        let filler = if column == "i" { "s" } else { "i" };
        for statement in [
            format!("INSERT INTO t ({filler}, {column}) VALUES ($1, $2)"),
            format!("UPDATE t SET {filler} = $1, {column} = $2"),
            format!(
                "WITH w AS (SELECT 1) INSERT INTO public.t AS x ({filler}, {column}) VALUES ($1, $2) RETURNING 1"
            ),
        ] {
            let rows = i32::from(statement.starts_with("UPDATE"));
            database
                .script(&format!("TRUNCATE t; INSERT INTO t (i) SELECT 1 FROM generate_series(1, {rows})"))
                .await;
            // The second call runs what the first has prepared.
            for _ in 0..2 {
                let asked = ask(&statement).with([Value::Int(1), value.clone()]).answer(&source).await;
                let Err(SourceError::Argument { index: 1, message }) = &asked else {
                    panic!("{statement} {value:?}: {asked:?}")
                };
                assert!(message.contains(said), "{statement} {value:?}: {message}");
            }
            assert_eq!(database.text("SELECT count(*) FROM t").await, Some(rows.to_string()));
        }
    }
    database.end().await;
}

/// As the vectors of an extension have a number of dimensions. The type of this test is a text of a length.
#[tokio::test]
async fn a_column_of_a_type_of_its_own_limits_its_values_too() {
    let database = database!(
        "CREATE TYPE \"the label\";
         CREATE FUNCTION label_in(cstring, oid, int) RETURNS \"the label\" AS 'varcharin' LANGUAGE internal IMMUTABLE STRICT;
         CREATE FUNCTION label_out(\"the label\") RETURNS cstring AS 'varcharout' LANGUAGE internal IMMUTABLE STRICT;
         CREATE FUNCTION label_recv(internal, oid, int) RETURNS \"the label\" AS 'bytearecv' LANGUAGE internal IMMUTABLE STRICT;
         CREATE FUNCTION label_send(\"the label\") RETURNS bytea AS 'byteasend' LANGUAGE internal IMMUTABLE STRICT;
         CREATE FUNCTION label_typmod_in(cstring[]) RETURNS int AS 'varchartypmodin' LANGUAGE internal IMMUTABLE STRICT;
         CREATE FUNCTION label_typmod_out(int) RETURNS cstring AS 'varchartypmodout' LANGUAGE internal IMMUTABLE STRICT;
         CREATE TYPE \"the label\" (INPUT = label_in, OUTPUT = label_out, RECEIVE = label_recv, SEND = label_send,
             TYPMOD_IN = label_typmod_in, TYPMOD_OUT = label_typmod_out, LIKE = varchar);
         CREATE FUNCTION \"a label\"(\"the label\", int, boolean) RETURNS \"the label\" AS 'varchar' LANGUAGE internal IMMUTABLE STRICT;
         CREATE CAST (\"the label\" AS \"the label\") WITH FUNCTION \"a label\"(\"the label\", int, boolean) AS IMPLICIT;
         CREATE TABLE t (a \"the label\"(5), b \"the label\"(3), c \"the label\"(3)[])"
    );
    let source = database.source();
    for (place, values) in [
        (0, [text("longer"), text("b"), list(&[])]),
        (1, [text("a"), text("long"), list(&["c"])]),
        (2, [text("a"), text("b"), list(&["c", "long"])]),
    ] {
        let error = ask("INSERT INTO t VALUES ($1, $2, $3)").with(values).answer(&source).await.unwrap_err();
        assert!(matches!(error, SourceError::Argument { index, .. } if index == place), "{place} {error:?}");
    }
    let right = [text("fives"), text("abc"), list(&["abc", ""])];
    ask("INSERT INTO t VALUES ($1, $2, $3)").with(right).done(&source).await;
    assert_eq!(
        database.text("SELECT concat_ws(' ', a, b, c) FROM t").await.as_deref(),
        Some("fives abc {abc,\"\"}")
    );
    database.end().await;
}

#[tokio::test]
async fn of_several_arguments_the_refused_one_is_named() {
    let database = database!(
        "CREATE TABLE t (a varchar(3), gone int, b varchar(3), c varchar(9), n numeric(3,1), o numeric(4,1)); \
         ALTER TABLE t DROP gone"
    );
    let source = database.narrow_source();
    let all = |statement: &str, values: [Value; 5]| ask(statement).with(values).answer(&source);
    let by_place = "INSERT INTO t VALUES ($1, $2, $3, $4, $5)";
    for (place, values) in [
        (0, [text("long"), text("b"), text("c"), Value::Int(1), Value::Int(1)]),
        (1, [text("a"), text("long"), text("c"), Value::Int(1), Value::Int(1)]),
        (3, [text("a"), text("b"), text("longer"), Value::Int(100), Value::Int(100)]),
        (4, [text("a"), text("b   "), text("longer"), Value::Int(99), Value::Int(1000)]),
    ] {
        let error = all(by_place, values).await.unwrap_err();
        assert!(matches!(error, SourceError::Argument { index, .. } if index == place), "{place} {error:?}");
    }
    // What no argument is to blame for has none.
    let error = ask("INSERT INTO t (a, b) VALUES ('long', $1)").with([text("b")]).answer(&source).await;
    assert!(matches!(error, Err(SourceError::Database(_))), "{error:?}");
    let refused =
        ask("UPDATE t SET n = $1 WHERE $2::int4multirange IS NOT NULL").with([Value::Int(1), text("[1")]);
    assert!(matches!(refused.answer(&source).await, Err(SourceError::Argument { index: 1, .. })));
    database.end().await;
}

/// Tables of which each column refuses something.
const SCHEMA: &str = "CREATE TYPE mood AS ENUM ('a', 'b'); CREATE DOMAIN small AS int CHECK (value < 10);
     CREATE TABLE t (id serial PRIMARY KEY, si smallint, k int, d numeric(5,2), s varchar(3), e mood, da date, ts timestamp,
       p small, nn int NOT NULL DEFAULT 0, name text, l varchar(3)[]);
     INSERT INTO t (si, k, d, s, e, da, ts, p, name) VALUES (1, 1, 1, 'a', 'a', '2024-01-01', '2024-01-01', 1, 'a long name');
     CREATE TABLE parent (id int PRIMARY KEY); INSERT INTO parent VALUES (1);
     CREATE TABLE c (n int, m int, k int, p int REFERENCES parent, v text, CONSTRAINT \"more than 0\" CHECK (n > 0),
       CONSTRAINT both_small CHECK (n + m < 10), UNIQUE (m, v), r int4range, EXCLUDE USING gist (r WITH &&));
     CREATE UNIQUE INDEX \"one k\" ON c (k);
     INSERT INTO c VALUES (1, 1, 1, 1, 'x', '[1,5)');
     CREATE TABLE parts (a int, \"the key\" int) PARTITION BY RANGE (\"the key\");
     CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (9);
     INSERT INTO parts VALUES (1, 1);
     CREATE TABLE made (a int, g int GENERATED ALWAYS AS (a * 2) STORED CHECK (g < 10), b int, v text);
     CREATE UNIQUE INDEX ON made (lower(v)); INSERT INTO made (b, v) VALUES (1, 'a');
     CREATE TABLE of_sums (a int, b int, c int) PARTITION BY RANGE ((a + b));
     CREATE TABLE of_sums_0 PARTITION OF of_sums FOR VALUES FROM (0) TO (9);
     CREATE TABLE keyed (a int PRIMARY KEY, v text) PARTITION BY RANGE (a);
     CREATE TABLE keyed_0 PARTITION OF keyed FOR VALUES FROM (0) TO (9); INSERT INTO keyed VALUES (1);
     CREATE FUNCTION checked(a int) RETURNS int LANGUAGE plpgsql AS
       $$ BEGIN IF a > 5 THEN RAISE EXCEPTION 'too big' USING errcode = '22003'; END IF; RETURN a; END $$;
     CREATE PROCEDURE \"writes it\"(a int, b text) LANGUAGE plpgsql AS
       $$ BEGIN UPDATE t SET name = repeat(b, a), s = name; END $$";

/// Which arguments are named for a call that is refused.
async fn named(source: &Postgres, statement: &str, arguments: Vec<Value>) -> Vec<usize> {
    match ask(statement).with(arguments).answer(source).await.unwrap_err() {
        SourceError::Argument { index, .. } => vec![index],
        SourceError::Arguments { indexes, .. } => indexes,
        SourceError::Database(_) => Vec::new(),
        error => panic!("{statement} {error:?}"),
    }
}

async fn assert_named(cases: Vec<(&str, Vec<Value>, &[usize])>) {
    let database = database!(SCHEMA);
    let source = database.source();
    for (statement, arguments, expected) in cases {
        assert_eq!(named(&source, statement, arguments).await, expected, "{statement}");
    }
    database.end().await;
}

/// Where the statement makes something of its arguments.
#[tokio::test]
async fn the_arguments_that_a_refused_value_is_made_of_are_named() {
    let int = Value::Int;
    let cases: Vec<(&str, Vec<Value>, &[usize])> = vec![
        // What a new value is made of.
        ("UPDATE t SET si = si + $1", vec![int(32_767)], &[0]),
        (
            "UPDATE t SET k = $1 + k, name = $2 WHERE id = $3",
            vec![int(i64::from(i32::MAX)), text("x"), int(1)],
            &[0],
        ),
        ("UPDATE t SET d = 1 / ($1 - 1), k = $2", vec![int(1), int(1)], &[0]),
        ("UPDATE t SET d = round($1, 1)", vec![Value::Float(1000.5)], &[0]),
        ("UPDATE t SET s = s || $1", vec![text("abc")], &[0]),
        ("UPDATE t SET s = $1 || 'x'", vec![text("abc")], &[0]),
        ("UPDATE t SET s = left($1, $2), name = $3", vec![text("longer"), int(5), text("x")], &[0]),
        ("UPDATE t SET ts = ts + make_interval(days => $1)", vec![int(i64::from(i32::MAX))], &[0]),
        ("UPDATE t SET p = p + $1", vec![int(9)], &[0]),
        ("UPDATE t SET nn = nn + $1", vec![Value::Null], &[0]),
        ("UPDATE t SET l = array_append(l, $1)", vec![text("long")], &[0]),
        ("UPDATE t SET (s, k) = ($1, $2 + 0)", vec![text("long"), int(1)], &[0]),
        ("UPDATE t SET e = lower($1)::mood, name = $2", vec![text("Z"), text("a")], &[0]),
        ("UPDATE t SET da = to_date($1, $2)", vec![text("2024-13-01"), text("YYYY-MM-DD")], &[0]),
        ("INSERT INTO t (si, s) VALUES ($1 * 2, $2 || 'x')", vec![int(30_000), text("a")], &[0]),
        ("INSERT INTO t (si, s) VALUES (abs($1), 'a'), (abs($2), 'b')", vec![int(1), int(40_000)], &[1]),
        ("INSERT INTO t (si, s) SELECT abs($1), upper($2)", vec![int(10), text("long")], &[1]),
        ("INSERT INTO t (s) SELECT v FROM (SELECT $1 AS v) q", vec![text("long")], &[0]),
        (
            "INSERT INTO t (s, k) SELECT * FROM unnest($1::text[], ARRAY[$2::int])",
            vec![list(&["long"]), int(1)],
            &[0],
        ),
        (
            "INSERT INTO t (id, s) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET s = excluded.s || $1",
            vec![text("abc")],
            &[0],
        ),
        ("WITH q AS (SELECT $1::text AS v) UPDATE t SET s = q.v FROM q", vec![text("long")], &[0]),
        // Of several that may be chosen, the refused one.
        (
            "UPDATE t SET s = CASE WHEN name = $1 THEN $2 ELSE s END",
            vec![text("a long name"), text("long")],
            &[1],
        ),
        ("UPDATE t SET d = CASE WHEN k > $1 THEN $2 ELSE d END", vec![int(0), Value::Float(1000.5)], &[1]),
        ("UPDATE t SET s = coalesce($1, $2)", vec![text("long"), text("a")], &[0]),
        ("UPDATE t SET nn = CASE WHEN id = $1 THEN $2 ELSE nn END", vec![int(1), Value::Null], &[1]),
    ];
    assert_named(cases).await;
}

#[tokio::test]
async fn the_arguments_that_a_constraint_or_a_function_refuses_are_named() {
    let int = Value::Int;
    let cases: Vec<(&str, Vec<Value>, &[usize])> = vec![
        // What constraints are about.
        ("INSERT INTO c (n, m) VALUES ($1, $2)", vec![int(-1), int(1)], &[0]),
        ("INSERT INTO c (n, m) VALUES ($1, $2)", vec![int(5), int(50)], &[0, 1]),
        ("INSERT INTO c (k, v) VALUES ($1, $2)", vec![int(1), text("1")], &[0]),
        ("INSERT INTO c (k) VALUES ($1), ($2), ($3)", vec![int(5), int(1), int(6)], &[1]),
        ("INSERT INTO c (n, m, v) VALUES ($1, $2, $3)", vec![int(2), int(1), text("x")], &[1, 2]),
        ("INSERT INTO c (p, v) VALUES ($1, $2)", vec![int(7), text("7")], &[0]),
        ("INSERT INTO c (r, v) VALUES ($1, $2)", vec![text("[2,3)"), text("a")], &[0]),
        ("UPDATE c SET n = n - $1 WHERE k = $2", vec![int(5), int(1)], &[0]),
        ("INSERT INTO parts VALUES ($1, $2)", vec![int(50), int(50)], &[1]),
        // What functions do not take.
        ("SELECT k / $1, $2::text FROM t", vec![int(0), text("0")], &[0]),
        ("SELECT power($1, $2)", vec![Value::Float(10.5), Value::Float(400.5)], &[0, 1]),
        ("SELECT id FROM t WHERE name ~ $1 AND id = $2", vec![text("("), int(1)], &[0]),
        ("SELECT date_trunc($1, ts) FROM t WHERE k = $2", vec![text("nonsense"), int(1)], &[0]),
        ("SELECT ($1 || '-01')::date", vec![text("2024-13")], &[0]),
        ("SELECT id FROM t LIMIT $1", vec![int(-1)], &[0]),
        ("SELECT set_config($1, 'x', true)", vec![text("nonsense")], &[0]),
        ("SELECT chr($1)", vec![int(0)], &[0]),
        ("SELECT checked($1)", vec![int(9)], &[0]),
    ];
    assert_named(cases).await;
}

#[tokio::test]
async fn no_argument_is_named_where_a_row_is_to_blame() {
    let int = Value::Int;
    let cases: Vec<(&str, Vec<Value>, &[usize])> = vec![
        // Rows are to blame, or another value.
        ("UPDATE t SET k = k * 2147483647 * 2 WHERE id = $1", vec![int(1)], &[]),
        ("UPDATE t SET s = name WHERE left(name, $1) = $2", vec![int(1), text("a")], &[]),
        ("UPDATE t SET s = CASE WHEN id = 1 THEN name ELSE $1 END", vec![text("abc")], &[]),
        ("UPDATE t SET s = name, name = $1", vec![text("long")], &[]),
        ("SELECT 1 / (k - 1), $1::text FROM t", vec![text("a")], &[]),
        ("SELECT string_to_array(name, $1)::int[] FROM t", vec![text(",")], &[]),
        ("SELECT name::json, $1::text FROM t", vec![text("other")], &[]),
        ("SELECT ($1::text || '}')::json, $2::text", vec![text("{x"), text("a")], &[0]),
        ("DELETE FROM parent WHERE id = $1", vec![int(1)], &[]),
        ("CALL \"writes it\"($1, $2)", vec![int(4), text("x")], &[]),
        // A column of its own gets what is made of rows.
        ("INSERT INTO t (s, name) SELECT name, $1 FROM t", vec![text("as long")], &[]),
        ("INSERT INTO t (s, name) SELECT name, upper($1) FROM t", vec![text("as long")], &[]),
        ("INSERT INTO t (s) SELECT name FROM t WHERE name LIKE $1 || '%'", vec![text("a long")], &[]),
        (
            "INSERT INTO t (s) SELECT name FROM t WHERE lower(name) = lower($1)",
            vec![text("A LONG NAME")],
            &[],
        ),
        ("INSERT INTO t (si, d) SELECT 40000 * k, abs($1) FROM t", vec![int(5)], &[]),
        ("INSERT INTO t (si, k) SELECT 40000 * k, k + $1 FROM t", vec![int(5)], &[]),
        ("UPDATE t SET si = k * 40000, k = k + $1", vec![int(5)], &[]),
        ("UPDATE t SET d = k * 40000, ts = ts + make_interval(days => $1)", vec![int(5)], &[]),
        ("UPDATE t SET s = name, name = left($1, 2)", vec![text("longer")], &[]),
        ("UPDATE t SET k = name::int, name = $1", vec![text("a long name")], &[]),
        ("UPDATE t SET nn = NULLIF(k, 1), k = k + $1", vec![int(1)], &[]),
        ("UPDATE t SET nn = NULL, k = $1", vec![Value::Null], &[]),
        ("INSERT INTO c (n, m) SELECT -k, $1 + k FROM t", vec![int(1)], &[]),
        ("UPDATE c SET n = n - 5, v = $1", vec![text("x")], &[]),
        ("INSERT INTO parts SELECT $1, 50 FROM t", vec![int(50)], &[]),
        ("INSERT INTO parts SELECT k + $1, 50 FROM t", vec![int(50)], &[]),
        // Another row of the statement, and what it does instead.
        ("INSERT INTO c (n, v) VALUES ($1, 'a'), (-1, 'b')", vec![int(3)], &[]),
        (
            "INSERT INTO c (n, k) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET n = -5",
            vec![int(3), int(1)],
            &[],
        ),
        ("INSERT INTO c (k, v) VALUES ($1, $2), (1, 'x')", vec![int(7), text("1")], &[]),
        ("INSERT INTO parts VALUES ($1, $2), (1, 50)", vec![int(3), int(4)], &[]),
        // A row, beside what is made of arguments alone.
        ("SELECT name::int, upper($1) FROM t", vec![text("a")], &[]),
        ("SELECT id FROM t WHERE name = $1 AND name::int = 5", vec![text("a long name")], &[]),
        ("SELECT k * 2147483647 * 2, abs($1) FROM t", vec![int(5)], &[]),
        ("SELECT 10 / (k - 1) FROM t WHERE k > $1", vec![int(0)], &[]),
        ("SELECT id FROM t WHERE name ~ '(' AND name LIKE $1", vec![text("x")], &[]),
    ];
    assert_named(cases).await;
}

/// Where several arguments could be meant, or where the column of the constraint is not the one that is written.
#[tokio::test]
async fn only_the_arguments_that_an_error_is_about_are_named() {
    let int = Value::Int;
    let cases: Vec<(&str, Vec<Value>, &[usize])> = vec![
        ("SELECT id FROM t LIMIT $1 OFFSET $2", vec![int(-1), int(1)], &[0]),
        ("SELECT id FROM t LIMIT $1 OFFSET $2", vec![int(1), int(-1)], &[1]),
        ("SELECT id FROM t WHERE k > $1 LIMIT $2", vec![int(-5), int(-1)], &[1]),
        ("SELECT id FROM t WHERE name LIKE $1 ESCAPE $2", vec![text("a"), text("ab")], &[1]),
        ("SELECT id FROM t WHERE name LIKE $1 ESCAPE $2", vec![text("a!"), text("!")], &[0]),
        ("INSERT INTO c (n, v) VALUES ($1, 'a'), ($2, 'b'), ($3, 'c')", vec![int(3), int(-1), int(4)], &[1]),
        (
            "INSERT INTO c (n, m, v) VALUES ($1, $2, 'a'), ($3, $4, 'b')",
            vec![int(3), int(1), int(5), int(50)],
            &[2, 3],
        ),
        ("INSERT INTO parts VALUES ($1, $2), ($3, $4)", vec![int(1), int(1), int(50), int(51)], &[3]),
        ("UPDATE parts SET \"the key\" = $1, a = $2", vec![int(50), int(51)], &[0]),
        ("UPDATE part SET \"the key\" = $1, a = $2", vec![int(50), int(51)], &[0]),
        ("INSERT INTO part VALUES ($1, $2)", vec![int(3), int(50)], &[1]),
        ("INSERT INTO made (a, b) VALUES ($1, $2)", vec![int(6), int(1)], &[0]),
        ("INSERT INTO made (b, v) VALUES ($1, $2)", vec![int(2), text("A")], &[1]),
        ("INSERT INTO of_sums VALUES ($1, $2, $3)", vec![int(30), int(30), int(30)], &[0, 1]),
        ("INSERT INTO keyed VALUES ($1, $2)", vec![int(1), text("1")], &[0]),
        (
            "UPDATE t SET s = coalesce($1, $2), name = coalesce($3, name)",
            vec![text("a"), text("b"), text("long")],
            &[],
        ),
        ("INSERT INTO t (k) SELECT $1", vec![int(3_000_000_000)], &[0]),
        ("INSERT INTO t (k, name) SELECT $1, $2", vec![int(3_000_000_000), int(3_000_000_000)], &[0]),
        ("UPDATE t SET si = $1::int * $2, k = $3 * 2", vec![int(300), int(300), int(7)], &[0, 1]),
        ("SELECT left($1, 3) || (1 / $2)::text", vec![text("a"), int(0)], &[1]),
    ];
    // One of them is not refused at all.
    let (right, wrong): (Vec<_>, Vec<_>) = cases.into_iter().partition(|(.., expected)| expected.is_empty());
    assert_named(wrong).await;
    let database = database!(SCHEMA);
    let source = database.source();
    for (statement, arguments, _) in right {
        ask(statement).with(arguments).done(&source).await;
    }
    database.end().await;
}

#[tokio::test]
async fn a_refused_value_costs_no_prepared_statement() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    let write = |value: Value| ask("INSERT INTO t VALUES ($1)").with([value]);
    write(Value::Int(1)).done(&source).await;
    let names = "SELECT name FROM pg_prepared_statements WHERE statement = 'INSERT INTO t VALUES ($1)'";
    let before = ask(names).cell(&source).await;
    write(text("x")).error(&source).await;
    write(Value::Int(2)).done(&source).await;
    assert_eq!(ask(names).cell(&source).await, before);
    database.end().await;
}
