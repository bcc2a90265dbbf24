//! The folder of migrations that fills a database when a source first connects.

use std::{fs, path::PathBuf};

use futures::future::join_all;
use tempfile::TempDir;
use toolbox_source::{Source as _, SourceError, Value};
use toolbox_sqlite::{Options, Sqlite};

use crate::support::{ask, options};

/// A folder with `migrations/` and, later, `test.db`.
struct Project(TempDir);

impl Project {
    fn with(files: &[(&str, &str)]) -> Self {
        let project = Self(TempDir::new().unwrap());
        fs::create_dir(project.migrations()).unwrap();
        for (name, sql) in files {
            project.write(name, sql);
        }
        project
    }

    fn migrations(&self) -> PathBuf {
        self.0.path().join("migrations")
    }

    fn write(&self, name: &str, sql: &str) {
        fs::write(self.migrations().join(name), sql).unwrap();
    }

    fn database(&self) -> PathBuf {
        self.0.path().join("test.db")
    }

    fn options(&self) -> Options {
        Options { migrations: Some(self.migrations()), ..options(self.database().to_str().unwrap()) }
    }

    fn source(&self) -> Sqlite {
        Sqlite::open("test", self.options()).unwrap()
    }
}

const FIRST: (&str, &str) = ("0001_first.sql", "CREATE TABLE t (a); INSERT INTO t VALUES (1);");
const SECOND: (&str, &str) =
    ("0002_second.sql", "ALTER TABLE t ADD COLUMN b DEFAULT 'x'; INSERT INTO t (a) VALUES (2);");

async fn migration_error(source: &Sqlite) -> String {
    match ask("SELECT 1").answer(source).await {
        Err(SourceError::Migration(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_creates_and_fills_the_database() {
    let project = Project::with(&[FIRST, SECOND]);
    let source = project.source();
    assert!(!project.database().exists(), "nothing is opened before it is needed");
    assert_eq!(ask("SELECT count(b) FROM t").reading().by_the_model().cell(&source).await, Value::Int(2));
    // Neither a second call nor a second source applies them again; a new file is applied.
    assert_eq!(ask("SELECT count(*) FROM t").cell(&project.source()).await, Value::Int(2));
    project.write("0003_third.sql", "INSERT INTO t (a) VALUES (3)");
    assert_eq!(ask("SELECT count(*) FROM t").cell(&project.source()).await, Value::Int(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn ping_migrates_too() {
    let project = Project::with(&[FIRST]);
    project.source().ping().await.unwrap();
    assert!(project.database().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_that_start_at_once_apply_each_migration_once() {
    let project = Project::with(&[FIRST, SECOND]);
    // Sources share nothing but the file, as programs do.
    let sources: Vec<Sqlite> = (0..6).map(|_| project.source()).collect();
    let counts = join_all(
        sources.iter().flat_map(|source| (0..3).map(|_| ask("SELECT count(*) FROM t").cell(source))),
    )
    .await;
    assert!(counts.iter().all(|count| *count == Value::Int(2)), "{counts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_source_is_migrated_by_its_operator() {
    let project = Project::with(&[FIRST]);
    let source = Sqlite::open("test", Options { read_only: true, ..project.options() }).unwrap();
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(1));
    assert!(ask("DELETE FROM t").answer(&source).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_can_be_migrated() {
    let project = Project::with(&[FIRST, SECOND]);
    let source =
        Sqlite::open("test", Options { database: ":memory:".to_owned(), ..project.options() }).unwrap();
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_fails_names_itself_and_is_tried_again() {
    let project = Project::with(&[
        FIRST,
        ("0002_broken_part.sql", "INSERT INTO t VALUES (2); INSERT INTO nope VALUES (1);"),
    ]);
    let source = project.source();
    let expected = format!(
        "version 2 (broken part) of {}: no such table: nope (code 1)",
        project.migrations().display()
    );
    assert_eq!(migration_error(&source).await, expected);
    assert_eq!(migration_error(&source).await, expected);
    project.write("0002_broken_part.sql", "INSERT INTO t VALUES (2)");
    assert_eq!(
        ask("SELECT count(*) FROM t").cell(&source).await,
        Value::Int(2),
        "nothing of the failed one stayed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_without_a_transaction_keeps_its_place() {
    let project = Project::with(&[
        FIRST,
        ("0002_wal.sql", "-- no-transaction\nPRAGMA journal_mode = WAL;"),
        ("0003_more.sql", "INSERT INTO t VALUES (3)"),
    ]);
    let source = project.source();
    assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(2));
    assert_eq!(ask("PRAGMA journal_mode").cell(&source).await, Value::Text("wal".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_were_changed_or_lost_are_reported() {
    let project = Project::with(&[FIRST, SECOND]);
    ask("SELECT 1").cell(&project.source()).await;
    project.write(SECOND.0, "SELECT 1");
    let error = migration_error(&project.source()).await;
    assert!(
        error.starts_with("version 2 of ") && error.contains("was changed after it was applied"),
        "{error}"
    );
    fs::remove_file(project.migrations().join(SECOND.0)).unwrap();
    let error = migration_error(&project.source()).await;
    assert!(error.starts_with("version 2 was applied to the database, but "), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_missing_says_so() {
    let project = Project::with(&[]);
    let missing = project.0.path().join("nowhere");
    let source =
        Sqlite::open("test", Options { migrations: Some(missing.clone()), ..project.options() }).unwrap();
    assert_eq!(
        migration_error(&source).await,
        format!("{} is no folder; paths are relative to the working directory", missing.display())
    );
    assert!(!project.database().exists());
    let database = project.0.path().join("none/test.db");
    let source =
        Sqlite::open("test", Options { database: database.display().to_string(), ..project.options() })
            .unwrap();
    let error = ask("SELECT 1").error(&source).await;
    assert!(error.contains("/none does not exist; create it first"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_up_to_date_is_not_written() {
    let project = Project::with(&[FIRST]);
    project.source().ping().await.unwrap();
    let mut permissions = fs::metadata(project.database()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(project.database(), permissions).unwrap();
    let before = fs::metadata(project.database()).unwrap().modified().unwrap();
    assert_eq!(ask("SELECT count(*) FROM t").cell(&project.source()).await, Value::Int(1));
    assert_eq!(fs::metadata(project.database()).unwrap().modified().unwrap(), before);
}

#[test]
fn migrations_of_a_file_that_cannot_be_written_are_refused_at_start() {
    let project = Project::with(&[FIRST]);
    let database = format!("file:{}?mode=ro", project.database().display());
    let error = Sqlite::open("test", Options { database, ..project.options() }).unwrap_err().to_string();
    assert!(error.starts_with("migrations need a database that can be written"), "{error}");
}
