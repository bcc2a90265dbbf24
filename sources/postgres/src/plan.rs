//! Decides from the text of a statement whether it may run, on which lane, and how. It must not know connections.
//!
//! This gate gives the reasons; the guarantee that a read-only call writes nothing is the server's: the read lane has
//! `default_transaction_read_only` on, and SQL from the model runs there in a read-only transaction.

mod gate;
mod targets;
mod units;
mod uses;

use toolbox_source::{
    Access, Origin, Query, SourceError,
    scan::{self, Lexicon, Scan, TokenKind, Tokens},
};

pub(crate) use targets::{Filling, Target, Targets, targets};
pub(crate) use units::{Part, Standing, standings};
pub(crate) use uses::{Use, uses};

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
    /// It begins with WITH and cannot stand in another statement; its main statement can stand in a further part of that WITH.
    AfterWith,
    /// It calls a procedure, and answers with one row at most.
    Call,
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
    if model && lane == Access::ReadOnly {
        gate::check(sql)?;
    }
    let effect = match verb {
        _ if scan.reads() => Effect::Reads,
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" => Effect::ChangesRows,
        _ => Effect::Other,
    };
    let is_plain = match verb {
        "SELECT" | "VALUES" | "TABLE" | "SHOW" | "EXPLAIN" => scan.reads(),
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" => true,
        _ => false,
    };
    let after = match verb {
        "DEALLOCATE" | "DISCARD" | "PREPARE" | "LOAD" => After::Discard,
        _ if is_plain && !model && !changes_session(sql) => After::Keep,
        _ => After::Reset,
    };
    let form = match verb {
        "SELECT" | "VALUES" | "TABLE" if scan.reads() || scan.first == scan.verb => Form::Query,
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" if scan.first == scan.verb => Form::DataChange,
        // A WITH that changes data can stand only at the top.
        "SELECT" | "VALUES" | "TABLE" | "INSERT" | "UPDATE" | "DELETE" | "MERGE" => {
            if main_statement(sql).is_some() { Form::AfterWith } else { Form::Other }
        }
        "CALL" => Form::Call,
        _ => Form::Other,
    };
    let scope = if model && lane == Access::ReadOnly { Scope::ReadOnlyTransaction } else { Scope::Alone };
    Ok(Plan { lane, effect, scope, after, form, repeatable: !matches!(verb, "CALL" | "DO") })
}

/// A statement without the semicolon, blanks and comments at its end, so that it can stand in another.
pub(crate) fn without_end(text: &str) -> &str {
    text.get(..scan::scan(text, &Lexicon::POSTGRES).end).unwrap_or(text)
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

/// Where the main statement of a WITH begins, in bytes: its verb is the first one outside parentheses that is no name of a
/// part of the WITH and no column of a SEARCH or CYCLE clause.
pub(crate) fn main_statement(sql: &str) -> Option<usize> {
    const VERBS: [&str; 7] = ["SELECT", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "MERGE"];
    const BEFORE_NAMES: [&str; 8] = ["WITH", "RECURSIVE", "BY", "SET", "TO", "DEFAULT", "USING", "CYCLE"];
    let mut depth = 0_usize;
    let mut names_next = false;
    for token in Tokens::new(sql, &Lexicon::POSTGRES) {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 && !names_next && VERBS.iter().any(|verb| token.is_word(verb)) {
            return Some(token.start);
        }
        names_next = token.is_symbol(",") || BEFORE_NAMES.iter().any(|word| token.is_word(word));
    }
    None
}

/// Functions whose effect outlives a statement in its session.
const SESSION_FUNCTIONS: [&str; 2] = ["set_config", "setseed"];

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
    use super::main_statement;

    #[test]
    fn the_main_statement_of_a_with_is_found() {
        for (head, main) in [
            ("WITH a AS (SELECT 1) ", "SELECT * FROM a"),
            (
                "with recursive a(x) as materialized (select 1), b as (values (2)) ",
                "insert into t select * from a",
            ),
            ("WITH update AS (DELETE FROM t RETURNING (a)), delete AS (SELECT 1) ", "UPDATE t SET a = 1"),
            ("WITH a AS (SELECT 1) SEARCH DEPTH FIRST BY update SET values ", "TABLE a"),
            ("WITH a AS (SELECT 'x) SELECT') /* SELECT */ ", "VALUES (1)"),
        ] {
            assert_eq!(main_statement(&format!("{head}{main}")), Some(head.len()), "{head}{main}");
        }
        assert_eq!(main_statement("WITH a AS (SELECT 1) (SELECT 2)"), None);
    }
}
