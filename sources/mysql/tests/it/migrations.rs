//! Migrations: the example's own, and what goes wrong.

use std::{fs, path::PathBuf};

use tempfile::TempDir;
use toolbox_mysql::{MySql, Options};
use toolbox_source::{SourceError, Value};

use crate::support::{ask, on_each, text};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, sql) in files {
        fs::write(folder.path().join(name), sql).unwrap();
    }
    folder
}

#[tokio::test]
async fn the_example_is_created_and_filled_at_first_use() {
    on_each(|database| async move {
        let migrations = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../migrations/mysql");
        let options = || Options { migrations: Some(migrations.clone()), ..database.options() };
        // Two programs at once: one migrates, the other waits and finds it done.
        let (one, other) = (MySql::open("one", options()).unwrap(), MySql::open("other", options()).unwrap());
        let count = "SELECT COUNT(*) FROM instances";
        let (one, other) = tokio::join!(ask(count).cell(&one), ask(count).cell(&other));
        assert_eq!((one, other), (Value::Int(30), Value::Int(30)));
        let source = MySql::open("test", options()).unwrap();
        let neighbor = ask("SELECT name FROM customers WHERE id = ?")
            .with([Value::Int(7_960_607_143_101_464_577)])
            .cell(&source)
            .await;
        assert_eq!(neighbor, text("Ελένη Παπαδοπούλου"));
        // Whole euro cents of the SQLite example, in the type of this database.
        let price = ask("SELECT price FROM products WHERE sku = 'K-0001'").cell(&source).await;
        assert_eq!(price, Value::Decimal("179.00".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn a_migration_that_fails_names_its_version_and_what_the_server_said() {
    on_each(|database| async move {
        let folder = folder(&[
            ("0001_good.sql", "CREATE TABLE a (n INT);"),
            ("0002_bad.sql", "CREATE TABEL b (n INT);"),
        ]);
        let options = Options { migrations: Some(folder.path().to_owned()), ..database.options() };
        let source = MySql::open("test", options).unwrap();
        let error = ask("SELECT 1").fails(&source).await;
        let SourceError::Migration(reason) = &error else { panic!("{error:?}") };
        assert!(reason.contains("version 2 (bad)") && reason.contains("1064"), "{reason}");
    })
    .await;
}

#[tokio::test]
async fn a_changed_migration_and_a_missing_folder_are_refused() {
    on_each(|database| async move {
        let folder = folder(&[("0001_a.sql", "CREATE TABLE a (n INT);")]);
        let options = || Options { migrations: Some(folder.path().to_owned()), ..database.options() };
        ask("SELECT * FROM a").set(&MySql::open("test", options()).unwrap()).await;
        fs::write(folder.path().join("0001_a.sql"), "CREATE TABLE a (n TEXT);").unwrap();
        let error = ask("SELECT 1").error(&MySql::open("test", options()).unwrap()).await;
        assert!(error.contains("version 1") && error.contains("changed"), "{error}");
        let missing = Options { migrations: Some(folder.path().join("absent")), ..database.options() };
        let error = ask("SELECT 1").error(&MySql::open("test", missing).unwrap()).await;
        assert!(error.contains("is no folder"), "{error}");
    })
    .await;
}
