//! Arguments: what is sent is what arrives, whatever was sent before it on the connection.

use toolbox_mysql::{MySql, Options};
use toolbox_source::{SourceError, Value};

use crate::{
    dice::Dice,
    support::{Database, Server, ask, on_each, text},
};

fn decimal(digits: &str) -> Value {
    Value::Decimal(digits.to_owned())
}

#[tokio::test]
async fn arguments_arrive_with_all_digits() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE p (i BIGINT, u BIGINT UNSIGNED, d DECIMAL(30,10), f DOUBLE, b BOOLEAN, t TEXT, \
                 y VARBINARY(8), j JSON, n INT)",
            )
            .await;
        let source = database.source();
        let list = Value::Array(vec![Value::Int(i64::MAX), Value::Null, text("\"")]);
        let given = [
            Value::Int(7_960_607_143_101_464_577),
            Value::UInt(u64::MAX),
            Value::Decimal("12345678901234567890.1234567891".to_owned()),
            Value::Float(0.1),
            Value::Bool(true),
            text("'; DROP TABLE p; -- 🦊"),
            Value::Bytes(vec![0, 0xff]),
            list,
            Value::Null,
        ];
        ask("INSERT INTO p VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)").with(given.clone()).done(&source).await;
        let row = ask("SELECT i, u, d, f, b, t, y, n FROM p").rows(&source).await.remove(0);
        let mut expected = given.to_vec();
        expected[4] = Value::Int(1);
        expected.remove(7);
        assert_eq!(row, expected);
        let kept = ask("SELECT CAST(JSON_EXTRACT(j, '$[0]') AS CHAR) FROM p").cell(&source).await;
        assert_eq!(kept, text("9223372036854775807"));
        let rows = ask("SELECT t FROM p LIMIT ?").with([Value::Int(1)]).rows(&source).await;
        assert_eq!(rows.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_argument_that_has_no_form_names_its_place() {
    on_each(|database| async move {
        let source = database.source();
        let error = ask("SELECT ?, ?").with([Value::Int(1), Value::Float(f64::NAN)]).error(&source).await;
        assert!(error.starts_with("argument 2:"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_value_is_none_the_worse_for_the_values_before_it() {
    on_each(|database| async move {
        let source = database.narrow_source();
        let values = [
            Value::Int(7_960_607_143_101_464_577),
            Value::UInt(u64::MAX),
            // As a double, since the servers write it with an exponent.
            Value::Float(5e-70),
            decimal("12345678901234567890.1234567891"),
            text("x"),
            Value::Null,
            text(""),
            decimal("-1.10"),
        ];
        // Every order of two, on the one connection.
        for one in &values {
            for other in &values {
                for value in [one, other] {
                    assert_eq!(
                        ask("SELECT ?").with([value.clone()]).cell(&source).await,
                        *value,
                        "{one:?}, {other:?}"
                    );
                }
                let pair = ask("SELECT ?, ?").with([one.clone(), other.clone()]).rows(&source).await;
                assert_eq!(pair, [[one.clone(), other.clone()]]);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_decimal_is_compared_and_computed_with_as_one() {
    on_each(|database| async move {
        let (stored, neighbor) = ("12345678901234567890.1234567891", "12345678901234567890.1234567892");
        database
            .script(&format!("CREATE TABLE d (d DECIMAL(30,10), i BIGINT); INSERT INTO d VALUES ({stored}, 9007199254740993)"))
            .await;
        let source = database.source();
        for (statement, argument, expected) in [
            ("SELECT COUNT(*) FROM d WHERE d = ?", stored, 1),
            ("SELECT COUNT(*) FROM d WHERE d = ?", neighbor, 0),
            ("SELECT COUNT(*) FROM d WHERE d + 0 = ?", stored, 1),
            ("SELECT COUNT(*) FROM d WHERE d + 0 = ?", neighbor, 0),
            ("SELECT COUNT(*) FROM d WHERE i + 0 = ?", "9007199254740992.0", 0),
            ("SELECT COUNT(*) FROM d WHERE i + 0 = ?", "9007199254740993.0", 1),
            ("SELECT COUNT(*) FROM d LIMIT ?", "1", 1),
        ] {
            let count = ask(statement).with([decimal(argument)]).cell(&source).await;
            assert_eq!(count, Value::Int(expected), "{statement} {argument}");
        }
        let Value::Decimal(sum) = ask("SELECT ? + 1").with([decimal(stored)]).cell(&source).await else {
            panic!("no decimal")
        };
        assert_eq!(sum.trim_end_matches('0'), "12345678901234567891.1234567891");
        let json = ask("SELECT CAST(JSON_ARRAY(?) AS CHAR)").with([decimal("1.10")]).cell(&source).await;
        assert_eq!(json, text("[1.10]"));
        // More digits than a DECIMAL holds stay a text, which no server cuts on the way.
        let long = format!("0.{}", "1".repeat(40));
        assert_eq!(ask("SELECT ?").with([decimal(&long)]).cell(&source).await, text(&long));
    })
    .await;
}

#[tokio::test]
async fn a_value_too_large_for_a_packet_is_refused_before_it_is_sent() {
    on_each(|database| async move {
        database.script("CREATE TABLE b (t LONGTEXT)").await;
        let source = database.narrow_source();
        let largest: usize =
            database.text("SELECT CAST(@@max_allowed_packet AS CHAR)").await.parse().unwrap();
        for statement in ["INSERT INTO b VALUES (?)", "SELECT LENGTH(?)"] {
            let error = ask(statement).with([text(&"x".repeat(largest))]).fails(&source).await;
            let SourceError::Refused(reason) = &error else { panic!("{statement}: {error:?}") };
            assert!(
                reason.contains("max_allowed_packet") && reason.contains(&largest.to_string()),
                "{reason}"
            );
        }
        let large = "ü".repeat(1_000_000);
        assert_eq!(
            ask("INSERT INTO b VALUES (?)").with([text(&large)]).done(&source).await.rows_affected,
            Some(1)
        );
        assert_eq!(ask("SELECT t FROM b").cell(&source).await, text(&large));
        assert_eq!(ask("SELECT ?").with([text("short")]).cell(&source).await, text("short"));
        assert_eq!(ask("SELECT ?").with([text(&large)]).cell(&source).await, text(&large));
    })
    .await;
}

/// Stores each value by an argument and reads it back.
async fn round_trip(database: &Database, kind: &str, values: impl IntoIterator<Item = (Value, Value)>) {
    database.script(&format!("DROP TABLE IF EXISTS x; CREATE TABLE x (id INT, c {kind})")).await;
    let source = database.source();
    let mut expected = Vec::new();
    for (id, (sent, kept)) in (0..).zip(values) {
        let insert = ask("INSERT INTO x (id, c) VALUES (?, ?)").with([Value::Int(id), sent]);
        insert.done(&source).await;
        expected.push([kept]);
    }
    let kept = ask("SELECT c FROM x ORDER BY id").rows(&source).await;
    for (kept, expected) in kept.iter().zip(&expected) {
        assert_eq!(kept, expected, "{kind}");
    }
    assert_eq!(kept.len(), expected.len());
}

/// So many values, and after each of them a null.
fn same(count: usize, mut value: impl FnMut() -> Value) -> impl Iterator<Item = (Value, Value)> {
    (0..count).flat_map(move |_| {
        let value = value();
        [(value.clone(), value), (Value::Null, Value::Null)]
    })
}

const COUNT: usize = 25;

#[tokio::test]
async fn numbers_are_stored_with_all_their_digits() {
    on_each(|database| async move {
        let mut dice = Dice::new();
        let as_text = |value: &Value| match value {
            Value::Int(number) => number.to_string(),
            Value::UInt(number) => number.to_string(),
            Value::Decimal(digits) => digits.clone(),
            other => panic!("{other:?}"),
        };
        let mut signed = || Value::Int(dice.signed(64).parse().unwrap());
        round_trip(&database, "BIGINT", same(COUNT, &mut signed)).await;
        let to_text = same(COUNT, &mut signed).filter(|(sent, _)| *sent != Value::Null);
        round_trip(&database, "VARCHAR(99)", to_text.map(|(sent, _)| (sent.clone(), text(&as_text(&sent)))))
            .await;
        let to_decimal = same(COUNT, &mut signed).filter(|(sent, _)| *sent != Value::Null);
        let digits = |(sent, _): (Value, Value)| (sent.clone(), Value::Decimal(as_text(&sent)));
        round_trip(&database, "DECIMAL(40,0)", to_decimal.map(digits)).await;

        let mut dice = Dice::new();
        let mut unsigned = || {
            let number = dice.unsigned(64);
            i64::try_from(number).map_or(Value::UInt(number), Value::Int)
        };
        round_trip(&database, "BIGINT UNSIGNED", same(COUNT, &mut unsigned)).await;
        round_trip(&database, "BIT(64)", same(COUNT, &mut unsigned)).await;

        let mut dice = Dice::new();
        // The column shows thirty digits behind the point.
        let padded = |digits: String| {
            let (whole, fraction) = digits.split_once('.').unwrap();
            let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
            let whole = whole.trim_start_matches('0');
            let whole = if whole.is_empty() { "0" } else { whole };
            let is_zero = !digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
            let sign = if is_zero { "" } else { sign };
            (decimal(&digits), decimal(&format!("{sign}{whole}.{fraction:0<30}")))
        };
        let decimals: Vec<_> = (0..COUNT).map(|_| padded(dice.decimal(35, 30))).collect();
        round_trip(&database, "DECIMAL(65,30)", decimals).await;

        let mut dice = Dice::new();
        round_trip(&database, "DOUBLE", same(COUNT, || Value::Float(dice.double().parse().unwrap()))).await;
        let mut dice = Dice::new();
        round_trip(
            &database,
            "FLOAT",
            same(COUNT, || {
                let single: f32 = dice.float().parse().unwrap();
                Value::Float(single.to_string().parse().unwrap())
            }),
        )
        .await;
    })
    .await;
}

#[tokio::test]
async fn texts_times_and_documents_are_stored_as_they_are() {
    on_each(|database| async move {
        let mut dice = Dice::new();
        let unquoted = |quoted: String| quoted[1..quoted.len() - 1].replace("''", "'").replace("\\\\", "\\");
        let texts = "ab é 中 🦊 ñ\u{301}\u{200f}'\"\\\0\t\n%_";
        for kind in ["VARCHAR(40)", "TEXT", "LONGTEXT COLLATE utf8mb4_bin"] {
            round_trip(&database, kind, same(COUNT, || text(&unquoted(dice.text(texts, 40))))).await;
        }
        let short = |text: &str| match text.split_once('.') {
            Some((whole, fraction)) if fraction.trim_end_matches('0').is_empty() => whole.to_owned(),
            Some(_) => text.trim_end_matches('0').to_owned(),
            None => text.to_owned(),
        };
        let mut moments = |separator: &str, zone: &'static str| -> Vec<(Value, Value)> {
            let moment = |dice: &mut Dice| {
                let moment = unquoted(dice.timestamp(6));
                if moment.contains("-00") { "2024-02-29 23:59:59.999999".to_owned() } else { moment }
            };
            (0..COUNT)
                .map(|_| {
                    let sent = moment(&mut dice);
                    (text(&sent.replace(' ', separator)), text(&format!("{}{zone}", short(&sent).replace(' ', "T"))))
                })
                .collect()
        };
        round_trip(&database, "DATETIME(6)", moments(" ", "")).await;
        round_trip(&database, "DATETIME(6)", moments("T", "")).await;
        round_trip(&database, "TIMESTAMP(6) NULL", moments(" ", "Z")).await;
        let mut dice = Dice::new();
        let mut time = || {
            let time = unquoted(dice.time(6));
            (text(&time), text(&short(&time)))
        };
        // The server shows at least two digits of the hours, as the source does.
        let times: Vec<_> = (0..COUNT).map(|_| time()).filter(|(sent, _)| matches!(sent, Value::Text(sent) if sent.trim_start_matches('-').find(':') > Some(1))).collect();
        round_trip(&database, "TIME(6)", times).await;
        round_trip(&database, "DATE", ["2024-02-29", "0001-01-01", "9999-12-31"].map(|day| (text(day), text(day)))).await;
        round_trip(&database, "YEAR", [(Value::Int(1901), Value::Int(1901)), (text("2155"), Value::Int(2155))]).await;
        round_trip(&database, "ENUM('ä','b')", ["ä", "b"].map(|label| (text(label), text(label)))).await;
        round_trip(&database, "BOOLEAN", [true, false].map(|truth| (Value::Bool(truth), Value::Int(i64::from(truth))))).await;
        round_trip(&database, "BIT(1)", [true, false].map(|truth| (Value::Bool(truth), Value::Int(i64::from(truth))))).await;
        let bytes = || (0..=255).collect::<Vec<u8>>();
        for kind in ["BLOB", "VARBINARY(300)"] {
            round_trip(&database, kind, same(2, || Value::Bytes(bytes()))).await;
        }
        let nested = Value::Object(vec![
            ("a".to_owned(), Value::Array(vec![Value::Int(i64::MAX), Value::Null, Value::UInt(u64::MAX), Value::Bool(true)])),
            ("b".to_owned(), text("\"ä\n\\")),
        ]);
        let json = r#"{"a":[9223372036854775807,null,18446744073709551615,true],"b":"\"ä\n\\"}"#;
        let kept = if database.server == Server::MySql { Value::Json(json.to_owned()) } else { text(json) };
        round_trip(&database, "JSON", [(nested, kept.clone()), (Value::Json(json.to_owned()), kept.clone()), (text(json), kept)]).await;
    })
    .await;
}

#[tokio::test]
async fn a_value_that_the_server_refuses_has_the_place_of_its_argument() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE r (id INT PRIMARY KEY, n INT NOT NULL, t VARCHAR(3), d DATETIME, j JSON, e ENUM('a'), x DECIMAL(4,2), \
                 l VARCHAR(9) CHARACTER SET latin1); \
                 INSERT INTO r (id, n) VALUES (1, 1)",
            )
            .await;
        let source = database.source();
        let (one, nine) = (Value::Int(1), Value::Int(9));
        for (statement, arguments, place) in [
            ("INSERT INTO r (id, n) VALUES (?, ?)", vec![nine.clone(), text("abc")], 1),
            ("INSERT INTO r (id, n) VALUES (?, ?)", vec![nine.clone(), text("日本")], 1),
            ("INSERT INTO r (id, n) VALUES (?, ?), (?, ?)", vec![nine.clone(), nine.clone(), Value::Int(8), text("naïve\t")], 3),
            ("INSERT INTO r (id, n) VALUES (?, ?)", vec![nine.clone(), Value::Int(3_000_000_000)], 1),
            ("INSERT INTO r (id, n) VALUES (?, ?)", vec![nine.clone(), Value::Null], 1),
            ("INSERT INTO r (n, id, t) VALUES (1, ?, ?)", vec![nine.clone(), text("long")], 1),
            ("INSERT INTO r SET d = ?, id = ?, n = 1", vec![text("2025-02-30"), nine.clone()], 0),
            ("UPDATE r SET d = ? WHERE id = ?", vec![text("2025-02-20 25:00:00"), one.clone()], 0),
            ("UPDATE r SET e = ?, t = ? WHERE id = 1", vec![text("b"), text("b")], 0),
            ("UPDATE r SET x = ? WHERE id = 1", vec![Value::Int(100)], 0),
            ("UPDATE r SET t = ?, j = ? WHERE id = ?", vec![text("a"), text("{bad"), one.clone()], 1),
            ("UPDATE r SET t = ?, l = ? WHERE id = ?", vec![text("a"), text("a🦊"), one.clone()], 1),
            ("INSERT INTO r (id, n) VALUES (?, ?), (?, ?)", vec![nine.clone(), text("x"), Value::Int(8), text("y")], 1),
            ("INSERT INTO r (id, n) VALUES (?, ?), (?, ?)", vec![nine.clone(), nine.clone(), Value::Int(8), text("y")], 3),
            ("INSERT INTO r (id, n) VALUES (?, ?), (?, ?)", vec![nine.clone(), nine.clone(), Value::Int(8), Value::Int(3_000_000_000)], 3),
            ("INSERT INTO r (id, n) VALUES (?, ?), (?, ?)", vec![nine.clone(), nine.clone(), Value::Int(8), Value::Null], 3),
            ("INSERT INTO r VALUES (?, ?, ?, NULL, NULL, NULL, NULL, NULL)", vec![nine.clone(), nine.clone(), text("long")], 2),
            ("REPLACE INTO r SELECT ?, ?, t, d, j, e, x, l FROM r", vec![nine.clone(), text("x")], 1),
            ("INSERT INTO r (id, n) VALUES (1, 1) ON DUPLICATE KEY UPDATE n = ?, t = 'a'", vec![text("x")], 0),
            ("UPDATE r AS a, r AS b SET a.t = ? WHERE a.id = ?", vec![text("long"), one.clone()], 0),
            ("UPDATE r SET t = CONCAT(?, 'xyz') WHERE id = 1", vec![text("a")], 0),
        ] {
            let error = ask(statement).with(arguments).fails(&source).await;
            let SourceError::Argument { index, message } = &error else { panic!("{statement}: {error:?}") };
            assert_eq!(*index, place, "{statement}: {message}");
            assert!(message.contains("SQLSTATE"), "{message}");
        }
        assert_eq!(ask("SELECT COUNT(*) FROM r").cell(&source).await, one);
        // MySQL shows what it has read of the value, and MariaDB takes it.
        let (set_up, statement, value) = match database.server {
            Server::MySql => ("DO 1", "UPDATE r SET t = ?, d = ?", text("10.0.0.1")),
            // MariaDB 10.6 has no UUID.
            Server::MariaDb if !database.knows("UUID").await => return,
            Server::MariaDb => ("CREATE TABLE u (t TEXT, `the id` UUID)", "INSERT INTO u VALUES (?, ?)", one),
        };
        database.script(set_up).await;
        let error = ask(statement).with([text("a"), value]).fails(&source).await;
        assert!(matches!(error, SourceError::Argument { index: 1, .. }), "{error:?}");
    })
    .await;
}

#[tokio::test]
async fn what_is_no_geometry_names_its_place() {
    on_each(|database| async move {
        database.script("CREATE TABLE g (id INT, p POINT, t TEXT, q GEOMETRY)").await;
        let source = database.source();
        let place = "POINT(1 2)";
        for (statement, arguments) in [
            ("INSERT INTO g VALUES (1, ?, ?, NULL)", vec![text(place), text("a")]),
            ("INSERT INTO g (q, t) VALUES (?, 'a')", vec![text(place)]),
            ("UPDATE g SET p = ?, t = ?", vec![Value::Bytes(vec![1, 2]), text("a")]),
        ] {
            ask("INSERT INTO g (id) VALUES (?)").with([Value::Int(1)]).done(&source).await;
            let error = ask(statement).with(arguments).fails(&source).await;
            let SourceError::Argument { index: 0, message } = &error else { panic!("{statement} {error:?}") };
            assert!(message.contains("ST_GeomFromText(?)"), "{message}");
        }
        ask("INSERT INTO g (t, p) VALUES (?, ST_GeomFromText(?))")
            .with([text("b"), text(place)])
            .done(&source)
            .await;
        let stored = ask("SELECT ST_AsText(p) FROM g WHERE t = 'b'").cell(&source).await;
        assert_eq!(stored, text(place));
        // Which of two is meant, the server does not tell.
        let both =
            ask("INSERT INTO g (p, q) VALUES (?, ?)").with([text("a"), text("b")]).fails(&source).await;
        assert!(matches!(&both, SourceError::Arguments { indexes, .. } if *indexes == [0, 1]), "{both:?}");
    })
    .await;
}

#[tokio::test]
async fn an_integer_beyond_the_signed_ones_is_no_negative_time() {
    on_each(|database| async move {
        database.script("CREATE TABLE h (id INT, t TIME, u BIGINT UNSIGNED)").await;
        let source = database.source();
        let most = || Value::UInt(u64::MAX);
        let error = ask("INSERT INTO h VALUES (1, ?, ?)").with([most(), most()]).fails(&source).await;
        let SourceError::Argument { index: 0, message } = &error else { panic!("{error:?}") };
        assert!(message.contains("the column t holds times"), "{message}");
        ask("INSERT INTO h (u) VALUES (?)").with([most()]).done(&source).await;
        ask("UPDATE h SET t = ?").with([Value::Int(101_500)]).done(&source).await;
        let stored = ask("SELECT u, t FROM h").rows(&source).await;
        assert_eq!(stored, [[most(), text("10:15:00")]]);
    })
    .await;
}

#[tokio::test]
async fn a_fraction_is_refused_for_a_column_of_integers_that_it_would_fill() {
    on_each(|database| async move {
        // The order of the columns that an INSERT fills leaves the invisible one out.
        database
            .script(
                "CREATE TABLE f (`the n` INT, hidden INT INVISIBLE, d DOUBLE, x DECIMAL(5,2), made INT AS (`the n` + 1), \
                 y DECIMAL(5,0) DEFAULT 0, UNIQUE (`the n`)); \
                 INSERT INTO f (`the n`, d, x) VALUES (1, 1, 1); CREATE TABLE g (n INT, m INT); INSERT INTO g VALUES (1, 1)",
            )
            .await;
        let source = database.source();
        let float = || Value::Float(3.5);
        let schema = &database.name;
        for (statement, arguments, place, column) in [
            ("INSERT INTO f (`the n`) VALUES (?)", vec![float()], 0, "the n"),
            ("INSERT INTO f (d, `the n`) VALUES (?, ?)", vec![float(), decimal("3.50")], 1, "the n"),
            ("INSERT INTO f (d, f.`the n`) VALUES (?, 2), (?, ?)", vec![float(), float(), text("3.5")], 2, "the n"),
            ("INSERT INTO f VALUES (?, ?, ?, DEFAULT, 0)", vec![float(), float(), float()], 0, "the n"),
            ("REPLACE INTO f VALUES (2, ?, ?, DEFAULT, ?)", vec![float(), float(), float()], 2, "y"),
            ("INSERT INTO f SET hidden = ?", vec![float()], 0, "hidden"),
            ("INSERT INTO f (`the n`, d) SELECT ?, ? FROM g", vec![float(), float()], 0, "the n"),
            ("INSERT INTO g SELECT n, ? + 1 FROM g", vec![float()], 0, "m"),
            ("INSERT INTO g SELECT n, m FROM g UNION ALL SELECT 1, ?", vec![float()], 0, "m"),
            ("INSERT INTO f (`the n`) VALUES (1) ON DUPLICATE KEY UPDATE d = ?, `the n` = ?", vec![float(), float()], 1, "the n"),
            ("INSERT INTO f (`the n`) VALUES (1) ON DUPLICATE KEY UPDATE `the n` = f.`the n` - ?", vec![float()], 0, "the n"),
            ("UPDATE f SET x = ?, `the n` = ?", vec![decimal("3.5"), Value::Float(-0.5)], 1, "the n"),
            ("UPDATE f AS a SET a.`the n` = COALESCE(?, a.`the n`)", vec![float()], 0, "the n"),
            ("UPDATE g SET n = n + ?", vec![float()], 0, "n"),
            ("UPDATE g SET n = -?", vec![float()], 0, "n"),
            ("UPDATE f, g SET f.x = ?, m = ? WHERE g.n = ?", vec![float(), float(), float()], 1, "m"),
            ("UPDATE f JOIN g AS h ON h.n = f.`the n` SET f.d = ?, h.m = ?", vec![float(), float()], 1, "m"),
            (&format!("UPDATE `{schema}`.g SET `{schema}`.g.n = ?"), vec![float()], 0, "n"),
        ] {
            let error = ask(statement).with(arguments).fails(&source).await;
            let SourceError::Argument { index, message } = &error else { panic!("{statement}: {error:?}") };
            assert_eq!(*index, place, "{statement}: {error:?}");
            assert!(message.starts_with(&format!("the column {column} holds integers")), "{statement}: {message}");
        }
        let kept = ask("SELECT `the n`, hidden, d, x, y FROM f UNION ALL SELECT n, m, 0, 0, 0 FROM g").rows(&source).await;
        let row = |values: [Value; 5]| values.to_vec();
        let (one, zero) = (Value::Int(1), Value::Float(0.0));
        assert_eq!(
            kept,
            [
                row([one.clone(), Value::Null, Value::Float(1.0), decimal("1.00"), decimal("0")]),
                row([one.clone(), one.clone(), zero, decimal("0.00"), decimal("0")])
            ]
        );
        let whole = [Value::Float(3.0), decimal("2.0"), decimal("2.5"), Value::Float(2.5)];
        for (number, column) in whole.into_iter().zip(["`the n`", "`the n`", "x", "d"]) {
            let done = ask(&format!("UPDATE f SET {column} = ?")).with([number]).done(&source).await;
            assert_eq!(done.rows_affected, Some(1));
        }
        let row = ask("SELECT `the n`, d, x FROM f").rows(&source).await;
        assert_eq!(row, [[Value::Int(2), Value::Float(2.5), decimal("2.50")]]);
        // An expression that computes with the argument is the author's, and its result is rounded as the server does it.
        for expression in ["n * ?", "FLOOR(n + ?)", "IF(TRUE, ?, n)", "n + 0.5 + ?"] {
            ask("UPDATE g SET n = 3").done(&source).await;
            ask(&format!("UPDATE g SET n = {expression}")).with([Value::Float(2.75)]).done(&source).await;
            let rounded = database.text(&format!("SELECT CAST(ROUND({}) AS CHAR)", expression.replace('n', "3").replace('?', "2.75e0"))).await;
            assert_eq!(ask("SELECT CAST(n AS CHAR) FROM g").cell(&source).await, text(&rounded), "{expression}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_limit_is_a_number_and_never_nothing() {
    on_each(|database| async move {
        database.script("CREATE TABLE m (n INT); INSERT INTO m VALUES (1), (2), (3)").await;
        let source = database.source();
        for (statement, arguments, place) in [
            ("SELECT n FROM m LIMIT ?", vec![Value::Null], 0),
            ("SELECT n FROM m LIMIT ?", vec![Value::Int(-1)], 0),
            ("SELECT n FROM m LIMIT ?, ?", vec![Value::Int(1), Value::Null], 1),
            ("SELECT n FROM m WHERE n > ? LIMIT 1 OFFSET ?", vec![Value::Null, Value::Null], 1),
            ("SELECT n FROM m LIMIT ?", vec![Value::Float(1.5)], 0),
            ("DELETE FROM m WHERE n = ? LIMIT ?", vec![Value::Int(1), Value::Null], 1),
        ] {
            let error = ask(statement).with(arguments).fails(&source).await;
            assert!(
                matches!(error, SourceError::Argument { index, .. } if index == place),
                "{statement}: {error:?}"
            );
        }
        let rows = ask("SELECT n FROM m WHERE n > COALESCE(?, 0) ORDER BY n LIMIT ?, ?");
        let rows = rows.with([Value::Null, Value::Int(1), Value::UInt(u64::MAX)]).rows(&source).await;
        assert_eq!(rows, [[Value::Int(2)], [Value::Int(3)]]);
    })
    .await;
}

#[tokio::test]
async fn a_column_in_double_quotes_is_found_where_they_enclose_names() {
    on_each(|database| async move {
        database.script("CREATE TABLE q (`the ``n` INT, t DATETIME); INSERT INTO q (t) VALUES (NULL)").await;
        let params = vec![("sql_mode".to_owned(), "'ANSI_QUOTES,STRICT_ALL_TABLES'".to_owned())];
        let source = MySql::open("test", Options { query_params: params, ..database.options() }).unwrap();
        for statement in [r#"UPDATE "q" SET "q"."the `n" = ?"#, r#"INSERT INTO "q" ("the `n") VALUES (?)"#] {
            let error = ask(statement).with([Value::Float(1.5)]).fails(&source).await;
            assert!(matches!(error, SourceError::Argument { index: 0, .. }), "{statement}: {error:?}");
        }
        ask(r#"UPDATE "q" SET "t" = ?"#).with([text("2025-01-31T10:00:00+02:00")]).done(&source).await;
        assert_eq!(ask("SELECT t FROM q").cell(&source).await, text("2025-01-31T08:00:00"));
    })
    .await;
}

#[tokio::test]
async fn a_column_that_was_changed_is_looked_at_anew_before_its_value_is_refused() {
    on_each(|database| async move {
        database.script("CREATE TABLE c (n INT)").await;
        let source = database.narrow_source();
        let insert = || ask("INSERT INTO c VALUES (?)").with([Value::Float(2.5)]);
        assert!(matches!(insert().fails(&source).await, SourceError::Argument { index: 0, .. }));
        database.script("ALTER TABLE c MODIFY n DOUBLE").await;
        assert_eq!(insert().done(&source).await.rows_affected, Some(1));
        assert_eq!(ask("SELECT n FROM c").cell(&source).await, Value::Float(2.5));
    })
    .await;
}

#[tokio::test]
async fn a_null_leaves_the_type_of_the_expression_around_it_alone() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE n (id BIGINT, d DATE); INSERT INTO n VALUES (1, '2024-02-29'), (NULL, NULL)",
            )
            .await;
        let source = database.narrow_source();
        let large = Value::Int(7_960_607_143_101_464_577);
        // In either order, on the one connection.
        for _ in 0..2 {
            for (statement, arguments, expected) in [
                ("SELECT COALESCE(?, 7960607143101464577)", vec![Value::Null], large.clone()),
                ("SELECT COALESCE(?, ?)", vec![Value::Null, large.clone()], large.clone()),
                ("SELECT COALESCE(?, ?)", vec![large.clone(), Value::Null], large.clone()),
                ("SELECT COALESCE(?, ?)", vec![Value::Null, text("x")], text("x")),
                ("SELECT COALESCE(?, ?)", vec![text("x"), Value::Null], text("x")),
                ("SELECT COALESCE(?, ?)", vec![Value::Null, Value::Null], Value::Null),
                ("SELECT CASE WHEN ? IS NULL THEN 'x' ELSE ? END", vec![Value::Null, Value::Null], text("x")),
                ("SELECT CONCAT_WS(',', ?, ?)", vec![Value::Null, text("x")], text("x")),
                ("SELECT REPLACE(COALESCE(?, 'xay'), 'a', ?)", vec![Value::Null, text("x")], text("xxy")),
                ("SELECT COALESCE(?, d) FROM n WHERE id = 1", vec![Value::Null], text("2024-02-29")),
                (
                    "SELECT COUNT(*) FROM n WHERE ? IS NULL OR id = ?",
                    vec![Value::Null, Value::Null],
                    Value::Int(2),
                ),
                (
                    "SELECT COUNT(*) FROM n WHERE ? IS NULL OR id = ?",
                    vec![Value::Int(1), Value::Int(1)],
                    Value::Int(1),
                ),
                ("SELECT COUNT(*) FROM n WHERE id <=> ?", vec![Value::Null], Value::Int(1)),
                ("SELECT COUNT(*) FROM n WHERE id <=> ?", vec![Value::Int(1)], Value::Int(1)),
            ] {
                let value = ask(statement).with(arguments.clone()).cell(&source).await;
                assert_eq!(value, expected, "{statement} {arguments:?}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_refused_value_inside_of_an_expression_has_the_place_of_its_argument() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE e (id INT, n INT, d DATE, s VARCHAR(3)); INSERT INTO e (id) VALUES (1)")
            .await;
        let source = database.source();
        for (statement, arguments, place) in [
            ("UPDATE e SET n = IF(id = ?, ?, n)", vec![Value::Int(1), text("abc")], 2),
            (
                "UPDATE e SET d = CASE WHEN id = ? THEN ? ELSE d END",
                vec![Value::Int(1), text("2024-02-30")],
                2,
            ),
            ("UPDATE e SET n = ?, d = NULLIF(?, '')", vec![Value::Int(1), text("someday")], 2),
            ("INSERT INTO e (id, d) VALUES (2, GREATEST(?, '2'))", vec![text("someday")], 1),
        ] {
            let error = ask(statement).with(arguments).error(&source).await;
            assert!(error.starts_with(&format!("argument {place}: ")), "{statement}: {error}");
        }
        // Another value is refused.
        let error = ask("UPDATE e SET n = IF(id = ?, 'abc', n)").with([Value::Int(1)]).error(&source).await;
        assert!(!error.starts_with("argument"), "{error}");
    })
    .await;
}
