//! What a connection knows of the statements that it has prepared.
//!
//! `MySQL` settles the type of a parameter that nothing in the statement settles (`SELECT ?`) by the first value that it
//! gets, and converts the values of later executions to it: after 0.5 the text 'x' is 0. So a statement is prepared once for
//! each combination of types in which its arguments are sent. The driver tells statements apart by their text alone, so each
//! of these forms has a text of its own, with blanks behind it that spell the types.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::time::Instant;
use toolbox_source::{
    Column,
    scan::{Lexicon, TokenKind, Tokens},
};

use crate::bind::{Argument, Kind};

/// As many statements as sqlx keeps prepared for a connection.
const MOST: usize = 100;

/// For how long the columns of an answer without rows are taken from an earlier preparation. The driver does not show the
/// columns that the server sends with such an answer, and the table may have changed since.
pub(crate) const TRUSTED: Duration = Duration::from_secs(1);

/// One prepared form of a statement.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The text with the blanks that spell the types.
    pub(crate) text: Arc<str>,
    /// The types in which its arguments are sent; none where the first one was a null.
    pub(crate) kinds: Arc<[Option<Kind>]>,
    /// Its columns, in order; none if it answers without rows, or says so only when it runs (`CALL`).
    pub(crate) columns: Arc<[Column]>,
    pub(crate) wire: Wire,
    /// Whether nulls stand in the text, so that it takes no others.
    pub(crate) spells_nulls: bool,
    /// Whether the text is a block around the statement, whose end is a result of its own.
    pub(crate) is_block: bool,
    pub(crate) learned: Instant,
}

/// The form of a statement in which it takes these arguments: its text, and their types.
pub(crate) fn form(text: &Arc<str>, arguments: &[Argument]) -> (Arc<str>, Arc<[Option<Kind>]>) {
    let kinds: Arc<[Option<Kind>]> = arguments.iter().map(Argument::kind).collect();
    if kinds.is_empty() {
        return (text.clone(), kinds);
    }
    let blanks = kinds.iter().map(|kind| match kind {
        Some(Kind::Int) => "  ",
        Some(Kind::UInt) => " \t",
        Some(Kind::Float) => "\t ",
        Some(Kind::Decimal) => "\t\t",
        Some(Kind::Text) => " \n",
        Some(Kind::Bytes) => "\n ",
        None => "\n\n",
    });
    (std::iter::once(text.as_ref()).chain(blanks).collect::<String>().into(), kinds)
}

/// A statement with `NULL` in the places of its null arguments.
pub(crate) fn with_nulls(text: &str, arguments: &[Argument]) -> String {
    let mut out = String::with_capacity(text.len() + arguments.len() * " NULL ".len());
    let mut end = 0;
    let placeholders =
        Tokens::new(text, &Lexicon::MYSQL).filter(|token| matches!(token.kind, TokenKind::Placeholder(_)));
    for (token, argument) in placeholders.zip(arguments) {
        if *argument == Argument::Null {
            out.push_str(text.get(end..token.start).unwrap_or_default());
            // `?IS NULL` needs no blank.
            out.push_str(" NULL ");
            end = token.end();
        }
    }
    out.push_str(text.get(end..).unwrap_or_default());
    out
}

/// The block in which `MariaDB` prepares a statement that it does not prepare alone (`EXECUTE IMMEDIATE`). What the statement
/// answers then comes in the prepared protocol as well, in which nothing is rounded.
pub(crate) fn block(text: &str) -> Arc<str> {
    format!("BEGIN NOT ATOMIC {text}\n; END").into()
}

impl Prepared {
    fn takes(&self, arguments: &[Argument]) -> bool {
        // A null settles no type, so it fits any.
        let fits = |(kind, argument): (&Option<Kind>, &Argument)| {
            *kind == argument.kind() || (argument.kind().is_none() && !self.spells_nulls)
        };
        self.kinds.len() == arguments.len() && self.kinds.iter().zip(arguments).all(fits)
    }
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
    known: HashMap<Arc<str>, Vec<Prepared>>,
    forms: usize,
}

impl Statements {
    /// The form of a statement that takes these arguments.
    pub(crate) fn get(&self, text: &str, arguments: &[Argument]) -> Option<Prepared> {
        self.known.get(text)?.iter().find(|form| form.takes(arguments)).cloned()
    }

    /// Remembers a form of a statement, in the place of the one with the same text.
    pub(crate) fn insert(&mut self, text: &Arc<str>, form: Prepared) {
        if self.forms >= MOST {
            self.clear();
        }
        let forms = self.known.entry(text.clone()).or_default();
        if let Some(known) = forms.iter_mut().find(|known| known.text == form.text) {
            *known = form;
        } else {
            forms.push(form);
            self.forms += 1;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.forms = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{form, with_nulls};
    use crate::bind::Argument;

    #[test]
    fn nulls_stand_in_their_places() {
        let arguments = [Argument::Null, Argument::Int(1), Argument::Null];
        let text = "SELECT '?', ?, ? /* ? */ FROM t WHERE ?IS NULL";
        let expected = "SELECT '?',  NULL , ? /* ? */ FROM t WHERE  NULL IS NULL";
        assert_eq!(with_nulls(text, &arguments), expected);
        assert_eq!(with_nulls("SELECT ?", &[Argument::Int(1)]), "SELECT ?");
    }

    #[test]
    fn each_combination_of_types_has_a_text_of_its_own() {
        let kinds = [
            Argument::Int(1),
            Argument::UInt(u64::MAX),
            Argument::Float(0.5),
            Argument::Decimal("1.0".to_owned()),
            Argument::Text("x".to_owned()),
            Argument::Bytes(vec![0]),
            Argument::Null,
        ];
        let text: Arc<str> = Arc::from("SELECT ?, ?");
        let mut texts = Vec::new();
        for one in &kinds {
            for other in &kinds {
                texts.push(form(&text, &[one.clone(), other.clone()]).0);
            }
        }
        assert!(texts.iter().all(|form| form.trim_end() == text.as_ref()));
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 49);
    }
}
