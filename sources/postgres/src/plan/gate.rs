//! Functions that read-only SQL of the model may not call although a read-only transaction lets them through. The real
//! boundary is a role without these rights: functions that users define may call any other.

use toolbox_source::{
    SourceError,
    scan::{Lexicon, TokenKind, Tokens},
};

/// Functions that act on the server, on its files, on its catalog past the transaction, or on other sessions (PostgreSQL
/// documentation, "System Administration Functions", and the modules of `contrib`). Large objects are written in read-only
/// transactions before PostgreSQL 16.
const SERVER_FUNCTIONS: [&str; 37] = [
    "brin_desummarize_range",
    "brin_summarize_new_values",
    "brin_summarize_range",
    "gin_clean_pending_list",
    "heap_force_freeze",
    "heap_force_kill",
    "lo_creat",
    "lo_create",
    "lo_export",
    "lo_from_bytea",
    "lo_import",
    "lo_put",
    "lo_truncate",
    "lo_truncate64",
    "lo_unlink",
    "lowrite",
    "pg_cancel_backend",
    "pg_current_logfile",
    "pg_export_snapshot",
    "pg_import_system_collations",
    "pg_nextoid",
    "pg_notify",
    "pg_prewarm",
    "pg_promote",
    "pg_read_binary_file",
    "pg_read_file",
    "pg_reload_conf",
    "pg_rotate_logfile",
    "pg_start_backup",
    "pg_stat_file",
    "pg_stat_statements_reset",
    "pg_stop_backup",
    "pg_stop_making_pinned_objects",
    "pg_switch_wal",
    "pg_sync_replication_slots",
    "pg_terminate_backend",
    "pg_truncate_visibility_map",
];

/// How the names of whole families of such functions begin.
const SERVER_FAMILIES: [&str; 18] = [
    "autoprewarm_",
    "binary_upgrade_",
    "dblink",
    "pg_backup_",
    "pg_buffercache_evict",
    "pg_buffercache_mark",
    "pg_clear_",
    "pg_copy_",
    "pg_create_",
    "pg_drop_",
    "pg_file_",
    "pg_log_",
    "pg_logical_",
    "pg_ls_",
    "pg_replication_",
    "pg_restore_",
    "pg_stat_reset",
    "pg_wal_replay_",
];

/// Functions that run a text as SQL, in which none of these can be seen.
const RUNNING_TEXTS: [&str; 11] = [
    "connectby",
    "crosstab",
    "crosstab2",
    "crosstab3",
    "crosstab4",
    "query_to_xml",
    "query_to_xml_and_xmlschema",
    "query_to_xmlschema",
    "ts_rewrite",
    "ts_stat",
    "xpath_table",
];

/// Refuses a text that calls one of these functions. A column of such a name is no call.
pub(super) fn check(sql: &str) -> Result<(), SourceError> {
    let mut called: Option<String> = None;
    // How far `U&"` has come, whose name is spelled in escapes.
    let mut escaped_at = None;
    for token in Tokens::new(sql, &Lexicon::POSTGRES) {
        if token.is_symbol("(")
            && let Some(name) = called.take()
            && let Some(reason) = refused(&name)
        {
            return Err(SourceError::Refused(format!("{name}() is refused: {reason}; leave it out")));
        }
        if token.kind == TokenKind::Name && escaped_at == Some(token.start) {
            return Err(SourceError::Refused(
                "a name in Unicode escapes (U&\"…\") is refused in read-only SQL; write the characters themselves".to_owned(),
            ));
        }
        let follows = escaped_at == Some(token.start) && token.is_symbol("&");
        escaped_at = (token.is_word("u") || follows).then(|| token.end());
        called = match token.kind {
            TokenKind::Word | TokenKind::Name => token.name().map(|name| name.to_ascii_lowercase()),
            _ => None,
        };
    }
    Ok(())
}

/// Why a function may not be called.
fn refused(name: &str) -> Option<&'static str> {
    if SERVER_FUNCTIONS.contains(&name) || SERVER_FAMILIES.iter().any(|family| name.starts_with(family)) {
        return Some("it acts on the server or its files, which a read-only transaction does not stop");
    }
    RUNNING_TEXTS.contains(&name).then_some("it runs a text as SQL, which is not checked to be read-only")
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn calls_that_act_on_the_server_are_refused_and_columns_of_that_name_are_not() {
        for sql in [
            "SELECT pg_read_file('/etc/passwd')",
            "SELECT 1 WHERE PG_READ_FILE /* x */ ('a') IS NULL",
            "SELECT pg_catalog.\"pg_read_file\"('a')",
            "SELECT U&\"pg\\005fread_file\"('a')",
            "SELECT u&\"pg!005fread_file\" UESCAPE '!' ('a')",
            "SELECT * FROM dblink_connect('x')",
            "SELECT pg_ls_waldir()",
            "WITH a AS (SELECT pg_terminate_backend(1)) SELECT * FROM a",
            "SELECT query_to_xml('SELECT pg_read_' || 'file(''a'')', true, true, '')",
            "SELECT lo_from_bytea(0, 'x')",
        ] {
            assert!(check(sql).is_err(), "{sql}");
        }
        for sql in [
            "SELECT pg_read_file FROM (SELECT 1 AS pg_read_file) AS t",
            "SELECT 'pg_read_file(1)' -- pg_read_file(1)",
            "SELECT count(*), pg_size_pretty(pg_database_size('a'))",
            "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t",
            "SELECT U&'d\\0061t\\+000061', u & \"x\" FROM t",
            "SELECT lo_get(1)",
        ] {
            assert_eq!(check(sql), Ok(()), "{sql}");
        }
    }
}
