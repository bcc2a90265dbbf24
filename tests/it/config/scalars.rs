//! What plain scalars mean: the field that receives them decides.

use secrecy::ExposeSecret;
use toolbox::config::{Database, source::Server};

use super::Case;

fn server(lines: &str) -> Server {
    let text = format!(
        "kind: source\nname: s\ntype: postgres\nhost: h\nport: 5432\ndatabase: d\nuser: u\npassword: p\n{lines}"
    );
    let mut config = Case::file(&text).good();
    match config.sources.swap_remove("s").unwrap().database {
        Database::Postgres(server) => server,
        other => panic!("{other:?}"),
    }
}

fn password(written: &str) -> String {
    let text = format!("sources: {{s: {{kind: mysql, host: h, port: '3306', password: {written}}}}}\n");
    let mut config = Case::file(&text).good();
    match config.sources.swap_remove("s").unwrap().database {
        Database::MySql(server) => server.password.unwrap().expose_secret().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_text_stays_as_it_is_written() {
    for written in [
        "0123",
        "007",
        "0x1F",
        "0o17",
        "1_000",
        "1.10",
        "1.0",
        ".5",
        "+5",
        "-0",
        ".inf",
        "1e5",
        "yes",
        "on",
        "1:30",
        "2024-01-02",
        "true",
        "False",
        "99999999999999999999999",
        "nil",
        "none",
    ] {
        assert_eq!(password(written), written);
        assert_eq!(password(&format!("'{written}'")), written);
        assert_eq!(password(&format!("!!str {written}")), written);
    }
    assert_eq!(password("'null'"), "null");
    assert_eq!(password("\"~\""), "~");
    assert_eq!(password("''"), "");
    assert_eq!(password("!!str null"), "null");
}

#[test]
fn an_optional_null_is_absent() {
    let text = "sources: {s: {kind: mysql, host: h, port: 3306, password: ~, user: null, queryParams: }}\n";
    let config = Case::file(text).good();
    let Database::MySql(server) = &config.sources["s"].database else { panic!("no MySQL") };
    assert!(server.password.is_none() && server.user.is_none() && server.query_params.is_empty());
}

#[test]
fn query_params_are_a_map_or_a_text_that_says_one() {
    let expected = [("sslmode", "require"), ("application_name", "a b"), ("port", "0123")];
    for written in [
        "queryParams: {sslmode: require, application_name: a b, port: 0123}",
        "queryParams:\n  sslmode: require\n  application_name: 'a b'\n  port: 0123",
        "queryParams: '{sslmode: require, application_name: a b, port: 0123}'",
        "queryParams: sslmode=require&application_name=a%20b&port=0123",
        "queryParams: ${X:sslmode=require&application_name=a+b&port=0123}",
    ] {
        let params = server(written).query_params;
        let params: Vec<_> = params.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(params, expected, "{written}");
    }
    assert!(server("queryParams: ${X:}").query_params.is_empty());
}

#[test]
fn timeouts_of_servers_are_durations_and_whole_seconds_where_the_peer_has_them() {
    use std::time::Duration;
    assert_eq!(server("connectTimeout: 5").connect_timeout, Some(Duration::from_secs(5)));
    assert_eq!(server("connectTimeout: 500ms").connect_timeout, Some(Duration::from_millis(500)));
    assert_eq!(server("queryExecMode: simple_protocol\nsqlCommenter: true").connect_timeout, None);
}

#[test]
fn secrets_are_not_in_the_debug_text() {
    let text = "sources: {s: {kind: mysql, host: h, port: 3306, password: hunter2}}\n";
    let config = Case::file(text).good();
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn anchors_aliases_and_merge_keys_work_in_both_forms() {
    let text = "\
sources:
  a: &base
    kind: sqlite
    database: &file a.db
    maxRows: 5
  b:
    <<: *base
    maxRows: 6
  c:
    <<: [{readOnly: true, maxRows: 1}, *base]
    kind: sqlite
    database: *file
---
kind: source
name: d
<<: &more {type: sqlite, database: d.db, readOnly: true}
---
tools:
  t: &t
    kind: sqlite-execute-sql
    source: a
    description: D.
  u: *t
";
    let config = Case::file(text).good();
    let rows = |name: &str| config.sources[name].limits.max_rows.or(0);
    assert_eq!([rows("a"), rows("b"), rows("c")], [Some(5), Some(6), Some(1)]);
    assert!(config.sources["c"].read_only && config.sources["d"].read_only);
    let Database::Sqlite { database } = &config.sources["c"].database else { panic!("no SQLite") };
    assert_eq!(database, "a.db");
    assert_eq!(config.tools["u"].description, "D.");
}
