//! Statements as operators write them: lists, literal texts, templates, placeholders beside what looks like one.

use serde_json::{Value as Json, json};

use super::{
    Subject, on_every_database,
    tools::{Tools, list, parameter, tool},
};
use crate::support::{Engine, all, only};

on_every_database!(
    lists_select_their_rows_empty_ones_none_and_long_ones_all,
    nested_lists_keep_their_shape,
    a_template_parameter_and_a_bound_one_are_both_used,
    an_identifier_is_quoted_part_by_part_and_is_never_sql,
    a_text_between_quotes_of_a_template_is_that_text_and_never_sql,
    a_literal_text_is_found_whatever_it_holds,
    only_real_placeholders_count,
    numbers_that_a_reader_may_round_are_text_where_the_tool_says_so,
);

async fn lists_select_their_rows_empty_ones_none_and_long_ones_all(subject: &mut Subject) {
    let engine = subject.engine;
    subject.database.run("INSERT INTO things (id, name) VALUES (1, 'a'), (2, 'b,\"c'), (3, 'd')").await;
    let texts = only()
        .sqlite("SELECT id FROM things WHERE name IN (SELECT value FROM json_each(?1)) ORDER BY id")
        .postgres("SELECT id FROM things WHERE name = ANY($1) ORDER BY id")
        .mysql("SELECT id FROM things WHERE JSON_CONTAINS(?, JSON_QUOTE(name)) ORDER BY id");
    let numbers = only()
        .sqlite("SELECT count(*) AS n FROM numbers WHERE n IN (SELECT value FROM json_each(?1))")
        .postgres("SELECT count(*) AS n FROM numbers WHERE n = ANY($1)")
        .mysql(
            "SELECT count(*) AS n FROM numbers
             WHERE n IN (SELECT v FROM JSON_TABLE(?, '$[*]' COLUMNS (v BIGINT PATH '$')) AS list)",
        );
    let tools = Tools::over(
        subject,
        [
            ("texts", tool(engine, texts, &json!([list("names", "string")]))),
            ("numbers", tool(engine, numbers, &json!([list("list", "integer")]))),
        ],
    );
    let found = tools.call("texts", &json!({"names": ["a", "b,\"c", "x", "' OR 1=1 --"]})).await;
    assert_eq!(found, [r#"{"id":1}"#, r#"{"id":2}"#]);
    assert_eq!(tools.call("texts", &json!({"names": []})).await, [""; 0]);
    for length in [0, 1, 5000] {
        let list: Vec<u32> = (1..=length).collect();
        let expected = format!(r#"{{"n":{}}}"#, length.min(1000));
        assert_eq!(tools.call("numbers", &json!({"list": list})).await, [expected]);
    }
    let error = tools.error("numbers", &json!({"list": [1, "x"]})).await;
    assert!(error.contains(r#"parameter "list" element 2"#), "{error}");
}

async fn nested_lists_keep_their_shape(subject: &mut Subject) {
    let echo = only()
        .sqlite("SELECT ?1 AS v")
        .postgres("SELECT $1::bigint[] AS v")
        .mysql("SELECT CAST(? AS CHAR) AS v");
    let mut matrix = list("v", "integer");
    matrix["items"] = list("row", "integer");
    let tools = Tools::over(subject, [("echo", tool(subject.engine, echo, &json!([matrix])))]);
    let given: Json = serde_json::from_str("[[1,null],[9007199254740993,4]]").expect("JSON");
    let answer = tools.call("echo", &json!({"v": given})).await;
    let expected = match subject.engine {
        Engine::Postgres => json!({"v": given}),
        _ => json!({"v": given.to_string()}),
    };
    assert_eq!(answer, [expected.to_string()]);
}

async fn a_template_parameter_and_a_bound_one_are_both_used(subject: &mut Subject) {
    let engine = subject.engine;
    subject.database.run("INSERT INTO things (id, name, note) VALUES (1, 'a', 'x'), (2, 'b', 'y')").await;
    let statement = all("SELECT {{.column}} AS v FROM things WHERE id = ?1");
    let mut find = tool(engine, statement, &json!([parameter("id", "integer")]));
    let mut column = parameter("column", "string");
    column["allowedValues"] = json!(["name", "note"]);
    find["templateParameters"] = json!([column]);
    let tools = Tools::over(subject, [("find", find)]);
    assert_eq!(tools.call("find", &json!({"column": "note", "id": 2})).await, [r#"{"v":"y"}"#]);
    assert_eq!(tools.call("find", &json!({"column": "name", "id": 1})).await, [r#"{"v":"a"}"#]);
    let error = tools.error("find", &json!({"column": "id; DROP TABLE things", "id": 1})).await;
    assert!(error.contains(r#"parameter "column""#), "{error}");
    let error = tools.error("find", &json!({})).await;
    assert!(error.contains(r#""column""#) && error.contains(r#""id""#), "{error}");
    assert_eq!(subject.count("things").await, 2);
}

async fn an_identifier_is_quoted_part_by_part_and_is_never_sql(subject: &mut Subject) {
    let engine = subject.engine;
    subject.database.run("INSERT INTO things (id, name) VALUES (1, 'a')").await;
    let odd = only()
        .sqlite("CREATE TABLE \"odd.\"\"`'; name\" (\"select\" INTEGER); INSERT INTO \"odd.\"\"`'; name\" VALUES (7)")
        .postgres("CREATE TABLE \"odd.\"\"`'; name\" (\"select\" INTEGER); INSERT INTO \"odd.\"\"`'; name\" VALUES (7)")
        .mysql("CREATE TABLE `odd.\"``'; name` (`select` INTEGER); INSERT INTO `odd.\"``'; name` VALUES (7)");
    subject.database.run(&odd.of(engine).expect("every database has it")).await;
    let names = ["column", "table"].map(|name| {
        let mut parameter = parameter(name, "string");
        parameter["escape"] = json!("identifier");
        parameter
    });
    let mut read = tool(
        engine,
        all("SELECT {{.column}} AS v FROM {{.table}} WHERE 1 = ?1"),
        &json!([parameter("n", "integer")]),
    );
    read["templateParameters"] = json!(names);
    let tools = Tools::over(subject, [("read", read)]);
    let schema = match engine {
        Engine::Sqlite => "main".to_owned(),
        Engine::Postgres => "public".to_owned(),
        Engine::MySql | Engine::MariaDb => {
            subject.database.url().expect("a server").path().trim_start_matches('/').to_owned()
        }
    };
    for (column, table, expected) in [
        ("name", "things".to_owned(), r#"{"v":"a"}"#),
        ("things.name", format!("{schema}.things"), r#"{"v":"a"}"#),
        ("select", format!("{schema}.\"odd.\"\"`'; name\""), r#"{"v":7}"#),
        ("select", "`odd.\"``'; name`".to_owned(), r#"{"v":7}"#),
    ] {
        let answer = tools.call("read", &json!({"column": column, "table": table, "n": 1})).await;
        assert_eq!(answer, [expected], "{column} {table}");
    }
    for (column, table) in [
        ("nosuch", "things"),
        ("name", "nosuch"),
        ("name", "nosuch.things"),
        ("name FROM things; DROP TABLE things; --", "things"),
        ("name\" FROM things; DROP TABLE things; --", "things"),
        ("name` FROM things; DROP TABLE things; --", "things"),
        ("name", "things\"; DROP TABLE things; --"),
        ("name", "things`; DROP TABLE things; --"),
        ("name, note", "things"),
        ("1", "things"),
        ("*", "things"),
    ] {
        tools.error("read", &json!({"column": column, "table": table, "n": 1})).await;
    }
    for column in ["", ".", "name.", ".name", "things..name", "\"\""] {
        let error = tools.error("read", &json!({"column": column, "table": "things", "n": 1})).await;
        assert!(error.contains(r#"parameter "column""#) && error.contains("empty"), "{error}");
    }
    assert_eq!(subject.count("things").await, 1);
}

async fn a_text_between_quotes_of_a_template_is_that_text_and_never_sql(subject: &mut Subject) {
    let mut text = parameter("text", "string");
    text["escape"] = json!("single-quotes");
    let mut say = tool(subject.engine, all("SELECT {{.text}} AS v"), &json!([]));
    say["templateParameters"] = json!([text]);
    let tools = Tools::over(subject, [("say", say)]);
    for text in ["a", "it's", "'", "\\", "\\' AS v, 1 AS w -- ", "\\\\'", "'' OR 1=1 --", "a\\nb\"`\\\""] {
        assert_eq!(
            tools.call("say", &json!({"text": text})).await,
            [json!({"v": text}).to_string()],
            "{text}"
        );
    }
}

async fn a_literal_text_is_found_whatever_it_holds(subject: &mut Subject) {
    let engine = subject.engine;
    subject
        .database
        .run("INSERT INTO things (id, name) VALUES (1, 'x 50%_off y'), (2, 'x 50 % off y')")
        .await;
    // As docs/configuration.md says.
    let statement = only()
        .sqlite("SELECT id FROM things WHERE instr(name, ?1) > 0 ORDER BY id")
        .postgres("SELECT id FROM things WHERE strpos(name, $1) > 0 ORDER BY id")
        .mysql("SELECT id FROM things WHERE instr(name, ?) > 0 ORDER BY id");
    let find = tool(engine, statement, &json!([parameter("text", "string")]));
    let tools = Tools::over(subject, [("find", find)]);
    assert_eq!(tools.call("find", &json!({"text": "50%_off"})).await, [r#"{"id":1}"#]);
    assert_eq!(tools.call("find", &json!({"text": "%"})).await, [r#"{"id":1}"#, r#"{"id":2}"#]);
    assert_eq!(tools.call("find", &json!({"text": "50%off"})).await, [""; 0]);
}

async fn only_real_placeholders_count(subject: &mut Subject) {
    let engine = subject.engine;
    let quoted = only()
        .sqlite("SELECT 'a;b ? $1' AS a, 1 AS \"c;d ?\", '$$e;f$$' AS b -- ?;")
        .postgres("SELECT 'a;b ? $1' AS a, 1 AS \"c;d ?\", $$e;f$$ AS b -- ?;")
        .mysql("SELECT 'a;b ? $1' AS a, 1 AS `c;d ?`, '$$e;f$$' AS b -- ?;");
    let operators = only()
        .sqlite("SELECT '{\"a\": 1}' ->> 'a' = ?1 AS v")
        .postgres("SELECT '{\"a\": 1}'::jsonb ? 'a' AND '1'::int = $1::int AS v")
        .mysql("SELECT JSON_EXTRACT('{\"a\": 1}', '$.a') = ? AS v");
    let tools = Tools::over(
        subject,
        [
            ("quoted", tool(engine, quoted, &json!([]))),
            ("operators", tool(engine, operators, &json!([parameter("n", "integer")]))),
        ],
    );
    let text = if engine == Engine::Postgres { "e;f" } else { "$$e;f$$" };
    let expected = json!({"a": "a;b ? $1", "c;d ?": 1, "b": text}).to_string();
    assert_eq!(tools.call("quoted", &json!({})).await, [expected]);
    let yes = if engine == Engine::Postgres { r#"{"v":true}"# } else { r#"{"v":1}"# };
    assert_eq!(tools.call("operators", &json!({"n": 1})).await, [yes]);
    // Too few, too many, and a placeholder with a name.
    for (statement, parameters) in [
        (all("SELECT ?1, ?2"), json!([parameter("a", "integer")])),
        (all("SELECT ?1"), json!([parameter("a", "integer"), parameter("b", "integer")])),
    ] {
        let faults = Tools::faults(subject, tool(engine, statement, &parameters));
        assert!(faults.contains("placeholder") && faults.contains("parameter"), "{faults}");
    }
}

async fn numbers_that_a_reader_may_round_are_text_where_the_tool_says_so(subject: &mut Subject) {
    let engine = subject.engine;
    let statement = only()
        .sqlite("SELECT 9007199254740993 AS i, 9007199254740991 AS s, 0.1 AS x, '9007199254740993' AS t")
        .postgres(
            "SELECT 9007199254740993 AS i, 9007199254740991 AS s, 0.1234567890123456789 AS d, 1.10 AS e,
             0.1::double precision AS x, ARRAY[9007199254740993, 1] AS a, things AS r,
             '{\"9007199254740993\": [9007199254740993, 2.50]}'::jsonb AS j, '9007199254740993' AS t FROM things",
        )
        .mysql(
            "SELECT 9007199254740993 AS i, 9007199254740991 AS s, 0.1234567890123456789 AS d, 1.10 AS e, 0.1e0 AS x,
             18446744073709551615 AS u, '9007199254740993' AS t",
        );
    subject.database.run("INSERT INTO things (id, name) VALUES (9007199254740993, 'n')").await;
    let mut safe = tool(engine, statement, &json!([]));
    safe["numberFormat"] = json!("safe");
    let tools = Tools::over(subject, [("safe", safe)]);
    let expected = match engine {
        Engine::Sqlite => r#"{"i":"9007199254740993","s":9007199254740991,"x":0.1,"t":"9007199254740993"}"#,
        Engine::Postgres => {
            r#"{"i":"9007199254740993","s":9007199254740991,"d":"0.1234567890123456789","e":1.10,"x":0.1,"a":["9007199254740993",1],"r":{"id":"9007199254740993","name":"n","note":null},"j":{"9007199254740993":["9007199254740993",2.50]},"t":"9007199254740993"}"#
        }
        Engine::MySql | Engine::MariaDb => {
            r#"{"i":"9007199254740993","s":9007199254740991,"d":"0.1234567890123456789","e":1.10,"x":0.1,"u":"18446744073709551615","t":"9007199254740993"}"#
        }
    };
    assert_eq!(tools.call("safe", &json!({})).await, [expected]);
}
