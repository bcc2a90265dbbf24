//! Which arguments a refused value is made of, by what the server says of it and where they stand in the statement.

use std::borrow::Cow;

use toolbox_source::{
    Value,
    scan::{
        Lexicon, TokenKind, Tokens,
        places::{Place, places},
    },
};

use crate::error::Refused;

/// An argument that goes into a column.
pub(super) struct Suspect<'c> {
    pub(super) index: usize,
    pub(super) column: &'c str,
    /// The type of the column, as the server writes it.
    pub(super) kind: &'c str,
    /// Whether it is the whole value.
    pub(super) is_whole: bool,
}

/// The codes of values that are no texts of their types, which the message shows.
const MALFORMED: [&str; 3] = ["22007", "22008", "22P02"];

/// Codes of values of one kind (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
const TOO_LONG: &str = "22001";
const OUT_OF_RANGE: &str = "22003";
const BY_ZERO: &str = "22012";
const OTHER_LENGTH: &str = "22026";
const BAD_PATTERN: &str = "2201B";
const CHECK: &str = "23514";

pub(super) struct Blame<'a> {
    statement: &'a str,
    arguments: &'a [Value],
    said: Refused<'a>,
    /// Where each placeholder stands, with its parameter from 0.
    places: Vec<(usize, Place)>,
}

impl<'a> Blame<'a> {
    pub(super) fn new(statement: &'a str, arguments: &'a [Value], said: Refused<'a>) -> Self {
        let numbers = Tokens::new(statement, &Lexicon::POSTGRES).filter_map(|token| match token.kind {
            TokenKind::Placeholder(number) => Some(number.and_then(|number| number.checked_sub(1))),
            _ => None,
        });
        let places = numbers
            .zip(places(statement, &Lexicon::POSTGRES))
            .filter_map(|(number, place)| Some((number?, place)))
            .collect();
        Self { statement, arguments, said, places }
    }

    /// The constraint of a table that does not hold, with the schema and the name of that.
    pub(super) fn constraint(&self) -> Option<(&'a str, &'a str, &'a str)> {
        self.said.constraint
    }

    /// The columns whose values no partition takes.
    pub(super) fn partition_key(&self) -> Option<Vec<String>> {
        let (names, _) = self.said.detail.split_once(") = (").filter(|_| self.said.code == CHECK)?;
        let (_, names) = names.split_once('(')?;
        Some(names.split(", ").map(|name| name.trim_matches('"').replace("\"\"", "\"")).collect())
    }

    /// Whether an argument is only compared in the expression of a new value.
    pub(super) fn is_condition(&self, suspect: &Suspect<'_>) -> bool {
        let is_compared = |place: Place| matches!(place, Place::Whole | Place::ChosenToCompare);
        !suspect.is_whole && self.places_of(suspect.index).all(is_compared)
    }

    /// Those that go into columns of which a constraint does not hold.
    pub(super) fn of_columns(&self, suspects: &[Suspect<'_>], names: &[String]) -> Vec<usize> {
        let is_of = |suspect: &&Suspect<'_>| {
            names.iter().any(|name| name == suspect.column) && self.is_given(suspect.index)
        };
        let found: Vec<usize> = suspects.iter().filter(is_of).map(|suspect| suspect.index).collect();
        // Of a unique key the server shows the values, which tells the rows of one statement apart.
        let shown = self.said.detail.split_once(")=(").and_then(|(_, shown)| Some(shown.split_once(')')?.0));
        let is_shown = |index: &usize| self.text(*index).as_deref() == shown;
        let alike: Vec<usize> = found.iter().copied().filter(is_shown).collect();
        if names.len() == 1 && !alike.is_empty() { alike } else { found }
    }

    /// Those that go into columns of the type that the server names, or the rest.
    pub(super) fn of_types(&self, suspects: &[Suspect<'_>]) -> Vec<usize> {
        // Whole values were tried, and so were those of which one is chosen.
        let is_made = |suspect: &&Suspect<'_>| {
            !suspect.is_whole && self.places_of(suspect.index).any(|place| place != Place::Chosen)
        };
        let is_said = |suspect: &&Suspect<'_>| match self.said.domain {
            Some(domain) => suspect.kind == domain,
            None => says(self.said.message, suspect.kind),
        };
        let said: Vec<&Suspect<'_>> = suspects.iter().filter(is_said).collect();
        let found: Vec<usize> = said
            .iter()
            .copied()
            .filter(is_made)
            .map(|suspect| suspect.index)
            .filter(|index| self.is_given(*index))
            .collect();
        let shown = self.shown();
        match (shown.is_empty(), said.is_empty() || self.shows_a_value()) {
            (false, _) => shown,
            (true, false) => found,
            (true, true) => self.of_the_rest(),
        }
    }

    /// Those whose value the server shows, or with which the statement does something: it neither stores them as they are nor
    /// compares them.
    pub(super) fn of_the_rest(&self) -> Vec<usize> {
        let shown = self.shown();
        if !shown.is_empty() || self.said.code.starts_with("42") {
            return shown;
        }
        let is_made = |index: &usize| self.places_of(*index).any(|place| place != Place::Whole);
        let mut found: Vec<usize> =
            (0..self.arguments.len()).filter(|index| self.is_given(*index)).filter(is_made).collect();
        if self.shows_a_value() {
            // What is made of a value may still have its text.
            let mut shown: Vec<String> = self.said.quoted().into_iter().map(str::to_lowercase).collect();
            if shown.is_empty() {
                // `JSON data, line 1: {x`
                let data = self.said.context.split_once(": ").map_or("", |(_, data)| data);
                shown.push(data.to_lowercase());
            }
            let is_in = |text: &str| !text.is_empty() && shown.iter().any(|shown| shown.contains(text));
            found.retain(|index| self.text(*index).is_some_and(|text| is_in(&text.to_lowercase())));
        }
        found.retain(|index| self.arguments.get(*index).is_some_and(|argument| self.can_be(argument)));
        if self.said.is_in_routine() && found.len() > 1 {
            // What the routine makes of them is its own.
            found.clear();
        }
        found
    }

    /// Whether a value of this kind can be what the code is about.
    fn can_be(&self, argument: &Value) -> bool {
        let is_number =
            matches!(argument, Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Decimal(_));
        match self.said.code {
            TOO_LONG | OTHER_LENGTH => match argument {
                Value::Text(text) => limit(self.said.message).is_none_or(|most| text.chars().count() > most),
                Value::Array(_) | Value::Json(_) => true,
                _ => false,
            },
            OUT_OF_RANGE => is_number,
            BY_ZERO => match argument {
                Value::Float(number) => *number == 0.0,
                Value::Decimal(digits) => digits.parse() == Ok(0.0),
                number => *number == Value::Int(0),
            },
            BAD_PATTERN => matches!(argument, Value::Text(_)),
            _ => true,
        }
    }

    /// Whether the message shows the value, in quotes, or the context of one that is no JSON.
    fn shows_a_value(&self) -> bool {
        let is_shown =
            !self.said.quoted().is_empty() || !self.said.context.is_empty() && !self.said.is_in_routine();
        MALFORMED.contains(&self.said.code) && is_shown
    }

    /// Those whose text the message has in quotes, unless the statement has it too.
    fn shown(&self) -> Vec<usize> {
        let quoted = self.said.quoted();
        let literals =
            Tokens::new(self.statement, &Lexicon::POSTGRES).filter(|token| token.kind == TokenKind::Text);
        let own: Vec<Cow<'_, str>> = literals.filter_map(|token| token.name()).collect();
        let is_shown = |text: &str| quoted.contains(&text) && !own.iter().any(|own| own == text);
        (0..self.arguments.len())
            .filter(|index| self.text(*index).is_some_and(|text| is_shown(&text)))
            .collect()
    }

    fn is_given(&self, index: usize) -> bool {
        self.arguments.get(index).is_some_and(|argument| *argument != Value::Null)
    }

    fn places_of(&self, index: usize) -> impl Iterator<Item = Place> {
        self.places.iter().filter(move |(number, _)| *number == index).map(|(_, place)| *place)
    }

    /// An argument as the server would write it, if that is certain.
    fn text(&self, index: usize) -> Option<Cow<'_, str>> {
        match self.arguments.get(index)? {
            Value::Text(text) | Value::Decimal(text) => Some(Cow::Borrowed(text)),
            Value::Int(number) => Some(Cow::Owned(number.to_string())),
            Value::UInt(number) => Some(Cow::Owned(number.to_string())),
            Value::Float(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        }
    }
}

/// The number in `character varying(3)`.
fn limit(message: &str) -> Option<usize> {
    message.rsplit_once('(')?.1.split_once(')')?.0.parse().ok()
}

/// Whether a message names a type: all of `character varying(3)`, or the first word of `timestamp without time zone`.
fn says(message: &str, kind: &str) -> bool {
    let kind = kind.trim_end_matches("[]");
    if message.contains('(') {
        return kind.contains('(') && message.contains(kind);
    }
    let first = kind.split([' ', '(']).next().unwrap_or_default();
    message.split(|character: char| !character.is_alphanumeric()).any(|word| word == first)
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn a_message_names_a_type_by_all_of_it_or_by_its_first_word() {
        for (message, kind, is_said) in [
            ("value too long for type character varying(3)", "character varying(3)", true),
            ("value too long for type character varying(3)", "character varying(3)[]", true),
            ("value too long for type character varying(3)", "character varying(30)", false),
            ("value too long for type character varying(3)", "character varying", false),
            ("smallint out of range", "smallint", true),
            ("smallint out of range", "integer", false),
            ("bigint out of range", "int", false),
            ("numeric field overflow", "numeric(5,2)", true),
            ("timestamp out of range", "timestamp without time zone", true),
            ("Feldüberlauf bei Typ »numeric«", "numeric(5,2)", true),
        ] {
            assert_eq!(says(message, kind), is_said, "{message} {kind}");
        }
    }
}
