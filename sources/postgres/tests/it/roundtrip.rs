//! What is bound comes back as it was sent, for random values of each type: as `SELECT $1`, and from a column of that type.

use proptest::{
    collection::{hash_map, vec},
    prelude::{Just, Strategy, any, prop_oneof},
    strategy::ValueTree as _,
    test_runner::TestRunner,
};
use toolbox_postgres::Postgres;
use toolbox_source::Value;

use crate::support::{ask, database, decimal, text};

/// How many random values of each type.
const RANDOM: usize = 40;

/// Sends values of a type and compares what comes back with what is to be read then.
async fn travel(source: &Postgres, type_name: &str, pairs: impl Strategy<Value = (Value, Value)>) {
    ask(&format!("CREATE TABLE t (v {type_name})")).done(source).await;
    // A statement of its own for each table, since the types of its parameters stay.
    let insert = format!("INSERT INTO t (v) VALUES ($1) -- {type_name}");
    let mut runner = TestRunner::deterministic();
    let select = format!("SELECT $1::{type_name}");
    for _ in 0..RANDOM {
        let (sent, expected) = pairs.new_tree(&mut runner).unwrap().current();
        for statement in [select.as_str(), insert.as_str(), "DELETE FROM t RETURNING v"] {
            let asked = ask(statement).with(statement.contains("$1").then(|| sent.clone()));
            if statement.starts_with("INSERT") {
                assert_eq!(asked.done(source).await.rows_affected, Some(1));
            } else {
                assert_eq!(asked.cell(source).await, expected, "{type_name}: {sent:?} by {statement}");
            }
        }
    }
    ask("DROP TABLE t").done(source).await;
}

/// Values that come back as they are.
fn same(values: impl Strategy<Value = Value>) -> impl Strategy<Value = (Value, Value)> {
    values.prop_map(|value| (value.clone(), value))
}

/// Texts that come back as they are.
fn texts(texts: impl Strategy<Value = String>) -> impl Strategy<Value = (Value, Value)> {
    same(texts.prop_map(Value::Text))
}

/// Any characters but U+0000, which PostgreSQL does not store.
fn plain() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.replace('\0', "0"))
}

fn integers() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -9_i64..9, Just(i64::MIN), Just(i64::MAX), Just(9_007_199_254_740_993)]
}

/// An optional sign, no leading zeros, and a scale of its own.
fn decimals() -> impl Strategy<Value = String> {
    ("-?", "0|[1-9][0-9]{0,40}", "([.][0-9]{0,40}[1-9])?").prop_map(|(sign, whole, fraction)| {
        if whole == "0" && fraction.is_empty() { whole } else { format!("{sign}{whole}{fraction}") }
    })
}

/// Seconds since 1970 as a date and a time, between the years 1 and 9999, with its microseconds.
fn moments() -> impl Strategy<Value = String> {
    let fractions = prop_oneof![Just(String::new()), "[.][0-9]{0,5}[1-9]"];
    (1..10_000_u32, 1..13_u32, 1..29_u32, 0..24_u32, 0..60_u32, 0..60_u32, fractions).prop_map(
        |(year, month, day, hour, minute, second, fraction)| {
            format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}")
        },
    )
}

/// JSON values of every kind, nested.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        integers().prop_map(Value::Int),
        decimals().prop_map(Value::Decimal),
        plain().prop_map(Value::Text),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            hash_map(plain(), inner, 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
    // A text is taken as JSON text, which most texts are not.
    .prop_filter("a list or a map", |value| matches!(value, Value::Array(_) | Value::Object(_)))
}

/// The JSON text of a value, by an independent writer.
fn written(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(integer) => integer.to_string(),
        Value::Decimal(digits) => digits.clone(),
        Value::Text(text) => serde_json::to_string(text).unwrap(),
        Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let field = |(name, value): &(String, Value)| {
                format!("{}:{}", serde_json::to_string(name).unwrap(), written(value))
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
        }
        value => panic!("{value:?}"),
    }
}

fn or_null(values: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    prop_oneof![4 => values, 1 => Just(Value::Null)]
}

/// Lists of one and of two dimensions, with nulls.
fn lists<T: Strategy<Value = Value> + Clone + 'static>(items: T) -> impl Strategy<Value = (Value, Value)> {
    let flat = vec(or_null(items.clone()), 0..6).prop_map(Value::Array);
    let nested = (1..4_usize, 1..4_usize).prop_flat_map(move |(rows, columns)| {
        vec(vec(or_null(items.clone()), columns).prop_map(Value::Array), rows).prop_map(Value::Array)
    });
    same(prop_oneof![flat, nested])
}

#[tokio::test]
async fn numbers_come_back_as_they_were_sent() {
    let database = database!("");
    let source = database.source();
    travel(&source, "int8", same(integers().prop_map(Value::Int))).await;
    travel(&source, "int8", integers().prop_map(|number| (text(&number.to_string()), Value::Int(number))))
        .await;
    travel(&source, "int4", same(any::<i32>().prop_map(|number| Value::Int(number.into())))).await;
    travel(&source, "int2", same(any::<i16>().prop_map(|number| Value::Int(number.into())))).await;
    travel(&source, "oid", same(any::<u32>().prop_map(|number| Value::Int(number.into())))).await;
    let finite = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |float| float.is_finite());
    travel(&source, "float8", same(finite.prop_map(Value::Float))).await;
    // Six digits are what every single keeps.
    let singles =
        (-999_999..999_999_i32, -25..25_i32).prop_map(|(digits, exponent)| format!("{digits}e{exponent}"));
    travel(&source, "float4", same(singles.prop_map(|single| Value::Float(single.parse().unwrap())))).await;
    travel(&source, "numeric", same(decimals().prop_map(Value::Decimal))).await;
    travel(&source, "numeric", decimals().prop_map(|digits| (text(&digits), decimal(&digits)))).await;
    travel(&source, "numeric", same(integers().prop_map(|number| decimal(&number.to_string())))).await;
    travel(&source, "bool", same(any::<bool>().prop_map(Value::Bool))).await;
    database.end().await;
}

#[tokio::test]
async fn texts_and_bytes_come_back_as_they_were_sent() {
    let database = database!("CREATE TYPE mood AS ENUM ('sad', 'so ''so''', 'glücklich')");
    let source = database.source();
    for type_name in ["text", "varchar"] {
        travel(&source, type_name, texts(plain())).await;
    }
    let numbers = integers().prop_map(|number| (Value::Int(number), text(&number.to_string())));
    travel(&source, "text", numbers).await;
    travel(
        &source,
        "mood",
        texts(prop_oneof![Just("sad"), Just("so 'so'"), Just("glücklich")].prop_map(str::to_owned)),
    )
    .await;
    travel(&source, "bytea", same(vec(any::<u8>(), 0..200).prop_map(Value::Bytes))).await;
    travel(&source, "uuid", texts("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")).await;
    travel(&source, "varbit", texts("[01]{0,70}")).await;
    travel(&source, "inet", texts(any::<[u8; 4]>().prop_map(|[a, b, c, d]| format!("{a}.{b}.{c}.{d}"))))
        .await;
    travel(
        &source,
        "int4range",
        texts((-99..0_i32, 1..99_i32).prop_map(|(from, to)| format!("[{from},{to})"))),
    )
    .await;
    database.end().await;
}

#[tokio::test]
async fn times_come_back_as_they_were_sent() {
    let database = database!("");
    let source = database.source();
    travel(&source, "timestamp", texts(moments())).await;
    travel(&source, "date", texts(moments().prop_map(|moment| moment[..10].to_owned()))).await;
    travel(&source, "time", texts(moments().prop_map(|moment| moment[11..].to_owned()))).await;
    travel(&source, "timestamptz", texts(moments().prop_map(|moment| format!("{moment}Z")))).await;
    // The same moment with an offset, which is the one two hours earlier in UTC.
    let offsets =
        moments().prop_filter("no change of day", |moment| moment[11..13] >= *"02").prop_map(|moment| {
            let hour: u32 = moment[11..13].parse().unwrap();
            let utc = format!("{}{:02}{}Z", &moment[..11], hour - 2, &moment[13..]);
            (text(&format!("{moment}+02:00")), text(&utc))
        });
    travel(&source, "timestamptz", offsets).await;
    database.end().await;
}

/// `json` keeps the text; of `jsonb` the server says what it holds.
#[tokio::test]
async fn json_comes_back_as_it_was_sent() {
    let database = database!("");
    let source = database.source();
    let sent = json().prop_map(|value| {
        let expected = Value::Json(written(&value));
        (value, expected)
    });
    travel(&source, "json", sent).await;
    let mut runner = TestRunner::deterministic();
    for _ in 0..RANDOM {
        let value = json().new_tree(&mut runner).unwrap().current();
        // U+0000 is no text of PostgreSQL, and the rest must be the same value.
        let same = ask("SELECT $1::jsonb = $2::text::jsonb").with([value.clone(), text(&written(&value))]);
        assert_eq!(same.cell(&source).await, Value::Bool(true), "{value:?}");
    }
    database.end().await;
}

#[tokio::test]
async fn a_map_for_hstore_comes_back_as_it_was_sent() {
    let database = database!("CREATE EXTENSION hstore");
    let source = database.source();
    let mut runner = TestRunner::deterministic();
    let maps = hash_map(plain(), or_null(plain().prop_map(Value::Text).boxed()), 0..5);
    for _ in 0..RANDOM {
        let fields: Vec<(String, Value)> =
            maps.new_tree(&mut runner).unwrap().current().into_iter().collect();
        let sent = Value::Object(fields.clone());
        let keys = Value::Array(fields.iter().map(|(key, _)| Value::Text(key.clone())).collect());
        let values = Value::Array(fields.into_iter().map(|(_, value)| value).collect());
        let same = ask("SELECT $1::hstore = hstore($2::text[], $3::text[])").with([sent, keys, values]);
        assert_eq!(same.cell(&source).await, Value::Bool(true));
    }
    let error = ask("SELECT $1::hstore").with([Value::Object(vec![("a".to_owned(), Value::Array(vec![]))])]);
    assert!(error.error(&source).await.starts_with("argument 1: key \"a\": "));
    database.end().await;
}

#[tokio::test]
async fn lists_come_back_as_they_were_sent() {
    let database = database!("");
    let source = database.source();
    travel(&source, "int8[]", lists(integers().prop_map(Value::Int).boxed())).await;
    travel(&source, "text[]", lists(plain().prop_map(Value::Text).boxed())).await;
    travel(&source, "numeric[]", lists(decimals().prop_map(Value::Decimal).boxed())).await;
    travel(
        &source,
        "timestamptz[]",
        lists(moments().prop_map(|moment| Value::Text(format!("{moment}Z"))).boxed()),
    )
    .await;
    travel(
        &source,
        "interval[]",
        lists("[1-9] days".prop_map(Value::Text).boxed())
            .prop_filter("plural", |(list, _)| !format!("{list:?}").contains("\"1 days")),
    )
    .await;
    let many: Vec<Value> = (0..5_000).map(Value::Int).collect();
    let found = ask("SELECT count(*) FROM generate_series(1, 9999) AS n WHERE n = ANY($1)")
        .with([Value::Array(many.clone())]);
    assert_eq!(found.cell(&source).await, Value::Int(4_999));
    assert_eq!(
        ask("SELECT $1::int[]").with([Value::Array(many.clone())]).cell(&source).await,
        Value::Array(many)
    );
    assert_eq!(
        ask("SELECT 1 WHERE 1 = ANY($1)").with([Value::Array(Vec::new())]).rows(&source).await.len(),
        0
    );
    database.end().await;
}

#[tokio::test]
async fn null_and_values_follow_each_other_in_either_order() {
    let database =
        database!("CREATE TABLE t (ref bigint, kind text); INSERT INTO t VALUES (7, 'a'), (NULL, 'b')");
    for order in [[Value::Null, Value::Int(7), Value::Null], [Value::Int(7), Value::Null, Value::Int(7)]] {
        let source = database.narrow_source();
        for value in order {
            let rows = ask("SELECT kind FROM t WHERE ref IS NOT DISTINCT FROM $1")
                .with([value.clone()])
                .rows(&source)
                .await;
            let expected = if value == Value::Null { "b" } else { "a" };
            assert_eq!(rows, [[text(expected)]], "{value:?}");
            let found = ask("SELECT count(*) FROM t WHERE $1::bigint IS NULL OR ref = $1")
                .with([value.clone()])
                .cell(&source)
                .await;
            assert_eq!(found, Value::Int(if value == Value::Null { 2 } else { 1 }));
        }
    }
    database.end().await;
}
