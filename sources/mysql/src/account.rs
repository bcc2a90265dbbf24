//! What the account may do beyond the data, which neither a read-only session nor the gate takes from it. It asks the server;
//! it must not know calls.

mod grants;

use std::time::Duration;

use sqlx::{AssertSqlSafe, Executor as _, Row as _, mysql::MySqlConnection};
use toolbox_source::{DatabaseError, SourceError};

use crate::error;
use grants::Grants;

/// How long the server may take to tell.
const PATIENCE: Duration = Duration::from_secs(10);

/// The powers of the account that is logged in, the most serious first. The session has other roles afterwards.
pub(crate) async fn powers(driver: &mut MySqlConnection) -> Result<Vec<String>, SourceError> {
    match tokio::time::timeout(PATIENCE, ask(driver)).await {
        Ok(Ok(powers)) => Ok(powers),
        Ok(Err(error)) => Err(SourceError::Database(error::database_error(&error))),
        Err(_) => {
            Err(SourceError::Database(DatabaseError::new("the server did not tell what the account may do")))
        }
    }
}

async fn ask(driver: &mut MySqlConnection) -> Result<Vec<String>, sqlx::Error> {
    let row = driver.fetch_one("SELECT VERSION(), CAST(@@GLOBAL.secure_file_priv AS CHAR)").await?;
    let is_mariadb = row.try_get::<String, _>(0)?.contains("MariaDB");
    let folder = row.try_get::<Option<String>, _>(1)?;
    let files = match folder.as_deref() {
        // To MySQL this means no folder, to MariaDB any.
        None if !is_mariadb => Files::None,
        None | Some("") => Files::Any,
        Some(_) => Files::OneFolder,
    };
    let mut grants = Grants::default();
    if is_mariadb {
        grants.read(&lines(driver).await?);
        // A session has one role at a time, with the roles that are granted to it.
        for role in grants.roles() {
            driver.execute(AssertSqlSafe(format!("SET ROLE {role}"))).await?;
            grants.read(&lines(driver).await?);
        }
    } else {
        driver.execute("SET ROLE ALL").await?;
        grants.read(&lines(driver).await?);
    }
    Ok(grants.powers(files))
}

async fn lines(driver: &mut MySqlConnection) -> Result<Vec<String>, sqlx::Error> {
    let rows = driver.fetch_all("SHOW GRANTS").await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// Which files of the server the privilege `FILE` is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Files {
    None,
    OneFolder,
    Any,
}
