//! Calls with JSON arguments: what a model sends reaches the database as it is, or is refused with the parameter's name.

use serde_json::{Value as Json, json};

use super::{
    Subject, on_every_database,
    tools::{Tools, optional, parameter, tool},
};
use crate::support::{Engine, Sql, all, only};

on_every_database!(
    an_optional_argument_may_be_left_out_in_any_order_of_calls,
    an_argument_that_is_first_asked_for_null_has_its_declared_type,
    a_copy_has_the_value_of_its_parameter_whoever_gave_it,
    a_default_stands_in_for_an_absent_argument_and_for_null,
    integers_arrive_with_all_digits_as_numbers_and_as_texts,
    what_is_no_integer_and_no_boolean_is_refused_and_nothing_runs,
    every_type_of_argument_reaches_its_column,
    a_day_that_no_calendar_has_is_refused_where_there_are_dates,
    a_fraction_never_becomes_an_integer_in_silence,
    an_integer_is_compared_with_a_text,
    what_the_database_refuses_names_its_parameters,
    what_no_column_takes_names_its_parameter,
);

/// Reads back what [`every_type_of_argument_reaches_its_column`] stored.
const KINDS: Sql = only()
    .sqlite(
        "CREATE TABLE kinds (i INTEGER, d TEXT, x REAL, b BOOLEAN, t TEXT, day DATE, at DATETIME, j TEXT, l TEXT)",
    )
    .postgres(
        "CREATE TABLE kinds (i bigint, d numeric(30, 10), x double precision, b boolean, t text, day date,
         at timestamptz, j jsonb, l text[])",
    )
    .mysql(
        "CREATE TABLE kinds (i BIGINT, d DECIMAL(30, 10), x DOUBLE, b BOOLEAN, t TEXT, day DATE, at DATETIME,
         j JSON, l JSON)",
    );

async fn an_optional_argument_may_be_left_out_in_any_order_of_calls(subject: &mut Subject) {
    let engine = subject.engine;
    let statement = only()
        .sqlite("SELECT n FROM numbers WHERE (?1 IS NULL OR n = ?1) AND n <= 3 ORDER BY n")
        .postgres("SELECT n FROM numbers WHERE ($1::integer IS NULL OR n = $1) AND n <= 3 ORDER BY n")
        .mysql("SELECT n FROM numbers WHERE (? IS NULL OR n = ?) AND n <= 3 ORDER BY n");
    let mut parameters = vec![optional("ref", "integer")];
    if engine.is_mysql() {
        // Each placeholder of MySQL takes a value of its own. A copy is as optional as what it copies.
        parameters
            .push(json!({"name": "again", "type": "integer", "description": "A.", "valueFromParam": "ref"}));
    }
    let tools = Tools::over(subject, [("find", tool(engine, statement, &json!(parameters)))]);
    let everything = [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#];
    for (arguments, expected) in [
        (json!({"ref": null}), &everything[..]),
        (json!({"ref": 2}), &everything[1..2]),
        (json!({}), &everything),
        (json!({"ref": "3"}), &everything[2..]),
        (json!({"ref": 1}), &everything[..1]),
        (json!({"ref": null}), &everything),
    ] {
        assert_eq!(tools.call("find", &arguments).await, expected, "{arguments}");
    }
}

async fn a_copy_has_the_value_of_its_parameter_whoever_gave_it(subject: &mut Subject) {
    let engine = subject.engine;
    let statement = only()
        .sqlite("SELECT ?1 AS a, ?2 AS b")
        .postgres("SELECT $1::integer AS a, $2::integer AS b")
        .mysql("SELECT ? AS a, ? AS b");
    let given = |more: serde_json::Value| {
        let mut parameter = json!({"name": "a", "type": "integer", "description": "A."});
        parameter.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let copy = json!({"name": "b", "type": "integer", "description": "B.", "valueFromParam": "a"});
        tool(engine, statement, &json!([parameter, copy]))
    };
    let tools = Tools::over(
        subject,
        [
            ("required", given(json!({}))),
            ("optional", given(json!({"required": false}))),
            ("with_default", given(json!({"default": 5}))),
        ],
    );
    for (name, arguments, expected) in [
        ("required", json!({"a": 1}), r#"{"a":1,"b":1}"#),
        ("optional", json!({"a": 1}), r#"{"a":1,"b":1}"#),
        ("optional", json!({}), r#"{"a":null,"b":null}"#),
        ("with_default", json!({}), r#"{"a":5,"b":5}"#),
        ("with_default", json!({"a": null, "b": 7}), r#"{"a":5,"b":5}"#),
        ("with_default", json!({"a": 6}), r#"{"a":6,"b":6}"#),
    ] {
        assert_eq!(tools.call(name, &arguments).await, [expected], "{name} {arguments}");
    }
    let error = tools.error("required", &json!({})).await;
    assert_eq!(error, "provided parameters were invalid: parameter \"a\" is required");
}

/// PostgreSQL alone infers types from left to right, and a question for null tells none.
async fn an_argument_that_is_first_asked_for_null_has_its_declared_type(subject: &mut Subject) {
    if subject.engine.is_mysql() {
        // It has no numbered placeholders.
        return;
    }
    let statement = all("SELECT count(*) AS n FROM numbers WHERE ?1 IS NULL OR n = ?1")
        .postgres("SELECT count(*) AS n FROM numbers WHERE $1 IS NULL OR n = $1");
    let find = tool(subject.engine, statement, &json!([optional("ref", "integer")]));
    let tools = Tools::over(subject, [("find", find)]);
    for (arguments, expected) in [(json!({}), 1000), (json!({"ref": 7}), 1), (json!({"ref": null}), 1000)] {
        assert_eq!(tools.call("find", &arguments).await, [format!(r#"{{"n":{expected}}}"#)], "{arguments}");
    }
}

async fn a_default_stands_in_for_an_absent_argument_and_for_null(subject: &mut Subject) {
    let statement = all("SELECT n FROM numbers WHERE n = ?1");
    let mut number = parameter("n", "integer");
    number["default"] = json!(7);
    let tools = Tools::over(subject, [("find", tool(subject.engine, statement, &json!([number])))]);
    for (arguments, expected) in
        [(json!({}), r#"{"n":7}"#), (json!({"n": null}), r#"{"n":7}"#), (json!({"n": 8}), r#"{"n":8}"#)]
    {
        assert_eq!(tools.call("find", &arguments).await, [expected], "{arguments}");
    }
}

/// Gives back an integer.
const ECHO: Sql =
    only().sqlite("SELECT ?1 AS v").postgres("SELECT $1::bigint AS v").mysql("SELECT CAST(? AS SIGNED) AS v");

async fn integers_arrive_with_all_digits_as_numbers_and_as_texts(subject: &mut Subject) {
    let echo = tool(subject.engine, ECHO, &json!([parameter("v", "integer")]));
    let tools = Tools::over(subject, [("echo", echo)]);
    for digits in ["1917043659912705296", "-9007199254740993", "9223372036854775807", "-9223372036854775808"]
    {
        let number: Json = serde_json::from_str(digits).expect("a number");
        for argument in [number, json!(digits)] {
            let arguments = json!({"v": argument});
            assert_eq!(tools.call("echo", &arguments).await, [format!(r#"{{"v":{digits}}}"#)], "{arguments}");
        }
    }
    for (argument, expected) in [(json!(5.0), 5), (json!("5"), 5), (json!(1e2), 100)] {
        assert_eq!(tools.call("echo", &json!({"v": argument})).await, [format!(r#"{{"v":{expected}}}"#)]);
    }
}

async fn what_is_no_integer_and_no_boolean_is_refused_and_nothing_runs(subject: &mut Subject) {
    let statement = all("INSERT INTO things (id, name) VALUES (?1, ?2)");
    let parameters = json!([parameter("id", "integer"), parameter("name", "string")]);
    let tools = Tools::over(subject, [("add", tool(subject.engine, statement, &parameters))]);
    for argument in [json!("5x"), json!(""), json!(5.5), json!("5.5"), json!(true), json!([5]), json!(" 5")] {
        let error = tools.error("add", &json!({"id": argument, "name": "a"})).await;
        assert!(error.contains(r#"parameter "id" must be an integer"#), "{error}");
    }
    let error = tools.error("add", &json!({})).await;
    assert!(error.contains(r#""id""#) && error.contains(r#""name""#), "{error}");
    let error = tools.error("add", &json!({"id": null, "name": 5})).await;
    assert!(error.contains(r#""id""#) && error.contains(r#""name""#), "{error}");
    assert_eq!(subject.count("things").await, 0);
}

async fn every_type_of_argument_reaches_its_column(subject: &mut Subject) {
    let engine = subject.engine;
    subject.database.run(&KINDS.of(engine).expect("a table")).await;
    let insert = all("INSERT INTO kinds VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    let parameters = json!([
        optional("i", "integer"),
        optional("d", "float"),
        optional("x", "float"),
        optional("b", "boolean"),
        optional("t", "string"),
        optional("day", "string"),
        optional("at", "string"),
        {"name": "j", "type": "map", "description": "A map.", "required": false},
        {"name": "l", "type": "array", "description": "A list.", "required": false, "items": parameter("item", "string")},
    ]);
    let select = all("SELECT * FROM kinds");
    let tools = Tools::over(
        subject,
        [("add", tool(engine, insert, &parameters)), ("all", tool(engine, select, &json!([])))],
    );
    let decimal: Json = serde_json::from_str("12345678901234567890.1234567891").expect("a number");
    let map: Json =
        serde_json::from_str(r#"{"a":[null,{"x":9007199254740993}],"z":2.50,"s":"\""}"#).expect("JSON");
    // A text with an offset is a moment where the column keeps one; SQLite keeps the text.
    let at = "2025-01-31T10:00:00+02:00";
    let given = json!({
        "i": 9_007_199_254_740_993_i64, "d": decimal, "x": 0.1, "b": "TRUE", "t": "it's \\ \"日本\"\n",
        "day": "2024-02-29", "at": at, "j": map, "l": ["a", null, "b,c", ""],
    });
    tools.call("add", &given).await;
    tools.call("add", &json!({"b": false, "l": []})).await;
    tools.call("add", &json!({})).await;
    let rows = tools.call("all", &json!({})).await;
    let expected = match engine {
        Engine::Sqlite => [
            r#"{"i":9007199254740993,"d":"12345678901234567890.1234567891","x":0.1,"b":1,"t":"it's \\ \"日本\"\n","day":"2024-02-29","at":"2025-01-31T10:00:00+02:00","j":"{\"a\":[null,{\"x\":9007199254740993}],\"z\":2.50,\"s\":\"\\\"\"}","l":"[\"a\",null,\"b,c\",\"\"]"}"#,
            r#"{"i":null,"d":null,"x":null,"b":0,"t":null,"day":null,"at":null,"j":null,"l":"[]"}"#,
            r#"{"i":null,"d":null,"x":null,"b":null,"t":null,"day":null,"at":null,"j":null,"l":null}"#,
        ],
        // jsonb orders keys by their length.
        Engine::Postgres => [
            r#"{"i":9007199254740993,"d":12345678901234567890.1234567891,"x":0.1,"b":true,"t":"it's \\ \"日本\"\n","day":"2024-02-29","at":"2025-01-31T08:00:00Z","j":{"a":[null,{"x":9007199254740993}],"s":"\"","z":2.50},"l":["a",null,"b,c",""]}"#,
            r#"{"i":null,"d":null,"x":null,"b":false,"t":null,"day":null,"at":null,"j":null,"l":[]}"#,
            r#"{"i":null,"d":null,"x":null,"b":null,"t":null,"day":null,"at":null,"j":null,"l":null}"#,
        ],
        Engine::MySql => [
            r#"{"i":9007199254740993,"d":12345678901234567890.1234567891,"x":0.1,"b":1,"t":"it's \\ \"日本\"\n","day":"2024-02-29","at":"2025-01-31T08:00:00","j":{"a":[null,{"x":9007199254740993}],"s":"\"","z":2.5},"l":["a",null,"b,c",""]}"#,
            r#"{"i":null,"d":null,"x":null,"b":0,"t":null,"day":null,"at":null,"j":null,"l":[]}"#,
            r#"{"i":null,"d":null,"x":null,"b":null,"t":null,"day":null,"at":null,"j":null,"l":null}"#,
        ],
        Engine::MariaDb => [
            r#"{"i":9007199254740993,"d":12345678901234567890.1234567891,"x":0.1,"b":1,"t":"it's \\ \"日本\"\n","day":"2024-02-29","at":"2025-01-31T08:00:00","j":"{\"a\":[null,{\"x\":9007199254740993}],\"z\":2.50,\"s\":\"\\\"\"}","l":"[\"a\",null,\"b,c\",\"\"]"}"#,
            r#"{"i":null,"d":null,"x":null,"b":0,"t":null,"day":null,"at":null,"j":null,"l":"[]"}"#,
            r#"{"i":null,"d":null,"x":null,"b":null,"t":null,"day":null,"at":null,"j":null,"l":null}"#,
        ],
    };
    assert_eq!(rows, expected);
}

async fn a_day_that_no_calendar_has_is_refused_where_there_are_dates(subject: &mut Subject) {
    let engine = subject.engine;
    subject.database.run("CREATE TABLE days (day DATE)").await;
    let insert = tool(engine, all("INSERT INTO days VALUES (?1)"), &json!([parameter("day", "string")]));
    let tools = Tools::over(subject, [("add", insert)]);
    tools.call("add", &json!({"day": "2024-02-29"})).await;
    let outcome = tools.outcome("add", &json!({"day": "2025-02-30"})).await;
    // A date of SQLite is a text.
    assert_eq!(outcome.is_ok(), engine == Engine::Sqlite, "{outcome:?}");
    assert_eq!(subject.count("days").await, 1 + i64::from(engine == Engine::Sqlite));
}

async fn a_fraction_never_becomes_an_integer_in_silence(subject: &mut Subject) {
    let engine = subject.engine;
    subject.database.run("CREATE TABLE whole (n INTEGER)").await;
    let insert = tool(engine, all("INSERT INTO whole VALUES (?1)"), &json!([parameter("n", "float")]));
    let tools = Tools::over(subject, [("add", insert)]);
    tools.call("add", &json!({"n": 2.0})).await;
    let outcome = tools.outcome("add", &json!({"n": 1.5})).await;
    match engine {
        // It keeps the fraction.
        Engine::Sqlite => {
            outcome.expect("SQLite stores any number");
            assert_eq!(subject.database.number("SELECT count(*) FROM whole WHERE n = 1.5").await, 1);
        }
        Engine::Postgres | Engine::MySql | Engine::MariaDb => {
            let error = outcome.expect_err("no integer");
            assert!(error.contains(r#"parameter "n""#), "{error}");
            assert_eq!(subject.database.number("SELECT count(*) FROM whole").await, 1);
        }
    }
    assert_eq!(subject.database.number("SELECT count(*) FROM whole WHERE n = 1").await, 0);
}

async fn an_integer_is_compared_with_a_text(subject: &mut Subject) {
    let engine = subject.engine;
    subject.database.run("INSERT INTO things (id, name) VALUES (1, '9007199254740993'), (2, 'x')").await;
    let statement = only()
        .sqlite("SELECT id FROM things WHERE name = ?1")
        .postgres("SELECT id FROM things WHERE name = $1")
        .mysql("SELECT id FROM things WHERE name = ?");
    let find = tool(engine, statement, &json!([parameter("name", "integer")]));
    let tools = Tools::over(subject, [("find", find)]);
    assert_eq!(tools.call("find", &json!({"name": 9_007_199_254_740_993_i64})).await, [r#"{"id":1}"#]);
    assert_eq!(tools.call("find", &json!({"name": 7})).await, [""; 0]);
}

async fn what_the_database_refuses_names_its_parameters(subject: &mut Subject) {
    let engine = subject.engine;
    subject
        .database
        .run(
            "CREATE TABLE stock (id INT PRIMARY KEY, amount INT NOT NULL, label VARCHAR(3), \
             CONSTRAINT enough CHECK (amount >= 0), CONSTRAINT short CHECK (length(label) < 4))",
        )
        .await;
    let kinds = |kinds: &[(&str, &str)]| {
        json!(kinds.iter().map(|(name, kind)| optional(name, kind)).collect::<Vec<Json>>())
    };
    let add = all("INSERT INTO stock VALUES (?1, ?2, ?3)");
    let take = all("UPDATE stock SET amount = amount - ?1 WHERE id = ?2");
    let take_all = all("UPDATE stock SET amount = amount - ?1 * ?2 WHERE id = 1");
    let extend = all("UPDATE stock SET label = label || ?1 WHERE id = 1")
        .mysql("UPDATE stock SET label = CONCAT(label, ?) WHERE id = 1");
    let tools = Tools::over(
        subject,
        [
            (
                "add",
                tool(engine, add, &kinds(&[("key", "integer"), ("count", "integer"), ("word", "string")])),
            ),
            ("take", tool(engine, take, &kinds(&[("less", "integer"), ("key", "integer")]))),
            ("take_all", tool(engine, take_all, &kinds(&[("less", "integer"), ("times", "integer")]))),
            ("extend", tool(engine, extend, &kinds(&[("more", "string")]))),
        ],
    );
    tools.call("add", &json!({"key": 1, "count": 5, "word": "abc"})).await;
    for (name, arguments, expected) in [
        ("add", json!({"key": 1, "count": 5, "word": "a"}), r#"parameter "key""#),
        ("add", json!({"key": 2, "count": -5, "word": "a"}), r#"parameter "count""#),
        ("add", json!({"key": 2, "word": "a"}), r#"parameter "count""#),
        ("add", json!({"key": 2, "count": 5, "word": "four"}), r#"parameter "word""#),
        ("take", json!({"less": 6, "key": 1}), r#"parameter "less""#),
        ("take_all", json!({"less": 2, "times": 3}), r#"parameters "less" and "times""#),
        ("extend", json!({"more": "d"}), r#"parameter "more""#),
    ] {
        let error = tools.error(name, &arguments).await;
        let expected = format!("provided parameters were invalid: {expected} ");
        assert!(error.starts_with(&expected), "{name} {arguments} {error}");
    }
    assert_eq!(subject.count("stock").await, 1);
}

async fn what_no_column_takes_names_its_parameter(subject: &mut Subject) {
    let engine = subject.engine;
    let table = all("CREATE TABLE strict (small SMALLINT, at TIMESTAMP NULL, again SMALLINT)")
        .sqlite("CREATE TABLE strict (small INT, at REAL, again INT) STRICT");
    subject.database.run(&table.of(engine).unwrap()).await;
    let insert = all("INSERT INTO strict VALUES (?1, ?2, ?3)");
    let moment = if engine == Engine::Sqlite { "number" } else { "moment" };
    let mut copy = optional("copy", "string");
    copy["valueFromParam"] = json!("integer");
    let parameters = json!([optional("integer", "string"), optional(moment, "string"), copy]);
    let tools = Tools::over(subject, [("add", tool(engine, insert, &parameters))]);
    // The copy is refused as well, and nobody but the operator knows of it.
    let error = tools.error("add", &json!({"integer": "x"})).await;
    assert!(error.starts_with("provided parameters were invalid: parameter \"integer\" "), "{error}");
    let error = tools.error("add", &json!({"integer": "1", moment: "yesterday at noon"})).await;
    assert!(
        error.starts_with(&format!("provided parameters were invalid: parameter {moment:?} ")),
        "{error}"
    );
    assert_eq!(subject.count("strict").await, 0);
}
