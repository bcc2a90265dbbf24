//! Random arguments of every kind come back as they were sent, alone and out of a table.

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use toolbox_source::Value;

use super::{Subject, ask::ask, on_every_database};
use crate::support::{Engine, Sql, all, only};

on_every_database!(random_arguments_come_back_alone, random_arguments_come_back_out_of_a_table);

/// How many rows of random values.
const ROWS: usize = 150;

/// Gives back an integer, a decimal, a floating-point number and a text.
const ECHO: Sql = only()
    .sqlite("SELECT ?1 AS i, ?2 AS d, ?3 AS x, ?4 AS t")
    .postgres("SELECT $1::bigint AS i, $2::numeric AS d, $3::double precision AS x, $4::text AS t")
    .mysql(
        "SELECT CAST(? AS SIGNED) AS i, CAST(? AS DECIMAL(50, 20)) AS d, ? + 0e0 AS x, CAST(? AS CHAR) AS t",
    );

const TABLE: Sql = only()
    .sqlite("CREATE TABLE trip (i INTEGER, d TEXT, x REAL, t TEXT)")
    .postgres("CREATE TABLE trip (i bigint, d numeric(50, 20), x double precision, t text)")
    .mysql("CREATE TABLE trip (i BIGINT, d DECIMAL(50, 20), x DOUBLE, t TEXT) DEFAULT CHARACTER SET utf8mb4");

/// A row of values that every database has. A decimal has the scale of the table, since that is part of it, and more digits
/// than a double.
fn rows() -> Vec<Vec<Value>> {
    let integer = any::<(i64, u32)>().prop_map(|(bits, shift)| Value::Int(bits >> (shift % 64)));
    let decimal = "-?[1-9][0-9]{0,28}[.][0-9]{19}[1-9]".prop_map(Value::Decimal);
    // MySQL has neither infinities nor numbers below the normal ones, and its -0 is 0.
    let float = any::<f64>().prop_filter("a normal number", |x| x.is_normal()).prop_map(Value::Float);
    let text = prop_oneof![".{0,40}", "[ -~]{0,40}", "['\"`\\\\$?:;%_{}-]{0,20}"].prop_map(|text| {
        // PostgreSQL has no U+0000 in texts.
        Value::Text(text.replace('\0', ""))
    });
    let nullable = |value: BoxedStrategy<Value>| prop_oneof![1 => Just(Value::Null), 9 => value];
    let row = (
        nullable(integer.boxed()),
        nullable(decimal.boxed()),
        nullable(float.boxed()),
        nullable(text.boxed()),
    );
    let mut runner = TestRunner::deterministic();
    let mut next = || row.new_tree(&mut runner).expect("a row").current();
    (0..ROWS).map(|_| next()).map(|(i, d, x, t)| vec![i, d, x, t]).collect()
}

/// SQLite has no decimals: what no double holds is a text.
fn expected(engine: Engine, row: &[Value]) -> Vec<Value> {
    let cell = |value: &Value| match value {
        Value::Decimal(digits) if engine == Engine::Sqlite => Value::Text(digits.clone()),
        value => value.clone(),
    };
    row.iter().map(cell).collect()
}

async fn random_arguments_come_back_alone(subject: &mut Subject) {
    let source = subject.narrow_source();
    let echo = ECHO.of(subject.engine).expect("every database has it");
    for row in rows() {
        let answer = ask(&echo).with(row.clone()).rows(&*source).await;
        assert_eq!(answer, [expected(subject.engine, &row)]);
    }
}

async fn random_arguments_come_back_out_of_a_table(subject: &mut Subject) {
    subject.database.run(&TABLE.of(subject.engine).expect("a table")).await;
    let source = subject.narrow_source();
    let insert = all("INSERT INTO trip VALUES (?1, ?2, ?3, ?4)").of(subject.engine).expect("an insert");
    let rows = rows();
    for row in &rows {
        ask(&insert).with(row.clone()).changes(&*source).await;
    }
    let mut stored = ask("SELECT * FROM trip").rows(&*source).await;
    let mut sent: Vec<_> = rows.iter().map(|row| expected(subject.engine, row)).collect();
    for rows in [&mut stored, &mut sent] {
        rows.sort_by_key(|row| format!("{row:?}"));
    }
    assert_eq!(stored, sent);
}
