//! `tsvector` and `tsquery` against the server's own text, for thousands of values in one query.

use proptest::{
    prelude::{Just, Strategy, any, prop, prop_oneof},
    strategy::ValueTree as _,
    test_runner::TestRunner,
};
use toolbox_source::{SourceError, Value};

use crate::support::{Database, ask, database, text};

/// How many random values of each type.
const RANDOM: usize = 2_000;

fn random(strategy: impl Strategy<Value = String>) -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    (0..RANDOM).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Holds the cells of literals of a type to the texts that the server has for them.
async fn check(database: &Database, type_name: &str, literals: Vec<String>) {
    let sql = format!("SELECT l::{type_name}, l::{type_name}::text, l FROM unnest($1::text[]) AS l");
    let count = literals.len();
    let given = Value::Array(literals.into_iter().map(Value::Text).collect());
    let rows = ask(&sql).with([given]).rows(&database.source()).await;
    assert_eq!(rows.len(), count);
    for row in rows {
        assert_eq!(row[0], row[1], "{:?}", row[2]);
    }
}

/// A lexeme with quotes and backslashes as they are written inside quotes.
fn lexeme() -> impl Strategy<Value = String> {
    let letters = prop_oneof![
        Just("''"),
        Just("\\\\"),
        Just(" "),
        Just(":"),
        Just("("),
        Just("*"),
        Just("&"),
        Just("é"),
        Just("🦊"),
        Just("\t"),
        Just("\n"),
        Just("A"),
        Just("b"),
        Just("7")
    ];
    prop::collection::vec(letters, 1..6).prop_map(|letters| format!("'{}'", letters.concat()))
}

#[tokio::test]
async fn a_document_is_written_as_the_server_writes_it() {
    let database = database!("");
    let places = prop::collection::vec((1..20_000_u32, "[ABCD]?"), 0..5).prop_map(|places| {
        let places: Vec<String> = places.iter().map(|(place, weight)| format!("{place}{weight}")).collect();
        if places.is_empty() { String::new() } else { format!(":{}", places.join(",")) }
    });
    let entries = (lexeme(), places).prop_map(|(lexeme, places)| format!("{lexeme}{places}"));
    let mut literals = random(prop::collection::vec(entries, 0..7).prop_map(|entries| entries.join(" ")));
    let many: Vec<String> = (1..300).map(|place| place.to_string()).collect();
    literals.extend([
        String::new(),
        "a:1A fat:2B,4 'c d' 'it''s':5".to_owned(),
        format!("a:{}", many.join(",")),
        format!("'{}':16383", "x".repeat(2_046)),
        "a:16384D a:0001C".to_owned(),
    ]);
    check(&database, "tsvector", literals).await;
    database.end().await;
}

#[tokio::test]
async fn a_query_is_written_as_the_server_writes_it() {
    let database = database!("");
    let leaf = (lexeme(), any::<bool>(), "[ABCD]{0,4}").prop_map(|(lexeme, is_prefix, weights)| {
        let star = if is_prefix { "*" } else { "" };
        if is_prefix || !weights.is_empty() { format!("{lexeme}:{star}{weights}") } else { lexeme }
    });
    let trees = leaf.prop_recursive(6, 40, 2, |inner| {
        let pair = (inner.clone(), inner.clone(), 0..5_u8, 0..=16_384_u32);
        let pairs = pair.prop_map(|(left, right, operator, distance)| {
            let operator = match operator {
                0 => "&".to_owned(),
                1 => "|".to_owned(),
                2 => "<->".to_owned(),
                _ => format!("<{distance}>"),
            };
            format!("({left} {operator} {right})")
        });
        prop_oneof![4 => pairs, 1 => inner.prop_map(|operand| format!("!{operand}"))]
    });
    let mut literals = random(trees);
    literals.extend([
        String::new(),
        "a & b | c <-> d & !e".to_owned(),
        "a <-> b <-> c".to_owned(),
        "a <-> (b <-> c)".to_owned(),
        "a <-> (b <2> (c <0> d))".to_owned(),
        "!(a <-> b)".to_owned(),
        "!!!(!a)".to_owned(),
        format!("{}a{}", "(b & ".repeat(1_500), ")".repeat(1_500)),
        format!("{}a{}", "(b <-> ".repeat(1_500), ")".repeat(1_500)),
        format!("{}a{}", "!(".repeat(1_500), ")".repeat(1_500)),
        format!("a{}", " & a".repeat(3_000)),
    ]);
    check(&database, "tsquery", literals).await;
    database.end().await;
}

/// Nothing can stand around a call of a procedure, so that these cells are read by the source alone.
#[tokio::test]
async fn text_search_types_come_out_of_every_form_of_statement() {
    let database = database!(
        "CREATE DOMAIN document AS tsvector; CREATE TABLE t (v document, q tsquery[]); \
         INSERT INTO t VALUES ('fat:2 cat:3A', ARRAY['a & !b'::tsquery, NULL]); \
         CREATE PROCEDURE p(OUT v tsvector, OUT q tsquery) LANGUAGE sql AS $$ SELECT 'a:1'::tsvector, 'a|b'::tsquery $$"
    );
    let source = database.narrow_source();
    let called = ask("CALL p(NULL, NULL)").rows(&source).await;
    assert_eq!(called, [[text("'a':1"), text("'a' | 'b'")]]);
    let list = Value::Array(vec![text("'a' & !'b'"), Value::Null]);
    let row = || vec![text("'cat':3A 'fat':2"), list.clone()];
    assert_eq!(ask("UPDATE t SET v = v RETURNING v, q").rows(&source).await, [row()]);
    assert_eq!(
        ask("SELECT $1::tsvector, $2::tsquery").with([text("b a:2"), text("a<->b")]).rows(&source).await,
        [[text("'a':2 'b'"), text("'a' <-> 'b'")]]
    );
    database.end().await;
}

/// The server sends an empty query in a binary form that it does not take.
#[tokio::test]
async fn an_empty_query_is_an_argument_like_any_other() {
    let database = database!(
        "CREATE DOMAIN wish AS tsquery; CREATE TYPE pair AS (n int, q tsquery); \
         CREATE TABLE t (id int, q tsquery, w wish, l tsquery[], p pair); \
         CREATE PROCEDURE p(INOUT q tsquery) LANGUAGE sql AS $$ SELECT q $$"
    );
    let source = database.source();
    let stored = "SELECT ROW(q, w, l, p)::text FROM t ORDER BY id DESC LIMIT 1";
    let insert = "INSERT INTO t VALUES ($1, $2, $3, $4, $5)";
    for (id, [one, list, pair], expected) in [
        (1, ["", "{\"\",NULL,a}", "(1,\"\")"], "(\"\",\"\",\"{\"\"\"\",NULL,'a'}\",\"(1,\"\"\"\")\")"),
        (2, ["a & !b", "{a,b}", "(,c)"], "(\"'a' & !'b'\",\"'a' & !'b'\",\"{'a','b'}\",\"(,'c')\")"),
    ] {
        let arguments = [Value::Int(id), text(one), text(one), text(list), text(pair)];
        assert_eq!(ask(insert).with(arguments).changes(&source).await, 1);
        assert_eq!(ask(stored).cell(&source).await, text(expected));
    }
    let list = Value::Array(vec![text(""), Value::Null, text("a | b")]);
    assert_eq!(ask("UPDATE t SET l = $1 WHERE id = 2").with([list]).changes(&source).await, 1);
    assert_eq!(
        ask("SELECT l::text FROM t WHERE id = 2").cell(&source).await,
        text("{\"\",NULL,\"'a' | 'b'\"}")
    );
    assert_eq!(ask("SELECT $1::tsquery").with([text("")]).cell(&source).await, text(""));
    let matches = ask("SELECT 'a b'::tsvector @@ $1").with([text("a & b")]);
    assert_eq!(matches.cell(&source).await, Value::Bool(true));
    assert_eq!(ask("CALL p($1)").with([text("")]).cell(&source).await, text(""));
    let error = ask(insert)
        .with([Value::Int(3), Value::Null, text("a &"), Value::Null, Value::Null])
        .fails(&source)
        .await;
    assert!(matches!(error, SourceError::Argument { index: 2, .. }), "{error:?}");
    database.end().await;
}
