//! Decides from the text of a statement whether it may run, on which lane, and how. It must not know connections.
//!
//! This gate gives the reasons; the read lane, whose session and transactions are read-only, gives the guarantee for
//! everything that changes data. What only the gate stops is said at each rule.

mod form;
mod functions;
mod returning;
mod targets;

use std::sync::Arc;

use toolbox_source::{
    Access, Origin, Query, SourceError,
    scan::{self, Lexicon, Scan},
};

use form::{Earlier, Form};
pub(crate) use targets::Targets;

/// How one statement runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The statement alone, without what stands around it.
    pub(crate) text: Arc<str>,
    /// What it is allowed to do.
    pub(crate) access: Access,
    /// The lane whose connection runs it first. A reading form may call a function that writes, which shows only when the
    /// server refuses it there.
    pub(crate) lane: Access,
    pub(crate) effect: Effect,
    /// Whether it is an `INSERT`, `REPLACE`, `UPDATE` or `DELETE`.
    pub(crate) changes_rows: bool,
    /// For a statement that changes rows and returns them: a `SELECT` of the same columns, which is prepared and never runs.
    pub(crate) returned: Option<Arc<str>>,
    pub(crate) results: Results,
    pub(crate) scope: Scope,
    pub(crate) after: After,
    /// Whether it asks what its session did before, so that it needs one that did nothing.
    pub(crate) fresh: bool,
    /// Whether this gate stands between the caller and the server, so that both must read the text alike.
    pub(crate) gated: bool,
}

/// What a statement does to data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing, so it may be stopped at any row and run again.
    Reads,
    /// It may change something.
    Writes,
}

/// How many result sets there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Results {
    /// One, whose columns are known when it is prepared.
    One,
    /// Any number, known only while they come (`CALL`).
    Any,
}

/// Whether a statement runs inside a transaction of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// It is a transaction of its own.
    Alone,
    /// In one that only reads and is rolled back.
    Reading,
}

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The next call may use it.
    Keep,
    /// The statement may have left something in the session, and sqlx cannot ask the server to reset one.
    Discard,
}

/// The statements that change rows and say how many.
const CHANGING: [&str; 4] = ["INSERT", "REPLACE", "UPDATE", "DELETE"];

/// The statements that read. Neither they nor those that change rows leave anything in a session, variables and a few
/// functions aside.
const READING: [&str; 7] = ["SELECT", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC"];

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

/// Plans the statement of a query for a source that is itself `source`.
pub(crate) fn plan(query: &Query, source: Access) -> Result<Plan, SourceError> {
    plan_text(query, source).map_err(SourceError::Refused)
}

fn plan_text(query: &Query, source: Access) -> Result<Plan, String> {
    let sql = query.statement.as_ref();
    if sql.contains('\0') {
        return Err(
            "the statement holds a NUL character (U+0000); remove it, or write CHAR(0) in SQL".to_owned()
        );
    }
    let scan = scan::scan(sql, &Lexicon::MYSQL);
    check_shape(sql, &scan, query.arguments.len())?;
    let text = sql.get(scan.start..scan.end).unwrap_or_default();
    let form = Form::of(text);
    check_transaction_control(&scan, &form)?;
    check_meaning(sql, &form)?;
    let access = match (source, query.access) {
        (Access::ReadWrite, Access::ReadWrite) => Access::ReadWrite,
        _ => Access::ReadOnly,
    };
    let model = query.origin == Origin::Model;
    if model {
        check_model(sql, &scan, &form)?;
    }
    let reads = scan.reads();
    if access == Access::ReadOnly && !reads {
        return Err(refusal_for_readers(&scan.verb, &form));
    }
    let plain = [&READING[..], &CHANGING].iter().any(|verbs| verbs.contains(&scan.verb.as_str()));
    let tidy = plain && !form.touches_session;
    let changes_rows = CHANGING.contains(&scan.verb.as_str());
    Ok(Plan {
        text: Arc::from(text),
        access,
        lane: if reads { Access::ReadOnly } else { access },
        effect: if reads { Effect::Reads } else { Effect::Writes },
        changes_rows,
        returned: if changes_rows { returning::columns_query(text).map(Arc::from) } else { None },
        results: if scan.verb == "CALL" { Results::Any } else { Results::One },
        scope: if model && reads { Scope::Reading } else { Scope::Alone },
        after: if tidy { After::Keep } else { After::Discard },
        fresh: form.earlier == Earlier::Asked,
        gated: model,
    })
}

/// What holds for every statement, whoever wrote it.
fn check_shape(sql: &str, scan: &Scan, arguments: usize) -> Result<(), String> {
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
fn check_transaction_control(scan: &Scan, form: &Form) -> Result<(), String> {
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
fn check_meaning(sql: &str, form: &Form) -> Result<(), String> {
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
fn check_model(sql: &str, scan: &Scan, form: &Form) -> Result<(), String> {
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
fn refusal_for_readers(verb: &str, form: &Form) -> String {
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
