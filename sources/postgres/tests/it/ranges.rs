//! Ranges against the server's own text, for thousands of values of each type in one query.

use proptest::{
    prelude::{Just, Strategy, any, prop, prop_oneof},
    strategy::ValueTree as _,
    test_runner::TestRunner,
};
use toolbox_source::Value;

use crate::support::{Database, ask, database, decimal, object, text};

/// How many random ranges of each type.
const RANDOM: usize = 1_500;

fn random<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>, count: usize) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Holds ranges between the bounds of a type to the texts that the server has for them: each bound with each edge, and random
/// bounds with each other, open, closed and without an end.
async fn check<const N: usize>(
    database: &Database,
    range: &str,
    bound: &str,
    edges: [&str; N],
    bounds: impl Strategy<Value = String>,
) {
    let (mut lowers, mut uppers, mut forms) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |lower: Option<&str>, upper: Option<&str>, form: usize| {
        let value = |bound: Option<&str>| bound.map_or(Value::Null, text);
        lowers.push(value(lower));
        uppers.push(value(upper));
        forms.push(text(["[)", "[]", "()", "(]"][form % 4]));
    };
    for lower in edges {
        for (form, upper) in edges.into_iter().enumerate() {
            add(Some(lower), Some(upper), form);
        }
        add(Some(lower), None, 0);
        add(Some(lower), Some(lower), 1);
        add(None, Some(lower), 3);
    }
    add(None, None, 0);
    for (index, pair) in random(bounds, 2 * RANDOM).chunks_exact(2).enumerate() {
        let lower = (index % 11 != 0).then_some(pair[0].as_str());
        let upper = (index % 13 != 0).then_some(pair[1].as_str());
        add(lower, upper, index);
    }
    let count = lowers.len();
    let sql = format!(
        "SELECT r, r::text FROM (SELECT CASE WHEN l::{bound} > u::{bound} THEN {range}(u::{bound}, l::{bound}, f) \
         ELSE {range}(l::{bound}, u::{bound}, f) END AS r FROM unnest($1::text[], $2::text[], $3::text[]) AS t(l, u, f)) AS ranges"
    );
    let given = [lowers, uppers, forms].map(Value::Array);
    let rows = ask(&sql).with(given).rows(&database.source()).await;
    assert_eq!(rows.len(), count, "{range}");
    for row in rows {
        assert_eq!(row[0], row[1], "{range}");
    }
}

#[tokio::test]
async fn ranges_of_numbers_are_written_as_the_server_writes_them() {
    let database = database!("");
    let integers = any::<i32>().prop_filter("has a successor", |number| *number < i32::MAX);
    check(
        &database,
        "int4range",
        "int4",
        ["0", "-1", "-2147483648", "2147483646"],
        integers.prop_map(|number| number.to_string()),
    )
    .await;
    let integers = any::<i64>().prop_filter("has a successor", |number| *number < i64::MAX);
    check(
        &database,
        "int8range",
        "int8",
        ["0", "9007199254740993", "-9223372036854775808"],
        integers.prop_map(|number| number.to_string()),
    )
    .await;
    let edges = ["0", "0.00", "-0.10", "1e40", "1e-40", "NaN", "Infinity", "-Infinity", "10000.0001"];
    check(&database, "numrange", "numeric", edges, "-?[0-9]{1,24}([.][0-9]{1,24})?").await;
    database.end().await;
}

#[tokio::test]
async fn ranges_of_moments_are_written_as_the_server_writes_them() {
    let database = database!("");
    let edges = ["2024-02-29", "0044-03-15 BC", "4713-01-01 BC", "infinity", "-infinity", "12024-01-01"];
    let days = (0..5_000_000_i64).prop_map(|day| format!("J{day}"));
    check(&database, "daterange", "date", edges, days).await;
    let edges = [
        "2024-01-02 03:04:05.5",
        "0044-03-15 12:00 BC",
        "infinity",
        "-infinity",
        "294276-12-31 23:59:59.999999",
        "4713-01-01 BC",
        "2024-01-02",
    ];
    let moments = || {
        (0..5_000_000_i64, 0..86_400_000_000_i64).prop_map(|(day, time)| {
            format!(
                "J{day} {}:{}:{}.{:06}",
                time / 3_600_000_000,
                time / 60_000_000 % 60,
                time / 1_000_000 % 60,
                time % 1_000_000
            )
        })
    };
    check(&database, "tsrange", "timestamp", edges, moments()).await;
    check(&database, "tstzrange", "timestamptz", edges, moments().prop_map(|moment| format!("{moment}+00")))
        .await;
    database.end().await;
}

/// The same for a range type that a user makes over a type.
async fn check_made<const N: usize>(
    database: &Database,
    bound: &str,
    edges: [&str; N],
    bounds: impl Strategy<Value = String>,
) {
    let range = format!("{}_range", bound.replace('"', ""));
    database.script(&format!("CREATE TYPE {range} AS RANGE (subtype = {bound})")).await;
    check(database, &range, bound, edges, bounds).await;
}

/// Texts of whatever makes the server quote a bound, or might.
fn hostile() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select("\"\\()[],{} \t\n\r\u{b}\u{c}\u{85}\u{a0}'é🦊a7".chars().collect::<Vec<_>>()),
        0..5,
    )
    .prop_map(|characters| characters.into_iter().collect())
}

#[tokio::test]
async fn ranges_of_texts_are_written_as_the_server_writes_them() {
    let database = database!("CREATE TYPE mood AS ENUM ('sad', 'so so', '(ok)', '')");
    let edges = ["", " ", "\"", "\\", "a", "null", "empty"];
    check_made(&database, "text", edges, hostile()).await;
    check_made(&database, "varchar", edges, hostile()).await;
    let json = hostile().prop_map(|text| serde_json::to_string(&text).unwrap());
    check_made(&database, "jsonb", ["null", "1.50", "{\"a\": [1, 2]}"], json).await;
    check_made(&database, "bytea", ["", "\\x00ff"], "[a-z]{0,5}").await;
    check_made(&database, "mood", ["sad", "so so", "(ok)", ""], Just("sad".to_owned())).await;
    check_made(&database, "tsvector", ["", "a:1 'b \"c'"], "[a-z ]{1,9}").await;
    check_made(&database, "\"char\"", ["", "a", ",", "\\"], "[a-z]").await;
    database.end().await;
}

#[tokio::test]
async fn ranges_of_floats_are_written_as_the_server_writes_them() {
    let database = database!("");
    let edges = [
        "0",
        "-0",
        "0.1",
        "NaN",
        "Infinity",
        "-Infinity",
        "123456",
        "1234567",
        "1e-4",
        "1e-5",
        "16777216",
        "1e-45",
        "33554432",
        "3998068.25",
    ];
    let singles = prop_oneof![
        any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |float| float.is_finite()),
        // Many of these are as near to two texts of the shortest length.
        (0..8_388_608_u32, "(25|5|75)").prop_map(|(whole, rest)| format!("{whole}.{rest}").parse().unwrap()),
    ];
    check_made(&database, "float4", edges, singles.prop_map(|float| format!("{float:e}"))).await;
    let edges = [
        "0",
        "-0",
        "0.1",
        "NaN",
        "Infinity",
        "1e14",
        "1e15",
        "1e-4",
        "1e-5",
        "1e23",
        "562949953421312.25",
        "5e-324",
    ];
    let doubles = prop_oneof![
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |float| float.is_finite())
            .prop_map(|float| format!("{float:e}")),
        // Many of these lie in the middle of two doubles.
        (2_000..4_000_u32, 16..23_u32).prop_map(|(digits, exponent)| format!("{digits}e{exponent}")),
        (562_949_953_421_312..1_125_899_906_842_624_u64, "(25|5|75|125)")
            .prop_map(|(whole, rest)| format!("{whole}.{rest}")),
    ];
    check_made(&database, "float8", edges, doubles).await;
    database.end().await;
}

#[tokio::test]
async fn ranges_of_other_types_are_written_as_the_server_writes_them() {
    let database = database!("CREATE DOMAIN score AS numeric CHECK (VALUE >= 0)");
    check_made(&database, "bool", ["true", "false"], Just("true".to_owned())).await;
    let intervals = (any::<i16>(), any::<i16>(), any::<i32>())
        .prop_map(|(months, days, time)| format!("{months} mons {days} days {time} microseconds"));
    check_made(&database, "interval", ["0", "1 day", "-1 mon"], intervals).await;
    check_made(&database, "time", ["00:00", "24:00"], "[01][0-9]:[0-5][0-9]:[0-5][0-9][.][0-9]{1,6}").await;
    let zoned = "[01][0-9]:[0-5][0-9]:[0-5][0-9][+-]0[0-9](:[0-5][0-9])?";
    check_made(&database, "timetz", ["00:00+00", "24:00-08"], zoned).await;
    let addresses = any::<u128>().prop_map(|bits| std::net::Ipv6Addr::from(bits).to_string());
    check_made(&database, "inet", ["::1", "10.0.0.0/8", "192.168.1.5"], addresses).await;
    check_made(&database, "macaddr", ["08:00:2b:01:02:03"], "[0-9a-f]{12}").await;
    check_made(&database, "uuid", ["018f3a1e-0000-7000-8000-000000000000"], "[0-9a-f]{32}").await;
    check_made(&database, "oid", ["0", "4294967295"], any::<u32>().prop_map(|number| number.to_string()))
        .await;
    check_made(&database, "varbit", ["", "1"], "[01]{0,20}").await;
    check_made(&database, "pg_lsn", ["0/0"], "[1-9A-F]{1,8}/[1-9A-F]{1,8}").await;
    let ranges = (any::<i16>(), 0..9_i32)
        .prop_map(|(lower, length)| format!("[{lower},{})", i32::from(lower) + length));
    check_made(&database, "int4range", ["empty", "(,)", "[1,5)"], ranges).await;
    check_made(&database, "score", ["0", "1.50"], "[0-9]{1,9}[.][0-9]{1,9}").await;
    database.end().await;
}

/// A bound that only the server writes leaves the whole range to it.
#[tokio::test]
async fn a_range_whose_bounds_are_not_read_is_rendered_by_the_server() {
    let database = database!(
        "CREATE EXTENSION seg; CREATE TYPE pair AS (a int, b text); CREATE TYPE seg_range AS RANGE (subtype = seg); \
         CREATE TYPE list_range AS RANGE (subtype = int[]); CREATE TYPE pair_range AS RANGE (subtype = pair); \
         CREATE TYPE price_range AS RANGE (subtype = money)"
    );
    let source = database.source();
    for case in [
        "seg_range('1..2', '3..4')",
        "list_range('{1,2}', '{3}')",
        "pair_range(ROW(1, 'a \"b'), NULL)",
        "price_range('1', '2.5')",
    ] {
        let server = text(&database.text(&format!("SELECT ({case})::text")).await.unwrap());
        let cells = ask(&format!("SELECT {case}, ARRAY[{case}, NULL]")).rows(&source).await;
        assert_eq!(cells, [[server.clone(), Value::Array(vec![server, Value::Null])]], "{case}");
    }
    database.end().await;
}

/// Nothing can stand around these statements, so that the source alone reads their cells.
#[tokio::test]
async fn ranges_come_out_of_every_form_of_statement() {
    let database = database!(
        "CREATE DOMAIN stay AS daterange CHECK (NOT isempty(VALUE)); CREATE TYPE label_range AS RANGE (subtype = text); \
         CREATE TYPE booking AS (days stay, price numeric); \
         CREATE TABLE t (id int, s stay, l label_range[], b booking); \
         INSERT INTO t VALUES (1, '[2024-01-01,2024-02-01)', ARRAY['[\"a b\",c)'::label_range, NULL], ROW('[2024-01-01,)', 2.50)); \
         CREATE PROCEDURE p(OUT r tsrange, OUT s stay, OUT l label_range[]) LANGUAGE sql AS \
         $$ SELECT '[2024-01-02 03:04:05,)'::tsrange, '[2024-01-01,2024-02-01)'::stay, ARRAY['(,\"a \"\"b\")'::label_range] $$"
    );
    let source = database.narrow_source();
    let stay = text("[2024-01-01,2024-02-01)");
    let called = ask("CALL p(NULL, NULL, NULL)").rows(&source).await;
    let label = database.text("SELECT ('(,\"a \"\"b\")'::label_range)::text").await.unwrap();
    assert_eq!(
        called,
        [[text("[\"2024-01-02 03:04:05\",)"), stay.clone(), Value::Array(vec![text(&label)])]]
    );
    let list = Value::Array(vec![text("[\"a b\",c)"), Value::Null]);
    let booking = object([("days", text("[2024-01-01,)")), ("price", decimal("2.50"))]);
    for statement in [
        "SELECT id, s, l, b FROM t",
        "UPDATE t SET id = id RETURNING id, s, l, b",
        "WITH x AS (UPDATE t SET id = id RETURNING *) SELECT id, s, l, b FROM x",
        "TABLE t",
    ] {
        let rows = ask(statement).rows(&source).await;
        assert_eq!(rows, [[Value::Int(1), stay.clone(), list.clone(), booking.clone()]], "{statement}");
    }
    let given = ask("SELECT $1::int4range, $2::label_range, $3::stay").with([
        text("[1,4]"),
        text("[\"a b\",)"),
        text("[2024-01-01,2024-01-31]"),
    ]);
    assert_eq!(given.rows(&source).await, [[text("[1,5)"), text("[\"a b\",)"), stay]]);
    database.end().await;
}
