//! Decides from the text of a statement whether it may run, on which lane, and how. It must not know connections.
//!
//! This gate gives the reasons; the guarantee that a read-only call writes nothing is the server's: the read lane has
//! `default_transaction_read_only` on, and SQL from the model runs there in a read-only transaction.

use toolbox_source::{
    Access, Origin, Query, SourceError,
    scan::{self, Lexicon, Scan, TokenKind, Tokens},
};

/// How one statement runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The lane whose connection runs it.
    pub(crate) lane: Access,
    pub(crate) effect: Effect,
    pub(crate) scope: Scope,
    pub(crate) after: After,
    pub(crate) form: Form,
    /// Whether it may be sent again after the connection ended before it completed.
    pub(crate) repeatable: bool,
}

/// What a statement does to data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing by its form, so it may be stopped at any row.
    Reads,
    /// It changes rows, and the server counts them.
    ChangesRows,
    /// Anything else.
    Other,
}

/// Whether a statement runs inside a transaction of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    ReadOnlyTransaction,
    Alone,
}

/// What becomes of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The next call may use it.
    Keep,
    /// It is reset first.
    Reset,
    /// The statement may have left something that a reset does not reach.
    Discard,
}

/// What a statement can be wrapped in, so that the server renders its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// It can stand in FROM.
    Query,
    /// It can stand in WITH.
    DataChange,
    /// It stands alone.
    Other,
}

/// Plans the statement of a query for a source that is itself `access`.
pub(crate) fn plan(query: &Query, source: Access) -> Result<Plan, SourceError> {
    let sql = query.statement.as_ref();
    if sql.contains('\0') {
        return refuse(
            "the statement holds a NUL character (U+0000), which PostgreSQL does not take; remove it",
        );
    }
    let scan = scan::scan(sql, &Lexicon::POSTGRES);
    check_shape(sql, &scan)?;
    let lane = match (source, query.access) {
        (Access::ReadWrite, Access::ReadWrite) => Access::ReadWrite,
        _ => Access::ReadOnly,
    };
    let model = query.origin == Origin::Model;
    let verb = scan.verb.as_str();
    check_verb(sql, verb, model)?;
    if model && lane == Access::ReadOnly && !scan.reads() {
        return Err(SourceError::Refused(match verb {
            "INSERT" | "UPDATE" | "DELETE" | "MERGE" => format!(
                "{verb} changes data, but this call is read-only; use SELECT, or ask the operator for a tool that may write"
            ),
            "SELECT" | "VALUES" | "TABLE" | "EXPLAIN" => format!(
                "this {verb} writes, locks rows or runs what it explains, but this call is read-only; leave out INTO, FOR \
                 UPDATE and ANALYZE of writes"
            ),
            _ => format!(
                "{verb} is refused: this call is read-only and takes SELECT, VALUES, TABLE, WITH … SELECT, SHOW and EXPLAIN"
            ),
        }));
    }
    if model
        && lane == Access::ReadOnly
        && let Some(name) = server_function(sql)
    {
        return Err(SourceError::Refused(format!(
            "{name}() is refused: it acts on the server or its files, which a read-only transaction does not stop; leave it out"
        )));
    }
    let effect = match verb {
        _ if scan.reads() => Effect::Reads,
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" => Effect::ChangesRows,
        _ => Effect::Other,
    };
    let after = match verb {
        "DEALLOCATE" | "DISCARD" | "PREPARE" | "LOAD" => After::Discard,
        _ if model => After::Reset,
        "SELECT" | "VALUES" | "TABLE" | "SHOW" | "EXPLAIN" | "INSERT" | "UPDATE" | "DELETE" | "MERGE"
            if !changes_session(sql) =>
        {
            After::Keep
        }
        _ => After::Reset,
    };
    let form = match verb {
        "SELECT" | "VALUES" | "TABLE" if scan.reads() => Form::Query,
        // A WITH that changes data can stand only at the top.
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" if scan.first == scan.verb => Form::DataChange,
        _ => Form::Other,
    };
    let scope = if model && lane == Access::ReadOnly { Scope::ReadOnlyTransaction } else { Scope::Alone };
    Ok(Plan { lane, effect, scope, after, form, repeatable: !matches!(verb, "CALL" | "DO") })
}

/// What holds for every statement, whoever wrote it.
fn check_shape(sql: &str, scan: &Scan) -> Result<(), SourceError> {
    if scan.verb.is_empty() && scan.start == scan.end {
        return refuse("the statement is empty; write one SQL statement");
    }
    if let Some(second) = scan.second_statement {
        let before = sql.get(..second).unwrap_or_default().chars().count();
        return Err(SourceError::Refused(format!(
            "the text holds more than one statement (the second begins at character {}); send one statement a call",
            before + 1
        )));
    }
    Ok(())
}

fn check_verb(sql: &str, verb: &str, model: bool) -> Result<(), SourceError> {
    match verb {
        "BEGIN" | "START" | "COMMIT" | "END" | "ABORT" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" => {
            Err(SourceError::Refused(format!(
                "{verb} is refused: every call is a transaction of its own and ends with the call; send the statements without \
                 transaction control"
            )))
        }
        "PREPARE" if Tokens::new(sql, &Lexicon::POSTGRES).any(|token| token.is_word("TRANSACTION")) => {
            refuse("PREPARE TRANSACTION is refused: every call is a transaction of its own")
        }
        "PREPARE" | "EXECUTE" | "DEALLOCATE" | "DISCARD" if model => Err(SourceError::Refused(format!(
            "{verb} is refused: statements are prepared by the server of this tool; send the statement itself"
        ))),
        "COPY"
            if Tokens::new(sql, &Lexicon::POSTGRES)
                .any(|token| token.is_word("STDIN") || token.is_word("STDOUT")) =>
        {
            refuse(
                "COPY from STDIN or to STDOUT is refused: a call has no channel for it; use INSERT or SELECT",
            )
        }
        _ => Ok(()),
    }
}

/// Functions that act on the server, on its files or on other sessions, and that a read-only transaction lets through
/// (PostgreSQL documentation, "System Administration Functions"). A role without these rights is the real boundary.
const SERVER_FUNCTIONS: [&str; 16] = [
    "lo_export",
    "lo_import",
    "pg_cancel_backend",
    "pg_current_logfile",
    "pg_export_snapshot",
    "pg_log_backend_memory_contexts",
    "pg_notify",
    "pg_promote",
    "pg_read_binary_file",
    "pg_read_file",
    "pg_reload_conf",
    "pg_rotate_logfile",
    "pg_stat_file",
    "pg_stat_statements_reset",
    "pg_switch_wal",
    "pg_terminate_backend",
];

/// How the names of whole families of such functions begin.
const SERVER_FAMILIES: [&str; 9] = [
    "dblink",
    "pg_backup_",
    "pg_create_",
    "pg_drop_",
    "pg_file_",
    "pg_logical_",
    "pg_ls_",
    "pg_replication_",
    "pg_stat_reset",
];

/// The first call of a function that acts on the server. A column of such a name is no call.
fn server_function(sql: &str) -> Option<String> {
    let mut before: Option<String> = None;
    for token in Tokens::new(sql, &Lexicon::POSTGRES) {
        if token.is_symbol("(")
            && let Some(name) = before.take()
            && (SERVER_FUNCTIONS.contains(&name.as_str())
                || SERVER_FAMILIES.iter().any(|family| name.starts_with(family)))
        {
            return Some(name);
        }
        before = match token.kind {
            TokenKind::Word | TokenKind::Name => token.name().map(|name| name.to_ascii_lowercase()),
            _ => None,
        };
    }
    None
}

/// Functions whose effect outlives a statement in its session.
const SESSION_FUNCTIONS: [&str; 3] = ["set_config", "setseed", "lo_open"];

/// Whether a text names a function that changes the session.
fn changes_session(sql: &str) -> bool {
    Tokens::new(sql, &Lexicon::POSTGRES)
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Name))
        .filter_map(|token| token.name().map(|name| name.to_ascii_lowercase()))
        .any(|name| {
            SESSION_FUNCTIONS.contains(&name.as_str())
                || name.starts_with("dblink")
                || (name.contains("advisory") && name.contains("lock") && !name.contains("xact"))
        })
}

fn refuse<T>(message: &str) -> Result<T, SourceError> {
    Err(SourceError::Refused(message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::server_function;

    #[test]
    fn calls_that_act_on_the_server_are_found_and_columns_of_that_name_are_not() {
        for sql in [
            "SELECT pg_read_file('/etc/passwd')",
            "SELECT 1 WHERE PG_READ_FILE /* x */ ('a') IS NULL",
            "SELECT pg_catalog.\"pg_read_file\"('a')",
            "SELECT * FROM dblink_connect('x')",
            "SELECT pg_ls_waldir()",
            "WITH a AS (SELECT pg_terminate_backend(1)) SELECT * FROM a",
        ] {
            assert!(server_function(sql).is_some(), "{sql}");
        }
        for sql in [
            "SELECT pg_read_file FROM (SELECT 1 AS pg_read_file) AS t",
            "SELECT 'pg_read_file(1)' -- pg_read_file(1)",
            "SELECT count(*), pg_size_pretty(pg_database_size('a'))",
            "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t",
        ] {
            assert_eq!(server_function(sql), None, "{sql}");
        }
    }
}
