//! Writes whose parameters check that they still have their types do what the caller's own text does.

use sqlx::{AssertSqlSafe, Executor as _};
use toolbox_postgres::{Options, Postgres};
use toolbox_source::{Declared, SourceError, Value};

use crate::support::{Database, ask, database, decimal, object, text};

/// How many guarded statements the one connection of a source has.
async fn guards(source: &Postgres) -> usize {
    let count = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%toolbox: the types%' AND statement NOT LIKE '%pg_prepared%'";
    match ask(count).cell(source).await {
        Value::Int(count) => usize::try_from(count).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// What a statement answers the second and the third time, when it runs with guards.
async fn guarded(database: &Database, statement: &str, arguments: &[Value]) -> Vec<Vec<Value>> {
    let source = database.narrow_source();
    let call = || ask(statement).with(arguments.to_vec()).answer(&source);
    call().await.unwrap_or_else(|error| panic!("{statement} {error:?}"));
    let rows = call().await.unwrap().rows;
    assert_eq!(guards(&source).await, 1, "{statement}");
    assert_eq!(call().await.unwrap().rows, rows, "{statement}");
    rows
}

fn list(items: &[&str]) -> Value {
    Value::Array(items.iter().map(|item| decimal(item)).collect())
}

/// A statement, its arguments, and the rows that it answers.
type Case = (&'static str, Vec<Value>, Vec<Vec<Value>>);

const SCRIPT: &str = "CREATE DOMAIN share AS numeric(5,3) CHECK (VALUE < 2); CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE pair AS (a float8, b text); \
         CREATE TABLE t (id int PRIMARY KEY, n numeric(10,2), f float8, v varchar(100), c char(100), d date, l numeric[], j json, p share, pr pair, m int4multirange); \
         INSERT INTO t (id) VALUES (1), (2); CREATE VIEW seen AS SELECT id, f AS shown FROM t; \
         CREATE TABLE log (f float8); CREATE TABLE ruled (id int, f float8); \
         CREATE RULE r AS ON INSERT TO ruled DO ALSO INSERT INTO log VALUES (NEW.f); \
         CREATE TABLE parts (k int, f float8) PARTITION BY RANGE (k); CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (10); \
         CREATE TABLE date (name float8, date float8); CREATE TABLE name (date float8); CREATE TABLE integer (a float8); \
         CREATE SCHEMA \"S.x\"; CREATE TABLE \"S.x\".\"T\"\"a.$1 'q' {\\\" (\"c\"\"$1 'é\" float8, \"a.b\" text); \
         CREATE FUNCTION half(x float8) RETURNS float8 LANGUAGE sql AS 'SELECT x / 2'";

/// Parameters in every place of a statement.
fn expressions() -> Vec<Case> {
    let half = || decimal("0.5");
    let one = || Value::Int(1);
    let float = |float: f64| Value::Float(float);
    let long = "y".repeat(80);
    vec![
        (
            "INSERT INTO t (id, n) VALUES (5, $1) ON CONFLICT (id) DO UPDATE SET n = excluded.n, f = $2 RETURNING n, f",
            vec![decimal("2.345"), decimal("0.25")],
            vec![vec![decimal("2.35"), float(0.25)]],
        ),
        (
            "UPDATE t SET v = $1, c = $2 WHERE id = 1 RETURNING v, c",
            vec![text(&long), text(&long)],
            vec![vec![text(&long), text(&format!("{long:100}"))]],
        ),
        (
            "UPDATE t SET (n, f) = ($1, $3::float8 * 1) WHERE id = $2 RETURNING n, f",
            vec![decimal("1.005"), one(), decimal("1.005")],
            vec![vec![decimal("1.01"), float(1.005)]],
        ),
        (
            "UPDATE t SET f = COALESCE($1, f) + 1 WHERE id = ANY ($2) RETURNING f",
            vec![half(), Value::Array(vec![one()])],
            vec![vec![float(1.5)]],
        ),
        (
            "UPDATE t SET l = l || $1 WHERE id = 1 AND l IS NULL OR id = 2 RETURNING $2::numeric[]",
            vec![list(&["1.50"]), list(&["2.50"])],
            vec![vec![Value::Array(vec![decimal("2.50")])]],
        ),
        (
            "UPDATE t SET f = $1 WHERE (f IN ($1, 2.5::float8) OR true) AND id = 1 RETURNING $1, $2, $2 AS x, -$1",
            vec![half(), text(&long)],
            vec![vec![float(0.5), text(&long), text(&long), float(-0.5)]],
        ),
        (
            "WITH w AS (UPDATE t SET f = f WHERE id = 1 RETURNING $1) SELECT to_jsonb(w) FROM w",
            vec![text(&long)],
            vec![vec![Value::Json(format!("{{\"?column?\":\"{long}\"}}"))]],
        ),
        (
            "WITH w AS (SELECT x FROM (SELECT DISTINCT ($1), f FROM t WHERE id = 1) AS x) INSERT INTO t (id, j) SELECT 5, to_json(x) FROM w ON CONFLICT (id) DO UPDATE SET j = excluded.j RETURNING j ->> '?column?'",
            vec![text(&long)],
            vec![vec![text(&long)]],
        ),
        (
            "WITH w AS (SELECT x FROM (SELECT $1::numeric, $2::text[], ($1::int8)::numeric(9, 1), 1 IS DISTINCT FROM $1, $1, ($2)) AS x) UPDATE t SET j = to_json(x) FROM w WHERE id = 1 RETURNING j::text",
            vec![decimal("3.50"), list(&["1"])],
            vec![vec![text(
                "{\"numeric\":3.50,\"text\":[\"1\"],\"numeric\":4.0,\"?column?\":true,\"?column?\":3.50,\"?column?\":[\"1\"]}",
            )]],
        ),
        (
            "INSERT INTO t (id, f) SELECT min(id) + 10, $1 * f FROM t WHERE id = 1 AND f <> ALL ($2) GROUP BY $1 * f ON CONFLICT (id) DO UPDATE SET f = excluded.f RETURNING f",
            vec![half(), list(&["1.5"])],
            vec![vec![float(0.25)]],
        ),
        (
            "UPDATE t SET d = $1 WHERE id = 1 RETURNING d",
            vec![text("2025-01-31 ")],
            vec![vec![text("2025-01-31")]],
        ),
        (
            "UPDATE t SET p = $1 WHERE id = 1 RETURNING p",
            vec![decimal("1.23456")],
            vec![vec![decimal("1.235")]],
        ),
        (
            "UPDATE t SET pr.a = $1, pr.b = $2 WHERE id = 1 RETURNING ($3::pair).a",
            vec![half(), text(&long), text("(0.25,x)")],
            vec![vec![float(0.25)]],
        ),
        (
            "UPDATE t SET f = $1 WHERE id = 1 RETURNING t.pr",
            vec![half()],
            vec![vec![object([("a", float(0.5)), ("b", text(&long))])]],
        ),
        (
            "UPDATE t SET m = $1, f = $2 WHERE id = 1 RETURNING m",
            vec![text("{[1,3)}"), half()],
            vec![vec![text("{[1,3)}")]],
        ),
    ]
}

/// Tables of every kind, and functions.
fn tables() -> Vec<Case> {
    let half = || decimal("0.5");
    let (one, zero) = (|| Value::Int(1), || Value::Int(0));
    let float = |float: f64| Value::Float(float);
    vec![
        (
            "SELECT f FROM t WHERE f = $1 AND id = 1 OR id = $2 FOR UPDATE",
            vec![half(), zero()],
            vec![vec![float(0.5)]],
        ),
        ("UPDATE seen SET shown = $1 WHERE id = 1 RETURNING shown", vec![half()], vec![vec![float(0.5)]]),
        ("INSERT INTO ruled VALUES (1, $1) RETURNING f", vec![half()], vec![vec![float(0.5)]]),
        ("INSERT INTO parts VALUES (3, $1) RETURNING f", vec![half()], vec![vec![float(0.5)]]),
        ("UPDATE parts SET f = $1 WHERE k = $2 AND f = $1 RETURNING k", vec![half(), Value::Int(-3)], vec![]),
        ("INSERT INTO date (date) VALUES ($1) RETURNING date", vec![half()], vec![vec![float(0.5)]]),
        ("DELETE FROM name WHERE date = $1 OR date > $1 RETURNING date", vec![half()], vec![]),
        ("INSERT INTO integer VALUES ($1) RETURNING a", vec![half()], vec![vec![float(0.5)]]),
        (
            "INSERT INTO /* $9 */ \"S.x\" . \"T\"\"a.$1 'q' {\\\" AS \"$2\" (\"c\"\"$1 'é\") VALUES ($1) -- $8\nRETURNING \"$2\".\"c\"\"$1 'é\", $q$ $7 $q$, E'\\' $6'",
            vec![half()],
            vec![vec![float(0.5), text(" $7 "), text("' $6")]],
        ),
        ("UPDATE t SET f = half($1) WHERE id = 1 RETURNING f", vec![half()], vec![vec![float(0.25)]]),
        (
            "UPDATE t SET f = half($1) FROM half(3) AS h(x) WHERE id = 1 AND h.x > $2 RETURNING f",
            vec![half(), decimal("-0.5")],
            vec![vec![float(0.25)]],
        ),
        (
            "MERGE INTO t USING (SELECT 1 AS k, $1::float8 AS v) AS s ON t.id = s.k WHEN MATCHED THEN UPDATE SET f = s.v, n = $2 WHEN NOT MATCHED THEN INSERT (id, f) VALUES ($3, $1)",
            vec![half(), decimal("1.5"), one()],
            vec![],
        ),
    ]
}

#[tokio::test]
async fn every_form_of_write_does_the_same_with_guards() {
    let database = database!(SCRIPT);
    for (statement, arguments, rows) in expressions().into_iter().chain(tables()) {
        if statement.starts_with("MERGE") && database.version().await < 150_000 {
            continue;
        }
        assert_eq!(guarded(&database, statement, &arguments).await, rows, "{statement}");
    }
    assert_eq!(database.text("SELECT count(*) FROM log WHERE f = 0.5").await.as_deref(), Some("3"));
    database.end().await;
}

/// A second guarded text takes all parameters, and no third is needed.
#[tokio::test]
async fn more_parameters_are_guarded_when_their_arguments_need_it() {
    let database = database!("CREATE TABLE t (id int, f float8, v text, n int); CREATE INDEX ON t (id)");
    let source = database.narrow_source();
    let call = |f: Value, v: &str| {
        let statement = "DELETE FROM t WHERE f = $1 AND v = $2 OR id IN (SELECT id FROM t ORDER BY id LIMIT $3 OFFSET $4)";
        ask(statement).with([f, text(v), Value::Int(1), Value::Int(0)]).done(&source)
    };
    let long = "x".repeat(64);
    for (f, v, expected) in [
        (Value::Null, "short", 0),
        (decimal("0.5"), "short", 1),
        (Value::Null, "short", 1),
        (Value::Null, &long, 2),
        (decimal("0.5"), &long, 2),
    ] {
        database.script("INSERT INTO t (id) VALUES (1)").await;
        assert_eq!(call(f, v).await.rows_affected, Some(1));
        assert_eq!(guards(&source).await, expected, "{v}");
    }
    database.end().await;
}

#[tokio::test]
async fn errors_of_guarded_writes_have_the_callers_places_and_parameters() {
    let database = database!(
        "CREATE DOMAIN share AS float8 CHECK (VALUE < 1); \
         CREATE TABLE t (id int, n numeric(4,2), v varchar(70), p share, f float8, CHECK (f < 5)); INSERT INTO t (id) VALUES (1)"
    );
    let source = database.narrow_source();
    let long = "x".repeat(70);
    let call = |values: [Value; 4]| {
        ask("INSERT INTO t (n, v, p, f) VALUES ($1, $2, $3, $4) RETURNING n").with(values).answer(&source)
    };
    for _ in 0..2 {
        call([decimal("1.5"), text(&long), decimal("0.5"), decimal("0.5")]).await.unwrap();
    }
    assert_eq!(guards(&source).await, 1);
    for (place, said, values) in [
        (0, "numeric field overflow", [decimal("100.5"), text(&long), decimal("0.5"), decimal("0.5")]),
        (1, "value too long", [decimal("1.5"), text(&format!("{long}y")), decimal("0.5"), decimal("0.5")]),
        (2, "violates check constraint", [decimal("1.5"), text(&long), decimal("1.5"), decimal("0.5")]),
    ] {
        let error = call(values).await.unwrap_err();
        let SourceError::Argument { index, message } = &error else { panic!("{error:?}") };
        assert_eq!((*index, message.contains(said)), (place, true), "{message}");
    }
    let error = call([decimal("1.5"), text(&long), decimal("0.5"), decimal("5.5")]).await.unwrap_err();
    assert!(error.to_string().contains("t_f_check"), "{error}");
    // The caller's own division by zero stays what it is, and costs no statement its preparation.
    let divide = || ask("UPDATE t SET f = $1::float8 / (id - 1)").with([decimal("0.5")]).error(&source);
    for _ in 0..3 {
        assert_eq!(divide().await, "division by zero (code 22012)");
    }
    assert_eq!(guards(&source).await, 2);
    database.script("ALTER TABLE t DROP COLUMN v").await;
    let error =
        ask("UPDATE t SET f = $1, n = $2, v = 'x' WHERE id = 1").with([decimal("0.5"), decimal("0.5")]);
    assert!(error.clone().error(&source).await.ends_with("(code 42703) at character 30"));
    database.script("ALTER TABLE t ADD COLUMN v text").await;
    for _ in 0..2 {
        error.clone().done(&source).await;
    }
    // The statement is analysed again, and fails behind both placeholders.
    database.script("ALTER TABLE t DROP COLUMN v").await;
    assert!(error.error(&source).await.ends_with("(code 42703) at character 30"));
    database.end().await;
}

#[tokio::test]
async fn an_account_that_may_only_insert_writes_with_guards() {
    let database =
        database!("CREATE TABLE t (f float8); CREATE SCHEMA hidden; CREATE TABLE hidden.t (f float8)");
    let role = format!("toolbox_inserts_{}", std::process::id());
    let mut admin = database.connect().await;
    let script = format!(
        "DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD 'secret'; GRANT INSERT ON t TO {role}"
    );
    admin.execute(sqlx::raw_sql(AssertSqlSafe(script))).await.unwrap();
    let options =
        Options { user: role.clone(), password: "secret".into(), max_connections: 1, ..database.options() };
    let source = Postgres::open("inserts", options).unwrap();
    for _ in 0..2 {
        ask("INSERT INTO t VALUES ($1)").with([decimal("0.5")]).done(&source).await;
    }
    assert_eq!(guards(&source).await, 1);
    admin
        .execute(sqlx::raw_sql(AssertSqlSafe(format!("DROP OWNED BY {role}; DROP ROLE {role}"))))
        .await
        .unwrap();
    database.end().await;
}

/// The server proves that an index serves with the value of the parameter, which it does not see behind a guard.
#[tokio::test]
async fn a_statement_that_is_only_planned_without_guards_runs_without_them() {
    let database = database!("CREATE TABLE t (k int, f float8); CREATE UNIQUE INDEX ON t (k) WHERE f = 0.5");
    let source = database.narrow_source();
    let write = || {
        ask("INSERT INTO t VALUES (1, 0.5) ON CONFLICT (k) WHERE f = $1 DO NOTHING").with([decimal("0.5")])
    };
    for expected in [1, 0, 0] {
        assert_eq!(write().done(&source).await.rows_affected, Some(expected));
    }
    database.end().await;
}

#[tokio::test]
async fn a_table_of_as_many_columns_as_there_can_be_is_written() {
    let columns: Vec<String> = (1..=1600).map(|number| format!("c{number} real")).collect();
    let database = database!(&format!("CREATE TABLE t ({})", columns.join(", ")));
    let source = database.narrow_source();
    let names: Vec<String> = (1..=1600).map(|number| format!("c{number}")).collect();
    let places: Vec<String> = (1..=1600).map(|number| format!("${number}")).collect();
    let insert = format!(
        "INSERT INTO t ({}) VALUES ({}) RETURNING c1::text || ' ' || c1600::text",
        names.join(", "),
        places.join(", ")
    );
    let update = "UPDATE t SET c2 = $1, c3 = $2 WHERE c1600 IS NOT NULL RETURNING c2::text";
    let call =
        |statement: &str, count: usize| ask(statement).with(vec![decimal("0.1"); count]).answer(&source);
    for _ in 0..2 {
        assert_eq!(call(&insert, 1600).await.unwrap().rows, [[text("0.1 0.1")]]);
        call(update, 2).await.unwrap();
        // A condition for each column by its name and by its place would be too many.
        call("UPDATE t SET c2 = $1 WHERE c3 <> $1", 1).await.unwrap();
    }
    assert_eq!(guards(&source).await, 2);
    let change = "ALTER TABLE t ALTER c1 TYPE double precision, ALTER c2 TYPE double precision, ALTER c1600 TYPE double precision";
    database.script(change).await;
    assert_eq!(call(&insert, 1600).await.unwrap().rows, [[text("0.1 0.1")]]);
    assert_eq!(call(update, 2).await.unwrap().rows[0], [text("0.1")]);
    database.end().await;
}

/// Names that look like something else, and names of other schemas.
#[tokio::test]
async fn guards_follow_the_search_path_and_take_names_as_they_are() {
    let database = database!(
        "CREATE SCHEMA a; CREATE SCHEMA \"toolbox: {}'\"; \
         CREATE TABLE \"toolbox: {}'\".\"'; DROP TABLE a.t; --\" (\"$1\" real, \"x\\' OR true --\" real); \
         CREATE TABLE \"toolbox: {}'\".plain (a real); INSERT INTO \"toolbox: {}'\".plain VALUES (1)"
    );
    let role = database.text("SELECT current_database()").await.unwrap();
    database.script(&format!("ALTER DATABASE {role} SET search_path = a, \"toolbox: {{}}'\"")).await;
    let source = database.narrow_source();
    let write = || {
        ask("INSERT INTO \"'; DROP TABLE a.t; --\" (\"$1\", \"x\\' OR true --\") VALUES ($1, $2) RETURNING \"$1\"::text")
            .with([decimal("0.1"), decimal("0.2")])
    };
    let update =
        || ask("UPDATE plain SET a = $1 WHERE a <> $1 OR true RETURNING a::text").with([decimal("0.1")]);
    for _ in 0..2 {
        assert_eq!(write().cell(&source).await, text("0.1"));
        assert_eq!(update().cell(&source).await, text("0.1"));
    }
    assert_eq!(guards(&source).await, 2);
    // The name means another table now.
    database
        .script(
            "CREATE TABLE a.plain (a float8); INSERT INTO a.plain VALUES (1); \
             ALTER TABLE \"toolbox: {}'\".plain ADD COLUMN b int; \
             ALTER TABLE \"toolbox: {}'\".\"'; DROP TABLE a.t; --\" ALTER \"$1\" TYPE float8",
        )
        .await;
    assert_eq!(update().cell(&source).await, text("0.1"));
    assert_eq!(database.text("SELECT a::text FROM a.plain").await.as_deref(), Some("0.1"));
    assert_eq!(write().cell(&source).await, text("0.1"));
    // What a guard fails with is no guard where the caller writes it.
    let error = ask(
        "INSERT INTO plain SELECT 1 WHERE ('toolbox: the types of the parameters have changed' || $1::text)::bool",
    );
    let error = error.with([text("")]).error(&source).await;
    assert!(error.starts_with("argument 1: invalid input syntax for type boolean"), "{error}");
    database.end().await;
}

/// The server is told the type of one parameter, casts another, and renders columns.
#[tokio::test]
async fn a_guard_stands_in_every_text_that_runs() {
    let database = database!(
        "CREATE TABLE t (id int, f real, v text, m money, r int4multirange); INSERT INTO t VALUES (1, 1, 'x', '2', '{[1,2)}')"
    );
    let source = database.narrow_source();
    let long = "x".repeat(70);
    let call = || {
        ask("UPDATE t SET f = $1, r = $3 WHERE $2 IS NULL OR v <> $2 RETURNING f::text, m, r, $2 -- ;")
            .with([decimal("0.1"), text(&long), text("{[1,3)}")])
            .declaring([Declared::Float, Declared::Text, Declared::Text])
            .rows(&source)
    };
    let row = vec![text("0.1"), text("$2.00"), text("{[1,3)}"), text(&long)];
    for change in ["double precision", "numeric", "real"] {
        for _ in 0..2 {
            assert_eq!(call().await, std::slice::from_ref(&row), "{change}");
        }
        assert_eq!(guards(&source).await, 1);
        database.script(&format!("ALTER TABLE t ALTER f TYPE {change}")).await;
    }
    let error = ask("UPDATE t SET f = $1, r = $2 WHERE 1 / (id - 1) > 0 RETURNING f::nothing")
        .with([decimal("0.1"), text("{}")])
        .error(&source)
        .await;
    assert!(error.contains("(code 42704) at character 65"), "{error}");
    database.end().await;
}
