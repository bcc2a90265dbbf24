//! Decides from the text of a statement whether it may run, on which lane, and how. It must not know connections.
//!
//! The gate gives the reasons; the read lane, whose session and transactions are read-only, gives the guarantee for
//! everything that changes data.

mod calls;
mod divides;
mod form;
mod functions;
mod gate;
mod immediate;
mod limits;
mod result_names;
mod returning;
mod select_lists;
mod tables;
mod targets;
mod values;

use std::sync::Arc;

pub(crate) use toolbox_source::scan::places::Place;
use toolbox_source::{
    Access, Origin, Query, SourceError,
    scan::{self, Lexicon},
};

pub(crate) use calls::{Called, calls};
pub(crate) use divides::divides;
pub(crate) use form::hint_sets_zone;
use form::{Earlier, Form};
pub(crate) use functions::has_times;
pub(crate) use limits::limits;
pub(crate) use result_names::{ResultName, result_name};
pub(crate) use tables::tables;
pub(crate) use targets::{Fill, Spot, Target, is_compared, targets};
pub(crate) use values::in_values;

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
    /// Any number, known only while they come (`CALL`, `EXECUTE IMMEDIATE`).
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

/// The place of each argument, in order. `MySQL` settles the type of an argument from what stands around it before it sees a
/// value: a double under `-` and in `ABS`, the type of the other operands in `COALESCE`. A number beside it would be rounded, and
/// a text would become 0.
pub(crate) fn places(statement: &str) -> Vec<Place> {
    scan::places::places(statement, &Lexicon::MYSQL)
}

/// Plans the statement of a query for a source that is itself `source`.
pub(crate) fn plan(query: &Query, source: Access) -> Result<Plan, SourceError> {
    let plan = plan_text(query, source).map_err(SourceError::Refused)?;
    limits::check(&plan.text, &query.arguments)?;
    Ok(plan)
}

fn plan_text(query: &Query, source: Access) -> Result<Plan, String> {
    let model = query.origin == Origin::Model;
    // From the model it is refused below, whatever its text is.
    let executed = if model { None } else { immediate::executed(&query.statement) };
    let sql = executed.as_deref().unwrap_or(&query.statement);
    if sql.contains('\0') {
        return Err(
            "the statement holds a NUL character (U+0000); remove it, or write CHAR(0) in SQL".to_owned()
        );
    }
    let scan = scan::scan(sql, &Lexicon::MYSQL);
    gate::check_shape(sql, &scan, query.arguments.len())?;
    let text = sql.get(scan.start..scan.end).unwrap_or_default();
    let form = Form::of(text);
    gate::check_transaction_control(&scan, &form)?;
    gate::check_meaning(sql, &form)?;
    let access = match (source, query.access) {
        (Access::ReadWrite, Access::ReadWrite) => Access::ReadWrite,
        _ => Access::ReadOnly,
    };
    if model {
        gate::check_model(sql, &scan, &form)?;
    }
    let reads = scan.reads();
    if access == Access::ReadOnly && !reads {
        return Err(gate::refusal_for_readers(&scan.verb, &form));
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
        results: if ["CALL", "EXECUTE"].contains(&scan.verb.as_str()) { Results::Any } else { Results::One },
        scope: if model && reads { Scope::Reading } else { Scope::Alone },
        after: if tidy { After::Keep } else { After::Discard },
        fresh: form.earlier == Earlier::Asked,
        gated: model,
    })
}
