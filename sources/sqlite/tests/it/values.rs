//! Cells by their stored type, and arguments that arrive as they are. SQLite says itself what it holds.

use toolbox_source::{SourceError, Value};

use crate::support::{Database, ask, open, text};

/// The literal that SQLite writes for a value, made from what we decoded.
fn quote(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "NULL".to_owned(),
        Value::Int(integer) => integer.to_string(),
        Value::Text(text) if !text.contains('\0') => format!("'{}'", text.replace('\'', "''")),
        Value::Bytes(bytes) => format!("X'{}'", hex(bytes)),
        _ => return None,
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02X}"))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Int(_) => "integer",
        Value::Float(_) => "real",
        Value::Text(_) => "text",
        Value::Bytes(_) => "blob",
        other => panic!("{other:?} is no value of SQLite"),
    }
}

/// A generator of the same values in every run (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn value(&mut self) -> Value {
        const PIECES: [&str; 20] = [
            "'", "\"", "''", "\\", "\n", "\r\n", "\t", ",", ";", "--", "日本", "n\u{303}", "🙂", "\u{202e}",
            "null", "-0", "1e5", " ", "\u{0}", "\u{feff}",
        ];
        match self.below(6) {
            0 => Value::Null,
            1 => Value::Int(i64::from_ne_bytes(self.next().to_ne_bytes()) >> self.below(64)),
            2 => {
                let real = f64::from_bits(self.next());
                if real.is_nan() { Value::Float(0.1) } else { Value::Float(real) }
            }
            3 => Value::Bytes((0..self.below(9)).map(|_| self.next().to_ne_bytes()[0]).collect()),
            _ => Value::Text((0..self.below(6)).map(|_| PIECES[self.below(PIECES.len())]).collect()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_values_come_back_as_sqlite_holds_them() {
    let source = open(":memory:");
    ask("CREATE TABLE cell (id INTEGER PRIMARY KEY, value)").done(&source).await;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let sent: Vec<Value> = (0..400).map(|_| random.value()).collect();
    for value in &sent {
        ask("INSERT INTO cell (value) VALUES (?)").with([value.clone()]).done(&source).await;
    }
    let rows = ask("SELECT value, typeof(value), quote(value), hex(value), printf('%!.17g', value) FROM cell ORDER BY id")
        .rows(&source)
        .await;
    assert_eq!(rows.len(), sent.len());
    for (row, sent) in rows.iter().zip(&sent) {
        let [value, stored, quoted, hexed, printed] = row.as_slice() else { panic!("{row:?}") };
        assert_eq!(value, sent);
        assert_eq!(*stored, text(kind(value)));
        if let Some(literal) = quote(value) {
            assert_eq!(*quoted, text(&literal));
        }
        if let Value::Text(plain) = value {
            assert_eq!(*hexed, text(&hex(plain.as_bytes())));
        }
        if let (Value::Float(real), Value::Text(printed)) = (value, printed)
            && real.is_finite()
        {
            // SQLite rounds its own 17 digits in the last place of very large and very small numbers.
            let read: f64 = printed.parse().unwrap();
            assert!((read - real).abs() <= real.abs() * 1e-15, "{real:e} {printed}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_at_their_limits_survive_both_ways() {
    let source = open(":memory:");
    for integer in [0, -1, 9_007_199_254_740_993, 1_934_567_890_123_456_789, i64::MAX, i64::MIN] {
        let row = ask("SELECT ?1, typeof(?1), CAST(?1 AS TEXT)")
            .with([Value::Int(integer)])
            .rows(&source)
            .await
            .remove(0);
        assert_eq!(row, [Value::Int(integer), text("integer"), text(&integer.to_string())]);
    }
    for real in [0.1, -0.0, 1e300, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 1.0] {
        let Value::Float(read) = ask("SELECT ?").with([Value::Float(real)]).cell(&source).await else {
            panic!()
        };
        assert_eq!(read.to_bits(), real.to_bits());
    }
    assert_eq!(ask("SELECT 9e999").cell(&source).await, Value::Float(f64::INFINITY));
    assert_eq!(ask("SELECT 0.0 / 0.0").cell(&source).await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stored_type_wins_over_the_declared_one() {
    let source = Database::with(
        "CREATE TABLE odd (a INTEGER, b TEXT, c BOOLEAN, d DATETIME, e NUMERIC, f DATE);
         INSERT INTO odd VALUES ('abc', 42, 'yes', '12:30 01-2024-05', '1.10', 1700000000), (1, '007', 1, 2440587.5, X'00', NULL);",
    )
    .await;
    let rows = ask("SELECT * FROM odd").rows(&source.source()).await;
    assert_eq!(
        rows,
        [
            vec![
                text("abc"),
                text("42"),
                text("yes"),
                text("12:30 01-2024-05"),
                Value::Float(1.1),
                Value::Int(1_700_000_000)
            ],
            vec![
                Value::Int(1),
                text("007"),
                Value::Int(1),
                Value::Float(2_440_587.5),
                Value::Bytes(vec![0]),
                Value::Null
            ],
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn null_the_empty_text_and_the_empty_blob_differ() {
    let source = open(":memory:");
    let row = ask("SELECT NULL, '', ' ', X'', zeroblob(0), 'null'").rows(&source).await.remove(0);
    assert_eq!(
        row,
        [Value::Null, text(""), text(" "), Value::Bytes(vec![]), Value::Bytes(vec![]), text("null")]
    );
    let sent = [Value::Null, text(""), Value::Bytes(vec![])];
    let row = ask("SELECT typeof(?), typeof(?), typeof(?)").with(sent).rows(&source).await.remove(0);
    assert_eq!(row, [text("null"), text("text"), text("blob")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_is_no_utf8_counts_as_bytes() {
    let source = open(":memory:");
    let row = ask("SELECT CAST(X'61FF62' AS TEXT), CAST(X'6100' AS TEXT), 1").rows(&source).await.remove(0);
    assert_eq!(row, [Value::Bytes(vec![0x61, 0xff, 0x62]), text("a\0"), Value::Int(1)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_utf16_reads_the_same() {
    let database =
        Database::with("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a); INSERT INTO t VALUES ('naïve 🙂')")
            .await;
    let source = database.source();
    assert_eq!(ask("PRAGMA encoding").cell(&source).await, text("UTF-16le"));
    assert_eq!(ask("SELECT a FROM t").cell(&source).await, text("naïve 🙂"));
    assert_eq!(
        ask("SELECT count(*) FROM t WHERE a = ?").with([text("naïve 🙂")]).cell(&source).await,
        Value::Int(1)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_bound_as_the_type_that_keeps_them() {
    let source = open(":memory:");
    let decimal = |digits: &str| Value::Decimal(digits.to_owned());
    for (value, kind, literal) in [
        (Value::Bool(true), "integer", "1"),
        (Value::Bool(false), "integer", "0"),
        (Value::UInt(9_223_372_036_854_775_807), "integer", "9223372036854775807"),
        (decimal("7"), "integer", "7"),
        (decimal("-7.00"), "real", "-7.0"),
        (decimal("9007199254740993.0"), "integer", "9007199254740993"),
        (decimal("-0"), "integer", "0"),
        (decimal("9223372036854775807"), "integer", "9223372036854775807"),
        (decimal("1.10"), "real", "1.1"),
        (decimal("0.1"), "real", "0.1"),
        (decimal("-12.5"), "real", "-12.5"),
        (decimal("9223372036854775808"), "real", "9.223372036854775808e+18"),
        (decimal("12345678901234567890.12"), "text", "'12345678901234567890.12'"),
        (decimal("0.1234567890123456789"), "text", "'0.1234567890123456789'"),
        (Value::Json("{\"b\":1.0,\"a\":[]}".to_owned()), "text", "'{\"b\":1.0,\"a\":[]}'"),
        (
            Value::Array(vec![Value::Int(1), Value::Null, text("a\"b"), decimal("1.10")]),
            "text",
            "'[1,null,\"a\\\"b\",1.10]'",
        ),
        (Value::Array(vec![]), "text", "'[]'"),
        (
            Value::Object(vec![("z".to_owned(), Value::Bool(true)), ("a".to_owned(), Value::Float(0.5))]),
            "text",
            "'{\"z\":true,\"a\":0.5}'",
        ),
    ] {
        let row = ask("SELECT typeof(?1), quote(?1)").with([value.clone()]).rows(&source).await.remove(0);
        assert_eq!(row[0], text(kind), "{value:?}");
        if kind == "real" {
            // quote() writes all digits of a double; the number is what counts.
            let Value::Text(quoted) = &row[1] else { panic!() };
            assert_eq!(quoted.parse::<f64>(), literal.parse(), "{value:?}");
        } else {
            assert_eq!(row[1], text(literal), "{value:?}");
        }
    }
    let list = Value::Array(vec![Value::Int(2), Value::Int(3)]);
    let sql = "SELECT group_concat(column1) FROM (VALUES (1), (2), (3)) WHERE column1 IN (SELECT value FROM json_each(?))";
    assert_eq!(ask(sql).with([list]).cell(&source).await, text("2,3"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_sqlite_cannot_hold_is_refused_by_the_place_of_the_argument() {
    let source = open(":memory:");
    for (value, part) in [
        (Value::UInt(u64::MAX), "18446744073709551615 is beyond 9223372036854775807"),
        (Value::Float(f64::NAN), "SQLite has no NaN"),
        (Value::Array(vec![Value::Float(f64::INFINITY)]), "inf has no form in JSON"),
        (Value::Array(vec![Value::Bytes(vec![1])]), "bytes have no form in JSON"),
    ] {
        match ask("SELECT ?, ?").with([Value::Null, value]).answer(&source).await {
            Err(SourceError::Argument { index: 1, message }) => {
                assert!(message.starts_with(part), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_of_arguments_must_fit() {
    let source = open(":memory:");
    let one = || [Value::Int(1)];
    assert_eq!(
        ask("SELECT ?, ?").with(one()).error(&source).await,
        "the statement takes 2 arguments, but 1 is given"
    );
    assert_eq!(
        ask("SELECT 1").with(one()).error(&source).await,
        "the statement takes 0 arguments, but 1 is given"
    );
    assert_eq!(
        ask("SELECT ?3").with(one()).error(&source).await,
        "the statement takes 3 arguments, but 1 is given"
    );
    assert_eq!(ask("SELECT ?").error(&source).await, "the statement takes 1 argument, but 0 are given");
    assert_eq!(
        ask("SELECT '?', \"?\", `?`, [?] -- ?\n /* ? */ FROM (SELECT 1 AS \"?\")").rows(&source).await.len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn numbered_and_bare_placeholders_mix_as_in_sqlite() {
    let source = open(":memory:");
    let three = || [Value::Int(10), Value::Int(20), Value::Int(30)];
    // SQLite: a bare one takes the number after the highest so far.
    let row = ask("SELECT ?2, ?, ?1, '?', ?3").with(three()).rows(&source).await.remove(0);
    assert_eq!(row, [Value::Int(20), Value::Int(30), Value::Int(10), text("?"), Value::Int(30)]);
    let row = ask("SELECT ?, ?1, ?, ?").with(three()).rows(&source).await.remove(0);
    assert_eq!(row, [Value::Int(10), Value::Int(10), Value::Int(20), Value::Int(30)]);
    let row = ask("SELECT ?3, ?1").with(three()).rows(&source).await.remove(0);
    assert_eq!(row, [Value::Int(30), Value::Int(10)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_tool_takes_null_and_a_number_in_either_order() {
    let source = Database::with("CREATE TABLE t (ref INTEGER); INSERT INTO t VALUES (7), (NULL)").await;
    let source = source.source();
    let sql = "SELECT count(*) FROM t WHERE ref IS ?";
    for value in [Value::Null, Value::Int(7), Value::Null] {
        assert_eq!(ask(sql).with([value]).cell(&source).await, Value::Int(1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_a_column_refuses_has_the_place_of_its_argument() {
    let database = Database::with("CREATE TABLE s (i INT, t TEXT NOT NULL, r REAL, b BLOB) STRICT").await;
    let source = database.source();
    let bytes = || Value::Bytes(vec![1]);
    for (statement, arguments, place, said) in [
        (
            "INSERT INTO s (t, i) VALUES (?, ?)",
            vec![text("a"), text("x")],
            2,
            "cannot store TEXT value in INT column s.i",
        ),
        (
            "INSERT INTO s VALUES (?, ?, ?, ?)",
            vec![Value::Int(1), text("a"), text("x"), bytes()],
            3,
            "cannot store TEXT",
        ),
        (
            "INSERT INTO s VALUES (?, ?, ?, ?)",
            vec![Value::Float(1.5), text("a"), Value::Null, bytes()],
            1,
            "cannot store REAL",
        ),
        (
            "INSERT INTO s (i, t) VALUES (?2, ?1)",
            vec![Value::Null, Value::Null],
            1,
            "NOT NULL constraint failed: s.t",
        ),
        ("INSERT INTO s (t, b) VALUES ('a', ?)", vec![Value::Int(1)], 1, "cannot store INT"),
        (
            "UPDATE s SET t = upper(?), r = ?",
            vec![text("x"), bytes()],
            2,
            "cannot store BLOB value in REAL column s.r",
        ),
    ] {
        database.script("DELETE FROM s; INSERT INTO s (t) VALUES ('z')").await;
        let error = ask(statement).with(arguments).error(&source).await;
        assert!(
            error.starts_with(&format!("argument {place}: ")) && error.contains(said),
            "{statement}: {error}"
        );
    }
    // The argument of another column has the same type.
    let error = ask("INSERT INTO s (i, t) VALUES (lower('X'), ?)").with([text("a")]).error(&source).await;
    assert!(error.starts_with("cannot store TEXT value in INT column s.i"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_digits_of_a_double_are_one() {
    let database = Database::with("CREATE TABLE d (r REAL); INSERT INTO d VALUES (0.1)").await;
    let source = database.source();
    let exact = "0.1000000000000000055511151231257827021181583404541015625";
    for (digits, kind) in [(exact, "real"), ("0.10000000000000000555", "text"), ("0.10", "real")] {
        let argument = Value::Decimal(digits.to_owned());
        let asked = ask("SELECT typeof(?)").with([argument.clone()]);
        assert_eq!(asked.cell(&source).await, text(kind), "{digits}");
    }
    let found = ask("SELECT count(*) FROM d WHERE r + 0 = ?").with([Value::Decimal(exact.to_owned())]);
    assert_eq!(found.cell(&source).await, Value::Int(1));
}

/// A text is more than every number to SQLite.
#[tokio::test(flavor = "multi_thread")]
async fn digits_that_no_double_holds_are_a_number_where_they_are_compared() {
    let database = Database::with(
        "CREATE TABLE t (r REAL, s TEXT, any); INSERT INTO t VALUES (0.5, '0.12345678901234567891', 0.5)",
    )
    .await;
    let source = database.source();
    let digits = || Value::Decimal("0.12345678901234567891".to_owned());
    for (statement, expected) in [
        ("SELECT count(*) FROM t WHERE r > ?", "1"),
        ("SELECT count(*) FROM t WHERE any > ? AND any + 0 > ?1", "1"),
        ("SELECT count(*) FROM (SELECT sum(r) AS total FROM t) WHERE total > ?", "1"),
        ("SELECT sum(r) FROM t HAVING sum(r) BETWEEN ? AND 1", "0.5"),
        ("SELECT ? < 5", "1"),
        ("SELECT max(?, 0.1) < 0.2", "1"),
        ("SELECT json_type(json_object('a', ?), '$.a')", "real"),
        // It keeps its digits where it is not compared.
        ("SELECT ?", "0.12345678901234567891"),
        ("SELECT CAST(? AS TEXT) = s FROM t", "1"),
        ("SELECT 'x' || ?", "x0.12345678901234567891"),
        ("UPDATE t SET s = ? RETURNING s", "0.12345678901234567891"),
        ("UPDATE t SET s = coalesce(?, s) WHERE r > ?1 RETURNING s", "0.12345678901234567891"),
    ] {
        let cell = ask(statement).with([digits()]).cell(&source).await;
        let said = match cell {
            Value::Text(text) => text,
            Value::Int(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            other => panic!("{statement} {other:?}"),
        };
        assert_eq!(said, expected, "{statement}");
    }
}
