//! Arguments reach the database as they are, whatever they hold.

use toolbox_source::{SourceError, Value};

use super::{
    Subject,
    ask::{ask, text},
    on_every_database,
};
use crate::support::{Engine, Sql, all, only};

on_every_database!(
    integers_of_64_bits_keep_all_digits_both_ways,
    decimals_keep_all_digits_both_ways,
    nulls_may_come_in_any_place_and_in_any_order,
    texts_are_stored_and_found_as_they_are,
    no_argument_becomes_sql,
    a_count_of_arguments_that_does_not_fit_is_an_error,
    a_text_that_the_database_cannot_hold_is_an_error_and_no_other_text,
);

const INSERT: Sql = all("INSERT INTO things (id, name) VALUES (?1, ?2)");

/// Texts that other layers like to change, or to take for something else.
const TEXTS: &[&str] = &[
    "",
    " ",
    "  padded  ",
    "null",
    "NULL",
    "true",
    "007",
    "-0",
    "1e3",
    "9223372036854775808",
    "2024-02-30",
    "'",
    "''",
    "\"",
    "`",
    "\\",
    "\\n",
    "\\'",
    "%_",
    "$1 ?1 ? :a @b {} ${HOME} {{.x}}",
    "a\tb\nc\rd",
    "\u{1}\u{7f}\u{85}",
    "\u{feff}bom",
    "\u{2028}\u{2029}",
    "\u{202e}right to left",
    "e\u{301}",
    "é",
    "𝄞🎁👩‍👩‍👧",
    "佐藤 美咲",
    "</script>",
    "[1]",
    "{\"a\": 1}",
];

/// Texts that end a literal, a name, a comment or a statement, and go on with a write.
const HOSTILE: &[&str] = &[
    "'; DROP TABLE things; --",
    "x' OR '1'='1",
    "x\\' OR 1=1 -- ",
    "1; DELETE FROM numbers",
    "1) OR 1=1; DELETE FROM numbers; --",
    "\"; DROP TABLE things; --",
    "`; DROP TABLE things; --",
    "]; DROP TABLE things; --",
    "*/ DELETE FROM numbers; /*",
    "$$; DELETE FROM numbers; $$",
    "\u{2019}; DROP TABLE things; --",
    "¿'; DELETE FROM numbers; --",
];

async fn integers_of_64_bits_keep_all_digits_both_ways(subject: &mut Subject) {
    let source = subject.source();
    let insert = INSERT.of(subject.engine).unwrap();
    let select = all("SELECT id FROM things WHERE id = ?1").of(subject.engine).unwrap();
    for id in [i64::MIN, -9_007_199_254_740_993, -1, 1, 9_007_199_254_740_993, i64::MAX - 1, i64::MAX] {
        let name = text(&format!("n{id}"));
        assert_eq!(ask(&insert).with([Value::Int(id), name]).changes(&*source).await, 1);
        let stored = subject.database.texts(&format!("SELECT id FROM things WHERE name = 'n{id}'")).await;
        if subject.engine != Engine::Sqlite {
            assert_eq!(stored, [[Some(id.to_string())]]);
        }
        assert_eq!(ask(&select).with([Value::Int(id)]).cell(&*source).await, Value::Int(id));
    }
}

async fn decimals_keep_all_digits_both_ways(subject: &mut Subject) {
    if subject.engine == Engine::Sqlite {
        // It has no decimals.
        return;
    }
    subject.database.run("CREATE TABLE amounts (id INTEGER, amount DECIMAL(38, 10))").await;
    let source = subject.source();
    let insert = all("INSERT INTO amounts VALUES (?1, ?2)").of(subject.engine).unwrap();
    let select = all("SELECT amount FROM amounts WHERE amount = ?1").of(subject.engine).unwrap();
    let digits = ["1234567890123456789012345678.0123456789", "-0.0000000001", "1.1000000000", "0.0000000000"];
    for (id, digits) in (0..).zip(digits) {
        let amount = Value::Decimal(digits.to_owned());
        assert_eq!(ask(&insert).with([Value::Int(id), amount.clone()]).changes(&*source).await, 1);
        let stored = subject.database.texts(&format!("SELECT amount FROM amounts WHERE id = {id}")).await;
        assert_eq!(stored, [[Some(digits.to_owned())]]);
        assert_eq!(ask(&select).with([amount.clone()]).cell(&*source).await, amount);
    }
}

async fn nulls_may_come_in_any_place_and_in_any_order(subject: &mut Subject) {
    let source = subject.narrow_source();
    let insert = all("INSERT INTO things (id, name, note) VALUES (?1, ?2, ?3)").of(subject.engine).unwrap();
    ask(&insert).with([Value::Int(1), text("a"), Value::Null]).changes(&*source).await;
    ask(&insert).with([Value::Int(2), text("b"), text("x")]).changes(&*source).await;
    ask(&insert).with([Value::Int(3), text("c"), Value::Null]).changes(&*source).await;
    let select =
        all("SELECT id FROM things WHERE id = COALESCE(?1, id) AND name = COALESCE(?2, name) ORDER BY id");
    let select = select.of(subject.engine).unwrap();
    for (id, name, expected) in [
        (Value::Null, Value::Null, vec![1, 2, 3]),
        (Value::Int(2), Value::Null, vec![2]),
        (Value::Null, text("c"), vec![3]),
        (Value::Int(1), text("a"), vec![1]),
        (Value::Null, Value::Null, vec![1, 2, 3]),
        (Value::Int(1), text("b"), vec![]),
    ] {
        let rows = ask(&select).with([id, name]).rows(&*source).await;
        let expected: Vec<_> = expected.into_iter().map(|id| vec![Value::Int(id)]).collect();
        assert_eq!(rows, expected);
    }
}

async fn texts_are_stored_and_found_as_they_are(subject: &mut Subject) {
    let source = subject.source();
    let insert = INSERT.of(subject.engine).unwrap();
    let select = all("SELECT id, name FROM things WHERE id = ?1").of(subject.engine).unwrap();
    let find = all("SELECT id FROM things WHERE name = ?1").of(subject.engine).unwrap();
    let hex = match subject.engine {
        Engine::Postgres => "upper(encode(convert_to(name, 'UTF8'), 'hex'))",
        _ => "hex(name)",
    };
    for (id, name) in (0..).zip(TEXTS) {
        // MySQL makes a key of its own of 0, and its = ignores blanks at the end.
        let id = id + 100;
        let insert = ask(&insert).with([Value::Int(id), text(name)]).answer(&*source).await;
        if subject.engine.is_mysql() && *name == " " {
            // Its unique keys take "" and " " for the same.
            assert!(matches!(insert, Err(SourceError::Argument { index: 1, .. })));
            continue;
        }
        insert.unwrap_or_else(|error| panic!("{name:?}: {error}"));
        let stored = subject.database.texts(&format!("SELECT {hex} FROM things WHERE id = {id}")).await;
        let expected = hex_of(name);
        assert_eq!(stored, [[Some(expected)]], "{name:?}");
        let row = ask(&select).with([Value::Int(id)]).rows(&*source).await;
        assert_eq!(row, [[Value::Int(id), text(name)]]);
        assert_eq!(ask(&find).with([text(name)]).cell(&*source).await, Value::Int(id), "{name:?}");
    }
}

async fn no_argument_becomes_sql(subject: &mut Subject) {
    let source = subject.source();
    let find = all("SELECT id FROM things WHERE name = ?1").of(subject.engine).unwrap();
    let insert = INSERT.of(subject.engine).unwrap();
    for (id, name) in (1..).zip(HOSTILE) {
        assert!(ask(&find).with([text(name)]).rows(&*source).await.is_empty(), "{name}");
        assert_eq!(ask(&insert).with([Value::Int(id), text(name)]).changes(&*source).await, 1, "{name}");
        assert_eq!(ask(&find).with([text(name)]).cell(&*source).await, Value::Int(id), "{name}");
    }
    assert_eq!(subject.count("things").await, i64::try_from(HOSTILE.len()).unwrap());
    assert_eq!(subject.count("numbers").await, 1000);
}

async fn a_count_of_arguments_that_does_not_fit_is_an_error(subject: &mut Subject) {
    let source = subject.narrow_source();
    let insert = INSERT.of(subject.engine).unwrap();
    for arguments in [vec![], vec![Value::Int(1)], vec![Value::Int(1), text("a"), text("b")]] {
        ask(&insert).with(arguments).fails(&*source).await;
    }
    assert_eq!(subject.count("things").await, 0);
    assert_eq!(ask("SELECT 1").cell(&*source).await, Value::Int(1));
}

async fn a_text_that_the_database_cannot_hold_is_an_error_and_no_other_text(subject: &mut Subject) {
    let source = subject.source();
    let insert = INSERT.of(subject.engine).unwrap();
    let select = only()
        .sqlite("SELECT count(*) FROM things WHERE hex(name) = '610062'")
        .postgres("SELECT count(*) FROM things")
        .mysql("SELECT count(*) FROM things WHERE hex(name) = '610062'")
        .of(subject.engine)
        .unwrap();
    let inserted = ask(&insert).with([Value::Int(1), text("a\0b")]).answer(&*source).await;
    // PostgreSQL has no NUL in texts; the others keep it.
    let held = subject.engine != Engine::Postgres;
    assert_eq!(inserted.is_ok(), held, "{inserted:?}");
    assert_eq!(subject.database.number(&select).await, i64::from(held));
}

/// The bytes of a text as the databases' own `hex` writes them.
fn hex_of(text: &str) -> String {
    text.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02X}"))
}
