//! Cells out of every kind of table and column, against what SQLite itself says of them.

use toolbox_source::Value;

use crate::support::{Database, ask, open, text};

fn int(value: i64) -> Value {
    Value::Int(value)
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_without_a_type_hold_what_was_put_in() {
    let database = Database::with(
        "CREATE TABLE bare (a, b ANYTHING GOES(1, 2), c); INSERT INTO bare VALUES (1, 1.0, '1'), (x'31', NULL, 9e999);
         CREATE TABLE strict (a ANY, b BLOB, c REAL, d INT) STRICT; INSERT INTO strict VALUES ('1', x'', 1, 2);",
    )
    .await;
    let source = database.source();
    let rows = ask("SELECT * FROM bare").rows(&source).await;
    assert_eq!(
        rows,
        // A declaration that SQLite does not know is NUMERIC, which makes an integer of 1.0.
        [[int(1), int(1), text("1")], [Value::Bytes(vec![0x31]), Value::Null, Value::Float(f64::INFINITY)]]
    );
    let types = ask("SELECT typeof(a), typeof(b), typeof(c) FROM bare").rows(&source).await;
    assert_eq!(types[0], [text("integer"), text("integer"), text("text")]);
    let rows = ask("SELECT * FROM strict").rows(&source).await;
    assert_eq!(rows, [[text("1"), Value::Bytes(vec![]), Value::Float(1.0), int(2)]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn generated_columns_are_columns() {
    let database = Database::with(
        "CREATE TABLE made (n INTEGER, twice INTEGER AS (n * 2), name TEXT AS ('n' || n) STORED, half AS (n / 2.0));
         INSERT INTO made (n) VALUES (3);",
    )
    .await;
    let source = database.source();
    let answer = ask("SELECT * FROM made").answer(&source).await.unwrap();
    assert_eq!(answer.columns.unwrap(), ["n", "twice", "name", "half"]);
    assert_eq!(answer.rows, [[int(3), int(6), text("n3"), Value::Float(1.5)]]);
    let answer =
        ask("INSERT INTO made (n) VALUES (?) RETURNING *").with([int(5)]).answer(&source).await.unwrap();
    assert_eq!(answer.rows, [[int(5), int(10), text("n5"), Value::Float(2.5)]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_number_in_a_real_column_is_a_real() {
    let database = Database::with(
        "CREATE TABLE reals (x REAL); INSERT INTO reals VALUES (1), (1000000000000000000), (-0.0), ('12'), ('x');",
    )
    .await;
    let rows = ask("SELECT x, typeof(x) FROM reals").rows(&database.source()).await;
    let real = |x: f64| [Value::Float(x), text("real")];
    assert_eq!(rows[..2], [real(1.0), real(1e18)]);
    assert_eq!(rows[3..], [real(12.0), [text("x"), text("text")]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_every_kind_of_table_are_shown() {
    let database = Database::with(
        "CREATE TABLE keyed (name TEXT PRIMARY KEY, n INT) WITHOUT ROWID; INSERT INTO keyed VALUES ('b', 1), ('a', 2);
         CREATE TABLE plain (a); INSERT INTO plain (rowid, a) VALUES (9223372036854775807, 'last');
         CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES ('the quick fox');
         CREATE VIRTUAL TABLE boxes USING rtree(id, low, high); INSERT INTO boxes VALUES (1, 0.5, 1.5);",
    )
    .await;
    let source = database.source();
    assert_eq!(ask("SELECT * FROM keyed").rows(&source).await, [[text("a"), int(2)], [text("b"), int(1)]]);
    assert_eq!(ask("SELECT rowid, a FROM plain").rows(&source).await, [[int(i64::MAX), text("last")]]);
    assert_eq!(
        ask("SELECT body FROM words WHERE words MATCH ?").with([text("quick")]).rows(&source).await,
        [[text("the quick fox")]]
    );
    let boxed = ask("SELECT * FROM boxes").rows(&source).await;
    assert_eq!(boxed, [[int(1), Value::Float(0.5), Value::Float(1.5)]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_text_and_binary_json_is_a_blob() {
    let source = open(":memory:");
    let row =
        ask("SELECT json('{\"b\" : 1.0}'), jsonb('[1]'), '{\"a\":9007199254740993}' ->> 'a', '[1.50]' -> 0")
            .rows(&source)
            .await
            .remove(0);
    assert_eq!(row[0], text("{\"b\":1.0}"));
    assert_eq!(row[1], Value::Bytes(vec![0x2b, 0x13, b'1']));
    assert_eq!(row[2..], [int(9_007_199_254_740_993), text("1.50")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn dates_are_the_text_or_the_number_that_sqlite_makes() {
    let source = open(":memory:");
    let row = ask(
        "SELECT date('2024-02-29'), datetime('2024-01-02 03:04:05.678'), julianday('1969-07-20 18:00:00'), \
         unixepoch('2024-01-02'), strftime('%Y', '2024-01-02'), time('25:00'), \
         datetime('2024-01-02 03:04:05.678', 'subsec'), date(0.0)",
    )
    .rows(&source)
    .await
    .remove(0);
    assert_eq!(
        row,
        [
            text("2024-02-29"),
            text("2024-01-02 03:04:05"),
            Value::Float(2_440_423.25),
            int(1_704_153_600),
            text("2024"),
            Value::Null,
            text("2024-01-02 03:04:05.678"),
            text("-4713-11-24"),
        ]
    );
}

/// SQLite makes the values itself here, so that nothing of ours stands on both sides.
#[tokio::test(flavor = "multi_thread")]
async fn random_values_of_sqlite_are_read_as_it_quotes_them() {
    let source = open(":memory:");
    let sql = "CREATE TABLE made AS WITH RECURSIVE r(k, a, b) AS (
                 SELECT 1, random(), random() UNION ALL SELECT k + 1, random(), random() FROM r WHERE k < 3000),
               v(v) AS (SELECT CASE k % 6
                   WHEN 0 THEN a
                   WHEN 1 THEN a >> (b & 63)
                   WHEN 2 THEN randomblob(b & 15)
                   WHEN 3 THEN hex(randomblob(b & 7))
                   WHEN 4 THEN CAST(a || 'e' || (b % 300) AS REAL)
                   ELSE a / (b + 0.5) END FROM r)
               SELECT v FROM v";
    ask(sql).done(&source).await;
    let rows = ask("SELECT v, typeof(v), quote(v) FROM made").rows(&source).await;
    assert_eq!(rows.len(), 3000);
    for row in rows {
        let [value, kind, Value::Text(quoted)] = row.as_slice() else { panic!("{row:?}") };
        let (expected, literal) = match value {
            Value::Int(value) => ("integer", value.to_string()),
            Value::Text(text) => ("text", format!("'{text}'")),
            Value::Bytes(bytes) => {
                let hex = bytes.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02X}"));
                ("blob", format!("X'{hex}'"))
            }
            Value::Float(value) => {
                // Its own digits say the double, as far as it computes them: it is some units off in the last place at times.
                let said: f64 = quoted.parse().unwrap();
                let apart = said.to_bits().abs_diff(value.to_bits());
                assert!(apart <= 4 || (said.is_infinite() && value.is_infinite()), "{value:e} {quoted}");
                ("real", quoted.clone())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!((kind, quoted), (&text(expected), &literal));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn placeholders_beyond_those_of_sqlite_are_refused_in_words() {
    let source = open(":memory:");
    for sql in ["SELECT ?0", "SELECT ?99999"] {
        let error = ask(sql).with([int(1)]).error(&source).await;
        assert!(error.contains("argument") || error.contains("variable number"), "{sql}: {error}");
    }
    let many: Vec<Value> = (0..2000).map(int).collect();
    let sql = format!("SELECT max({})", vec!["?"; 100].join(", "));
    assert_eq!(ask(&sql).with(many[..100].iter().cloned()).cell(&source).await, int(99));
    let list = format!("SELECT count(*) FROM (VALUES {})", vec!["(?)"; 2000].join(", "));
    assert_eq!(ask(&list).with(many).cell(&source).await, int(2000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_beyond_the_memory_of_sqlite_costs_its_call_and_nothing_else() {
    let mut options = crate::support::options(":memory:");
    options.max_connections = 1;
    let source = toolbox_sqlite::Sqlite::open("test", options).unwrap();
    ask("CREATE TABLE kept (a)").done(&source).await;
    let error = ask("SELECT randomblob(900000000)").error(&source).await;
    assert!(error.starts_with("out of memory (code 7)") && error.contains("substr()"), "{error}");
    // There is room for the value, and none for the copy that the driver makes of it.
    ask("SELECT zeroblob(400000000)").error(&source).await;
    assert_eq!(ask("SELECT length(zeroblob(900000000))").cell(&source).await, int(900_000_000));
    assert_eq!(ask("SELECT count(*) FROM kept").cell(&source).await, int(0));
    assert_eq!(ask("SELECT length(hex(zeroblob(20000000)))").cell(&source).await, int(40_000_000));
}
