//! Reads the fields of a source.

use std::time::Duration;

use crate::config::{
    declaration::Declaration,
    diagnostic::Report,
    fields::Fields,
    limits,
    nearest::suggestion,
    node::{Key, Scalar},
    source::{
        Database, DatabaseType, Server, Source,
        query_params::{self, EmptyValue},
    },
    typed,
};

/// `maxConnections` where it is not written.
const CONNECTIONS: usize = 10;
/// `acquireTimeout` where it is not written.
const ACQUIRE: Duration = Duration::from_secs(10);

/// Types of MCP Toolbox that are known and not served. Their tools have the type as prefix.
pub(crate) const NOT_SERVED: [&str; 41] = [
    "alloydb-admin",
    "alloydb-postgres",
    "bigquery",
    "bigtable",
    "cassandra",
    "clickhouse",
    "cloud-gemini-data-analytics",
    "cloud-healthcare",
    "cloud-logging-admin",
    "cloud-monitoring",
    "cloud-sql-admin",
    "cloud-sql-mssql",
    "cloud-sql-mysql",
    "cloud-sql-postgres",
    "cloud-storage",
    "cockroachdb",
    "couchbase",
    "dataplex",
    "dataproc",
    "dgraph",
    "elasticsearch",
    "firebird",
    "firestore",
    "http",
    "looker",
    "mindsdb",
    "mongodb",
    "mssql",
    "neo4j",
    "oceanbase",
    "oracle",
    "redis",
    "serverless-spark",
    "singlestore",
    "snowflake",
    "spanner",
    "tidb",
    "trino",
    "valkey",
    "yugabytedb",
    "arcadedb",
];

const EXEC_MODES: [&str; 5] =
    ["cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"];

/// The type of a source, if it is written and known: what its tools are checked against.
pub(crate) fn known_type(declaration: &Declaration) -> Option<DatabaseType> {
    // Whatever is wrong with the fields is reported when the source is read.
    let report = &mut Report::default();
    let word = declaration.fields(report)?.type_word(report)?;
    DatabaseType::of_word(&word.text)
}

/// Reads a source; `None` when a fault leaves nothing to build.
pub(crate) fn read(declaration: &Declaration, report: &mut Report) -> Option<Source> {
    let mut fields = declaration.fields(report)?;
    let word = fields.type_word(report)?;
    let Some(database) = DatabaseType::of_word(&word.text) else {
        unknown_type(&word, fields.owner(), report);
        return None;
    };
    let database = match database {
        DatabaseType::Sqlite => sqlite(&mut fields, report),
        DatabaseType::Postgres => postgres(&mut fields, report),
        DatabaseType::MySql => mysql(&mut fields, report),
    };
    let limits = limits::read(&mut fields, report);
    let read_only = fields.boolean("readOnly", report).unwrap_or_default();
    let migrations = fields.text("migrations", report).map(Into::into);
    let max_connections = connections(&mut fields, report);
    let acquire_timeout = fields.duration("acquireTimeout", report).unwrap_or(ACQUIRE);
    fields.finish(report);
    Some(Source {
        name: declaration.name.text.clone(),
        limits,
        read_only,
        migrations,
        max_connections,
        acquire_timeout,
        database: database?,
    })
}

fn unknown_type(word: &Key, owner: &str, report: &mut Report) {
    let (name, shown) = (word.text.as_str(), word.shown.as_str());
    if NOT_SERVED.contains(&name) {
        report.fault(
            &word.place,
            format!("{owner}: sources of type `{shown}` are not served yet"),
            "remove the source and its tools from the files that this server reads",
        );
        return;
    }
    let help = match name {
        "mariadb" => "MariaDB is served as `mysql`".to_owned(),
        "postgresql" => "the word for this is `postgres`".to_owned(),
        "sqlite3" => "the word for this is `sqlite`".to_owned(),
        _ => suggestion(shown, "type", DatabaseType::ALL.map(DatabaseType::word)),
    };
    report.fault(&word.place, format!("{owner} has the unknown type `{shown}`"), help);
}

fn connections(fields: &mut Fields<'_>, report: &mut Report) -> usize {
    let Some(written) = fields.whole("maxConnections", "write 1 or more", report) else { return CONNECTIONS };
    match usize::try_from(written) {
        Ok(count) if count > 0 => count,
        _ => {
            if let Some(node) = fields.node("maxConnections") {
                let message = format!("{} must be at least 1", fields.name("maxConnections"));
                report.fault(&node.place, message, "write 1 or more");
            }
            CONNECTIONS
        }
    }
}

fn sqlite(fields: &mut Fields<'_>, report: &mut Report) -> Option<Database> {
    let database = fields.required_text("database", report);
    fields.boolean("sqlCommenter", report);
    Some(Database::Sqlite { database: database? })
}

fn postgres(fields: &mut Fields<'_>, report: &mut Report) -> Option<Database> {
    let host = fields.required_text("host", report);
    let port = port(fields, report);
    let database = fields.required_text("database", report);
    let user = fields.required_text("user", report);
    let password = fields.required_node("password", report).is_some();
    let password = password.then(|| fields.secret("password", report)).flatten();
    let query_params = query_params::read(fields, EmptyValue::Kept, report);
    exec_mode(fields, report);
    let connect_timeout = connect_timeout(fields, report);
    fields.boolean("sqlCommenter", report);
    Some(Database::Postgres(Server {
        host: host?,
        port: port?,
        database: Some(database?),
        user: Some(user?),
        password: Some(password?),
        query_params,
        connect_timeout,
        query_timeout: None,
    }))
}

fn mysql(fields: &mut Fields<'_>, report: &mut Report) -> Option<Database> {
    let host = fields.required_text("host", report);
    let port = port(fields, report);
    let database = fields.text("database", report);
    let user = fields.text("user", report);
    let password = fields.secret("password", report);
    let query_params = query_params::read(fields, EmptyValue::Dropped, report);
    let query_timeout = fields.duration("queryTimeout", report);
    fields.boolean("sqlCommenter", report);
    Some(Database::MySql(Server {
        host: host?,
        port: port?,
        database,
        user,
        password,
        query_params,
        connect_timeout: None,
        query_timeout,
    }))
}

fn port(fields: &mut Fields<'_>, report: &mut Report) -> Option<u16> {
    let node = fields.required_node("port", report)?;
    let port = node.scalar().and_then(|scalar| typed::whole(&scalar.text));
    let port = port.and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
    if port.is_none() {
        let message = format!(
            "{} must be a whole number from 1 to 65535, and this is {}",
            fields.name("port"),
            node.description()
        );
        report.fault(&node.place, message, "write the port that the database listens on");
    }
    port
}

/// Whole seconds, as the peer writes it, or a duration with its unit.
fn connect_timeout(fields: &mut Fields<'_>, report: &mut Report) -> Option<Duration> {
    let node = fields.node("connectTimeout")?;
    let seconds = node.scalar().and_then(|scalar| typed::whole(&scalar.text)).map(Duration::from_secs);
    let timeout = match seconds {
        Some(seconds) => seconds,
        None => fields.duration("connectTimeout", report)?,
    };
    if timeout.is_zero() {
        let message = format!("{} must be longer than 0", fields.name("connectTimeout"));
        report.fault(&node.place, message, "write whole seconds, or a duration such as `10s`");
    }
    Some(timeout)
}

/// Prepared statements are cached in any case; the word is checked, so that a misspelt one is not taken for one that
/// matters.
fn exec_mode(fields: &mut Fields<'_>, report: &mut Report) {
    let Some(mode) = fields.text("queryExecMode", report) else { return };
    if !EXEC_MODES.contains(&mode.as_str())
        && let Some(node) = fields.node("queryExecMode")
    {
        let message = format!("{} cannot be {}", fields.name("queryExecMode"), node.description());
        report.fault(
            &node.place,
            message,
            suggestion(node.scalar().map_or("", Scalar::shown), "mode", EXEC_MODES),
        );
    }
}
