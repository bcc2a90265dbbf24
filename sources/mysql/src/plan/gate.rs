//! Why a statement is refused before the server sees it. What only this gate stops is said at each rule.

use toolbox_source::scan::Scan;

use super::form::{self, Earlier, Form};

/// Statements that the model may not send even where it may write: they act on the session, on the server, its files and its
/// accounts, or run text that no gate has seen.
const NOT_FOR_THE_MODEL: [&str; 28] = [
    "BACKUP",
    "BINLOG",
    "CHANGE",
    "CLONE",
    "DEALLOCATE",
    "EXECUTE",
    "FLUSH",
    "GET",
    "GRANT",
    "HANDLER",
    "IMPORT",
    "INSTALL",
    "KILL",
    "LOAD",
    "LOCK",
    "PREPARE",
    "PURGE",
    "RESET",
    "RESIGNAL",
    "RESTART",
    "REVOKE",
    "SET",
    "SHUTDOWN",
    "SIGNAL",
    "START",
    "STOP",
    "UNINSTALL",
    "UNLOCK",
];

/// What holds for every statement, whoever wrote it.
pub(super) fn check_shape(sql: &str, scan: &Scan, arguments: usize) -> Result<(), String> {
    if scan.start == scan.end {
        return Err("the statement is empty; write one SQL statement".to_owned());
    }
    if let Some(second) = scan.second_statement {
        let before = sql.get(..second).unwrap_or_default().chars().count();
        return Err(format!(
            "the text holds more than one statement (the second begins at character {}); send one statement a call",
            before + 1
        ));
    }
    if scan.unterminated {
        return Err(
            "the statement ends inside a quoted text, a quoted name or a comment; close it".to_owned()
        );
    }
    if scan.placeholders != arguments {
        let plural = if scan.placeholders == 1 { "" } else { "s" };
        return Err(format!(
            "the statement takes {} argument{plural}, but {arguments} {} given",
            scan.placeholders,
            if arguments == 1 { "is" } else { "are" }
        ));
    }
    Ok(())
}

/// A transaction that a call leaves open would swallow the calls of others.
pub(super) fn check_transaction_control(scan: &Scan, form: &Form) -> Result<(), String> {
    let controls = match scan.verb.as_str() {
        "BEGIN" | "COMMIT" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" | "XA" => true,
        "START" => form.second == "TRANSACTION",
        _ => false,
    };
    if controls {
        return Err(format!(
            "{} is refused: every call is a transaction of its own and ends with the call; send the statements without \
             transaction control",
            scan.verb
        ));
    }
    Ok(())
}

/// What would make the answer mean something else than it says.
pub(super) fn check_meaning(sql: &str, form: &Form) -> Result<(), String> {
    let pinned = form.pinned.or(form::hint_sets_zone(sql).then_some("time_zone"));
    if let Some(variable) = pinned {
        return Err(format!(
            "{variable} cannot be set for a statement: values are read as UTC and utf8mb4; convert in the statement, with \
             CONVERT_TZ or CONVERT"
        ));
    }
    if let Earlier::Shown(what) = form.earlier {
        return Err(format!(
            "SHOW {what} is refused: it shows what an earlier statement of its session left, and no call sees that of \
             another; an error is shown by the call that caused it"
        ));
    }
    Ok(())
}

/// What the model may not send. Only this gate stops it.
pub(super) fn check_model(sql: &str, scan: &Scan, form: &Form) -> Result<(), String> {
    let verb = scan.verb.as_str();
    if form::holds_executable_comment(sql) {
        return Err(
            "the statement holds a comment that the server executes (/*! … */); write it as plain SQL"
                .to_owned(),
        );
    }
    if NOT_FOR_THE_MODEL.contains(&verb) || verb == "USE" {
        return Err(match verb {
            "USE" => "USE is refused: a call cannot change the database of later calls; write database.table".to_owned(),
            "SET" => "SET is refused: a call cannot change the session of later calls; write the value into the statement"
                .to_owned(),
            verb => format!("{verb} is refused: it reaches beyond the data of the source; use SELECT or DML"),
        });
    }
    if let Some(object) = form.object {
        return Err(format!(
            "{verb} with {object} is refused: it reaches beyond the data of the source; use SELECT or DML"
        ));
    }
    if let Some(statement) = form.account {
        return Err(format!(
            "{statement} is refused: it shows what is kept of a password; read information_schema.user_privileges"
        ));
    }
    if form.writes_file {
        return Err("INTO OUTFILE and INTO DUMPFILE are refused: a call cannot write files of the server; leave them out"
            .to_owned());
    }
    if let Some(function) = form.refused_function {
        return Err(format!(
            "{function}() is refused: it waits, holds locks beyond the call, or reads files of the server; leave it out"
        ));
    }
    Ok(())
}

/// Why a statement that is no plain read cannot run read-only.
pub(super) fn refusal_for_readers(verb: &str, form: &Form) -> String {
    match verb {
        "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "MERGE" => format!(
            "{verb} changes data, but this call is read-only; use SELECT, or ask the operator for a tool that may write"
        ),
        "SELECT" | "VALUES" | "TABLE" if form.locks => format!(
            "{verb} with FOR UPDATE, FOR SHARE or LOCK IN SHARE MODE is refused: this call is read-only; leave the lock out"
        ),
        "SELECT" | "VALUES" | "TABLE" => {
            format!(
                "{verb} with INTO is refused: this call is read-only and returns its rows; leave INTO out"
            )
        }
        "EXPLAIN" | "DESCRIBE" | "DESC" => format!(
            "{verb} ANALYZE runs the statement that it explains, and this one changes data; leave ANALYZE out"
        ),
        "" => "the statement has no keyword at its start; write one SQL statement".to_owned(),
        verb => format!(
            "{verb} is refused: this call is read-only and takes SELECT, VALUES, TABLE, WITH … SELECT, SHOW, DESCRIBE and \
             EXPLAIN"
        ),
    }
}
