//! Arguments: what is sent is what arrives, whatever was sent before it on the connection.

use toolbox_source::{SourceError, Value};

use crate::support::{ask, on_each, text};

fn decimal(digits: &str) -> Value {
    Value::Decimal(digits.to_owned())
}

#[tokio::test]
async fn a_value_is_none_the_worse_for_the_values_before_it() {
    on_each(|database| async move {
        let source = database.narrow_source();
        let values = [
            Value::Int(7_960_607_143_101_464_577),
            Value::UInt(u64::MAX),
            Value::Float(0.5),
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
