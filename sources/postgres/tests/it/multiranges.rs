//! Multiranges, whose kind of type sqlx does not know: as columns, as arguments, and where they cannot be read.

use toolbox_source::{SourceError, Value};

use crate::support::{ask, database, decimal, object, text};

#[tokio::test]
async fn a_multirange_is_read_from_a_query() {
    let database = database!(
        "CREATE TABLE t (id int, m int4multirange, n nummultirange[]); INSERT INTO t VALUES (1, '{[1,3),[5,7)}', ARRAY['{[1.5,2)}'::nummultirange, NULL])"
    );
    let source = database.narrow_source();
    for _ in 0..2 {
        let answer = ask("SELECT m, n, m AS \"m\", id FROM t WHERE id = $1 AND m @> $2::int -- $3;")
            .with([Value::Int(1), Value::Int(5)])
            .answer(&source)
            .await
            .unwrap();
        assert_eq!(answer.columns.unwrap(), ["m", "n", "m", "id"]);
        let list = Value::Array(vec![text("{[1.5,2)}"), Value::Null]);
        assert_eq!(answer.rows, [[text("{[1,3),[5,7)}"), list, text("{[1,3),[5,7)}"), Value::Int(1)]]);
    }
    let row = ask("SELECT t FROM t").cell(&source).await;
    let list = Value::Array(vec![text("{[1.5,2)}"), Value::Null]);
    assert_eq!(row, object([("id", Value::Int(1)), ("m", text("{[1,3),[5,7)}")), ("n", list)]));
    // sqlx loses the statement that it cannot describe; it does not stay on the server.
    let Value::Int(known) =
        ask("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT m, n%'")
            .cell(&source)
            .await
    else {
        panic!()
    };
    assert_eq!(known, 0);
    database.end().await;
}

/// The bare names of these types cut values to a length of 1.
#[tokio::test]
async fn arguments_beside_a_multirange_keep_their_length() {
    let database = database!(
        "CREATE TABLE t (m int4multirange, c char(5), b bit(3), l char(5)[]); INSERT INTO t VALUES ('{[1,3)}', 'abc', '101', '{abc}'); \
         CREATE PROCEDURE p(INOUT m int4multirange, INOUT c char, INOUT b bit) LANGUAGE plpgsql AS 'BEGIN END'"
    );
    let source = database.narrow_source();
    let list = || Value::Array(vec![text("abc  ")]);
    for statement in [
        "SELECT m FROM t WHERE c = $1 AND b = $2 AND l = $3",
        "INSERT INTO t (m, c, b, l) VALUES ('{[1,3)}', $1, $2, $3) RETURNING m",
        "UPDATE t SET c = $1, b = $2, l = $3 RETURNING m",
    ] {
        for _ in 0..2 {
            let asked = ask(statement).with([text("abc"), text("101"), list()]);
            assert_eq!(asked.answer(&source).await.unwrap().rows[0], [text("{[1,3)}")], "{statement}");
        }
    }
    let stored = database.text("SELECT string_agg(DISTINCT c || b::text || l::text, ' ') FROM t").await;
    assert_eq!(stored.as_deref(), Some("abc101{\"abc  \"}"));
    let answer =
        ask("CALL p($1, $2, $3)").with([text("{[1,3)}"), text("abc"), text("101")]).answer(&source).await;
    assert_eq!(answer.unwrap().rows, [[text("{[1,3)}"), text("abc"), text("101")]]);
    database.end().await;
}

#[tokio::test]
async fn a_multirange_comes_back_from_every_write() {
    let database = database!(
        "CREATE TABLE t (id int, m int4multirange, n nummultirange[]); CREATE TABLE u (id int, k int); INSERT INTO u VALUES (1, 3)"
    );
    let source = database.narrow_source();
    let shown = text("{[1,5),[7,9)}");
    let insert = ask("INSERT INTO t AS x (id, m) VALUES ($1, $2) RETURNING id, x.m, m AS \"M m\"")
        .with([Value::Int(1), text("{[1,5), [7,9)}")]);
    for _ in 0..2 {
        let answer = insert.clone().answer(&source).await.unwrap();
        assert_eq!(answer.columns.unwrap(), ["id", "m", "M m"]);
        assert_eq!(answer.rows, [[Value::Int(1), shown.clone(), shown.clone()]]);
        assert_eq!(answer.done.rows_affected, Some(1));
    }
    let cases = [
        (
            "UPDATE t SET id = u.k FROM u WHERE t.id = u.id AND t.m @> $1::int RETURNING t.id, m, u.*",
            1,
            vec![Value::Int(3), shown.clone(), Value::Int(1), Value::Int(3)],
        ),
        (
            "WITH w AS (SELECT k FROM u) UPDATE t SET m = m RETURNING m, (SELECT k FROM w) + $1",
            0,
            vec![shown.clone(), Value::Int(3)],
        ),
        (
            "DELETE FROM t USING u WHERE t.id = u.k AND $1 < 5 RETURNING *",
            4,
            vec![Value::Int(3), shown.clone(), Value::Null, Value::Int(1), Value::Int(3)],
        ),
    ];
    for (statement, argument, row) in cases {
        let rows = ask(statement).with([Value::Int(argument)]).rows(&source).await;
        assert_eq!(rows, [row.clone(), row], "{statement}");
    }
    if database.version().await >= 170_000 {
        database.script("INSERT INTO t (id, m) VALUES (3, '{[1,5),[7,9)}')").await;
        let merge =
            "MERGE INTO t AS x USING u ON x.id = u.k AND $1 < 5 WHEN MATCHED THEN DELETE RETURNING *, x.m";
        let row = [Value::Int(1), Value::Int(3), Value::Int(3), shown.clone(), Value::Null, shown.clone()];
        assert_eq!(ask(merge).with([Value::Int(4)]).rows(&source).await, [row]);
    }
    // Describing a write writes nothing.
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(0));
    assert_eq!(ask("DELETE FROM t RETURNING m").answer(&source).await.unwrap().columns.unwrap(), ["m"]);
    database.end().await;
}

#[tokio::test]
async fn a_multirange_is_taken_as_its_text_or_as_a_list_of_ranges() {
    let database = database!(
        "CREATE DOMAIN hours AS int4multirange; CREATE TYPE plan AS (id int, m int4multirange); \
         CREATE TABLE t (m int4multirange, d hours, a nummultirange[], c plan)"
    );
    let source = database.narrow_source();
    let list = |items: &[&str]| Value::Array(items.iter().map(|item| text(item)).collect());
    for (column, argument, literal) in [
        ("m", text("{[1,5),[7,9)}"), Some("{[1,5),[7,9)}")),
        ("m", list(&["[1,5)", "[7,9)"]), Some("{[1,5),[7,9)}")),
        ("m", list(&[]), Some("{}")),
        ("m", Value::Null, None),
        ("d", list(&["(,3]"]), Some("{(,3]}")),
        ("a", list(&["{[1.5,2)}", "{}"]), Some("{\"{[1.5,2)}\",\"{}\"}")),
        ("a", Value::Array(vec![Value::Null]), Some("{NULL}")),
        ("c", text("(1,\"{[1,2)}\")"), Some("(1,\"{[1,2)}\")")),
    ] {
        let insert = ask(&format!("INSERT INTO t ({column}) VALUES ($1)")).with([argument.clone()]);
        assert_eq!(insert.done(&source).await.rows_affected, Some(1), "{column} {argument:?}");
        let literal = literal.map_or("NULL".to_owned(), |literal| format!("'{literal}'"));
        let cast = if column == "c" { "::plan" } else { "" };
        let same = format!("DELETE FROM t WHERE {column} IS NOT DISTINCT FROM {literal}{cast}");
        assert_eq!(ask(&same).done(&source).await.rows_affected, Some(1), "{column} {argument:?}");
    }
    database.script("INSERT INTO t (m) VALUES ('{[1,3)}'), ('{[5,6)}')").await;
    let within = ask("SELECT m, $1 * m AS both FROM t WHERE m && $1 AND lower(m) > $2")
        .with([list(&["[2,4)"]), Value::Int(0)]);
    for _ in 0..2 {
        assert_eq!(within.clone().rows(&source).await, [[text("{[1,3)}"), text("{[2,3)}")]]);
    }
    let refused = ask("SELECT $1::int4multirange").with([Value::Array(vec![Value::Null])]);
    assert!(matches!(refused.answer(&source).await, Err(SourceError::Argument { index: 0, .. })));
    // Places before the argument are the caller's, and later ones are not made up.
    let error = ask("SELECT 1 / (id - id) FROM (VALUES (1)) AS v(id) WHERE $1::int4multirange IS NULL");
    assert_eq!(error.with([Value::Null]).error(&source).await, "division by zero (code 22012)");
    database.end().await;
}

/// Its parts run once, when the statement runs, and not when it is described.
#[tokio::test]
async fn a_multirange_is_read_beside_parts_of_a_with_that_change_data() {
    let database = database!(
        "CREATE TABLE t (id serial, m int4multirange); CREATE TABLE log (what text); \
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (TG_OP || TG_LEVEL); RETURN new; END $$; \
         CREATE TRIGGER rows BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION note(); \
         CREATE TRIGGER whole BEFORE INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION note()"
    );
    let source = database.narrow_source();
    let range = || text("{[1,3)}");
    let given = [Value::Array(vec![text("[1,3)")]), Value::Int(7)];
    let one = || Value::Int(1);
    for (statement, names, rows) in [
        (
            "WITH w AS (INSERT INTO t (m) VALUES ($1) RETURNING m, id) SELECT m, id, m, $2::int8 AS \"A b\" FROM w -- ;",
            vec!["m", "id", "m", "A b"],
            vec![vec![range(), one(), range(), Value::Int(7)]],
        ),
        (
            "WITH w AS (INSERT INTO t (m) VALUES ($1) RETURNING *), v AS (DELETE FROM t WHERE id = $2) UPDATE log SET what = what FROM w RETURNING m, w.id, m, $2, $1",
            vec!["m", "id", "m", "?column?", "?column?"],
            vec![vec![range(), one(), range(), Value::Int(7), range()]],
        ),
        (
            "WITH RECURSIVE w AS (INSERT INTO t (m) VALUES ($1) RETURNING *), n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2) TABLE w UNION ALL SELECT id, m FROM w, n WHERE i = 1 AND $2 > 0",
            vec!["id", "m"],
            vec![vec![one(), range()], vec![one(), range()]],
        ),
    ] {
        database.script("TRUNCATE t RESTART IDENTITY; TRUNCATE log; INSERT INTO log VALUES ('x')").await;
        let answer = ask(statement).with(given.clone()).answer(&source).await.unwrap();
        assert_eq!(answer.columns.unwrap(), names, "{statement}");
        assert_eq!(answer.rows, rows, "{statement}");
        let stored = database.text("SELECT count(*) || ' ' || max(id) FROM t").await;
        assert_eq!(stored.as_deref(), Some("1 1"), "{statement}");
        let log = database.text("SELECT string_agg(what, ' ' ORDER BY what) FROM log").await.unwrap();
        assert_eq!(log, "INSERTROW INSERTSTATEMENT x", "{statement}");
    }
    if database.version().await >= 180_000 {
        let both = ask("UPDATE t SET m = '{}' RETURNING old.m, new.m").rows(&source).await;
        assert_eq!(both, [[range(), text("{}")]]);
    }
    database.end().await;
}

/// A CALL stands in no other statement, so what it answers is cast afterwards.
#[tokio::test]
async fn a_multirange_is_an_answer_of_a_procedure() {
    let database = database!(
        "CREATE TABLE t (m int4multirange); CREATE DOMAIN few AS numeric(3,1); CREATE TYPE pair AS (a int, m int4multirange); \
         CREATE PROCEDURE one(a int, OUT m int4multirange) LANGUAGE sql AS $$ SELECT int4multirange(int4range(1, a)) $$; \
         CREATE PROCEDURE \"Many\"(INOUT a int4multirange, b bytea, INOUT j json, INOUT c char(3), INOUT t timestamptz, INOUT f float8, \
           INOUT n few, INOUT bs bytea, INOUT l text[], OUT ms nummultirange[], OUT p pair, INOUT z text) LANGUAGE plpgsql AS $$ \
         BEGIN INSERT INTO t VALUES (a); COMMIT; ms := '{\"{[1.5,2)}\"}'; p := ROW(1, a); bs := b || bs; END $$; \
         CREATE PROCEDURE fails(a int, OUT m int4multirange) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t VALUES (NULL); m := (1 / a)::text; END $$"
    );
    let source = database.narrow_source();
    for top in ["3", "5", "5"] {
        let answer =
            ask("CALL one($1, NULL)").with([Value::Int(top.parse().unwrap())]).answer(&source).await.unwrap();
        assert_eq!(answer.columns.unwrap(), ["m"]);
        assert_eq!(answer.rows, [[text(&format!("{{[1,{top})}}"))]]);
    }
    let tricky = "a'b\\ \"$1\"; -- é";
    let answer = ask("CALL public . \"Many\"($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL, NULL, $10)")
        .with([
            Value::Array(vec![text("[1,3)"), text("[5,7)")]),
            Value::Bytes(vec![0, 255]),
            Value::Json("{\"b\":1,\"a\":[1.10]}".to_owned()),
            text("abcd"),
            text("2025-01-31T10:00:00+02:00"),
            decimal("0.1"),
            decimal("2.55"),
            Value::Bytes(vec![7]),
            Value::Array(vec![text(tricky), Value::Null]),
            text(tricky),
        ])
        .answer(&source)
        .await
        .unwrap();
    assert_eq!(answer.columns.unwrap(), ["a", "j", "c", "t", "f", "n", "bs", "l", "ms", "p", "z"]);
    let range = || text("{[1,3),[5,7)}");
    assert_eq!(
        answer.rows,
        [[
            range(),
            Value::Json("{\"b\":1,\"a\":[1.10]}".to_owned()),
            text("abcd"),
            text("2025-01-31T08:00:00Z"),
            Value::Float(0.1),
            decimal("2.6"),
            Value::Bytes(vec![0, 255, 7]),
            Value::Array(vec![text(tricky), Value::Null]),
            Value::Array(vec![text("{[1.5,2)}")]),
            object([("a", Value::Int(1)), ("m", range())]),
            text(tricky),
        ]]
    );
    assert_eq!(ask("SELECT count(*) FROM t WHERE m = '{[1,3),[5,7)}'").cell(&source).await, Value::Int(1));
    // Nothing stays in the session.
    let left = ask("SELECT current_setting('toolbox.argument_1', true)").cell(&source).await;
    assert!(left == text("") || left == Value::Null, "{left:?}");
    let error = ask("CALL fails($1, NULL)").with([Value::Int(0)]).error(&source).await;
    assert_eq!(error, "argument 1: division by zero");
    let refused = ask("CALL one($1, NULL)").with([text("x")]).answer(&source).await;
    assert!(matches!(refused, Err(SourceError::Argument { index: 0, .. })), "{refused:?}");
    for (place, value, said) in [
        (0, text("{[1"), "malformed multirange literal"),
        (0, Value::Array(vec![text("[1,3)"), text("[9,8)")]), "range lower bound"),
        (2, Value::Json("{".to_owned()), "invalid input syntax for type json"),
        (6, decimal("123.4"), "numeric field overflow"),
    ] {
        let mut arguments = vec![Value::Null; 10];
        arguments[place] = value;
        let call = ask("CALL public . \"Many\"($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL, NULL, $10)");
        let refused = call.with(arguments).answer(&source).await;
        let Err(SourceError::Argument { index, message }) = refused else { panic!("{place}: {refused:?}") };
        assert_eq!(index, place);
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(1));
    database.script("DROP PROCEDURE one; CREATE PROCEDURE one(a text, OUT x nummultirange, OUT y int) LANGUAGE sql AS $$ SELECT a::nummultirange, 3 $$").await;
    let answer = ask("CALL one($1, NULL, NULL)").with([text("{[1.5,2)}")]).answer(&source).await.unwrap();
    assert_eq!(
        (answer.columns.unwrap(), answer.rows),
        (vec!["x".to_owned(), "y".to_owned()], vec![vec![text("{[1.5,2)}"), Value::Int(3)]])
    );
    database.end().await;
}

#[tokio::test]
async fn where_a_multirange_cannot_be_read_the_error_says_what_to_write() {
    let database = database!(
        "CREATE PROCEDURE p(a int, OUT m int4multirange) LANGUAGE sql AS $$ SELECT '{}'::int4multirange $$; \
         CREATE PROCEDURE p(a text, OUT m int4multirange) LANGUAGE sql AS $$ SELECT '{}'::int4multirange $$"
    );
    let source = database.narrow_source();
    let error = ask("CALL p(1, NULL)").error(&source).await;
    assert!(error.contains("a multirange") && error.ends_with("$1::text::the_type"), "{error}");
    database.end().await;
}
