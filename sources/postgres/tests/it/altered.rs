//! Columns that get another type while connections remember statements for the old one.

use std::time::Duration;

use toolbox_source::Value;

use crate::support::{ask, database, decimal, text};

/// What a column may become.
const TYPES: [&str; 38] = [
    "smallint",
    "integer",
    "bigint",
    "numeric",
    "numeric(5,2)",
    "real",
    "double precision",
    "text",
    "varchar(70)",
    "varchar(3)",
    "char(70)",
    "char(3)",
    "name",
    "boolean",
    "money",
    "oid",
    "regclass",
    "json",
    "jsonb",
    "date",
    "timestamp",
    "timestamptz",
    "time",
    "interval",
    "uuid",
    "bytea",
    "bit(8)",
    "xml",
    "mood",
    "posint",
    "label",
    "integer[]",
    "text[]",
    "int4range",
    "citext",
    "point",
    "inet",
    "tsvector",
];

/// Arguments in whose text and casts nothing can be lost, and the types of their columns.
fn arguments() -> Vec<(&'static str, Value)> {
    let long = "x".repeat(63);
    let mut arguments = vec![
        ("smallint", Value::Int(7)),
        ("integer", Value::Int(0)),
        ("integer", Value::Int(2_147_483_647)),
        ("bigint", Value::Int(9_007_199_254_740_993)),
        ("bigint", Value::Int(-7)),
        ("numeric", decimal("123456789012345678901234567890")),
        ("numeric", Value::Float(1e22)),
        ("numeric", Value::Int(-7)),
        ("boolean", Value::Bool(true)),
        ("char(5)", text("ab")),
        ("mood", text("ok")),
        ("citext", text("Ab")),
        ("label", text("x")),
        ("uuid", text("018f3a1e-0000-7000-8000-000000000000")),
        ("date", text("2024-02-29")),
        ("bytea", text("\\x00ff")),
    ];
    let texts = ["x", "7", "ab   ", "", "true", "{1}", long.as_str()];
    arguments.extend(texts.map(|value| ("text", text(value))));
    arguments.push(("varchar(70)", text("ab   ")));
    let nulls = ["text", "jsonb", "integer[]", "posint"];
    arguments.extend(nulls.map(|of| (of, Value::Null)));
    arguments
}

/// The connection casts, and does not ask the server again, because it has asked less than ten seconds ago.
#[tokio::test]
async fn what_a_cast_keeps_is_stored_as_a_new_connection_stores_it() {
    let database = database!(
        "CREATE EXTENSION citext; CREATE TYPE mood AS ENUM ('sad', 'ok'); \
         CREATE DOMAIN posint AS int CHECK (VALUE > 0); CREATE DOMAIN label AS text"
    );
    for (old, argument) in arguments() {
        let columns = |head: &str, types: &dyn Fn(&str) -> String| {
            let columns =
                TYPES.iter().enumerate().map(|(place, new)| format!("{head} a{place} {}", types(new)));
            columns.collect::<Vec<_>>().join(", ")
        };
        database
            .script(&format!("DROP TABLE IF EXISTS t; CREATE TABLE t ({})", columns("", &|_| old.to_owned())))
            .await;
        let source = database.narrow_source();
        let write = |place: usize, end: &str| {
            let sql = format!("INSERT INTO t (a{place}) VALUES ($1) RETURNING a{place}::text || '|' {end}");
            ask(&sql).with([argument.clone()])
        };
        for place in 0..TYPES.len() {
            write(place, "").answer(&source).await.unwrap();
        }
        database
            .script(&format!("ALTER TABLE t {}", columns("ALTER", &|new| format!("TYPE {new} USING NULL"))))
            .await;
        for (place, new) in TYPES.into_iter().enumerate() {
            // `name` takes `t` and not `true`.
            let has_other_words = old == "boolean" && new == "name";
            if has_other_words && argument != Value::Null {
                continue;
            }
            let remembered = write(place, "").answer(&source).await;
            let fresh = write(place, "-- fresh").answer(&source).await;
            match (&remembered, &fresh) {
                (Ok(remembered), Ok(fresh)) => {
                    assert_eq!(remembered.rows, fresh.rows, "{old} {new} {argument:?}");
                }
                (Err(_), Err(_)) => {}
                _ => panic!("{old} {new} {argument:?}: {remembered:?} and {fresh:?}"),
            }
        }
    }
    database.end().await;
}

#[tokio::test]
async fn a_column_may_change_again_and_again() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    let write = |value: Value| ask("INSERT INTO t VALUES ($1) RETURNING a::text").with([value]).cell(&source);
    assert_eq!(write(Value::Int(7)).await, text("7"));
    for (new, value, stored) in [
        ("numeric", Value::Int(8), "8"),
        ("numeric", decimal("8.25"), "8.25"),
        ("double precision", Value::Int(9_007_199_254_740_993), "9.007199254740992e+15"),
        ("text", Value::Int(9), "9"),
        ("text", text("nine"), "nine"),
        ("bigint", Value::Int(9_007_199_254_740_993), "9007199254740993"),
    ] {
        database.script(&format!("ALTER TABLE t ALTER a TYPE {new} USING 1")).await;
        assert_eq!(write(value).await, text(stored), "{new}");
    }
    database.end().await;
}

#[tokio::test]
async fn a_value_that_only_the_old_type_refuses_is_taken() {
    let database = database!(
        "CREATE TYPE mood AS ENUM ('ok'); CREATE DOMAIN posint AS int CHECK (VALUE > 0); \
         CREATE TABLE t (a mood, b posint, c uuid)"
    );
    let source = database.narrow_source();
    let write = |values: [Value; 3]| {
        ask("INSERT INTO t VALUES ($1, $2, $3) RETURNING a::text, b, c::text").with(values).rows(&source)
    };
    let uuid = text("018f3a1e-0000-7000-8000-000000000000");
    write([text("ok"), Value::Int(1), uuid.clone()]).await;
    database.script("ALTER TABLE t ALTER a TYPE text").await;
    assert_eq!(write([text("new"), Value::Int(1), uuid.clone()]).await[0][0], text("new"));
    database.script("ALTER TABLE t ALTER b TYPE int").await;
    assert_eq!(write([text("new"), Value::Int(-1), uuid]).await[0][1], Value::Int(-1));
    database.script("ALTER TABLE t ALTER c TYPE text").await;
    assert_eq!(write([text("new"), Value::Int(-1), text("any")]).await[0][2], text("any"));
    database.end().await;
}

/// The server casts an argument of the old type to the new one.
#[tokio::test]
async fn an_argument_does_not_pass_through_a_type_that_its_column_had_before() {
    let database =
        database!("CREATE TABLE t (a real); CREATE TABLE u (a timestamp); CREATE TABLE v (a char(5))");
    let source = database.narrow_source();
    let digits = "2248543460726312123263361342260.99306";
    let write = || ask("INSERT INTO t VALUES ($1) RETURNING a; -- x").with([decimal(digits)]);
    let moment = |at: &str| ask("UPDATE u SET a = $1").with([text(at)]);
    let within = || {
        ask("WITH w AS (INSERT INTO t VALUES ($1) RETURNING a) SELECT a::text FROM w").with([decimal(digits)])
    };
    let padded = || ask("INSERT INTO v VALUES ($1) RETURNING a").with([text("ab   ")]);
    // Of escapes, which are not read, so that the server is asked for the types.
    let asked = || ask("INSERT INTO t (U&\"\\0061\") VALUES ($1) RETURNING a").with([decimal(digits)]);
    for _ in 0..2 {
        write().done(&source).await;
        moment("2025-01-31T08:00:00").done(&source).await;
        padded().done(&source).await;
        within().done(&source).await;
        asked().done(&source).await;
    }
    database
        .script(
            "ALTER TABLE t ALTER a TYPE numeric; ALTER TABLE u ALTER a TYPE timestamptz; \
             INSERT INTO u VALUES (now()); ALTER TABLE v ALTER a TYPE text",
        )
        .await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(asked().cell(&source).await, decimal(digits));
    assert_eq!(write().cell(&source).await, decimal(digits));
    moment("2025-01-31T10:00:00+02:00").done(&source).await;
    assert_eq!(ask("SELECT a FROM u").cell(&source).await, text("2025-01-31T08:00:00Z"));
    assert_eq!(padded().cell(&source).await, text("ab   "));
    assert_eq!(within().cell(&source).await, text(digits));
    assert_eq!(write().cell(&source).await, decimal(digits));
    database.end().await;
}

/// A read has nothing to fail, so it asks for the types of such arguments now and then.
#[tokio::test]
async fn an_argument_is_compared_in_the_type_that_its_column_has() {
    let database = database!(
        "CREATE TABLE t (a real, at timestamptz); INSERT INTO t VALUES (0.1, '2024-01-02T03:04:05.5Z')"
    );
    let cases = [
        ("SELECT count(*) FROM t WHERE a = $1", decimal("0.1")),
        ("SELECT count(*) FROM t WHERE a = ANY ($1)", Value::Array(vec![decimal("0.1")])),
        ("SELECT count(*) FROM t WHERE at = $1", text("2024-01-02T03:04:05.5Z")),
    ]
    // A connection that prepares one statement anew does so with all of its statements.
    .map(|(statement, argument)| (database.narrow_source(), statement, argument));
    for (source, statement, argument) in &cases {
        for _ in 0..2 {
            ask(statement).with([argument.clone()]).cell(source).await;
        }
    }
    database.script("ALTER TABLE t ALTER a TYPE numeric, ALTER at TYPE text; UPDATE t SET a = 0.1, at = '2024-01-02T03:04:05.5Z'").await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    for (source, statement, argument) in &cases {
        let count = ask(statement).with([argument.clone()]).cell(source).await;
        assert_eq!(count, Value::Int(1), "{statement}");
    }
    database.end().await;
}

/// Nobody waits between the change and the call.
#[tokio::test]
async fn an_argument_is_safe_whatever_its_type_was_inferred_from() {
    let database = database!(
        "CREATE TABLE t (id int, a float8); CREATE TABLE other (id int, a numeric); CREATE VIEW seen AS SELECT id, a AS shown FROM t; \
         CREATE TABLE log (id int, said text); INSERT INTO t VALUES (1, 1); INSERT INTO other VALUES (1, 1); \
         CREATE FUNCTION words(x float8) RETURNS text LANGUAGE sql AS 'SELECT x::text'; \
         CREATE FUNCTION rows() RETURNS TABLE (x float8) LANGUAGE sql AS 'SELECT 0.1::float8'; \
         CREATE TYPE pair AS (x float8, y int); CREATE TABLE shifted (a float8, b numeric); CREATE TABLE turned (a float8, b numeric)"
    );
    let columns: Vec<String> = (0..60).map(|number| format!("c{number} int")).collect();
    let wide = format!(
        "CREATE TABLE wide (a float8, b numeric, {}); INSERT INTO wide VALUES (1, 1)",
        columns.join(", ")
    );
    database.script(&wide).await;
    let digits = "12345678901234567890.125";
    let cases = [
        (
            "INSERT INTO log (said) SELECT words($1) RETURNING said",
            "DROP FUNCTION words; CREATE FUNCTION words(x numeric) RETURNS text LANGUAGE sql AS 'SELECT x::text'",
        ),
        (
            "INSERT INTO log (said) SELECT (CASE WHEN x IS NULL THEN x ELSE $1 END)::text FROM rows() RETURNING said",
            "DROP FUNCTION rows; CREATE FUNCTION rows() RETURNS TABLE (x numeric) LANGUAGE sql AS 'SELECT 0.1'",
        ),
        (
            "UPDATE seen SET shown = $1 RETURNING shown::text",
            "DROP VIEW seen; CREATE VIEW seen AS SELECT id, a AS shown FROM other",
        ),
        (
            "WITH w(k, v) AS (TABLE t) INSERT INTO log (said) SELECT COALESCE(nullif($1, v), v)::text FROM w RETURNING said",
            "ALTER TABLE t RENAME TO was; ALTER TABLE other RENAME TO t; ALTER TABLE was RENAME TO other",
        ),
        (
            "UPDATE log SET said = (CASE WHEN id < 0 THEN (\'(1,2)\'::pair).x ELSE $1 END)::text RETURNING said",
            "ALTER TYPE pair ALTER ATTRIBUTE x TYPE numeric; ALTER TABLE log ADD COLUMN more int",
        ),
        // The columns of the old names have their old types, but at other places.
        (
            "INSERT INTO shifted VALUES ($1) RETURNING COALESCE(to_jsonb(shifted) ->> 'a', to_jsonb(shifted) ->> 'b')",
            "ALTER TABLE shifted DROP COLUMN a; ALTER TABLE shifted ADD COLUMN a float8",
        ),
        (
            "INSERT INTO turned SELECT $1 RETURNING COALESCE(to_jsonb(turned) ->> 'a', to_jsonb(turned) ->> 'b')",
            "ALTER TABLE turned DROP COLUMN a; ALTER TABLE turned ADD COLUMN a float8",
        ),
        (
            "WITH w(k, v) AS (TABLE wide) INSERT INTO log (said) SELECT COALESCE(nullif($1, k), k)::text FROM w RETURNING said",
            "ALTER TABLE wide DROP COLUMN a; ALTER TABLE wide ADD COLUMN a float8; UPDATE wide SET b = 1",
        ),
    ];
    let source = database.narrow_source();
    let call = |statement: &str| ask(statement).with([decimal(digits)]).answer(&source);
    for (statement, change) in cases {
        for _ in 0..2 {
            call(statement).await.unwrap();
        }
        database.script(change).await;
        let remembered = call(statement).await.unwrap().rows;
        let fresh = call(&format!("{statement} -- fresh")).await.unwrap().rows;
        assert_eq!(remembered.first(), fresh.first(), "{statement}");
        assert_eq!(remembered[0][0], text(digits), "{statement}");
    }
    database.end().await;
}
