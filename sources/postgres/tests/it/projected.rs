//! Columns that the server renders in a statement around the caller's: row types, records, types of extensions, internal types
//! of the server; and types that change while statements stay prepared.

use toolbox_source::Value;

use crate::support::{ask, database, decimal, object, text};

fn json(text: &str) -> Value {
    Value::Json(text.to_owned())
}

#[tokio::test]
async fn the_servers_own_catalog_can_be_read() {
    let database = database!(
        "CREATE TABLE t (a int DEFAULT 7 CHECK (a > 0)); CREATE INDEX i ON t ((a + 1)) WHERE a > 3"
    );
    let source = database.source();
    for table in [
        "pg_class",
        "pg_attrdef",
        "pg_index",
        "pg_constraint",
        "pg_proc",
        "pg_type",
        "pg_rewrite",
        "pg_policy",
    ] {
        for asked in
            [ask(&format!("SELECT * FROM {table}")), ask(&format!("TABLE {table}")).by_the_model().reading()]
        {
            let count = database.text(&format!("SELECT count(*) FROM {table}")).await.unwrap();
            assert_eq!(asked.rows(&source).await.len().to_string(), count, "{table}");
        }
    }
    let expression =
        database.text("SELECT indpred::text FROM pg_index WHERE indexrelid = 'i'::regclass").await.unwrap();
    let found = ask("SELECT indpred FROM pg_index WHERE indexrelid = $1::regclass AND indnatts = $2");
    assert_eq!(found.with([text("i"), Value::Int(1)]).cell(&source).await, text(&expression));
    database.end().await;
}

#[tokio::test]
async fn a_row_type_is_an_object_whatever_its_fields_are() {
    let database = database!(
        "CREATE EXTENSION seg; CREATE TYPE money_and AS (a int, m money); \
         CREATE TABLE t (\"a\"\"b, (c) {d}\" int, \"ä\\\" bytea, inner_row money_and, s seg, inner_rows money_and[]); \
         INSERT INTO t VALUES (1, '\\x01', ROW(2, '3'), '1..2', ARRAY[ROW(4, '5')::money_and]), (NULL, NULL, ROW(NULL, NULL), NULL, NULL)"
    );
    let source = database.source();
    let rows = ask("SELECT t FROM t").rows(&source).await;
    let inner = object([("a", Value::Int(2)), ("m", text("$3.00"))]);
    let first = object([
        ("a\"b, (c) {d}", Value::Int(1)),
        ("ä\\", Value::Bytes(vec![1])),
        ("inner_row", inner),
        ("s", text("1 .. 2")),
        ("inner_rows", json("[{\"a\":4,\"m\":\"$5.00\"}]")),
    ]);
    let second = object([
        ("a\"b, (c) {d}", Value::Null),
        ("ä\\", Value::Null),
        ("inner_row", object([("a", Value::Null), ("m", Value::Null)])),
        ("s", Value::Null),
        ("inner_rows", Value::Null),
    ]);
    assert_eq!(rows, [[first.clone()], [second]]);
    assert_eq!(ask("SELECT NULL::t").cell(&source).await, Value::Null);
    let returned = ask("UPDATE t SET s = s WHERE s IS NOT NULL RETURNING t").answer(&source).await.unwrap();
    assert_eq!((returned.rows, returned.done.rows_affected), (vec![vec![first]], Some(1)));
    database.end().await;
}

/// The names are the server's, where a record has some.
#[tokio::test]
async fn a_record_is_an_object() {
    let database = database!(
        "CREATE EXTENSION hstore; CREATE EXTENSION seg; CREATE TYPE mood AS ENUM ('ok'); CREATE TABLE t (\"a b\" int, y bytea); \
         INSERT INTO t VALUES (1, '\\x01')"
    );
    let source = database.source();
    let row = |fields: &[(&str, Value)]| {
        Value::Object(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    };
    let one_two = row(&[("f1", Value::Int(1)), ("f2", Value::Int(2))]);
    let list = |items: &[Value]| Value::Array(items.to_vec());
    for (expression, expected) in [
        ("ROW(1, 'a', NULL)", row(&[("f1", Value::Int(1)), ("f2", text("a")), ("f3", Value::Null)])),
        ("ROW(NULL)", row(&[("f1", Value::Null)])),
        ("ROW()", row(&[])),
        (
            "ROW(1, '\\xff'::bytea, '2024-01-02 03:04:05.5+02'::timestamptz, '12:00+02'::timetz)",
            row(&[
                ("f1", Value::Int(1)),
                ("f2", Value::Bytes(vec![255])),
                ("f3", text("2024-01-02T01:04:05.5Z")),
                ("f4", text("12:00:00+02")),
            ]),
        ),
        (
            "r FROM (SELECT 1.10 AS a, '[1, 2]'::json AS \"b c\", '1'::money AS m, 1 AS \"é\"\"{\", 2 AS a) AS r",
            row(&[
                ("a", decimal("1.10")),
                ("b c", json("[1,2]")),
                ("m", text("$1.00")),
                ("é\"{", Value::Int(1)),
                ("a_2", Value::Int(2)),
            ]),
        ),
        ("ARRAY[ROW(1, 2)]", list(std::slice::from_ref(&one_two))),
        ("ARRAY[ROW(1, 2), NULL]", list(&[one_two.clone(), Value::Null])),
        (
            "ARRAY[ARRAY[ROW(1, 2), NULL], ARRAY[NULL, ROW('\\x00'::bytea)]]",
            list(&[
                list(&[one_two.clone(), Value::Null]),
                list(&[Value::Null, row(&[("f1", Value::Bytes(vec![0]))])]),
            ]),
        ),
        ("ARRAY[]::record[]", list(&[])),
        (
            "ROW(ROW(1, 2), ARRAY[ROW(1, 2)], ARRAY[]::int[], '{{1},{NULL}}'::int[], ARRAY['\\x01'::bytea])",
            row(&[
                ("f1", one_two.clone()),
                ("f2", list(&[one_two])),
                ("f3", list(&[])),
                ("f4", list(&[list(&[Value::Int(1)]), list(&[Value::Null])])),
                ("f5", list(&[Value::Bytes(vec![1])])),
            ]),
        ),
        // What is not built in is the server's.
        (
            "ROW('ok'::mood, 'a=>1'::hstore, t, ARRAY['ok'::mood], '{[1,3)}'::int4multirange, 'int4'::regtype) FROM t",
            row(&[
                ("f1", text("ok")),
                ("f2", json(r#"{"a":"1"}"#)),
                ("f3", json(r#"{"a b":1,"y":"\\x01"}"#)),
                ("f4", json(r#"["ok"]"#)),
                ("f5", text("{[1,3)}")),
                ("f6", text("integer")),
            ]),
        ),
        ("'a=>1, b=>NULL'::hstore", json(r#"{"a":"1","b":null}"#)),
        ("ARRAY['a=>1'::hstore, NULL]", json(r#"[{"a":"1"},null]"#)),
        ("NULL::record", Value::Null),
        ("NULL::record[]", Value::Null),
    ] {
        for asked in [
            ask(&format!("SELECT {expression}")),
            ask(&format!("SELECT {expression}")).by_the_model().reading(),
        ] {
            assert_eq!(asked.cell(&source).await, expected, "{expression}");
        }
    }
    let written = ask("UPDATE t SET \"a b\" = 2 RETURNING ROW(y)").cell(&source).await;
    assert_eq!(written, row(&[("f1", Value::Bytes(vec![1]))]));
    database.end().await;
}

/// The server has no binary form of some types, so that their records come as its JSON.
#[tokio::test]
async fn a_record_without_a_binary_form_is_the_servers_json() {
    let database =
        database!("CREATE EXTENSION seg; CREATE TABLE t (a int, s seg); INSERT INTO t VALUES (1, '1..2')");
    let source = database.narrow_source();
    let expected = json(r#"{"f1":1,"f2":"1 .. 2"}"#);
    for _ in 0..2 {
        assert_eq!(ask("SELECT ROW(a, s) FROM t").cell(&source).await, expected);
        assert_eq!(ask("SELECT ROW(a, s) FROM t").by_the_model().reading().cell(&source).await, expected);
        assert_eq!(ask("UPDATE t SET a = a RETURNING ROW(a, s)").cell(&source).await, expected);
    }
    database.script("CREATE TYPE segs AS RANGE (subtype = seg)").await;
    for (record, expected) in [
        ("ROW(ARRAY[s])", r#"{"f1":["1 .. 2"]}"#),
        ("ROW(segs(s, s, '[]'))", r#"{"f1":"[\"1 .. 2\",\"1 .. 2\"]"}"#),
    ] {
        assert_eq!(ask(&format!("SELECT {record} FROM t")).cell(&source).await, json(expected), "{record}");
    }
    assert_eq!(ask("SELECT ROW(a) FROM t").cell(&source).await, object([("f1", Value::Int(1))]));
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(1));
    database.end().await;
}

/// Records in records, deeper than any stack of calls should be.
#[tokio::test]
async fn a_deep_record_is_read() {
    let database = database!("");
    let source = database.source();
    for (depth, list) in [(64, false), (65, false), (2000, false), (2000, true)] {
        let row = if list { "ROW(ARRAY[r])" } else { "ROW(r)" };
        let nested = format!(
            "WITH RECURSIVE n(i, r) AS (SELECT 1, ROW('\\x01'::bytea) UNION ALL SELECT i + 1, {row} FROM n WHERE i < {depth}) \
             SELECT r FROM n WHERE i = {depth}"
        );
        let mut cell = ask(&nested).cell(&source).await;
        for level in 1..depth.min(64) {
            let Value::Object(mut fields) = cell else { panic!("{level} {cell:?}") };
            cell = fields.remove(0).1;
            if let Value::Array(mut items) = cell {
                cell = items.remove(0);
            }
        }
        let Value::Object(fields) = &cell else { panic!("{depth} {cell:?}") };
        if depth == 64 {
            assert_eq!(fields[0].1, Value::Bytes(vec![1]));
        } else {
            assert!(matches!(&fields[0].1, Value::Json(_) | Value::Array(_)), "{:?}", fields[0].1);
        }
    }
    database.end().await;
}

/// Every type that the server has built in, alone and in an array.
#[tokio::test]
async fn a_field_of_a_record_is_what_a_column_is() {
    let database = database!("");
    let source = database.source();
    let value = |of: &str| match of {
        "json" | "jsonb" => "[1]",
        "xml" => "<a/>",
        "line" => "{1,2,3}",
        "point" | "tid" => "(1,2)",
        "lseg" => "[(1,2),(3,4)]",
        "path" | "polygon" => "((1,2),(3,4))",
        "box" => "(3,4),(1,2)",
        "circle" => "<(1,2),3>",
        "cidr" | "inet" => "10.0.0.1",
        "macaddr" => "08:00:2b:01:02:03",
        "macaddr8" => "08:00:2b:01:02:03:04:05",
        "bool" => "true",
        "date" => "2024-02-29",
        "time" | "timetz" => "01:02:03",
        "timestamp" | "timestamptz" => "2024-02-29 01:02:03",
        "interval" => "1 day",
        "uuid" => "018f3a1e-0000-7000-8000-000000000000",
        "pg_lsn" => "1/2",
        "jsonpath" => "$.a",
        "txid_snapshot" | "pg_snapshot" => "10:20:10",
        of if of.ends_with("range") => "empty",
        of if of.ends_with("multirange") => "{}",
        _ => "1",
    };
    let types = database
        .texts("SELECT string_agg(typname, ' ') FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r') AND typarray <> 0 AND typsend <> 0 AND typreceive <> 0 AND typname NOT LIKE 'reg%'")
        .await
        .remove(0)
        .unwrap();
    let types: Vec<&str> = types.split(' ').filter(|of| *of != "money").collect();
    assert!(types.len() > 45, "{types:?}");
    for of in types {
        let one = format!("'{}'::pg_catalog.\"{of}\"", value(of));
        let alone = ask(&format!("SELECT {one}, ARRAY[{one}]")).rows(&source).await.remove(0);
        let cell = ask(&format!("SELECT ROW({one}, ARRAY[{one}])")).cell(&source).await;
        assert_eq!(cell, object([("f1", alone[0].clone()), ("f2", alone[1].clone())]), "{of}");
    }
    database.end().await;
}

#[tokio::test]
async fn types_of_extensions_are_the_servers_text() {
    let database = database!(
        "CREATE EXTENSION seg; CREATE EXTENSION cube; CREATE EXTENSION ltree; CREATE EXTENSION isn; CREATE EXTENSION citext; CREATE DOMAIN span AS seg"
    );
    let source = database.source();
    for case in [
        "'1..2'::seg",
        "'1..2'::span",
        "'(1,2)'::cube",
        "'a.b'::ltree",
        "'*.b'::lquery",
        "'978-0-11-000533-1'::isbn13",
        "makeaclitem(10, 10, 'SELECT', false)",
    ] {
        let server = database.text(&format!("SELECT ({case})::text")).await.unwrap();
        assert_eq!(ask(&format!("SELECT {case}")).cell(&source).await, text(&server), "{case}");
        let list = ask(&format!("SELECT ARRAY[{case}, NULL]")).cell(&source).await;
        assert_eq!(list, Value::Array(vec![text(&server), Value::Null]), "{case}");
    }
    let list = ask("SELECT ARRAY['MiXed'::citext]").cell(&source).await;
    assert_eq!(list, Value::Array(vec![text("MiXed")]));
    database.end().await;
}

#[tokio::test]
async fn every_form_of_statement_with_rows_is_read() {
    let database = database!("CREATE TABLE t (id int, m money); INSERT INTO t VALUES (1, '1')");
    let source = database.narrow_source();
    let dollar = || vec![text("$1.00")];
    for (statement, rows, rows_affected) in [
        ("WITH x AS (INSERT INTO t VALUES (2, '1') RETURNING m) SELECT m FROM x -- ;", vec![dollar()], None),
        (
            "WITH x AS (SELECT 2 AS id) DELETE FROM t USING x WHERE t.id = x.id RETURNING m;",
            vec![dollar()],
            Some(1),
        ),
        ("WITH x AS (SELECT m FROM t) SELECT m FROM x FOR UPDATE", vec![dollar()], None),
        ("SELECT m FROM t FOR UPDATE", vec![dollar()], None),
        ("TABLE t", vec![vec![Value::Int(1), text("$1.00")]], None),
        ("VALUES ('1'::money)", vec![dollar()], None),
        ("(SELECT m FROM t) UNION ALL (SELECT m FROM t) ORDER BY 1 LIMIT 1", vec![dollar()], None),
    ] {
        let answer = ask(statement).answer(&source).await.unwrap();
        assert_eq!((answer.rows, answer.done.rows_affected), (rows, rows_affected), "{statement}");
    }
    let error = ask("WITH x AS (DELETE FROM t RETURNING m) SELECT m, nothing FROM x").error(&source).await;
    assert!(error.contains("(code 42703) at character 49"), "{error}");
    assert_eq!(database.text("SELECT count(*) FROM t").await.unwrap(), "1");
    database.end().await;
}

#[tokio::test]
async fn a_row_type_that_changed_is_read_with_its_new_fields() {
    let database = database!("CREATE TABLE t (a int, b numeric(5,2)); INSERT INTO t VALUES (1, 2)");
    let source = database.narrow_source();
    let read = || ask("SELECT t FROM t");
    let one = Value::Int(1);
    assert_eq!(read().cell(&source).await, object([("a", one.clone()), ("b", decimal("2.00"))]));
    for (change, expected) in [
        ("ALTER TABLE t RENAME a TO renamed", object([("renamed", one.clone()), ("b", decimal("2.00"))])),
        ("ALTER TABLE t ALTER b TYPE text", object([("renamed", one.clone()), ("b", text("2.00"))])),
        (
            "ALTER TABLE t ADD c int",
            object([("renamed", one.clone()), ("b", text("2.00")), ("c", Value::Null)]),
        ),
        ("ALTER TABLE t DROP b", object([("renamed", one.clone()), ("c", Value::Null)])),
        ("DROP TABLE t; CREATE TABLE t AS SELECT 1 AS z", object([("z", one.clone())])),
    ] {
        database.script(change).await;
        assert_eq!(read().cell(&source).await, expected, "{change}");
        assert_eq!(read().by_the_model().reading().cell(&source).await, expected, "{change}");
    }
    // A write that has answered is not sent again.
    let write = || ask("INSERT INTO t VALUES (2) RETURNING t");
    write().done(&source).await;
    database.script("ALTER TABLE t RENAME z TO y").await;
    let error = write().error(&source).await;
    assert!(
        error.contains(
            "the fields of its row type have changed; call it again; but the statement had completed before"
        ),
        "{error}"
    );
    assert_eq!(write().cell(&source).await, object([("y", Value::Int(2))]));
    assert_eq!(database.text("SELECT count(*) FROM t").await.unwrap(), "4");
    database.end().await;
}

#[tokio::test]
async fn a_type_that_was_made_anew_is_found_again() {
    let database =
        database!("CREATE TYPE mood AS ENUM ('a'); CREATE DOMAIN small AS int; CREATE TABLE t (m mood)");
    let source = database.narrow_source();
    for _ in 0..2 {
        assert_eq!(ask("SELECT $1::mood").with([text("a")]).cell(&source).await, text("a"));
        assert_eq!(ask("SELECT $1::small").with([text("5")]).cell(&source).await, Value::Int(5));
    }
    database.script("ALTER TYPE mood ADD VALUE 'added'").await;
    assert_eq!(ask("SELECT $1::mood").with([text("added")]).cell(&source).await, text("added"));
    database.script("DROP TABLE t; DROP TYPE mood; CREATE TYPE mood AS ENUM ('x'); DROP DOMAIN small; CREATE DOMAIN small AS interval").await;
    assert_eq!(ask("SELECT $1::mood").with([text("x")]).cell(&source).await, text("x"));
    assert_eq!(ask("SELECT $1::small").with([text("1 day")]).cell(&source).await, text("1 day"));
    database.end().await;
}

/// The driver and the server know the query that renders an answer by its text, which was one text for all types.
#[tokio::test]
async fn the_answers_of_procedures_are_rendered_by_their_own_types() {
    let database = database!(
        "CREATE TABLE done (what text); \
         CREATE PROCEDURE of_class(v text, OUT m regclass) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO done VALUES (v); m := 'pg_class'; END $$; \
         CREATE PROCEDURE of_type(v text, OUT m regtype) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO done VALUES (v); m := v; END $$; \
         CREATE PROCEDURE of_money(v text, OUT m money) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO done VALUES (v); m := 5; END $$; \
         CREATE PROCEDURE of_types(v text, OUT m regtype[]) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO done VALUES (v); m := ARRAY[v]; END $$"
    );
    let source = database.narrow_source();
    let money = text(&database.text("SELECT 5::money").await.unwrap());
    let answers = [
        ("of_class", text("pg_class")),
        ("of_type", text("integer")),
        ("of_money", money),
        ("of_types", Value::Array(vec![text("integer")])),
    ];
    for (first, _) in &answers {
        for (name, expected) in &answers {
            for name in [first, name] {
                let called = ask(&format!("CALL {name}($1, NULL)")).with([text("int4")]).cell(&source).await;
                let of_name = answers.iter().find(|(other, _)| other == name).map(|(_, answer)| answer);
                assert_eq!(Some(&called), of_name, "{first} {name}");
            }
            assert_eq!(ask(&format!("CALL {name}('int4', NULL)")).cell(&source).await, *expected);
        }
    }
    database.end().await;
}

/// The text that lets the server render a column lists the columns.
#[tokio::test]
async fn a_listed_statement_follows_a_change_of_its_table() {
    let database =
        database!("CREATE EXTENSION seg; CREATE TABLE t (id int, s seg); INSERT INTO t VALUES (1, '1')");
    let source = database.narrow_source();
    let soon = || tokio::time::sleep(std::time::Duration::from_millis(1_100));
    for (alter, columns) in [
        ("", &["id", "s"][..]),
        ("ALTER TABLE t DROP s; ALTER TABLE t ADD x int DEFAULT 7", &["id", "x"]),
        ("ALTER TABLE t ADD s seg, ADD z text", &["id", "x", "s", "z"]),
        ("ALTER TABLE t RENAME z TO y", &["id", "x", "s", "y"]),
        ("ALTER TABLE t DROP x", &["id", "s", "y"]),
    ] {
        database.script(alter).await;
        soon().await;
        for statement in ["SELECT * FROM t", "UPDATE t SET id = id RETURNING *"] {
            assert_eq!(ask(statement).set(&source).await.columns.unwrap(), columns, "{alter} {statement}");
        }
    }
    database.end().await;
}

#[tokio::test]
async fn fields_of_one_name_are_told_apart() {
    let database = database!("CREATE TABLE t (a_2 int)");
    let source = database.source();
    let one = Value::Int(1);
    let cell = ask("SELECT q FROM (SELECT 1 AS a, 1 AS a) AS q").cell(&source).await;
    assert_eq!(cell, object([("a", one.clone()), ("a_2", one.clone())]));
    let cell = ask("SELECT q FROM (SELECT 1, 1, 1 AS \"?column?_2\") AS q").cell(&source).await;
    assert_eq!(cell, object([("?column?", one.clone()), ("?column?_3", one.clone()), ("?column?_2", one)]));
    database.end().await;
}
