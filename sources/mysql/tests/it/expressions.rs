//! Arguments inside of expressions: the value is that of the same literal, whatever was sent before it on the connection.

use sqlx::{AssertSqlSafe, Executor as _, Row as _, mysql::MySqlConnection};
use toolbox_mysql::MySql;
use toolbox_source::Value;

use crate::support::{Server, ask, on_each, text};

const TABLE: &str = "CREATE TABLE x (i BIGINT, u BIGINT UNSIGNED, d DECIMAL(40,20), s VARCHAR(60), b BIT(20), y YEAR, \
     da DATE, dt DATETIME(6)); \
     INSERT INTO x VALUES (7, 9, 1.5, '12', 257, 2024, '2024-01-02', '2024-01-02 03:04:05.5')";

/// Expressions with numbers as arguments.
const OF_NUMBERS: [&str; 44] = [
    "-?",
    "-(?)",
    "- -?",
    "ABS(?)",
    "ABS(-?)",
    "CEIL(?)",
    "CEILING((?))",
    "FLOOR(?)",
    "ROUND(?)",
    "ROUND(?, 2)",
    "TRUNCATE(?, 1)",
    "MOD(?, 10)",
    "? % 10",
    "? DIV 2",
    "? + 1",
    "1 - ?",
    "? * 2",
    "? - ?",
    "(?) + (?)",
    "SUM(?)",
    "SUM(DISTINCT ?)",
    "MIN(?)",
    "MAX(?)",
    "SUM(i * ?)",
    "COALESCE(?, i)",
    "COALESCE(i, ?)",
    "COALESCE(NULL, ?, d)",
    "COALESCE(?, s)",
    "IFNULL(?, d)",
    "IF(1, ?, i)",
    "IF(0, i, ?)",
    "NULLIF(?, 1)",
    "CASE WHEN i > 1 THEN ? ELSE i END",
    "CASE WHEN i < 1 THEN i ELSE ? END",
    "GREATEST(?, 1)",
    "LEAST(?, d)",
    "i + ?",
    "d + ?",
    "d * ?",
    "-COALESCE(?, 1)",
    "ABS((SELECT ?))",
    "(SELECT ?) + 0",
    "?",
    "? = i",
];

/// What the server itself says of the expression with a literal, as text. A literal says what the argument is.
async fn literally(connection: &mut MySqlConnection, expression: &str, literal: &str) -> Option<String> {
    let query = format!("SELECT CAST({} AS CHAR) FROM x", expression.replace('?', literal));
    let row = connection.fetch_one(AssertSqlSafe(query)).await.ok()?;
    row.try_get(0).ok()
}

fn number(digits: &str) -> Value {
    match (digits.parse(), digits.parse(), digits.contains(['.', 'e'])) {
        (Ok(integer), _, _) => Value::Int(integer),
        (_, Ok(integer), false) => Value::UInt(integer),
        _ => Value::Decimal(digits.to_owned()),
    }
}

/// The digits of a number without the zeros that only its scale adds.
fn plain(digits: &str) -> String {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        digits.to_owned()
    }
}

fn digits(value: &Value) -> String {
    match value {
        Value::Int(integer) => integer.to_string(),
        Value::UInt(integer) => integer.to_string(),
        Value::Decimal(digits) | Value::Text(digits) => digits.clone(),
        other => panic!("{other:?} is not exact"),
    }
}

#[tokio::test]
async fn a_number_in_an_expression_is_the_literal_with_its_digits() {
    on_each(|database| async move {
        database.script(TABLE).await;
        let source = database.source();
        let mut connection = database.connect().await;
        let numbers = [
            "9007199254740993",
            "-9007199254740993",
            "18446744073709551615",
            "-9223372036854775808",
            "12345678901234567.89",
            "1.10",
            "-0.1000000000000000055",
            "5",
        ];
        for expression in OF_NUMBERS {
            let statement = format!("SELECT {expression} FROM x");
            for literal in numbers {
                let Some(expected) = literally(&mut connection, expression, literal).await else { continue };
                // MariaDB computes with it as an integer, whose negative is none, and says so.
                if database.server == Server::MariaDb && literal == "-9223372036854775808" {
                    continue;
                }
                let arguments = vec![number(literal); expression.matches('?').count()];
                let cell = ask(&statement).with(arguments).cell(&source).await;
                assert_eq!(plain(&digits(&cell)), plain(&expected), "{expression} with {literal}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_sum_has_no_more_digits_than_with_a_literal() {
    on_each(|database| async move {
        database.script(TABLE).await;
        let source = database.source();
        for (expression, argument, expected) in [
            ("? + 1", Value::Decimal("1.10".to_owned()), "2.10"),
            ("i * ?", Value::Float(0.1), "0.7"),
            ("d + ?", Value::Float(0.1), "1.60000000000000000000"),
            ("COALESCE(?, i)", Value::Decimal("1.10".to_owned()), "1.10"),
            ("? - i", Value::Decimal("12345678901234567890.5".to_owned()), "12345678901234567883.5"),
        ] {
            let cell = ask(&format!("SELECT {expression} FROM x")).with([argument]).cell(&source).await;
            assert_eq!(cell, Value::Decimal(expected.to_owned()), "{expression}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_float_is_exact_beside_what_is_exact_and_a_double_in_a_quotient() {
    on_each(|database| async move {
        database
            .script("CREATE TABLE n (n DECIMAL(40,30)); INSERT INTO n VALUES (0.1), (0.100000000000000005551115123126)")
            .await;
        let source = database.source();
        let found = ask("SELECT n FROM n WHERE n = ?").with([Value::Float(0.1)]).rows(&source).await;
        assert_eq!(found, [[Value::Decimal(format!("0.1{}", "0".repeat(29)))]]);
        let third = ask("SELECT 1 / ? AS q").with([Value::Float(3.0)]).cell(&source).await;
        assert_eq!(third, Value::Float(1.0 / 3.0));
        let mean = ask("SELECT AVG(? * 2) AS q FROM n").with([Value::Float(0.1)]).cell(&source).await;
        assert_eq!(mean, Value::Float(0.2));
        let large = ask("SELECT ? * ? AS q").with([Value::Float(1e10), Value::Float(1e10)]).cell(&source).await;
        assert_eq!(plain(&digits(&large)), "100000000000000000000");
        let rows = ask("SELECT n FROM n LIMIT ?").with([Value::Float(1.0)]).rows(&source).await;
        assert_eq!(rows.len(), 1);
        let error = ask("SELECT n FROM n LIMIT ?").with([Value::Decimal("1.50".to_owned())]).error(&source).await;
        assert!(error.starts_with("argument 1: LIMIT"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn columns_are_called_as_they_were_written() {
    on_each(|database| async move {
        database.script(TABLE).await;
        let source = database.source();
        let statement = "SELECT ABS(?)+1, s, COALESCE(?, s), (?) FROM x";
        for arguments in [
            vec![Value::Int(1), text("a"), text("b")],
            vec![Value::Decimal("1.5".to_owned()), Value::Null, Value::Null],
            vec![Value::Null, Value::Int(1), Value::Float(0.5)],
        ] {
            let names = ask(statement).with(arguments).set(&source).await.columns.unwrap();
            // `MariaDB` takes the parentheses off.
            let last = names.last().unwrap().trim_matches(['(', ')']).to_owned();
            assert_eq!(
                (&names[..3], last.as_str()),
                (&["ABS(?)+1", "s", "COALESCE(?, s)"].map(str::to_owned)[..], "?")
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_text_that_is_chosen_stays_a_text() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE c (i INT, s VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german1_ci, u VARCHAR(20)); \
                 INSERT INTO c VALUES (7, 'ä', 'x')",
            )
            .await;
        let source = database.source();
        for expression in
            [
            "COALESCE(?, i)",
            "IF(1, ?, i)",
            "CASE WHEN 1 THEN ? ELSE i END",
            "IFNULL(?, u)",
            "COALESCE(?, s)",
            "COALESCE(NULL, ?)",
            "NULLIF(?, 123)",
            "IFNULL(?, CURRENT_DATE)",
            "COALESCE(?, NOW())",
        ]
        {
            let statement = format!("SELECT {expression} FROM c");
            for given in ["abc", "", "12abc", "ü", "9007199254740993", "1.50", "-1", "2024-01-02", "10:00:00"] {
                let cell = ask(&statement).with([text(given)]).cell(&source).await;
                assert_eq!(cell, text(given), "{expression}");
            }
        }
        ask("UPDATE c SET s = COALESCE(?, s), u = COALESCE(?, u)").with([text("ö"), Value::Null]).done(&source).await;
        assert_eq!(database.text("SELECT CONCAT(s, u) FROM c").await, "öx");
        let found = ask("SELECT i FROM c WHERE s = COALESCE(?, s)").with([text("ö")]).rows(&source).await;
        assert_eq!(found, [[Value::Int(7)]]);
    })
    .await;
}

/// What a statement answers, with an error as its text.
async fn answer(statement: &str, argument: &Value, source: &MySql) -> Result<Vec<Vec<Value>>, String> {
    ask(statement)
        .with([argument.clone()])
        .answer(source)
        .await
        .map(|set| set.rows)
        .map_err(|error| error.to_string())
}

#[tokio::test]
async fn what_a_statement_answers_does_not_depend_on_the_calls_before() {
    on_each(|database| async move {
        database.script(TABLE).await;
        let statements = [
            "SELECT ? FROM x",
            "SELECT b | ? FROM x",
            "SELECT COALESCE(?, i) FROM x",
            "SELECT COALESCE(?, da) FROM x",
            "SELECT COALESCE(?, b) + 0 FROM x",
            "SELECT COALESCE(?, y) FROM x",
            "SELECT IF(1, ?, s) FROM x",
            "SELECT NULLIF(?, 1) FROM x",
            "SELECT ? + 1 FROM x",
            "SELECT DATE_ADD(?, INTERVAL 1 DAY) FROM x",
            "SELECT i FROM x WHERE s = ?",
            "SELECT i FROM x WHERE dt > ?",
            "SELECT i FROM x WHERE (? IS NULL OR d = 1.5)",
            "UPDATE x SET b = ? WHERE i = 7",
        ];
        let arguments = [
            text("12"),
            text("-1"),
            text("1.5"),
            text("1e3"),
            text("99999999999999999999999"),
            text("abc"),
            text("2024-01-02"),
            text("2024-01-02 03:04:05"),
            text("20240102"),
            text("20240102030405"),
            text("10:00:00"),
            Value::Null,
            Value::Int(5),
            Value::Int(-5),
            Value::Decimal("1.10".to_owned()),
            Value::Float(0.5),
        ];
        let is_write = |statement: &str| statement.starts_with("UPDATE");
        for statement in statements {
            let mut alone = Vec::new();
            for argument in &arguments {
                let source = database.narrow_source();
                alone.push(answer(statement, argument, &source).await);
                if is_write(statement) {
                    alone
                        .push(Ok(vec![vec![text(&database.text("SELECT IFNULL(HEX(b), '') FROM x").await)]]));
                }
            }
            // Each after each of the others, and once more after itself.
            let source = database.narrow_source();
            for shift in 0..arguments.len() {
                for index in 0..arguments.len() {
                    let index = index * (shift + 1) % arguments.len();
                    let each = if is_write(statement) { 2 } else { 1 };
                    let said = answer(statement, &arguments[index], &source).await;
                    assert_eq!(said, alone[index * each], "{statement} with {:?}", arguments[index]);
                    if is_write(statement) && said.is_ok() {
                        let kept = text(&database.text("SELECT IFNULL(HEX(b), '') FROM x").await);
                        assert_eq!(Ok(vec![vec![kept]]), alone[index * each + 1], "{:?}", arguments[index]);
                    }
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn an_argument_in_the_rows_of_a_query_is_whole_or_refused() {
    on_each(|database| async move {
        let source = database.source();
        for statement in ["VALUES ROW('a', ?)", "SELECT 'a', ? UNION ALL VALUES ROW('b', ?)"] {
            let arguments = vec![text("abcdef"); statement.matches('?').count()];
            if database.server == Server::MySql {
                let rows = ask(statement).with(arguments).rows(&source).await;
                assert!(rows.iter().all(|row| row[1] == text("abcdef")), "{rows:?}");
                continue;
            }
            let statement = statement.replace("ROW", "");
            let error = ask(&statement).with(arguments).error(&source).await;
            assert!(error.contains("takes no argument in VALUES"), "{error}");
        }
        database.script("CREATE TABLE v (s TEXT)").await;
        ask("INSERT INTO v VALUES (?), (CONCAT(?, 'x'))")
            .with([text("abcdef"), text("gh")])
            .done(&source)
            .await;
        assert_eq!(database.text("SELECT GROUP_CONCAT(s ORDER BY s) FROM v").await, "abcdef,ghx");
    })
    .await;
}

#[tokio::test]
async fn a_text_that_is_executed_tells_what_the_statement_would() {
    on_each(|database| async move {
        database.script("CREATE TABLE k (id INT AUTO_INCREMENT PRIMARY KEY, n INT)").await;
        let source = database.source();
        let made = ask("EXECUTE IMMEDIATE 'INSERT INTO k (n) VALUES (?)' USING ?").with([Value::Int(5)]);
        assert_eq!(made.done(&source).await.last_insert_id, Some(Value::Int(1)));
        let cut = ask("EXECUTE IMMEDIATE 'UPDATE k SET n = ?' USING ?").with([Value::Float(1.5)]);
        let error = cut.error(&source).await;
        assert!(error.starts_with("argument 1:") && error.contains("holds integers"), "{error}");
        let cut = ask("UPDATE k SET n := ?").with([text("1.5")]).error(&source).await;
        assert!(cut.starts_with("argument 1:"), "{cut}");
        let none = ask("EXECUTE IMMEDIATE 'SELECT id, ''it''''s'' AS s FROM k WHERE n = ?' USING ?");
        assert_eq!(none.with([Value::Int(9)]).set(&source).await.columns.unwrap(), ["id", "s"]);
        let error = ask("EXECUTE IMMEDIATE 'SHOW WARNINGS'").error(&source).await;
        assert!(error.contains("SHOW WARNINGS"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_choice_is_compared_as_its_column_is() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE f (i BIGINT, d DECIMAL(20,5), s VARCHAR(60), b VARCHAR(60) COLLATE utf8mb4_bin, \
                   g VARCHAR(60) CHARACTER SET latin1 COLLATE latin1_bin, da DATE, dt DATETIME(6), ts TIMESTAMP NULL, t TIME(3), \
                   y YEAR, e ENUM('abc', 'x'), j JSON); \
                 INSERT INTO f VALUES (7, 1.5, 'Abc', 'Abc', 'Äbc', '2024-01-02', '2024-01-02 03:04:05.5', \
                   '2024-01-02 03:04:05', '10:00:00.5', 2024, 'abc', '{\"a\": 1}')",
            )
            .await;
        let source = database.narrow_source();
        for (column, given, found) in [
            ("i", Value::Int(7), true),
            ("i", text("7"), true),
            ("d", Value::Decimal("1.50".to_owned()), true),
            ("d", Value::Float(1.5), true),
            ("s", text("aBC"), true),
            ("s", text("xyz"), false),
            ("b", text("Abc"), true),
            ("b", text("abc"), false),
            ("g", text("Äbc"), true),
            ("g", text("Abc"), false),
            ("da", text("2024-1-2"), true),
            ("da", text("20240102"), true),
            ("da", text("12"), false),
            ("da", text("2024-02-30"), false),
            ("i", text("9007199254740993"), false),
            ("i", text("7.0"), true),
            ("dt", text("2024-01-02T03:04:05.5"), true),
            ("dt", text("2024-01-02 03:04:05.500"), true),
            ("ts", text("2024-01-02 03:04:05"), true),
            ("t", text("10:00:00.5"), true),
            ("t", text("10:0:0.5"), true),
            ("y", Value::Int(2024), true),
            ("e", text("abc"), true),
            ("e", text("x"), false),
            ("j", Value::Json("{\"a\":1}".to_owned()), true),
            ("j", text("{\"a\": 1}"), true),
        ] {
            // In MariaDB, a time and a document are texts beside a text.
            if database.server == Server::MariaDb && ["t", "j", "dt", "da"].contains(&column) {
                continue;
            }
            for choice in ["COALESCE(?, @)", "IFNULL(?, @)"] {
                let statement = format!("SELECT i FROM f WHERE {column} = {choice}").replace('@', column);
                for (argument, found) in [(given.clone(), found), (Value::Null, true), (given.clone(), found)] {
                    let rows = ask(&statement).with([argument.clone()]).rows(&source).await;
                    assert_eq!(!rows.is_empty(), found, "{statement} with {argument:?}");
                }
            }
        }
    })
    .await;
}

/// A value and its literal.
fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{text}'"),
        Value::Null => "NULL".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(integer) => integer.to_string(),
        Value::Decimal(digits) => digits.clone(),
        Value::Float(number) => format!("{number:e}"),
        other => panic!("{other:?}"),
    }
}

/// Whether two values are equal. A literal of digits in quotes is a double where it is computed with, an argument is exact.
fn is_equal((one, other): (&Value, &Value)) -> bool {
    match (one, other) {
        (Value::Int(integer), Value::Float(float)) => float.to_string() == integer.to_string(),
        _ => one == other,
    }
}

#[tokio::test]
async fn functions_read_arguments_as_they_read_literals() {
    on_each(|database| async move {
        database
            .script(
                "CREATE TABLE w (id INT, y YEAR, dt DATETIME, n DECIMAL(65,0)); \
                 INSERT INTO w VALUES (1, 2024, '2024-01-02 03:04:05', REPEAT('9', 65)), (2, 2025, NULL, 1); \
                 CREATE TABLE js (id INT, j JSON); INSERT INTO js VALUES (1, 'true'), (2, '1'), (3, 'false')",
            )
            .await;
        let source = database.source();
        let of_texts = [
            "SELECT TIME(?)",
            "SELECT CAST(? AS TIME(6))",
            "SELECT TIME_FORMAT(?, '%H:%i:%s.%f')",
            "SELECT HOUR(?), MINUTE(?), SECOND(?), MICROSECOND(?)",
            "SELECT EXTRACT(HOUR FROM ?), TIME_TO_SEC(?)",
            "SELECT ADDTIME(?, '1:0:0'), SUBTIME(?, '1:0:0')",
            "SELECT TIMEDIFF(?, '01:00:00')",
            "SELECT TIMESTAMPDIFF(SECOND, ?, '2024-01-02 12:00:00')",
            "SELECT STR_TO_DATE(?, '%Y-%m-%d')",
            "SELECT TIMESTAMP(?), DATE(?)",
            "SELECT CAST(? AS SIGNED), CAST(? AS UNSIGNED), CONVERT(?, SIGNED)",
            "SELECT ~?, ? | 1, 6 & ?, ? << 1, 1 ^ ?",
            "SELECT MOD(y, ?), ? + y, -? FROM w",
            "SELECT ADDDATE(dt, ?), dt + INTERVAL ? DAY FROM w",
            "SELECT ?, y, ? AS z FROM w UNION ALL SELECT 1, ?, 2",
            "SELECT LAG(y, 1, ?) OVER (ORDER BY id) FROM w",
            "SELECT LEAD(dt, 1, ?) OVER (ORDER BY id) FROM w",
            "SELECT LAG(n, 1, ?) OVER (ORDER BY id) FROM w",
        ];
        let texts =
            ["10:11:12.5", "100:11:12", "2024-01-02", "2024-01-02 03:04:05.25", "20240102", "1.5", "abc"];
        let of_numbers = [
            "SELECT ? AS x UNION ALL SELECT n FROM w",
            "SELECT n FROM w UNION ALL SELECT ?",
            "SELECT v + 0 FROM (SELECT ? AS v) q",
            "WITH q AS (SELECT ? AS v) SELECT v FROM q",
            "SELECT LAG(n, 1, ?) OVER (ORDER BY id) FROM w",
            "SELECT CAST(? AS SIGNED), CAST(? AS UNSIGNED)",
            "SELECT ? | y, BIT_COUNT(?) FROM w",
            "SELECT HOUR(?), SEC_TO_TIME(?)",
            "SELECT IFNULL(?, y), COALESCE(dt, ?), CASE id WHEN 1 THEN ? ELSE y END FROM w",
            "SELECT x FROM (SELECT ? x UNION SELECT 10 UNION ALL SELECT 9) q ORDER BY x",
            "SELECT MAX(x) FROM (SELECT 10 x UNION ALL SELECT 9 UNION ALL SELECT ?) q",
            "SELECT ~?, ? | 1, 6 & ?, ? << 1",
            "SELECT JSON_ARRAY(?, ?), JSON_OBJECT('k', ?)",
            "SELECT id FROM js WHERE j = ? OR JSON_EXTRACT(j, '$') = ? ORDER BY id",
            "SELECT id FROM js WHERE j IN (?, 'x') ORDER BY id",
            "SELECT JSON_SET('{}', '$.a', ?), ? IS TRUE, IF(?, 'a', 'b')",
            "SELECT CONCAT(?, ''), FORMAT(?, 2), MAX(?)",
        ];
        let numbers = [
            Value::Int(101_112),
            Value::Int(5),
            Value::Decimal("0.5".to_owned()),
            Value::Decimal("101112.25".to_owned()),
            Value::Float(1e16),
            Value::Bool(true),
            Value::Bool(false),
            Value::Null,
        ];
        let texts = texts.map(text);
        let cases =
            of_texts.iter().map(|of| (of, &texts[..])).chain(of_numbers.iter().map(|of| (of, &numbers[..])));
        for (statement, values) in cases {
            for value in values {
                let written = statement.replace('?', &format!(" {} ", literal(value)));
                let arguments = vec![value.clone(); statement.matches('?').count()];
                let said = ask(statement).with(arguments).answer(&source).await.map(|set| set.rows);
                let expected = ask(&written).answer(&source).await.map(|set| set.rows);
                match (said, expected) {
                    (Ok(said), Ok(expected)) => {
                        let is_same = said.len() == expected.len()
                            && said.iter().flatten().zip(expected.iter().flatten()).all(is_equal);
                        assert!(
                            is_same,
                            "{:?} {statement} with {value:?}: {said:?} and not {expected:?}",
                            database.server
                        );
                    }
                    (Err(_), Err(_)) => {}
                    other => panic!("{:?} {statement} with {value:?}: {other:?}", database.server),
                }
            }
        }
    })
    .await;
}
