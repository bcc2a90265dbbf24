//! How often a write with arguments that a cast could change asks the server, and what it stores right after its column got
//! another type on another connection.

use sqlx::{AssertSqlSafe, Executor as _, postgres::PgConnection};
use toolbox_source::Value;

use crate::support::{ask, database, decimal, text};

async fn script(connection: &mut PgConnection, script: String) {
    connection.execute(sqlx::raw_sql(AssertSqlSafe(script))).await.unwrap();
}

fn json(text: &str) -> Value {
    Value::Json(text.to_owned())
}

fn list(items: &[Value]) -> Value {
    Value::Array(items.to_vec())
}

/// A column, an argument that a cast could change, and other types for the column.
fn changes() -> Vec<(&'static str, Value, Vec<&'static str>)> {
    let long = "x".repeat(90);
    let moment = || text("2025-01-31T10:00:00.123456+02:00");
    vec![
        ("real", decimal("0.1"), vec!["numeric", "double precision", "text"]),
        (
            "double precision",
            decimal("2248543460726312123263361342260.99306"),
            vec!["numeric", "real", "text"],
        ),
        ("numeric", decimal("2.50"), vec!["double precision", "real", "int", "text", "numeric(20,1)"]),
        ("numeric(30,10)", decimal("2.5"), vec!["numeric(30,2)", "int", "text"]),
        ("timestamptz", moment(), vec!["timestamp", "date", "text"]),
        ("timestamp", text("2025-01-31T10:00:00.5"), vec!["timestamptz", "date", "text"]),
        ("json", json(r#"{"b": 1, "a":2}"#), vec!["text", "jsonb"]),
        ("jsonb", json(r#"{"b": 1, "a":2}"#), vec!["text", "json"]),
        ("text", text(&long), vec!["name", "varchar(100)", "char(100)"]),
        ("char(100)", text(&format!("{}  ", "x".repeat(70))), vec!["text", "varchar(100)"]),
        ("varchar", text(&format!("{}  ", "x".repeat(70))), vec!["char(90)", "name"]),
        ("text[]", list(&[text("a"), Value::Null]), vec!["text", "name[]", "varchar(1)[]"]),
        ("real[]", list(&[decimal("0.1")]), vec!["numeric[]", "float8[]"]),
        ("int", Value::Int(-5), vec!["oid", "text", "numeric"]),
        ("time", text("10:00:00.5"), vec!["interval", "text"]),
    ]
}

#[tokio::test]
async fn an_argument_is_stored_as_a_new_connection_stores_it_right_after_its_column_changed() {
    let database = database!("CREATE TABLE one (id int); INSERT INTO one VALUES (1)");
    let (source, proxy) = database.counted_source().await;
    let fresh_source = database.narrow_source();
    let mut other = database.connect().await;
    let mut turn = 0;
    for (old, argument, others) in changes() {
        for new in others {
            let table = |name: &str| {
                format!("DROP TABLE IF EXISTS {name}; CREATE TABLE {name} (id int, a {old}, b int)")
            };
            script(&mut other, format!("{}; {}", table("t"), table("u"))).await;
            let statements = [
                "INSERT INTO t VALUES ($2, $1) RETURNING a::text",
                "INSERT INTO t (id, a) VALUES ($2, $1) RETURNING a::text",
                "INSERT INTO t (id, a) SELECT $2, $1 RETURNING a::text",
                "UPDATE t SET a = $1 WHERE id = $2 RETURNING a::text",
                "UPDATE public.t AS x SET (b, a) = ($2, COALESCE($1, x.a)) WHERE id = $2 RETURNING (x.a)::text",
                "WITH w AS (INSERT INTO t (a, id) VALUES ($1, $2) RETURNING a) SELECT a::text FROM w",
                "WITH w(p, q) AS (INSERT INTO t (a, id) VALUES ($1, $2) RETURNING *) INSERT INTO u (id, a) SELECT 1, CASE WHEN $2 > 0 THEN $1 END FROM one RETURNING a::text",
                "INSERT INTO u (id, a) VALUES ($2, $1), ($2, $1) RETURNING a::text",
            ];
            turn += 1;
            script(&mut other, "INSERT INTO t (id) VALUES (7)".to_owned()).await;
            let call = |statement: &str| ask(statement).with([argument.clone(), Value::Int(7)]);
            for statement in statements {
                call(statement).answer(&source).await.unwrap();
                // Waits for the reset of the session, which follows the answer of a SELECT that writes.
                let settled = || ask("UPDATE one SET id = 1").done(&source);
                settled().await;
                proxy.trips();
                call(statement).answer(&source).await.unwrap();
                settled().await;
                let resets = usize::from(statement.contains("SELECT a::text FROM w"));
                assert_eq!(proxy.trips(), 1 + resets + 1, "{old} {statement}");
            }
            // What is there may not fit.
            let change = format!("ALTER a TYPE {new} USING NULL");
            let both = format!("ALTER TABLE t {change}; ALTER TABLE u {change}");
            script(&mut other, format!("TRUNCATE t, u; {both}; INSERT INTO t (id) VALUES (7)")).await;
            for statement in statements {
                let remembered = call(statement).answer(&source).await;
                let fresh = call(&format!("{statement} -- {turn}")).answer(&fresh_source).await;
                match (&remembered, &fresh) {
                    (Ok(remembered), Ok(fresh)) => {
                        assert_eq!(remembered.rows.first(), fresh.rows.first(), "{old} {new} {statement}");
                    }
                    (Err(remembered), Err(fresh)) => {
                        assert_eq!(remembered.to_string(), fresh.to_string(), "{old} {new} {statement}");
                    }
                    _ => panic!("{old} {new} {statement}: {remembered:?} and {fresh:?}"),
                }
            }
        }
    }
    database.end().await;
}
