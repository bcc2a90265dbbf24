//! Cells against the server's own text: for each expression the source's value must be what `expression::text` says, brought
//! to the form of the contract by the rules stated at each test.

use proptest::{
    prelude::{Just, Strategy, any, prop_oneof},
    strategy::ValueTree as _,
    test_runner::TestRunner,
};
use toolbox_postgres::Postgres;
use toolbox_source::Value;

use crate::support::{Database, ask, database, decimal, object, text};

/// How many random values of each type.
const RANDOM: usize = 60;

/// Asks for many expressions in one row and for their texts in another.
async fn both(
    database: &Database,
    source: &Postgres,
    expressions: &[String],
) -> Vec<(Value, Option<String>)> {
    let mut pairs = Vec::new();
    for chunk in expressions.chunks(40) {
        let cells = ask(&format!("SELECT {}", chunk.join(", "))).rows(source).await.remove(0);
        let shown: Vec<String> = chunk.iter().map(|expression| format!("({expression})::text")).collect();
        pairs.extend(cells.into_iter().zip(database.texts(&format!("SELECT {}", shown.join(", "))).await));
    }
    pairs
}

/// Holds the source to the server, with `form` as the rule from the server's text to the value.
async fn check(type_name: &str, literals: impl IntoIterator<Item = String>, form: impl Fn(&str) -> Value) {
    let database = database!("");
    let source = database.source();
    let expressions: Vec<String> = literals
        .into_iter()
        .map(|literal| format!("'{}'::{type_name}", literal.replace('\'', "''")))
        .collect();
    for ((value, server), expression) in
        both(&database, &source, &expressions).await.into_iter().zip(&expressions)
    {
        let server = server.unwrap();
        assert_eq!(value, form(&server), "{expression}, server: {server}");
    }
    assert_eq!(ask(&format!("SELECT NULL::{type_name}")).cell(&source).await, Value::Null);
    database.end().await;
}

fn random<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    (0..RANDOM).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

fn owned<const N: usize>(texts: [&str; N]) -> impl Iterator<Item = String> {
    texts.into_iter().map(str::to_owned)
}

#[tokio::test]
async fn integers_have_all_their_digits() {
    let form = |server: &str| Value::Int(server.parse().unwrap());
    let edges = owned(["0", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993"]);
    check("int8", edges.chain(random(any::<i64>()).iter().map(i64::to_string)), form).await;
    check("int4", random(any::<i32>()).iter().map(i32::to_string), form).await;
    check("int2", random(any::<i16>()).iter().map(i16::to_string), form).await;
    check("oid", owned(["0", "4294967295"]), form).await;
    check("xid8", owned(["18446744073709551615"]), |server| Value::UInt(server.parse().unwrap())).await;
}

#[tokio::test]
async fn a_boolean_is_one() {
    check("bool", owned(["t", "f"]), |server| Value::Bool(server == "true")).await;
}

/// The server's shortest digits, read as a double: a single keeps its own digits.
#[tokio::test]
async fn floats_have_the_digits_that_the_server_shows() {
    let form = |server: &str| Value::Float(server.parse().unwrap());
    let edges = [
        "0.1",
        "1e-45",
        "3.4028235e38",
        "16777216",
        "33554432",
        "3998068.25",
        "-3998068.75",
        "0.3",
        "Infinity",
        "-Infinity",
        "1.17549435e-38",
    ];
    let singles = random(any::<u32>())
        .into_iter()
        .map(f32::from_bits)
        .filter(|float| float.is_finite())
        .map(|float| format!("{float:e}"));
    check("float4", owned(edges).chain(singles), form).await;
    let edges = ["0.1", "5e-324", "1.7976931348623157e308", "1e300", "-0", "Infinity", "-Infinity"];
    let doubles = random(any::<u64>())
        .into_iter()
        .map(f64::from_bits)
        .filter(|float| float.is_finite())
        .map(|float| format!("{float:e}"));
    check("float8", owned(edges).chain(doubles), form).await;
    let database = database!("");
    let source = database.source();
    for sql in ["SELECT 'NaN'::float8", "SELECT 'NaN'::float4"] {
        assert!(matches!(ask(sql).cell(&source).await, Value::Float(float) if float.is_nan()));
    }
    database.end().await;
}

#[tokio::test]
async fn a_numeric_has_the_digits_and_the_scale_of_the_server() {
    let form = |server: &str| match server {
        "NaN" | "Infinity" | "-Infinity" => text(server),
        digits => decimal(digits),
    };
    let edges = [
        "0",
        "0.00",
        "1.10",
        "-1.10",
        "10000",
        "100000000",
        "0.0001",
        "0.00001",
        "-0.00000000000000000001",
        "99999999999999999999999999999999.99999999999999999999999",
        "1e40",
        "1e-40",
        "NaN",
        "Infinity",
        "-Infinity",
        "12345678901234567890",
        "10000.0001",
        "1000000000000.000000000001",
        "0.10000",
        "9999.9999",
        "1e131071",
    ];
    let digits = (any::<bool>(), "[0-9]{1,30}", prop_oneof![Just(String::new()), "[.][0-9]{1,30}"]);
    let random = random(digits)
        .into_iter()
        .map(|(negative, whole, fraction)| format!("{}{whole}{fraction}", if negative { "-" } else { "" }));
    check("numeric", owned(edges).chain(random), form).await;
}

#[tokio::test]
async fn text_like_types_are_text() {
    let hostile = ["", "a'b", "Ελένη 🦊", "line\nbreak\ttab", "\u{1}", "null"];
    for type_name in ["text", "varchar(40)", "name"] {
        check(type_name, owned(hostile), text).await;
    }
    // Before PostgreSQL 15 the text of a byte above 127 is no text.
    check("\"char\"", owned(["", "a", "'", "\\", "\u{1}"]), text).await;
    check("xml", owned(["<a b=\"c\">d</a>"]), text).await;
    // A cast takes the padding of char(n) away; the output of the type does not.
    let database = database!(
        "CREATE TYPE mood AS ENUM ('sad', 'so so', 'glücklich'); CREATE DOMAIN email AS varchar(20); CREATE EXTENSION citext"
    );
    let source = database.source();
    assert_eq!(ask("SELECT 'ab'::char(5)").cell(&source).await, text("ab   "));
    assert_eq!(ask("SELECT 'glücklich'::mood").cell(&source).await, text("glücklich"));
    assert_eq!(ask("SELECT 'a@b'::email").cell(&source).await, text("a@b"));
    assert_eq!(ask("SELECT 'MiXed'::citext").cell(&source).await, text("MiXed"));
    assert_eq!(ask("SELECT (-55)::\"char\"").cell(&source).await, text("\\311"));
    assert_eq!(ask("SELECT 'x'").cell(&source).await, text("x"));
    database.end().await;
}

#[tokio::test]
async fn a_uuid_is_written_as_the_server_writes_it() {
    let random = random(any::<u128>()).into_iter().map(|number| format!("{number:032x}"));
    check("uuid", random, text).await;
}

/// Blanks outside strings are left out; the server's `jsonb` text has one after each comma and colon.
#[tokio::test]
async fn json_keeps_its_text_but_for_blanks() {
    check(
        "jsonb",
        owned([r#"{"b": 1, "a": [1, 2.50, null, 9007199254740993]}"#, "3", "\"a\"", "null"]),
        |server| Value::Json(server.replace(", ", ",").replace(": ", ":")),
    )
    .await;
    let database = database!("");
    let source = database.source();
    let sql = r#"SELECT '{ "b" : 1.50,
        "a \" b" : [ 1 , "x  , y\\" , 1e400 ] }'::json"#;
    let expected = r#"{"b":1.50,"a \" b":[1,"x  , y\\",1e400]}"#;
    assert_eq!(ask(sql).cell(&source).await, Value::Json(expected.to_owned()));
    database.end().await;
}

#[tokio::test]
async fn bytes_are_bytes() {
    check("bytea", owned(["", "\\x00ff80", "\\x41"]), |server| {
        let digits = server.strip_prefix("\\x").unwrap();
        let byte = |place| u8::from_str_radix(&digits[place..place + 2], 16).unwrap();
        Value::Bytes((0..digits.len()).step_by(2).map(byte).collect())
    })
    .await;
}

#[tokio::test]
async fn a_date_is_written_as_the_server_writes_it() {
    let edges = [
        "2024-02-29",
        "1999-12-31",
        "2000-01-01",
        "0001-01-01",
        "0001-12-31 BC",
        "0044-03-15 BC",
        "4713-01-01 BC",
        "5874897-12-31",
        "infinity",
        "-infinity",
        "1900-02-28",
        "9999-12-31",
        "10000-01-01",
    ];
    let days = random(-2_451_507..2_145_031_948_i64).into_iter().map(|days| format!("J{}", days + 2_451_545));
    check("date", owned(edges).chain(days), text).await;
}

#[tokio::test]
async fn a_time_is_written_as_the_server_writes_it() {
    let edges = ["00:00", "24:00", "04:05:06.789", "23:59:59.999999", "12:00:00.1"];
    let random = random(0..86_400_000_000_i64).into_iter().map(|microseconds| {
        format!(
            "{}:{}:{}.{:06}",
            microseconds / 3_600_000_000,
            microseconds / 60_000_000 % 60,
            microseconds / 1_000_000 % 60,
            microseconds % 1_000_000
        )
    });
    let all: Vec<String> = owned(edges).chain(random).collect();
    check("time", all.clone(), text).await;
    let offsets = ["+00", "-08", "+05:30", "-03:45", "+15:59:59", "-12:00:01"];
    let zoned =
        all.iter().enumerate().map(|(index, time)| format!("{time}{}", offsets[index % offsets.len()]));
    check("timetz", zoned, text).await;
}

/// The text of the server with `T` for the blank after the date, and `Z` for `+00`.
#[tokio::test]
async fn a_timestamp_is_written_as_rfc_3339_writes_it() {
    let edges = [
        "2024-01-02 03:04:05.123456",
        "2024-01-02 01:04:05.5",
        "0044-03-15 12:00:00 BC",
        "4713-01-01 00:00:00 BC",
        "294276-12-31 23:59:59.999999",
        "infinity",
        "-infinity",
        "1970-01-01 00:00:00",
        "1999-12-31 23:59:59.999999",
        "0001-01-01 00:00:00",
    ];
    let moments: Vec<String> = random((-2_400_000..107_000_000_i64, 0..86_400_000_000_i64))
        .into_iter()
        .map(|(days, time)| {
            format!(
                "J{} {}:{}:{}.{:06}",
                days + 2_451_545,
                time / 3_600_000_000,
                time / 60_000_000 % 60,
                time / 1_000_000 % 60,
                time % 1_000_000
            )
        })
        .collect();
    let all: Vec<String> = owned(edges).chain(moments).collect();
    let joined = |server: &str| server.replacen(' ', "T", 1);
    let finite = |server: &str| server.starts_with(|character: char| character.is_ascii_digit());
    check("timestamp", all.clone(), |server| {
        text(&if finite(server) { joined(server) } else { server.to_owned() })
    })
    .await;
    let zoned = all.iter().map(|moment| match moment.strip_suffix(" BC") {
        Some(moment) => format!("{moment}+00 BC"),
        None if finite(moment) || moment.starts_with('J') => format!("{moment}+00"),
        None => moment.clone(),
    });
    check("timestamptz", zoned, |server| {
        text(&if finite(server) { joined(server).replace("+00", "Z") } else { server.to_owned() })
    })
    .await;
}

#[tokio::test]
async fn an_interval_is_written_as_the_server_writes_it() {
    let edges = [
        "0",
        "1 year 2 mons",
        "1 year 2 mons 3 days 04:05:06.789",
        "-1 day +02:03",
        "1 mon -1 day",
        "-1 year 1 day -00:00:01",
        "1 day",
        "-1 day",
        "2 days",
        "00:00:00.000001",
        "-00:00:00.5",
        "1000:00:00",
        "178000000 years",
        "-13 mons",
        "1 mon -1 day 1 sec",
    ];
    let random = random((any::<i16>(), any::<i16>(), any::<i32>()))
        .into_iter()
        .map(|(months, days, microseconds)| format!("{months} mons {days} days {microseconds} microseconds"));
    check("interval", owned(edges).chain(random), text).await;
    let database = database!("");
    let source = database.source();
    if database.text("SHOW server_version_num").await.unwrap().as_str() >= "170000" {
        check("interval", owned(["infinity", "-infinity"]), text).await;
    }
    assert_eq!(ask("SELECT interval '1 day'").cell(&source).await, text("1 day"));
    database.end().await;
}

/// A cast of a host adds the length of its prefix; the output of the type does not.
#[tokio::test]
async fn network_types_are_written_as_the_server_writes_them() {
    let host = |server: &str| {
        let whole = if server.contains(':') { "/128" } else { "/32" };
        text(server.strip_suffix(whole).unwrap_or(server))
    };
    let edges = [
        "192.168.1.5",
        "10.0.0.0/8",
        "0.0.0.0",
        "::",
        "::1",
        "::1.2.3.4",
        "::ffff:1.2.3.4",
        "2001:db8::/32",
        "1:0:0:2:0:0:0:3",
        "::2",
        "1::",
        "fe80::1%eth0".split('%').next().unwrap(),
        "::1:0",
        "0:0:0:0:0:1:0:0",
        "1:2:3:4:5:6:0:8",
    ];
    let sixes = random(any::<u128>()).into_iter().map(|bits| std::net::Ipv6Addr::from(bits).to_string());
    let sparse = random((0..8_u32, 0..8_u32)).into_iter().map(|(a, b)| {
        let bits = (0xAB_u128 << (a * 16)) | (0xCD00_u128 << (b * 16));
        std::net::Ipv6Addr::from(bits).to_string()
    });
    check("inet", owned(edges).chain(sixes).chain(sparse), host).await;
    check("cidr", owned(["10.1.2.0/24", "10.0.0.1/32", "2001:db8::/32", "::/0", "1.0.0.0/8"]), text).await;
    check("macaddr", owned(["08:00:2b:01:02:ff"]), text).await;
    check("macaddr8", owned(["08:00:2b:01:02:03:04:0f"]), text).await;
}

#[tokio::test]
async fn bit_strings_are_their_bits() {
    check("bit(11)", owned(["10101010101", "00000000000"]), text).await;
    check("varbit", owned(["", "1", "00000001", "101010101"]), text).await;
}

#[tokio::test]
async fn geometric_types_are_written_as_the_server_writes_them() {
    let numbers = [
        "0",
        "-0",
        "1",
        "0.1",
        "1e15",
        "123456789012345",
        "1e-4",
        "1e-5",
        "1.5e300",
        "-2.5e-300",
        // In the middle of two doubles, so that the server shows more digits.
        "1e23",
        "-1e23",
        "562949953421312.25",
        "562949953421312.75",
        "5e-324",
        "Infinity",
        "-Infinity",
        "NaN",
    ];
    let doubles: Vec<String> = owned(numbers)
        .chain(
            random(any::<u64>())
                .into_iter()
                .map(f64::from_bits)
                .filter(|float| float.is_finite())
                .map(|float| format!("{float:e}")),
        )
        .collect();
    let points: Vec<String> =
        doubles.iter().zip(doubles.iter().rev()).map(|(x, y)| format!("({x},{y})")).collect();
    check("point", points.clone(), text).await;
    let joined: Vec<String> = points.chunks(3).map(|points| points.join(",")).collect();
    check(
        "path",
        joined
            .iter()
            .map(|points| format!("[{points}]"))
            .chain(joined.iter().map(|points| format!("({points})"))),
        text,
    )
    .await;
    check("polygon", owned(["((0,0),(1,1),(1,0))", "((0.5,1e20))"]), text).await;
    let pairs: Vec<String> = points.chunks_exact(2).map(|points| points.join(",")).collect();
    check("lseg", pairs.iter().map(|points| format!("[{points}]")), text).await;
    check("box", pairs, text).await;
    check("line", owned(["{1,2,3}", "{-1.5,1e-7,1e22}"]), text).await;
    check("circle", owned(["<(1,2),3>", "<(0.1,-0),1e-9>"]), text).await;
}

#[tokio::test]
async fn places_in_the_log_and_in_tables_and_snapshots_are_written_as_the_server_writes_them() {
    let positions = random(any::<u64>())
        .into_iter()
        .map(|position| format!("{:X}/{:X}", position >> 32, position & 0xFFFF_FFFF));
    check("pg_lsn", owned(["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF"]).chain(positions), text).await;
    let places =
        random((any::<u32>(), any::<u16>())).into_iter().map(|(block, place)| format!("({block},{place})"));
    check("tid", places, text).await;
    let snapshots = random((1..i64::MAX / 2, proptest::collection::vec(1..1_000_i64, 0..5))).into_iter().map(
        |(first, steps)| {
            let mut transaction = first;
            let running: Vec<String> = steps
                .iter()
                .map(|step| {
                    transaction += step;
                    transaction.to_string()
                })
                .collect();
            format!("{first}:{}:{}", transaction + 1, running.join(","))
        },
    );
    let snapshots: Vec<String> = owned(["10:20:10,14", "1:1:"]).chain(snapshots).collect();
    check("pg_snapshot", snapshots.clone(), text).await;
    check("txid_snapshot", snapshots, text).await;
    check("jsonpath", owned(["$.a[*] ? (@ > 1)", "strict $"]), text).await;
}

#[tokio::test]
async fn other_types_are_the_text_of_the_server() {
    let database = database!("");
    let source = database.narrow_source();
    let cases = [
        ("money", "$1,234.50"),
        ("int4range", "[1,5)"),
        ("int8range", "(,9223372036854775807)"),
        ("numrange", "(1.50,]"),
        ("daterange", "[2024-02-29,infinity)"),
        ("tsrange", "empty"),
        ("tsrange", "[2024-01-02 03:04:05.5,)"),
        ("tstzrange", "[2024-01-02 03:04:05+02,2024-01-03)"),
        ("int4multirange", "{[1,3),[5,)}"),
        ("tstzmultirange", "{[2024-01-02 03:04:05+02,2024-01-03)}"),
        ("tsvector", "a:1A fat:2B,4 'c d' 'it''s':5"),
        ("tsquery", "'fat' & ( 'rat' | !'cat':*AB ) <2> 'x y'"),
        ("pg_snapshot", "10:20:10,14"),
        ("txid_snapshot", "10:20:10,14"),
        ("regclass", "pg_class"),
        ("regtype", "timestamp with time zone"),
        ("regproc", "pg_catalog.now"),
        ("regprocedure", "abs(numeric)"),
        ("regoperator", "+(integer,integer)"),
        ("regnamespace", "pg_catalog"),
        ("regrole", "pg_monitor"),
        ("regconfig", "english"),
        ("regdictionary", "simple"),
        ("regcollation", "\"C\""),
        ("pg_lsn", "16/B374D848"),
        ("tid", "(0,1)"),
        ("jsonpath", "$.\"a\"[*]"),
        ("point", "(1,2)"),
        ("circle", "<(1,2),3>"),
        ("bit(4)", "1010"),
        ("macaddr", "08:00:2b:01:02:03"),
        ("interval", "1 mon -2 days"),
        ("xml", "<a>b</a>"),
    ];
    for (type_name, literal) in cases {
        let case = format!("'{}'::{type_name}", literal.replace('\'', "''"));
        let server = text(&database.text(&format!("SELECT ({case})::text")).await.unwrap());
        assert_eq!(ask(&format!("SELECT {case} -- a comment")).cell(&source).await, server, "{case}");
        // The same inside an array, in a column of a domain, and as a field.
        let array = ask(&format!("SELECT ARRAY[ARRAY[{case}, NULL]]")).cell(&source).await;
        let expected = Value::Array(vec![Value::Array(vec![server.clone(), Value::Null])]);
        assert_eq!(array, expected, "{case}");
        database
            .script(&format!(
                "CREATE DOMAIN d AS {type_name}; CREATE TABLE t (a d, b {type_name}, c d[]); \
                 INSERT INTO t VALUES ({case}, {case}, ARRAY[{case}])"
            ))
            .await;
        let list = Value::Array(vec![server.clone()]);
        let row = object([("a", server.clone()), ("b", server.clone()), ("c", list.clone())]);
        assert_eq!(
            ask("SELECT a, c, t, b FROM t").rows(&source).await,
            [[server.clone(), list, row, server]],
            "{case}"
        );
        database.script("DROP TABLE t; DROP DOMAIN d").await;
    }
    database.end().await;
}

#[tokio::test]
async fn rendered_columns_keep_names_order_and_types_of_the_others() {
    let database = database!(
        "CREATE TABLE t (id int, m money, b bytea); INSERT INTO t VALUES (2, '1', 'a'), (1, NULL, NULL)"
    );
    let source = database.source();
    let answer =
        ask("SELECT id, m, id, m AS \"id\", b FROM t ORDER BY t.id DESC;").answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["id", "m", "id", "id", "b"]);
    let bytes = Value::Bytes(b"a".to_vec());
    assert_eq!(
        answer.rows,
        [
            vec![Value::Int(2), text("$1.00"), Value::Int(2), text("$1.00"), bytes],
            vec![Value::Int(1), Value::Null, Value::Int(1), Value::Null, Value::Null]
        ]
    );
    let answer = ask("INSERT INTO t VALUES (3, $1, NULL) RETURNING m")
        .with([text("7.5")])
        .answer(&source)
        .await
        .unwrap();
    assert_eq!(answer.rows, [[text("$7.50")]]);
    assert_eq!(answer.done.rows_affected, Some(1));
    database.end().await;
}

#[tokio::test]
async fn an_error_in_a_rendered_statement_has_its_place_in_the_callers_text() {
    let database = database!("");
    let source = database.source();
    let error = ask("SELECT m, nothing FROM (SELECT '1'::money AS m) t").error(&source).await;
    assert!(error.contains("column \"nothing\" does not exist (code 42703) at character 11"), "{error}");
    database.end().await;
}

#[tokio::test]
async fn a_type_that_cannot_be_read_is_named_with_the_cast_to_write() {
    let database = database!(
        "CREATE EXTENSION seg; CREATE PROCEDURE p(OUT m seg) LANGUAGE sql AS $$ SELECT '1'::seg $$"
    );
    let source = database.source();
    let error = ask("CALL p(NULL)").error(&source).await;
    assert_eq!(
        error,
        "column \"m\": its type seg cannot be read from a CALL; declare this parameter of the procedure as text and assign m::text"
    );
    assert_eq!(ask("SELECT '{[1,2)}'::int4multirange::text").cell(&source).await, text("{[1,2)}"));
    database.end().await;
}

#[tokio::test]
async fn arrays_are_nested_lists() {
    let database =
        database!("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN small AS int CHECK (VALUE < 10)");
    let source = database.source();
    let list = |items: Vec<Value>| Value::Array(items);
    let one = Value::Int(1);
    let cases = [
        ("ARRAY[1, NULL]", list(vec![one.clone(), Value::Null])),
        ("'{}'::int[]", list(vec![])),
        ("'[3:4]={1,2}'::int[]", list(vec![one.clone(), Value::Int(2)])),
        ("ARRAY[[1],[2]]", list(vec![list(vec![one.clone()]), list(vec![Value::Int(2)])])),
        ("ARRAY['a,b', '', 'NULL']", list(vec![text("a,b"), text(""), text("NULL")])),
        ("ARRAY[1.10]", list(vec![decimal("1.10")])),
        ("ARRAY['ok'::mood]", list(vec![text("ok")])),
        ("ARRAY[1::small]", list(vec![one.clone()])),
        ("ARRAY['2024-01-02'::timestamptz]", list(vec![text("2024-01-02T00:00:00Z")])),
        ("ARRAY['{\"a\": 1}'::jsonb]", list(vec![Value::Json("{\"a\":1}".to_owned())])),
        ("ARRAY['\\x01'::bytea]", list(vec![Value::Bytes(vec![1])])),
        ("'1 2'::int2vector", list(vec![one, Value::Int(2)])),
    ];
    for (expression, expected) in cases {
        assert_eq!(ask(&format!("SELECT {expression}")).cell(&source).await, expected, "{expression}");
    }
    database.end().await;
}

#[tokio::test]
async fn a_row_type_is_an_object_in_the_order_of_its_fields() {
    let database = database!(
        "CREATE TABLE point3 (z int, a text, m numeric(5,2)); INSERT INTO point3 VALUES (1, NULL, 2)"
    );
    let source = database.source();
    let expected = object([("z", Value::Int(1)), ("a", Value::Null), ("m", decimal("2.00"))]);
    assert_eq!(ask("SELECT p FROM point3 p").cell(&source).await, expected);
    assert_eq!(ask("SELECT array_agg(p) FROM point3 p").cell(&source).await, Value::Array(vec![expected]));
    database.end().await;
}
