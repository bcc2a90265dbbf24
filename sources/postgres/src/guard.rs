//! The text of a statement that fails, before it writes, once the types of its parameters may have changed.
//!
//! The server prepares a statement anew when a table changes, but keeps the types of its parameters and casts them to those of
//! the columns: a decimal for a column that was `real` and is `numeric` now would lose its digits without a word. So a
//! parameter whose argument a cast could change stands in a `CASE` that first asks whether what its type was inferred from is
//! what it was. `(NULL::t).a` has the type that the column has when the server analyses the text, and `pg_typeof` is no
//! constant to the planner, so the answer is always about the text that runs. If it is no, a cast fails in a way that is like
//! no other.
//!
//! This file builds text and must not know connections; `terms` asks the catalog.

mod terms;

use std::collections::BTreeSet;

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

use crate::{
    places::{Shift, in_place, with_placeholders},
    plan::{Filling, Form, targets},
};

use terms::Condition;
pub(crate) use terms::Terms;

/// What a guarded parameter fails with: the server shows it in quotes, in every language.
pub(crate) const CHANGED: &str = "toolbox: the types of the parameters have changed";

/// Most that the conditions of one text may weigh. One takes some hundred bytes, and about 25 ns a row.
const MOST: usize = 4_096;

/// A guarded text, and how it moves the places of the one that it guards.
pub(crate) type Guarded = (String, Shift);

/// The text that runs (`text`, made from the caller's `statement`) with guards for these parameters, counted from 0; `None` if
/// it is not known what the type of one of them was inferred from, or if there would be too many conditions.
pub(crate) fn guarded(
    text: &str,
    statement: &str,
    form: Form,
    parameters: &BTreeSet<usize>,
    terms: &Terms,
) -> Option<Guarded> {
    let direct = Direct::read(statement, form);
    let mut conditions = Vec::new();
    for parameter in parameters {
        let of = match direct.columns(*parameter, terms) {
            Some(columns) => columns,
            None => terms.all()?,
        };
        if of.is_empty() {
            return None;
        }
        conditions.push((*parameter, of));
    }
    let condition = |place: usize| conditions.iter().find(|(parameter, _)| *parameter == place);
    let mut weight = 0_usize;
    let guarded = with_placeholders(text, |place, is_column| {
        let (_, of) = condition(place)?;
        weight = of.iter().fold(weight, |sum, condition| sum.saturating_add(condition.weight));
        if weight > MOST {
            return None;
        }
        let of: Vec<&str> = of.iter().map(|condition| condition.text.as_str()).collect();
        Some(guard(place + 1, &of.join(" AND "), is_column))
    });
    (weight <= MOST).then_some(guarded)
}

/// The expression of a parameter's own type that stands for it. All of its results are the parameter, so that a domain stays
/// one.
fn guard(number: usize, condition: &str, is_column: bool) -> String {
    let case = format!(
        "CASE WHEN {condition} THEN ${number} WHEN pg_catalog.concat('{CHANGED}')::pg_catalog.bool THEN ${number} ELSE ${number} END"
    );
    in_place(&case, is_column)
}

/// The columns of which parameters are the whole new values wherever they stand.
struct Direct {
    table: String,
    targets: Vec<Filling>,
    /// The parameters of all placeholders.
    placeholders: Vec<usize>,
}

impl Direct {
    fn read(statement: &str, form: Form) -> Self {
        let (table, targets) =
            targets(statement, form).map(|targets| (targets.table, targets.fillings)).unwrap_or_default();
        let number = |token: Token<'_>| match token.kind {
            TokenKind::Placeholder(Some(number)) => number.checked_sub(1),
            _ => None,
        };
        let placeholders = Tokens::new(statement, &Lexicon::POSTGRES).filter_map(number).collect();
        Self { table, targets, placeholders }
    }

    /// The conditions of the columns of a parameter; `None` if it also stands elsewhere, or if the table is not known.
    fn columns(&self, parameter: usize, terms: &Terms) -> Option<Vec<Condition>> {
        let targets =
            self.targets.iter().filter(|filling| filling.is_whole && filling.parameter == parameter);
        let places = self.placeholders.iter().filter(|place| **place == parameter).count();
        let found: Option<Vec<Condition>> =
            targets.map(|filling| terms.column(&self.table, &filling.target)).collect();
        found.filter(|found| found.len() == places)
    }
}

/// The names in a text that may be those of tables and functions.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Names {
    /// As they are spelled: alone, and with the name before the point.
    pub(crate) tables: Vec<(String, bool)>,
    /// Of what looks like a call, as the catalog has them.
    pub(crate) functions: Vec<String>,
}

impl Names {
    /// The names in a statement; `None` if it has some that are not read here.
    pub(crate) fn of(statement: &str) -> Option<Self> {
        let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::POSTGRES).collect();
        let is_name = |token: &Token<'_>| matches!(token.kind, TokenKind::Word | TokenKind::Name);
        let (mut tables, mut functions) = (BTreeSet::new(), BTreeSet::new());
        for (place, token) in tokens.iter().enumerate().filter(|(_, token)| is_name(token)) {
            let next = |ahead: usize| tokens.get(place + ahead);
            let is_symbol =
                |ahead: usize, symbol: &str| next(ahead).is_some_and(|token| token.is_symbol(symbol));
            // A name of escapes, U&"…".
            if token.is_word("U")
                && is_symbol(1, "&")
                && next(2).is_some_and(|token| token.kind == TokenKind::Name)
            {
                return None;
            }
            tables.insert((token.text.to_owned(), true));
            if is_symbol(1, ".")
                && let Some(second) = next(2).filter(|token| is_name(token))
            {
                tables.insert((format!("{}.{}", token.text, second.text), false));
            }
            if is_symbol(1, "(")
                && let Some(name) = token.name()
            {
                let is_quoted = token.kind == TokenKind::Name;
                functions.insert(if is_quoted { name.into_owned() } else { name.to_ascii_lowercase() });
            }
        }
        Some(Self { tables: tables.into_iter().collect(), functions: functions.into_iter().collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn every_name_may_be_that_of_a_table_or_of_a_function() {
        let names = Names::of("UPDATE s . \"T\"\"x\" AS a SET b = S.F($1) -- no\nWHERE $q$ x.y $q$ <> 'z'");
        let names = names.unwrap_or_default();
        for (table, is_bare) in
            [("s", true), ("\"T\"\"x\"", true), ("s.\"T\"\"x\"", false), ("S.F", false), ("b", true)]
        {
            assert!(names.tables.contains(&(table.to_owned(), is_bare)), "{table} {names:?}");
        }
        assert!(names.tables.iter().all(|(name, _)| !name.contains(['z', 'y'])), "{names:?}");
        assert_eq!(names.functions, ["f"]);
        assert_eq!(Names::of("UPDATE u & \"t\" SET a = 1"), None);
        assert!(Names::of("SELECT U&'x', u & 1").is_some());
    }
}
