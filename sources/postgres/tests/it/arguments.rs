//! What is bound arrives in the database exactly, or is refused by its place.

use toolbox_source::{Declared, SourceError, Value};

use crate::support::{Database, ask, database, decimal, text};

/// Holds what is bound to what the server reads from a literal of the type.
async fn arrive(database: &Database, cases: impl IntoIterator<Item = (&'static str, Value, &'static str)>) {
    let source = database.source();
    for (type_name, argument, literal) in cases {
        let shown = format!("{argument:?}");
        let bound = ask(&format!("SELECT $1::{type_name}::text")).with([argument]).cell(&source).await;
        let server =
            database.text(&format!("SET bytea_output = hex; SELECT '{literal}'::{type_name}::text")).await;
        assert_eq!(bound, text(&server.unwrap()), "{type_name} {shown}");
        let null = ask(&format!("SELECT $1::{type_name}")).with([Value::Null]).cell(&source).await;
        assert_eq!(null, Value::Null, "{type_name}");
    }
}

#[tokio::test]
async fn an_argument_arrives_as_the_server_reads_its_text() {
    let database =
        database!("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN small AS int CHECK (VALUE < 10)");
    let int = Value::Int;
    let list = |items: Vec<Value>| Value::Array(items);
    // The type of the parameter, the argument, and a literal of the type.
    let cases = [
        ("int8", int(i64::MAX), "9223372036854775807"),
        ("int8", text("-9223372036854775808"), "-9223372036854775808"),
        ("int4", decimal("7.00"), "7"),
        ("int2", Value::Float(3.0), "3"),
        ("oid", int(4_294_967_295), "4294967295"),
        ("small", int(9), "9"),
        ("text", int(5), "5"),
        ("text", decimal("1.10"), "1.10"),
        ("varchar", Value::Bool(true), "true"),
        ("text", text("Ελένη 'x' 🦊"), "Ελένη ''x'' 🦊"),
        ("bool", Value::Bool(false), "f"),
        ("bool", text("yes"), "t"),
        ("float8", Value::Float(0.1), "0.1"),
        ("float8", int(7), "7"),
        ("float8", text("NaN"), "NaN"),
        ("float4", decimal("0.1"), "0.1"),
        ("numeric", decimal("1.10"), "1.10"),
        ("numeric", decimal("-0.00001"), "-0.00001"),
        (
            "numeric",
            decimal("12345678901234567890.12345678901234567890"),
            "12345678901234567890.12345678901234567890",
        ),
        ("numeric", decimal("10000"), "10000"),
        ("numeric", decimal("0.000"), "0.000"),
        ("numeric", text("1.5e3"), "1.5e3"),
        ("numeric", text("1.5e-10"), "1.5e-10"),
        ("numeric", Value::UInt(u64::MAX), "18446744073709551615"),
        ("numeric", Value::Float(0.1), "0.1"),
        ("numeric", text("-Infinity"), "-Infinity"),
        ("numeric", text("NaN"), "NaN"),
        ("uuid", text("A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11"), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("uuid", text("{a0eebc999c0b4ef8bb6d6bb9bd380a11}"), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("date", text("2024-02-29"), "2024-02-29"),
        ("date", text("1 March 1600"), "1600-03-01"),
        ("date", text("infinity"), "infinity"),
        ("date", text("0044-03-15 BC"), "0044-03-15 BC"),
        ("time", text("04:05:06.789"), "04:05:06.789"),
        ("time", text("04:05"), "04:05"),
        ("time", text("24:00"), "24:00"),
        ("timetz", text("04:05:06+02"), "04:05:06+02"),
        ("timestamp", text("2024-01-02T03:04:05.123456"), "2024-01-02 03:04:05.123456"),
        ("timestamp", text("1969-12-31 23:59:59.5"), "1969-12-31 23:59:59.5"),
        ("timestamp", text("2024-01-02T03:04:05.1234567"), "2024-01-02 03:04:05.1234567"),
        ("timestamp", text("2024-01-02T03:04:05Z"), "2024-01-02 03:04:05"),
        ("timestamp", text("2024-01-02 03:04:05+00:00"), "2024-01-02 03:04:05"),
        ("timestamptz", text("2024-01-02T03:04:05Z"), "2024-01-02 03:04:05+00"),
        ("timestamptz", text("2024-01-02T03:04:05.5+05:30"), "2024-01-02 03:04:05.5+05:30"),
        ("timestamptz", text("2024-01-02 03:04:05-08"), "2024-01-02 03:04:05-08"),
        ("timestamptz", text("2024-01-02"), "2024-01-02 00:00+00"),
        ("timestamptz", text("2024-01-02 03:04 America/New_York"), "2024-01-02 03:04 America/New_York"),
        ("interval", text("1 day 2 hours"), "1 day 2 hours"),
        ("inet", text("10.0.0.1"), "10.0.0.1"),
        ("macaddr", text("08:00:2b:01:02:03"), "08:00:2b:01:02:03"),
        ("money", text("$1.50"), "$1.50"),
        ("mood", text("ok"), "ok"),
        ("int4range", text("[1,5)"), "[1,5)"),
        ("point", text("(1,2)"), "(1,2)"),
        ("varbit", text("10101"), "10101"),
        ("bytea", Value::Bytes(vec![0, 255]), "\\x00ff"),
        ("bytea", text("\\x00ff"), "\\x00ff"),
        ("jsonb", text("{\"a\": 1.50}"), "{\"a\": 1.50}"),
        (
            "jsonb",
            Value::Object(vec![("a\"".to_owned(), list(vec![int(i64::MAX), Value::Null]))]),
            "{\"a\\\"\": [9223372036854775807, null]}",
        ),
        ("json", Value::Json("[1]".to_owned()), "[1]"),
        ("xml", text("<a/>"), "<a/>"),
        ("\"char\"", text("x"), "x"),
        ("regclass", text("pg_class"), "pg_class"),
        ("regclass", text("1259"), "1259"),
        ("regclass", int(1259), "1259"),
        ("regtype", int(23), "23"),
    ];
    arrive(&database, cases).await;
    database.end().await;
}

#[tokio::test]
async fn a_list_arrives_as_the_server_reads_an_array() {
    let database = database!("CREATE TYPE mood AS ENUM ('sad', 'ok')");
    let (int, list) = (Value::Int, Value::Array);
    let cases = [
        ("int8[]", list(vec![int(i64::MIN), Value::Null]), "{-9223372036854775808,NULL}"),
        ("int4[]", list(vec![]), "{}"),
        ("int4[]", list(vec![list(vec![int(1), int(2)]), list(vec![int(3), int(4)])]), "{{1,2},{3,4}}"),
        ("int4[]", text("{1,2}"), "{1,2}"),
        ("text[]", list(vec![text("a,b"), text("NULL"), text("")]), "{\"a,b\",\"NULL\",\"\"}"),
        ("numeric[]", list(vec![decimal("1.10")]), "{1.10}"),
        ("mood[]", list(vec![text("sad")]), "{sad}"),
        ("date[]", list(vec![text("2024-01-02")]), "{2024-01-02}"),
        ("interval[]", list(vec![text("1 day"), Value::Null]), "{1 day,NULL}"),
        ("inet[]", list(vec![list(vec![text("10.0.0.1")]), list(vec![text("::1")])]), "{{10.0.0.1},{::1}}"),
        ("date[]", list(vec![text("1 March 1600")]), "{1600-03-01}"),
        ("point[]", list(vec![text("(1,2)")]), "{\"(1,2)\"}"),
        ("bytea[]", list(vec![text("\\x00")]), "{\"\\\\x00\"}"),
        ("char(3)[]", text("{abc}"), "{abc}"),
        ("varbit[]", list(vec![text("101")]), "{101}"),
        ("bit(3)[]", list(vec![text("101")]), "{101}"),
        ("jsonb[]", list(vec![list(vec![int(1)])]), "{[1]}"),
    ];
    arrive(&database, cases).await;
    database.end().await;
}

#[tokio::test]
async fn an_argument_that_does_not_fit_is_refused_by_its_place() {
    let database = database!(
        "CREATE DOMAIN small AS interval CHECK (VALUE < '1 day'); CREATE DOMAIN tiny AS int CHECK (VALUE < 3); CREATE TYPE mood AS ENUM ('sad')"
    );
    let source = database.source();
    let cases = [
        ("int4", Value::Float(3.5), "whole number"),
        ("int4", decimal("3.5"), "whole number"),
        ("int4", text("5x"), "whole number"),
        ("int4", Value::Bool(true), "whole number"),
        ("int4", Value::Int(2_147_483_648), "beyond the range of integer"),
        ("oid", Value::Int(-1), "beyond the range of oid"),
        ("numeric", text("1,5"), "number"),
        ("numeric", text("1e999999"), "number"),
        ("float4", Value::Float(1e300), "beyond the range of real"),
        ("float4", Value::Float(-1e-46), "beyond the range of real"),
        ("float4", text("1e39"), "beyond the range of real"),
        ("float8", text("1e400"), "beyond the range of double precision"),
        ("float8", text("-1.5e-400"), "beyond the range of double precision"),
        ("float8[]", Value::Array(vec![text("1e400")]), "beyond the range of double precision"),
        ("bool", text("maybe"), "true or false"),
        ("date", text("2024-02-30"), "out of range"),
        ("date", text("soon"), "invalid input syntax"),
        ("timestamp", text("2024-01-02T03:04:05+02:00"), "keeps no offset"),
        ("timestamp[]", Value::Array(vec![text("2024-01-02 03:04:05.5-08")]), "keeps no offset"),
        ("timestamp", text("20250131T100000+0200"), "keeps no offset"),
        ("timestamp", text("2025-01-31T10:00:00 +02"), "keeps no offset"),
        ("timestamp", text("Fri Jan 31 10:00:00 2025 +0200"), "keeps no offset"),
        ("timestamp", text("2025-01-31 10:00 PST"), "keeps no offset"),
        ("timestamp", text("2025-01-31 10:00 Europe/Berlin"), "keeps no offset"),
        ("timestamp[]", text("{2025-01-31T10:00:00Z,2025-01-31T10:00:00+02:00}"), "keeps no offset"),
        ("timestamp[]", Value::Array(vec![text("2025-01-31 10:00 PST"), Value::Null]), "keeps no offset"),
        ("uuid", text("12"), "invalid input syntax"),
        ("text", text("a\0b"), "NUL"),
        ("text", Value::Array(vec![]), "array"),
        ("text", Value::Bytes(vec![1]), "bytes"),
        ("int4[]", Value::Array(vec![Value::Int(1), text("x")]), "entry 2"),
        (
            "int4[]",
            Value::Array(vec![Value::Array(vec![Value::Int(1)]), Value::Array(vec![])]),
            "equal length",
        ),
        ("varbit", text("12"), "0 and 1"),
        ("varbit", text(" 101"), "0 and 1"),
        ("bit(3)[]", text("{101}"), "only as a list"),
        ("\"char\"", text("xy"), "one byte"),
        ("interval", text("1 parsec"), "invalid input syntax"),
        ("small", text("2 days"), "check constraint"),
        // These are refused when the statement itself takes them.
        ("tiny", Value::Int(5), "check constraint"),
        ("mood", text("glad"), "invalid input value for enum mood: \"glad\""),
        ("mood[]", Value::Array(vec![text("glad")]), "invalid input value for enum mood"),
        (
            "json",
            text("{"),
            "invalid input syntax for type json; detail: The input string ended unexpectedly.",
        ),
        ("jsonb", Value::Json("[1".to_owned()), "invalid input syntax for type json"),
        ("xml", text("<"), "invalid XML"),
        ("regclass", text("no_such_table"), "does not exist"),
        ("tsquery", text("a &"), "tsquery"),
        ("jsonpath", text("$["), "jsonpath"),
        ("name", text(&"x".repeat(64)), "identifier too long"),
    ];
    for (type_name, argument, words) in cases {
        let shown = format!("{argument:?}");
        let asked = ask(&format!("SELECT $1::text, $2::{type_name}")).with([text("x"), argument]);
        match asked.answer(&source).await {
            Err(SourceError::Argument { index: 1, message }) => {
                assert!(message.contains(words), "{type_name} {shown}: {message}");
            }
            other => panic!("{type_name} {shown}: {other:?}"),
        }
    }
    database.end().await;
}

/// Other spellings of a moment are read by the server, which also knows whether it would drop a zone.
#[tokio::test]
async fn moments_without_a_zone_or_in_utc_are_read_in_any_spelling() {
    let database = database!("CREATE TABLE t (a timestamp, l timestamp[])");
    let source = database.source();
    for (spelled, moment) in [
        ("20250131T100000Z", "2025-01-31T10:00:00"),
        ("2025-01-31 10:00 UTC", "2025-01-31T10:00:00"),
        ("Fri Jan 31 10:00:00 2025", "2025-01-31T10:00:00"),
        ("2025-01-31 10:00:00.1234567", "2025-01-31T10:00:00.123457"),
        ("infinity", "infinity"),
        ("epoch", "1970-01-01T00:00:00"),
        ("0044-03-15 BC", "0044-03-15T00:00:00 BC"),
    ] {
        let insert = ask("INSERT INTO t VALUES ($1, $2) RETURNING a, l[1]");
        let row =
            insert.with([text(spelled), Value::Array(vec![text(spelled), Value::Null])]).rows(&source).await;
        assert_eq!(row, [[text(moment), text(moment)]], "{spelled}");
    }
    database.end().await;
}

#[tokio::test]
async fn a_zone_that_a_day_a_time_or_a_range_would_drop_is_refused() {
    let database = database!(
        "CREATE TABLE t (d date, t time, r tsrange, m tsmultirange, dr daterange, dm datemultirange,
               dl date[], tl time[], rl tsrange[], ml tsmultirange[], drl daterange[], dml datemultirange[])"
    );
    let source = database.narrow_source();
    let list = |item: &str| Value::Array(vec![text(item), Value::Null]);
    for (column, list_column, spelled, kept) in [
        ("d", "dl", "2025-01-31T23:00:00-05:00", None),
        ("d", "dl", "2025-01-31 01:00:00 Europe/Berlin", Some("2025-01-31")),
        ("d", "dl", "20250131T230000-0500", None),
        ("d", "dl", "2025-01-31T23:00:00Z", Some("2025-01-31")),
        ("d", "dl", "2025-01-31T10:00:00+02:00", Some("2025-01-31")),
        ("d", "dl", "300000-01-01", Some("300000-01-01")),
        ("d", "dl", "Jan 31 2025", Some("2025-01-31")),
        ("d", "dl", "infinity", Some("infinity")),
        ("t", "tl", "10:00+02:00", None),
        ("t", "tl", "2025-01-31 10:00 Europe/Berlin", None),
        ("t", "tl", "2025-01-31 10:00:00+02:00", None),
        ("t", "tl", "10:00 PM", Some("22:00:00")),
        ("t", "tl", "10:00:00Z", Some("10:00:00")),
        ("t", "tl", "24:00:00", Some("24:00:00")),
        ("r", "rl", "[2025-01-31 10:00+02, 2025-02-01)", None),
        (
            "r",
            "rl",
            "[2025-01-31 10:00Z, 2025-02-01)",
            Some("[\"2025-01-31 10:00:00\",\"2025-02-01 00:00:00\")"),
        ),
        ("r", "rl", "(,)", Some("(,)")),
        ("r", "rl", "empty", Some("empty")),
        ("m", "ml", "{[2025-01-01, 2025-01-02), [2025-01-31 10:00+02, 2025-02-01)}", None),
        (
            "m",
            "ml",
            "{[2025-01-31 10:00Z, 2025-02-01)}",
            Some("{[\"2025-01-31 10:00:00\",\"2025-02-01 00:00:00\")}"),
        ),
        ("m", "ml", "{}", Some("{}")),
        ("dr", "drl", "[2025-01-31T23:00:00-05:00, 2025-02-03]", None),
        ("dr", "drl", "[2025-01-31T23:00:00Z, 2025-02-03]", Some("[2025-01-31,2025-02-04)")),
        ("dr", "drl", "[2025-01-31, 300000-02-03]", Some("[2025-01-31,300000-02-04)")),
        ("dm", "dml", "{[2025-01-31T23:00:00-05:00, 2025-02-03]}", None),
        ("dm", "dml", "{[2025-01-31T23:00:00Z, 2025-02-03]}", Some("{[2025-01-31,2025-02-04)}")),
    ] {
        for (column, argument) in [(column, text(spelled)), (list_column, list(spelled))] {
            let insert = ask(&format!("INSERT INTO t ({column}) VALUES ($1)")).with([argument]);
            match (kept, insert.answer(&source).await) {
                (Some(kept), Ok(_)) => {
                    let shown =
                        if column == list_column { format!("({column})[1]") } else { column.to_owned() };
                    let shown = format!("DELETE FROM t RETURNING {shown}::text");
                    assert_eq!(ask(&shown).cell(&source).await, text(kept), "{column} {spelled}");
                }
                (None, Err(SourceError::Argument { index: 0, message })) => {
                    assert!(message.contains("keeps no offset"), "{message}");
                }
                (_, outcome) => panic!("{column} {spelled}: {outcome:?}"),
            }
        }
    }
    database.end().await;
}

/// The server is told the type of such a parameter.
#[tokio::test]
async fn a_number_without_a_type_of_its_own_keeps_its_digits() {
    let database = database!("CREATE TABLE t (n numeric, f float8, r real)");
    let source = database.source();
    let digits = "12345678901234567890.125";
    let asking = |sql: &str, digits: &str| ask(sql).with([decimal(digits)]).declaring([Declared::Float]);
    let stored = asking("INSERT INTO t VALUES ($1, $1, $1) RETURNING n", digits).cell(&source).await;
    assert_eq!(stored, decimal(digits));
    let filters = ["n = $1", "f = $1", "n < 1 + $1 AND f = ANY (ARRAY[$1])", "r <= $1 * 1.1"];
    for filter in filters {
        let sql = format!("SELECT count(*) FROM t WHERE $1 IS NULL OR {filter}");
        assert_eq!(asking(&sql, digits).cell(&source).await, Value::Int(1), "{filter}");
    }
    let other = asking("SELECT count(*) FROM t WHERE $1 IS NULL OR n = $1", "12345678901234567890.126");
    assert_eq!(other.cell(&source).await, Value::Int(0));
    database.end().await;
}

/// The same for the items of a list, also beside arrays of doubles, to which the server casts no array of decimals.
#[tokio::test]
async fn numbers_of_a_list_without_a_type_of_its_own_keep_their_digits() {
    let database = database!(
        "CREATE TABLE t (n numeric, f float8, r real, fs float8[], ns numeric[]); \
         INSERT INTO t VALUES (12345678901234567890.125, 0.1, 0.5, ARRAY[0.1, 2], ARRAY[12345678901234567890.125])"
    );
    let source = database.source();
    for (filter, item, count) in [
        ("n = ANY($1)", "12345678901234567890.125", 1),
        ("n = ANY($1)", "12345678901234567890.126", 0),
        ("f = ANY($1)", "0.1", 1),
        ("r = ANY($1)", "0.5", 1),
        ("ns && $1", "12345678901234567890.125", 1),
        ("ns && $1", "12345678901234567890.126", 0),
        ("fs && $1", "0.1", 1),
        ("fs && $1", "0.2", 0),
    ] {
        let sql = format!("SELECT count(*) FROM t WHERE $1 IS NULL OR {filter}");
        let list = Value::Array(vec![decimal("7.5"), decimal(item)]);
        let asked = ask(&sql).with([list]).declaring([Declared::List(Box::new(Declared::Float))]);
        assert_eq!(asked.cell(&source).await, Value::Int(count), "{filter} {item}");
    }
    let refused = ask("SELECT count(*) FROM t WHERE $1 IS NULL OR no_such = ANY($1)")
        .with([Value::Null])
        .declaring([Declared::List(Box::new(Declared::Float))]);
    assert!(refused.error(&source).await.contains("\"no_such\" does not exist"));
    database.end().await;
}

#[tokio::test]
async fn arguments_work_where_the_server_infers_their_types() {
    let database = database!(
        "CREATE TABLE t (id bigint PRIMARY KEY, price numeric(10,2), at timestamptz, tags text[]); INSERT INTO t VALUES (9007199254740993, 1.10, '2024-01-02 03:04:05+00', '{a}')"
    );
    let source = database.source();
    let found = ask("SELECT price FROM t WHERE id = $1 AND at = $2 AND tags = $3 AND id = ANY($4) LIMIT $5")
        .with([
            Value::Int(9_007_199_254_740_993),
            text("2024-01-02T03:04:05Z"),
            Value::Array(vec![text("a")]),
            Value::Array(vec![Value::Int(9_007_199_254_740_993)]),
            Value::Int(1),
        ])
        .cell(&source)
        .await;
    assert_eq!(found, decimal("1.10"));
    let filtered = ask("SELECT count(*) FROM t WHERE ($1::text IS NULL OR tags[1] = $1)")
        .with([Value::Null])
        .cell(&source)
        .await;
    assert_eq!(filtered, Value::Int(1));
    for (given, words) in [(0, "takes 1 argument, but 0 are given"), (2, "takes 1 argument, but 2 are given")]
    {
        let error = ask("SELECT $1::int").with(vec![Value::Int(1); given]).error(&source).await;
        assert!(error.contains(words), "{error}");
    }
    database.end().await;
}

#[tokio::test]
async fn lists_of_thousands_of_items_arrive() {
    let database = database!(
        "CREATE TABLE t (id int PRIMARY KEY, name text); INSERT INTO t SELECT n, 'n' || n FROM generate_series(1, 100) n"
    );
    let source = database.source();
    let found = "SELECT count(*) FROM t WHERE id = ANY($1) OR name = ANY($2)";
    let sum = "SELECT count(*), sum(length(x::text)) FROM unnest($1::interval[]) AS x";
    for count in [0, 1, 5_000, 100_000] {
        let numbers = (1..=count).map(|number| Value::Int(number * 10)).collect();
        let names = (1..=count).map(|number| text(&format!("n{}", number * 7))).collect();
        // Multiples of 10 and of 7 up to 100.
        let expected = match count {
            0 => 0,
            1 => 2,
            _ => 10 + 14 - 1,
        };
        let asked = ask(found).with([Value::Array(numbers), Value::Array(names)]);
        assert_eq!(asked.cell(&source).await, Value::Int(expected), "{count}");
        // Items that only the server reads.
        let moments: Vec<Value> = (0..count).map(|_| text("1 day")).collect();
        let row = ask(sum).with([Value::Array(moments)]).rows(&source).await.remove(0);
        let length = if count == 0 { Value::Null } else { Value::Int(count * 5) };
        assert_eq!(row, [Value::Int(count), length], "{count}");
    }
    database.end().await;
}

#[tokio::test]
async fn only_real_placeholders_are_parameters() {
    let database = database!("CREATE TABLE t (data jsonb); INSERT INTO t VALUES ('{\"key\": 1}')");
    let source = database.source();
    let answer = ask("SELECT 'a;b ? $1' AS \"c;d $2\", $$e;f $3$$, U&'\\0024' -- ? $4;")
        .answer(&source)
        .await
        .unwrap();
    assert_eq!(answer.columns.unwrap(), ["c;d $2", "?column?", "?column?"]);
    assert_eq!(answer.rows, [[text("a;b ? $1"), text("e;f $3"), text("$")]]);
    let asked =
        ask("SELECT data ? 'key', data ? $1, data ?| ARRAY['x', $2]::text[], 'x'::text, '1'::int FROM t");
    let row = asked.with([text("no"), text("key")]).rows(&source).await.remove(0);
    assert_eq!(row, [Value::Bool(true), Value::Bool(false), Value::Bool(true), text("x"), Value::Int(1)]);
    database.end().await;
}

#[tokio::test]
async fn a_text_argument_is_never_part_of_the_statement() {
    let database = database!("CREATE TABLE t (a text); INSERT INTO t VALUES ('x')");
    let source = database.source();
    for attack in ["'; DROP TABLE t; --", "x' OR '1'='1", "$1", "\\'; DELETE FROM t; --", "x\u{2019} OR 1=1"]
    {
        let found = ask("SELECT count(*) FROM t WHERE a = $1").with([text(attack)]).cell(&source).await;
        assert_eq!(found, Value::Int(0), "{attack}");
    }
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(1));
    database.end().await;
}

#[tokio::test]
async fn an_argument_is_read_by_the_type_that_its_column_has_now() {
    let database = database!("CREATE TABLE t (a int)");
    let source = database.narrow_source();
    let write = |value| ask("INSERT INTO t VALUES ($1) RETURNING a").with([value]);
    assert_eq!(write(Value::Int(1)).cell(&source).await, Value::Int(1));
    database.script("ALTER TABLE t ALTER a TYPE text").await;
    assert_eq!(write(text("x")).cell(&source).await, text("x"));
    database.script("ALTER TABLE t ALTER a TYPE bytea USING '1'").await;
    assert_eq!(write(Value::Bytes(vec![1])).cell(&source).await, Value::Bytes(vec![1]));
    let error = write(Value::Array(Vec::new())).answer(&source).await.unwrap_err();
    assert!(matches!(error, SourceError::Argument { index: 0, .. }), "{error:?}");
    assert_eq!(database.text("SELECT count(*) FROM t").await.unwrap(), "3");
    database.end().await;
}

#[tokio::test]
async fn one_text_is_prepared_for_each_declaration_of_its_parameters() {
    use toolbox_source::Declared::{self, Boolean, Integer, Text};
    let database = database!("CREATE TABLE t (m int4multirange); INSERT INTO t VALUES ('{}')");
    let source = database.narrow_source();
    let cases: [(Declared, Value, &str); 3] = [
        (Integer, Value::Int(7), "bigint"),
        (Text, text("7"), "text"),
        (Boolean, Value::Bool(true), "boolean"),
    ];
    // Alone, and inside of a statement that lets the server render a column.
    for sql in ["SELECT pg_typeof($1)::text, 1", "SELECT pg_typeof($1)::text, m FROM t; -- x"] {
        for _ in 0..2 {
            for (declared, value, expected) in cases.clone() {
                let asked = ask(sql).with([value]).declaring([declared]);
                assert_eq!(asked.rows(&source).await[0][0], text(expected), "{sql}");
            }
        }
    }
    let names =
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT pg_typeof($1)::text, 1%'";
    assert_eq!(ask(names).cell(&source).await, Value::Int(3));
    database.end().await;
}

#[tokio::test]
async fn a_parameter_without_a_type_of_its_own_has_the_declared_one() {
    use toolbox_source::Declared::{Boolean, Float, Integer, List, Map, Text};
    let database = database!(
        "CREATE TYPE mood AS ENUM ('good'); CREATE TABLE t (id int, name varchar(10), x real, b boolean, m mood);
         INSERT INTO t VALUES (1, 'a', 0.5, true, 'good'), (2, 'b', 1.5, false, 'good')"
    );
    let source = database.source();
    let rows = ["name", "id", "x", "b"]
        .map(|column| format!("SELECT count(*) FROM t WHERE $1 IS NULL OR {column} = $1"));
    for (sql, declared, value) in [
        (&rows[0], Text, text("a")),
        (&rows[1], Integer, Value::Int(1)),
        (&rows[2], Float, Value::Float(0.5)),
        (&rows[3], Boolean, Value::Bool(true)),
    ] {
        for (argument, expected) in [(Value::Null, 2), (value.clone(), 1), (Value::Null, 2)] {
            let count = ask(sql).with([argument]).declaring([declared.clone()]).reading().cell(&source).await;
            assert_eq!(count, Value::Int(expected), "{sql}");
        }
    }
    // In the second place, and more than one.
    let two = "SELECT count(*) FROM t WHERE id > $1 AND ($2 IS NULL OR name = $2) AND ($3 IS NULL OR $3)";
    let asked =
        ask(two).with([Value::Int(0), text("b"), Value::Bool(true)]).declaring([Integer, Text, Boolean]);
    assert_eq!(asked.cell(&source).await, Value::Int(1));
    // Of no type at all.
    for (declared, value, expected) in [
        (List(Box::new(Text)), Value::Array(vec![text("a")]), "text[]"),
        (List(Box::new(Map)), Value::Array(vec![Value::Json("{}".to_owned())]), "jsonb[]"),
        (
            List(Box::new(List(Box::new(Integer)))),
            Value::Array(vec![Value::Array(vec![Value::Int(1)])]),
            "bigint[]",
        ),
        (Map, Value::Json("{\"a\":1}".to_owned()), "jsonb"),
    ] {
        let of = ask("SELECT pg_typeof($1)::text WHERE $1 IS NOT NULL").with([value]).declaring([declared]);
        assert_eq!(of.cell(&source).await, text(expected));
    }
    // Where nobody says what it is, the error says what to write.
    let asked = ask("SELECT 1 FROM t WHERE $1 IS NULL OR m = $1").with([text("good")]);
    assert_eq!(asked.clone().declaring([Text]).rows(&source).await.len(), 2);
    let error = asked.error(&source).await;
    let hint = "hint: cast the parameter where the statement first uses it, such as $1::text";
    assert!(
        error.starts_with("could not determine data type of parameter $1") && error.ends_with(hint),
        "{error}"
    );
    database.end().await;
}

#[tokio::test]
async fn a_parameter_that_may_be_null_has_the_type_of_what_it_is_compared_with() {
    use toolbox_source::Declared::{Float, Integer, List, Text};
    let database = database!(
        "CREATE TYPE mood AS ENUM ('good'); CREATE DOMAIN code AS varchar(3); CREATE TABLE t (r real, d date, ts timestamptz, u uuid, \
         m mood, n numeric(40,20), iv interval, c code, ia int[], ra real[], mr int4multirange, b bytea, a bigint);
         INSERT INTO t VALUES (0.1, '2024-02-29', '2024-01-02 03:04:05Z', '018f3a1e-7b2c-7d4e-8f5a-6b7c8d9e0f10', 'good', \
         0.10000000000000000555, '1 day', 'abc', '{1,2}', '{0.1}', '{[1,3)}', '\\x00ff', 9007199254740993)"
    );
    let source = database.narrow_source();
    let uuid = "018f3a1e-7b2c-7d4e-8f5a-6b7c8d9e0f10";
    let list = |items: Vec<Value>| Value::Array(items);
    for (condition, declared, found, other) in [
        ("r = $1", Float, Value::Float(0.1), Value::Float(0.2)),
        ("d = $1", Text, text("2024-02-29"), text("2024-02-28")),
        ("ts = $1", Text, text("2024-01-02T05:04:05+02:00"), text("2024-01-02T05:04:05Z")),
        ("u = $1", Text, text(uuid), text("018f3a1e-7b2c-7d4e-8f5a-6b7c8d9e0f11")),
        ("m = $1", Text, text("good"), Value::Null),
        ("n = $1", Float, decimal("0.10000000000000000555"), Value::Float(0.1)),
        ("iv = $1", Text, text("24:00"), text("2 days")),
        ("c = $1", Text, text("abc"), text("abd")),
        ("ia && $1", List(Box::new(Integer)), list(vec![Value::Int(2)]), list(vec![Value::Int(3)])),
        ("ra && $1", List(Box::new(Float)), list(vec![Value::Float(0.1)]), list(vec![Value::Float(0.2)])),
        ("mr && $1", Text, text("{[2,5)}"), text("{[3,5)}")),
        ("b = $1", Text, text("\\x00ff"), text("\\x00fe")),
        ("a = $1", Integer, Value::Int(9_007_199_254_740_993), Value::Int(9_007_199_254_740_992)),
    ] {
        // Also where another parameter is only tested, and one has its type at once.
        let sql =
            format!("SELECT count(*) FROM t WHERE ($1 IS NULL OR {condition}) AND $2 IS NULL AND a > $3");
        let asked = |value: &Value| {
            ask(&sql).with([value.clone(), Value::Null, Value::Int(0)]).declaring([
                declared.clone(),
                Text,
                Integer,
            ])
        };
        for (value, expected) in
            [(&found, 1), (&other, i64::from(other == Value::Null)), (&Value::Null, 1), (&found, 1)]
        {
            assert_eq!(asked(value).cell(&source).await, Value::Int(expected), "{condition} with {value:?}");
        }
    }
    // The column gets another type, in which 0.1 is another number.
    let by_number =
        ask("UPDATE t SET a = 1 WHERE $1 IS NULL OR r = $1").with([Value::Float(0.1)]).declaring([Float]);
    assert_eq!(by_number.clone().changes(&source).await, 1);
    database.script("ALTER TABLE t ALTER r TYPE float8 USING 0.1").await;
    assert_eq!(by_number.changes(&source).await, 1);
    database.end().await;
}

#[tokio::test]
async fn a_list_for_a_function_of_any_type_has_the_declared_type() {
    use toolbox_source::Declared::{Float, List, Text};
    let database = database!("CREATE TABLE t (n numeric, s text, d date)");
    let source = database.narrow_source();
    let list = |items: &[Value]| Value::Array(items.to_vec());
    let fractions = list(&[decimal("1.10"), Value::Null]);
    ask("INSERT INTO t (n, s, d) SELECT unnest($1), unnest($2), $3")
        .with([fractions.clone(), list(&[text("a"), text("b")]), text("2024-02-29")])
        .declaring([List(Box::new(Float)), List(Box::new(Text)), Text])
        .done(&source)
        .await;
    assert_eq!(
        database.text("SELECT string_agg(t::text, ' ' ORDER BY s) FROM t").await.unwrap(),
        "(1.10,a,2024-02-29) (,b,2024-02-29)"
    );
    for (expression, expected) in [
        ("to_jsonb($1)", Value::Json("[1.10,null]".to_owned())),
        ("array_length($1, 1)", Value::Int(2)),
        ("array_to_string($1, ',')", text("1.10")),
    ] {
        let asked = ask(&format!("SELECT {expression}")).with([fractions.clone()]);
        assert_eq!(asked.declaring([List(Box::new(Float))]).cell(&source).await, expected, "{expression}");
    }
    let error = ask("SELECT to_jsonb($1)").with([text("a")]).declaring([Text]).error(&source).await;
    assert!(error.contains("cast the parameter"), "{error}");
    database.end().await;
}

#[tokio::test]
async fn arguments_beside_an_operator_that_tells_no_types_have_the_declared_ones() {
    use toolbox_source::Declared::{Float, Integer, Text};
    let database =
        database!("CREATE TABLE t (n int, d numeric, s text); INSERT INTO t VALUES (100, 1.5, 'a')");
    let source = database.narrow_source();
    let tenth = || Value::Float(0.1);
    for (statement, values, declared, expected) in [
        ("SELECT $1 * $2", vec![Value::Int(6), Value::Int(7)], vec![Integer, Integer], Value::Int(42)),
        (
            "SELECT n - $1 * $2 FROM t",
            vec![Value::Int(6), Value::Int(7)],
            vec![Integer, Integer],
            Value::Int(58),
        ),
        ("SELECT d + $1 * $2 FROM t", vec![tenth(), Value::Float(3.0)], vec![Float, Float], decimal("1.8")),
        (
            "SELECT ($1 + $2) * ($3 - $4)",
            vec![tenth(), tenth(), tenth(), tenth()],
            vec![Float; 4],
            decimal("0.00"),
        ),
        ("SELECT $1 || $2 || s FROM t", vec![text("x"), text("y")], vec![Text, Text], text("xya")),
        ("SELECT 'ä' || ($2 || $1)", vec![text("x"), text("y")], vec![Text, Text], text("äyx")),
    ] {
        for _ in 0..2 {
            let asked = ask(statement).with(values.clone()).declaring(declared.clone());
            assert_eq!(asked.cell(&source).await, expected, "{statement}");
        }
    }
    let days = ask("SELECT $1 - $2").with([text("2024-02-29"), text("2024-02-28")]).declaring([Text, Text]);
    let error = days.error(&source).await;
    assert!(error.contains("operator is not unique"), "{error}");
    database.end().await;
}

#[tokio::test]
async fn a_type_without_a_binary_form_is_cast_from_text() {
    let database = database!(
        "CREATE EXTENSION seg; CREATE EXTENSION isn; CREATE DOMAIN span AS seg; CREATE TYPE spans AS (a int, s seg); \
         CREATE TABLE t (s seg, l seg[], d span, r spans, i isbn13, e ean13, a aclitem, n int)"
    );
    let source = database.narrow_source();
    let role = database.text("SELECT current_user").await.unwrap();
    let acl = format!("{role}=r/{role}");
    let list = |items: &[Value]| Value::Array(items.to_vec());
    for (column, value, expected) in [
        ("s", text("1 .. 2"), "1 .. 2"),
        ("s", Value::Float(1.5), "1.5"),
        ("l", list(&[text("1..2"), Value::Null, text("3")]), "{\"1 .. 2\",NULL,3}"),
        ("l", list(&[]), "{}"),
        ("l", text("{4}"), "{4}"),
        ("d", text("5 .. 6"), "5 .. 6"),
        (
            "r",
            Value::Object(vec![("a".to_owned(), Value::Int(1)), ("s".to_owned(), text("1..2"))]),
            "(1,\"1 .. 2\")",
        ),
        ("i", text("978-0-393-04002-9"), "978-0-393-04002-9"),
        ("e", text("9780393040029"), "978-0-393-04002-9"),
        ("a", text(&acl), acl.as_str()),
    ] {
        for value in [value, Value::Null] {
            let insert = format!("INSERT INTO t ({column}, n) VALUES ($1, $2)");
            ask(&insert).with([value.clone(), Value::Int(1)]).done(&source).await;
            let kept =
                ask(&format!("DELETE FROM t WHERE n = $1 RETURNING {column}::text")).with([Value::Int(1)]);
            let expected = if value == Value::Null { Value::Null } else { text(expected) };
            assert_eq!(kept.cell(&source).await, expected, "{column} with {value:?}");
        }
    }
    ask("INSERT INTO t (s) VALUES ('1..5')").done(&source).await;
    let within = ask("SELECT s FROM t WHERE s @> $1").with([text("2..3")]);
    assert_eq!(within.cell(&source).await, text("1 .. 5"));
    for (sql, value) in [
        ("INSERT INTO t (s) VALUES ($1)", text("one")),
        ("INSERT INTO t (l) VALUES ($1)", list(&[text("1"), text("one")])),
        ("INSERT INTO t (i) VALUES ($1)", text("978-0-393-04002-1")),
        ("SELECT 1 FROM t WHERE a = $1", text("nobody")),
    ] {
        let error = ask(sql).with([value]).error(&source).await;
        assert!(error.starts_with("argument 1: "), "{sql}: {error}");
    }
    database.end().await;
}
