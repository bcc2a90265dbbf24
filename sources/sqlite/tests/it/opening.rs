//! Paths, URIs and databases in memory.

use std::path::Path;

use toolbox_source::{Source as _, SourceError, Value};
use toolbox_sqlite::Sqlite;

use crate::support::{Database, ask, open, options, text};

fn refusal(database: &str) -> String {
    match Sqlite::open("test", options(database)) {
        Err(SourceError::Refused(message)) => message,
        other => panic!("{database}: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_file_is_an_error_and_stays_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nope.db");
    let source = open(path.to_str().unwrap());
    let expected = format!(
        "cannot connect to the database: unable to open database file (code 14); hint: {} does not exist; paths are relative \
         to the working directory, and a missing file is created only for a source with migrations",
        path.display()
    );
    assert_eq!(source.ping().await.unwrap_err().to_string(), expected);
    assert_eq!(ask("SELECT 1").error(&source).await, expected);
    assert_eq!(ask("CREATE TABLE t (a)").error(&source).await, expected);
    assert!(!path.exists());
    // It works as soon as the file is there.
    std::fs::File::create(&path).unwrap();
    assert_eq!(ask("SELECT 1").cell(&source).await, Value::Int(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_opened_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let shown = folder.path().display();
    let no_database = folder.path().join("text.db");
    std::fs::write(&no_database, "this is only text, and long enough to be taken for a header, which it is not at all, as said; so one more line is here").unwrap();
    for (database, part) in [
        (format!("{shown}"), format!("{shown} is a folder; name a file in it")),
        (format!("{shown}/none/x.db"), format!("the folder {shown}/none does not exist; create it first")),
        (
            "~/no-such-file-here.db".to_owned(),
            "~ is not expanded, so write the home folder in full".to_owned(),
        ),
        (no_database.display().to_string(), "file is not a database (code 26)".to_owned()),
    ] {
        let source = open(&database);
        let error = source.ping().await.unwrap_err().to_string();
        assert!(error.contains(&part), "{database}: {error}");
    }
    assert!(!Path::new("~").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_one_database_for_all_calls_of_a_source() {
    let (one, two) = (open(":memory:"), open(":memory:"));
    ask("CREATE TABLE t (a)").done(&one).await;
    ask("INSERT INTO t VALUES (1)").done(&one).await;
    assert_eq!(ask("SELECT a FROM t").cell(&one).await, Value::Int(1));
    assert_eq!(ask("SELECT a FROM t").reading().by_the_model().cell(&one).await, Value::Int(1));
    assert_eq!(ask("SELECT a FROM t").error(&two).await, "no such table: t (code 1)");
    assert!(!Path::new(":memory:").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_in_memory_cannot_write_either() {
    let source = open(":memory:");
    ask("CREATE TABLE t (a)").done(&source).await;
    assert_eq!(ask("SELECT * FROM pragma_query_only").reading().cell(&source).await, Value::Int(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_memory_database_is_shared_by_its_name() {
    let (one, two) = (open("file:shared-a?mode=memory&cache=shared"), open("file:shared-a?mode=memory"));
    ask("CREATE TABLE t (a)").done(&one).await;
    assert_eq!(ask("SELECT count(*) FROM t").cell(&two).await, Value::Int(0));
    drop(one);
    let three = open("file:shared-b?mode=memory");
    assert_eq!(ask("SELECT count(*) FROM t").error(&three).await, "no such table: t (code 1)");
}

#[tokio::test(flavor = "multi_thread")]
async fn file_uris_open_what_they_name() {
    let database = Database::with("CREATE TABLE t (a); INSERT INTO t VALUES (7)").await;
    let odd = database.folder.path().join("a b?c#d%e.db");
    std::fs::copy(database.path(), &odd).unwrap();
    let path = database.path();
    let path = path.display();
    let encoded = format!("{}/a%20b%3Fc%23d%25e.db", database.folder.path().display());
    for uri in [
        format!("file:{path}"),
        format!("file://{path}"),
        format!("file://localhost{path}?mode=rw"),
        format!("file:{path}?mode=ro"),
        format!("file:{path}?mode=rwc&cache=private#fragment"),
        format!("file:{path}?immutable=1"),
        format!("file:{path}?cache=shared"),
        format!("file:{path}?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_pragma=cache_size=-2000"),
        format!("file:{encoded}"),
        // A path that is no URI is taken as it is.
        odd.display().to_string(),
    ] {
        assert_eq!(ask("SELECT a FROM t").cell(&open(&uri)).await, Value::Int(7), "{uri}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn relative_paths_start_at_the_working_directory() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    let source = open(&format!("file:{name}/made.db?mode=rwc"));
    assert_eq!(ask("SELECT count(*) FROM sqlite_schema").cell(&source).await, Value::Int(0));
    assert!(folder.path().join("made.db").exists());
    ask("CREATE TABLE t (a)").done(&source).await;
    assert_eq!(ask("SELECT count(*) FROM t").cell(&open(&format!("{name}/made.db"))).await, Value::Int(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn pragmas_of_the_uri_hold_in_both_lanes() {
    let database = Database::with("CREATE TABLE t (a)").await;
    let path = database.path();
    let uri = format!(
        "file:{}?_pragma=foreign_keys(0)&_pragma=case_sensitive_like(1)&_pragma=journal_mode(wal)",
        path.display()
    );
    let source = open(&uri);
    ask("INSERT INTO t VALUES ('A')").done(&source).await;
    assert_eq!(ask("PRAGMA foreign_keys").cell(&source).await, Value::Int(0));
    assert_eq!(ask("SELECT 'A' LIKE 'a'").cell(&source).await, Value::Int(0));
    assert_eq!(ask("PRAGMA journal_mode").cell(&source).await, text("wal"));
    let plain = Database::with("CREATE TABLE t (a)").await.source();
    assert_eq!(ask("PRAGMA foreign_keys").cell(&open(":memory:")).await, Value::Int(1));
    drop(plain);
}

#[tokio::test(flavor = "multi_thread")]
async fn mode_ro_and_immutable_make_a_read_only_source() {
    let database = Database::with("CREATE TABLE t (a)").await;
    for mode in ["mode=ro", "immutable=1"] {
        let source = open(&format!("file:{}?{mode}", database.path().display()));
        let error = ask("INSERT INTO t VALUES (1)").error(&source).await;
        assert!(error.starts_with("INSERT changes data, but this call is read-only"), "{error}");
    }
}

#[test]
fn a_uri_that_is_wrong_names_what_is_wrong() {
    for (database, message) in [
        ("", "database is empty: name a file, :memory:, or a file: URI"),
        ("file:", "the file: URI names no file: use file:path/to/file.db, or :memory:"),
        ("file:?mode=rwc", "the file: URI names no file: use file:path/to/file.db, or :memory:"),
        (
            "file:x.db?vfs=unix",
            "the parameter \"vfs\" of the file: URI is unknown: use mode, cache, immutable or _pragma",
        ),
        (
            "file:x.db?_txlock=immediate",
            "the parameter \"_txlock\" of the file: URI is unknown: use mode, cache, immutable or _pragma",
        ),
        ("file:x.db?mode=rx", "mode=rx in the file: URI is unknown: use ro, rw, rwc or memory"),
        ("file:x.db?cache=big", "cache=big in the file: URI is unknown: use private or shared"),
        ("file:x.db?immutable=maybe", "immutable=maybe in the file: URI is no boolean: use 1 or 0"),
        ("file:x.db?_pragma=foreign_keys", "_pragma=foreign_keys is no pragma: write _pragma=name(value)"),
        (
            "file:x.db?_pragma=foreign_keys(1",
            "_pragma=foreign_keys(1 is no pragma: write _pragma=name(value)",
        ),
        (
            "file:x.db?_pragma=cache_size(1);drop",
            "_pragma=cache_size(1);drop is no pragma: write _pragma=name(value)",
        ),
        (
            "file:x.db?_pragma=cache_size(1;drop)",
            "the value \"1;drop\" of the pragma cache_size is neither a number nor a word",
        ),
        (
            "file:x.db?_pragma=busy_timeout(long)",
            "the value \"long\" of the pragma busy_timeout is no number of milliseconds",
        ),
        (
            "file://server/share/x.db",
            "the file: URI names the host \"server\": use file:relative/path or file:///absolute/path",
        ),
        ("file:%ff.db", "\"%ff.db\" in the file: URI does not decode to UTF-8"),
        ("file:a%00b.db", "\"a%00b.db\" in the file: URI holds a NUL character"),
    ] {
        assert_eq!(refusal(database), message, "{database}");
    }
    let refused = refusal("file:x.db?_pragma=writable_schema(1)");
    assert!(refused.starts_with(
        "the pragma \"writable_schema\" cannot be set by the file: URI: use one of auto_vacuum, "
    ));
}
