//! From a source as written to a source that runs. A new database is one arm more.

use std::{sync::Arc, time::Duration};

use secrecy::SecretString;
use toolbox_mysql::MySql;
use toolbox_postgres::Postgres;
use toolbox_source::{Source, SourceError};
use toolbox_sqlite::Sqlite;

use super::Writes;
use crate::config::{self, Database, source::Server};

/// Opens a source. Nothing connects yet.
///
/// # Errors
///
/// What is wrong with the fields that only the database can judge.
pub(super) fn open(source: &config::Source, writes: Writes) -> Result<Arc<dyn Source>, SourceError> {
    let name = &source.name;
    Ok(match &source.database {
        Database::Sqlite { database } => Arc::new(Sqlite::open(name, sqlite(source, database, writes))?),
        Database::Postgres(server) => Arc::new(Postgres::open(name, postgres(source, server, writes))?),
        Database::MySql(server) => Arc::new(MySql::open(name, mysql(source, server, writes))?),
    })
}

fn sqlite(source: &config::Source, database: &str, writes: Writes) -> toolbox_sqlite::Options {
    toolbox_sqlite::Options {
        database: database.to_owned(),
        migrations: source.migrations.clone(),
        read_only: read_only(source, writes),
        max_connections: source.max_connections,
        acquire_timeout: source.acquire_timeout,
    }
}

fn postgres(source: &config::Source, server: &Server, writes: Writes) -> toolbox_postgres::Options {
    toolbox_postgres::Options {
        host: server.host.clone(),
        port: server.port,
        database: server.database.clone().unwrap_or_default(),
        user: server.user.clone().unwrap_or_default(),
        password: server.password.clone().unwrap_or_else(|| SecretString::from("")),
        query_params: query_params(server).collect(),
        connect_timeout: server.connect_timeout,
        statement_timeout: statement_timeout(source),
        migrations: source.migrations.clone(),
        read_only: read_only(source, writes),
        max_connections: source.max_connections,
        acquire_timeout: source.acquire_timeout,
    }
}

fn mysql(source: &config::Source, server: &Server, writes: Writes) -> toolbox_mysql::Options {
    toolbox_mysql::Options {
        host: server.host.clone(),
        port: server.port,
        database: server.database.clone(),
        user: server.user.clone(),
        password: server.password.clone(),
        query_params: query_params(server).collect(),
        query_timeout: server.query_timeout,
        statement_timeout: statement_timeout(source),
        migrations: source.migrations.clone(),
        read_only: read_only(source, writes),
        max_connections: source.max_connections,
        acquire_timeout: source.acquire_timeout,
    }
}

fn read_only(source: &config::Source, writes: Writes) -> bool {
    source.read_only || writes == Writes::Never
}

/// Only a limit that the source itself sets holds for all its tools, so only that one is set once per connection.
fn statement_timeout(source: &config::Source) -> Option<Duration> {
    source.limits.statement_timeout.written()
}

fn query_params(server: &Server) -> impl Iterator<Item = (String, String)> + '_ {
    server.query_params.iter().map(|(key, value)| (key.clone(), value.clone()))
}
