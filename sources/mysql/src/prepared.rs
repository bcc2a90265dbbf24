//! What a connection knows of the statements that it has prepared.
//!
//! `MySQL` settles the type of a parameter that nothing in the statement settles (`SELECT ?`) by the first value that it
//! gets, and converts the values of later executions to it: after 0.5 the text 'x' is 0. So a statement is prepared once for
//! each combination of forms in which its arguments are sent. The driver tells statements apart by their text alone, so each
//! of them has a text of its own, with blanks behind it that spell the forms.

mod form;
mod look;

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::time::Instant;
use toolbox_source::{
    Column,
    scan::{Lexicon, Tokens},
};

use crate::{
    bind::{Argument, Settling},
    plan::{Place, places},
};
pub(crate) use form::{Form, as_written, may_be_renamed, text};
use form::{settled, unsettled};

/// As many statements as sqlx keeps prepared for a connection.
const MOST: usize = 100;

/// For how long the columns of an answer without rows are taken from an earlier preparation. The driver does not show the
/// columns that the server sends with such an answer, and the table may have changed since.
pub(crate) const TRUSTED: Duration = Duration::from_secs(1);

/// One prepared form of a statement.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The text with the blanks that spell the forms.
    pub(crate) text: Arc<str>,
    /// The forms in which its arguments are sent.
    pub(crate) forms: Arc<[Form]>,
    /// Its columns, in order; none if it answers without rows, or says so only when it runs (`CALL`).
    pub(crate) columns: Arc<[Column]>,
    /// The names of columns that are others in the text than in the statement as it was written, each with that one.
    pub(crate) renamed: Arc<[(String, String)]>,
    pub(crate) wire: Wire,
    /// Whether the text is a block around the statement, whose end is a result of its own.
    pub(crate) is_block: bool,
    pub(crate) learned: Instant,
}

impl Prepared {
    fn takes(&self, forms: &[Form]) -> bool {
        self.forms.len() == forms.len() && self.forms.iter().zip(forms).all(|(own, other)| own.takes(*other))
    }

    /// Those of the arguments that are sent, and do not stand in the text.
    pub(crate) fn sent<'a>(&self, arguments: &'a [Argument]) -> impl Iterator<Item = (usize, &'a Argument)> {
        let forms = self.forms.clone();
        let is_sent =
            move |(index, _): &(usize, &Argument)| forms.get(*index).is_none_or(|form| form.is_sent());
        arguments.iter().enumerate().filter(is_sent)
    }

    /// The columns of an answer by their names in the statement as it was written.
    pub(crate) fn named(&self, columns: Arc<[Column]>) -> Arc<[Column]> {
        if self.renamed.is_empty() {
            return columns;
        }
        let written = |name: &str| self.renamed.iter().find(|(sent, _)| sent == name);
        let rename = |column: &Column| match written(&column.name) {
            Some((_, name)) => Column { name: name.clone(), ..column.clone() },
            None => column.clone(),
        };
        columns.iter().map(rename).collect()
    }
}

/// The block in which `MariaDB` prepares a statement that it does not prepare alone (`EXECUTE IMMEDIATE`). What the statement
/// answers then comes in the prepared protocol as well, in which nothing is rounded.
pub(crate) fn block(text: &str) -> Arc<str> {
    format!("BEGIN NOT ATOMIC {text}\n; END").into()
}

fn is_call(statement: &str) -> bool {
    Tokens::new(statement, &Lexicon::MYSQL).next().is_some_and(|first| first.is_word("CALL"))
}

/// In which form the server sends cells (<https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// The prepared protocol.
    Binary,
    /// The text protocol, for the few statements that cannot be prepared.
    Text,
}

/// The statements of one connection, each in its forms.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    known: HashMap<Arc<str>, Known>,
    forms: usize,
}

#[derive(Debug)]
struct Known {
    places: Arc<[Place]>,
    prepared: Vec<Prepared>,
}

impl Statements {
    /// The forms in which the arguments of a statement are sent.
    pub(crate) fn forms(&self, statement: &str, arguments: &[Argument], settling: Settling) -> Arc<[Form]> {
        let known = self.known.get(statement).map(|known| known.places.clone());
        let places = known.unwrap_or_else(|| places(statement).into());
        match settling {
            Settling::Never => unsettled(arguments, &places, Form::AnyNull),
            // The argument of a procedure may be one that it sets.
            Settling::NeverButNulls if is_call(statement) => unsettled(arguments, &places, Form::AnyNull),
            Settling::NeverButNulls => unsettled(arguments, &places, Form::WrittenNull),
            Settling::Once => settled(arguments, &places),
        }
    }

    /// The statement as it is prepared for arguments of these forms.
    pub(crate) fn get(&self, statement: &str, forms: &[Form]) -> Option<Prepared> {
        self.known.get(statement)?.prepared.iter().find(|prepared| prepared.takes(forms)).cloned()
    }

    /// Remembers a form of a statement, in the place of the one with the same text.
    pub(crate) fn insert(&mut self, statement: &Arc<str>, prepared: Prepared) {
        if self.forms >= MOST {
            self.clear();
        }
        let known = self
            .known
            .entry(statement.clone())
            .or_insert_with(|| Known { places: places(statement).into(), prepared: Vec::new() });
        if let Some(old) = known.prepared.iter_mut().find(|old| old.text == prepared.text) {
            *old = prepared;
        } else {
            known.prepared.push(prepared);
            self.forms += 1;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.forms = 0;
    }
}
