//! What a cell holds is what the reader gets. The expected values are those of `docs/values.md`; each database's own tests try
//! every type against its server.

use toolbox_source::Value;

use super::{
    Subject,
    ask::{ask, text},
    on_every_database,
};
use crate::support::Engine;

on_every_database!(a_cell_of_each_kind_is_exact);

fn decimal(digits: &str) -> Value {
    Value::Decimal(digits.to_owned())
}

fn json(text: &str) -> Value {
    Value::Json(text.to_owned())
}

/// An expression, and the value of its cell.
fn cells(engine: Engine) -> Vec<(&'static str, Value)> {
    let mut cells = vec![
        ("NULL", Value::Null),
        ("0", Value::Int(0)),
        ("-1", Value::Int(-1)),
        ("9007199254740993", Value::Int(9_007_199_254_740_993)),
        ("9223372036854775807", Value::Int(i64::MAX)),
        ("-9223372036854775807 - 1", Value::Int(i64::MIN)),
        ("'a''b'", text("a'b")),
        ("''", text("")),
        ("'佐藤 🎁'", text("佐藤 🎁")),
    ];
    cells.extend(match engine {
        Engine::Sqlite => vec![
            ("0.1", Value::Float(0.1)),
            ("1e300", Value::Float(1e300)),
            ("x'00ff'", Value::Bytes(vec![0, 255])),
            ("true", Value::Int(1)),
            ("'{\"a\": 1}'", text("{\"a\": 1}")),
        ],
        Engine::Postgres => vec![
            ("true", Value::Bool(true)),
            ("1::smallint", Value::Int(1)),
            ("1.10::numeric(4, 2)", decimal("1.10")),
            ("123456789012345678901234567890.5::numeric", decimal("123456789012345678901234567890.5")),
            ("'NaN'::numeric", text("NaN")),
            ("0.1::real", Value::Float(0.1)),
            ("1e300::double precision", Value::Float(1e300)),
            ("'a'::char(3)", text("a  ")),
            ("'\\x00ff'::bytea", Value::Bytes(vec![0, 255])),
            ("'2024-02-29'::date", text("2024-02-29")),
            ("'infinity'::date", text("infinity")),
            ("'04:05:06.789'::time", text("04:05:06.789")),
            ("'2024-01-02 03:04:05.123456'::timestamp", text("2024-01-02T03:04:05.123456")),
            ("'2024-01-02 03:04:05.5+02'::timestamptz", text("2024-01-02T01:04:05.5Z")),
            ("'1 year 2 mons'::interval", text("1 year 2 mons")),
            ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", text("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")),
            (r#"'{"b" : 1.10, "a": [1, 2]}'::json"#, json(r#"{"b":1.10,"a":[1,2]}"#)),
            (r#"'{"b": 1.10, "a": "x  y"}'::jsonb"#, json(r#"{"a":"x  y","b":1.10}"#)),
            ("ARRAY[1, NULL, 3]", Value::Array(vec![Value::Int(1), Value::Null, Value::Int(3)])),
            ("ARRAY['a', 'b,c']", Value::Array(vec![text("a"), text("b,c")])),
            ("ARRAY[1.10, 2.0]::numeric[]", Value::Array(vec![decimal("1.10"), decimal("2.0")])),
        ],
        Engine::MySql | Engine::MariaDb => vec![
            ("TRUE", Value::Int(1)),
            ("CAST(18446744073709551615 AS UNSIGNED)", Value::UInt(u64::MAX)),
            ("CAST(1 AS UNSIGNED)", Value::Int(1)),
            ("CAST(1.10 AS DECIMAL(4, 2))", decimal("1.10")),
            (
                "CAST('1234567890123456789012345678.5' AS DECIMAL(30, 1))",
                decimal("1234567890123456789012345678.5"),
            ),
            ("1e300", Value::Float(1e300)),
            ("CAST(x'00ff' AS BINARY(2))", Value::Bytes(vec![0, 255])),
            ("CAST('2024-02-29' AS DATE)", text("2024-02-29")),
            ("CAST('2024-01-02 03:04:05.123456' AS DATETIME(6))", text("2024-01-02T03:04:05.123456")),
            ("CAST('-838:59:59' AS TIME)", text("-838:59:59")),
        ],
    });
    if engine == Engine::MySql {
        cells.push((r#"CAST('{"b": 1, "a": 2.50}' AS JSON)"#, json(r#"{"a":2.5,"b":1}"#)));
    }
    cells
}

async fn a_cell_of_each_kind_is_exact(subject: &mut Subject) {
    let source = subject.source();
    for (expression, expected) in cells(subject.engine) {
        let sql = format!("SELECT {expression} AS a");
        assert_eq!(ask(&sql).cell(&*source).await, expected, "{expression}");
        // SQL from the model takes another road to the same value.
        let model = ask(&sql).by_the_model().reading().cell(&*source).await;
        assert_eq!(model, expected, "{expression}");
    }
}
