//! Decides from the text of a statement whether it may run, on which lane, and how. It must not know connections.
//!
//! This gate gives the reasons; the read lane, which is opened read-only and has `query_only` on, gives the guarantee for
//! everything that writes to the database itself. What only the gate stops is said at each rule.

mod numeric;
mod pragma;
mod targets;

use std::{fmt::Write as _, sync::Arc};

use toolbox_source::{
    Access, Origin, Query, SourceError,
    scan::{self, Lexicon, Scan, Token, TokenKind, Tokens},
};

pub(crate) use numeric::numeric;
use pragma::Pragma;
pub(crate) use targets::{Filling, Spot, Targets, computed, numbered, targets};

/// How one statement runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The statement alone, without what stands around it.
    pub(crate) text: Arc<str>,
    /// The lane whose connection runs it.
    pub(crate) lane: Access,
    pub(crate) effect: Effect,
    pub(crate) scope: Scope,
    pub(crate) after: After,
    /// The table that it inserts into.
    pub(crate) inserts_into: Option<String>,
}

/// What a statement does to data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing, so it may be stopped at any row.
    Reads,
    /// It changes rows, and SQLite counts them.
    ChangesRows,
    /// Anything else.
    Other,
}

/// Whether a statement runs inside a transaction of ours, in which nobody can change the schema under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Transaction,
    /// SQLite runs it only outside of transactions, or it has no effect inside one.
    Alone,
}

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The next call may use it.
    Keep,
    /// The statement may have left something in the session.
    Discard,
}

/// Plans the statement of a query for a source that is itself `access`.
pub(crate) fn plan(query: &Query, source: Access) -> Result<Plan, SourceError> {
    plan_text(query, source).map_err(SourceError::Refused)
}

fn plan_text(query: &Query, source: Access) -> Result<Plan, String> {
    let sql = query.statement.as_ref();
    if sql.contains('\0') {
        // SQLite would end the text there.
        return Err(
            "the statement holds a NUL character (U+0000); remove it, or write char(0) in SQL".to_owned()
        );
    }
    let scan = scan::scan(sql, &Lexicon::SQLITE);
    check_shape(sql, &scan, query.arguments.len())?;
    let access = match (source, query.access) {
        (Access::ReadWrite, Access::ReadWrite) => Access::ReadWrite,
        _ => Access::ReadOnly,
    };
    let text = sql.get(scan.start..scan.end).unwrap_or_default();
    let verb = scan.verb.as_str();
    let plan = Plan {
        text: number_placeholders(text),
        lane: Access::ReadWrite,
        effect: Effect::Other,
        scope: Scope::Transaction,
        after: After::Discard,
        inserts_into: None,
    };
    let plan = match verb {
        "EXPLAIN" => {
            check_explain(text)?;
            Plan { lane: Access::ReadOnly, effect: Effect::Reads, after: After::Keep, ..plan }
        }
        // In SQLite no form of SELECT writes.
        "SELECT" | "VALUES" => {
            Plan { lane: Access::ReadOnly, effect: Effect::Reads, after: After::Keep, ..plan }
        }
        "SHOW" | "DESCRIBE" | "DESC" | "TABLE" => {
            return Err(format!(
                "SQLite has no {verb}: use PRAGMA table_list for the tables, PRAGMA table_info(name) for the columns of one, \
                 and SELECT for its rows"
            ));
        }
        "INSERT" | "REPLACE" => Plan {
            effect: Effect::ChangesRows,
            after: After::Keep,
            inserts_into: inserted_table(text),
            ..plan
        },
        "UPDATE" | "DELETE" => Plan { effect: Effect::ChangesRows, after: After::Keep, ..plan },
        "PRAGMA" => match Pragma::parse(text)? {
            pragma if pragma.reads() => Plan {
                lane: Access::ReadOnly,
                effect: Effect::Reads,
                scope: Scope::Alone,
                after: After::Keep,
                ..plan
            },
            pragma if access == Access::ReadOnly => return Err(pragma.refusal_for_readers()),
            pragma if query.origin == Origin::Model && pragma.sets() => {
                return Err(pragma.refusal_for_the_model());
            }
            _ => Plan { scope: Scope::Alone, ..plan },
        },
        "BEGIN" | "COMMIT" | "END" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" => {
            return Err(format!(
                "{verb} is refused: every call is a transaction of its own and ends with the call; send the statements \
                 without transaction control"
            ));
        }
        "ATTACH" | "DETACH" if access == Access::ReadOnly || query.origin == Origin::Model => {
            return Err(format!(
                "{verb} is refused: a call sees only the database of its source; ask the operator to configure a source for \
                 the other file"
            ));
        }
        "VACUUM" if access == Access::ReadWrite && query.origin == Origin::Model && names_a_file(text) => {
            return Err("VACUUM INTO is refused: it would write another file than the database of its source; leave out INTO"
                .to_owned());
        }
        "CREATE" | "DROP" | "ALTER" | "REINDEX" | "ANALYZE" => plan,
        // The rest runs outside of transactions, or is no SQL and SQLite says so.
        _ => Plan { scope: Scope::Alone, ..plan },
    };
    if access == Access::ReadOnly {
        check_reader(&plan, verb, text)?;
    }
    Ok(plan)
}

/// What holds for every statement, whoever wrote it.
fn check_shape(sql: &str, scan: &Scan, arguments: usize) -> Result<(), String> {
    if scan.verb.is_empty() && scan.start == scan.end {
        return Err("the statement is empty; write one SQL statement".to_owned());
    }
    if let Some(second) = scan.second_statement {
        let before = sql.get(..second).unwrap_or_default().chars().count();
        return Err(format!(
            "the text holds more than one statement (the second begins at character {}); send one statement a call",
            before + 1
        ));
    }
    if let Some(name) = &scan.named_placeholder {
        return Err(format!("the placeholder {name} has a name; mark arguments by position, with ? or ?1"));
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

/// SQLite carries out many pragmas while it prepares them, so that EXPLAIN does not keep them from running.
fn check_explain(text: &str) -> Result<(), String> {
    let mut words = Tokens::new(text, &Lexicon::SQLITE)
        .skip(1)
        .filter(|token| !token.is_word("QUERY") && !token.is_word("PLAN"));
    if words.next().is_some_and(|token| token.is_word("PRAGMA")) {
        return Err("EXPLAIN PRAGMA is refused: SQLite may carry out the pragma; explain another statement"
            .to_owned());
    }
    Ok(())
}

/// What a read-only call may not ask for. SQLite itself would let VACUUM INTO and ATTACH write other files.
fn check_reader(plan: &Plan, verb: &str, text: &str) -> Result<(), String> {
    if plan.effect != Effect::Reads {
        return Err(match plan.effect {
            Effect::ChangesRows => format!(
                "{verb} changes data, but this call is read-only; use SELECT, or ask the operator for a tool that may write"
            ),
            _ => format!(
                "{verb} is refused: this call is read-only and takes SELECT, VALUES, WITH … SELECT, EXPLAIN and the PRAGMAs \
                 that read"
            ),
        });
    }
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::SQLITE).collect();
    let calls = tokens.iter().zip(tokens.iter().skip(1)).any(|(token, next)| {
        let named = token.kind != TokenKind::Text
            && token.name().is_some_and(|name| name.eq_ignore_ascii_case("load_extension"));
        named && next.is_symbol("(")
    });
    if calls {
        return Err("load_extension() is refused: a call cannot load code into the server".to_owned());
    }
    Ok(())
}

/// Whether there is an INTO.
fn names_a_file(text: &str) -> bool {
    Tokens::new(text, &Lexicon::SQLITE).any(|token| token.is_word("INTO"))
}

/// The table after INTO.
fn inserted_table(text: &str) -> Option<String> {
    let mut tokens = Tokens::new(text, &Lexicon::SQLITE).skip_while(|token| !token.is_word("INTO")).skip(1);
    let first = tokens.next()?.name()?;
    let qualified = tokens.next().is_some_and(|token| token.is_symbol("."));
    let name = if qualified { tokens.next()?.name()? } else { first };
    Some(name.into_owned())
}

/// Gives every bare `?` the number that SQLite gives it, where numbered ones stand beside it: sqlx counts the bare ones alone
/// and would bind the wrong arguments.
fn number_placeholders(text: &str) -> Arc<str> {
    let places: Vec<(Token<'_>, Option<usize>)> = Tokens::new(text, &Lexicon::SQLITE)
        .filter_map(|token| match token.kind {
            TokenKind::Placeholder(number) => Some((token, number)),
            _ => None,
        })
        .collect();
    let mixed = places.iter().any(|(_, number)| number.is_some())
        && places.iter().any(|(_, number)| number.is_none());
    if !mixed {
        return Arc::from(text);
    }
    let mut numbered = String::with_capacity(text.len() + places.len());
    let mut copied = 0;
    let mut highest = 0_usize;
    for (token, number) in places {
        let number = number.unwrap_or(highest + 1);
        highest = highest.max(number);
        numbered.push_str(text.get(copied..token.start).unwrap_or_default());
        // Writing to a String cannot fail.
        let _ = write!(numbered, "?{number}");
        copied = token.end();
    }
    numbered.push_str(text.get(copied..).unwrap_or_default());
    Arc::from(numbered)
}
