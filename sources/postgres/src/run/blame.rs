//! Which arguments a refused value is made of, by what the server says of it and where they stand in the statement.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use toolbox_source::{
    Value,
    scan::{
        Lexicon, Token, TokenKind, Tokens,
        places::{Place, places},
    },
};

use crate::{
    error::Refused,
    plan::{Part, Standing},
};

/// An argument that goes into a column.
pub(super) struct Suspect<'c> {
    pub(super) index: usize,
    pub(super) column: &'c str,
    /// The type of the column, as the server writes it.
    pub(super) kind: &'c str,
    /// Whether it is the whole value.
    pub(super) is_whole: bool,
    /// Where it begins in the statement, in bytes.
    pub(super) at: usize,
}

/// The codes of values that are no texts of their types, which the message shows.
const MALFORMED: [&str; 3] = ["22007", "22008", "22P02"];

/// Codes of values of one kind (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
const TOO_LONG: &str = "22001";
const OUT_OF_RANGE: &str = "22003";
const BY_ZERO: &str = "22012";
const OTHER_LENGTH: &str = "22026";
const BAD_PATTERN: &str = "2201B";
const NULL: &str = "23502";

/// Codes of patterns and of the character with which they escape.
const ESCAPES: [&str; 2] = ["22019", "22025"];

/// The words before such a pattern.
const LIKES: [&str; 3] = ["ILIKE", "LIKE", "TO"];

pub(super) struct Blame<'a> {
    statement: &'a str,
    arguments: &'a [Value],
    said: Refused<'a>,
    /// The parameter of each placeholder, from 0, where it begins in the statement, what is around it, and the word before it.
    places: Vec<(usize, usize, Place, &'a str)>,
    /// Those of which nobody knows that they are not to blame.
    pub(super) open: BTreeSet<usize>,
}

impl<'a> Blame<'a> {
    pub(super) fn new(statement: &'a str, arguments: &'a [Value], said: Refused<'a>) -> Self {
        let mut before = "";
        let placeholder = |token: Token<'a>| {
            let word = std::mem::replace(&mut before, token.text);
            match token.kind {
                TokenKind::Placeholder(number) => Some((number, token.start, word)),
                _ => None,
            }
        };
        let placeholders = Tokens::new(statement, &Lexicon::POSTGRES).filter_map(placeholder);
        let places = placeholders
            .zip(places(statement, &Lexicon::POSTGRES))
            .filter_map(|((number, at, word), place)| Some((number?.checked_sub(1)?, at, place, word)))
            .collect();
        Self { statement, arguments, said, places, open: (0..arguments.len()).collect() }
    }

    pub(super) fn detail(&self) -> &'a str {
        self.said.detail
    }

    /// The column that takes no null.
    pub(super) fn column_without_nulls(&self) -> Option<&'a str> {
        self.said.column.filter(|_| self.said.code == NULL && !self.said.is_in_routine())
    }

    /// The schema and the name of the table of which a constraint does not hold.
    pub(super) fn broken(&self) -> Option<(&'a str, &'a str)> {
        self.said.table.filter(|_| self.said.code.starts_with("23") && self.said.domain.is_none())
    }

    pub(super) fn constraint(&self) -> Option<&'a str> {
        self.said.constraint
    }

    pub(super) fn is_of_domain(&self) -> bool {
        self.said.domain.is_some()
    }

    /// What is around the argument that begins there.
    pub(super) fn place_at(&self, at: usize) -> Option<Place> {
        let place = self.places.binary_search_by_key(&at, |(_, at, ..)| *at).ok()?;
        self.places.get(place).map(|(_, _, place, _)| *place)
    }

    /// Whether an argument is only compared in the expression of a new value.
    pub(super) fn is_condition(&self, suspect: &Suspect<'_>) -> bool {
        let is_compared = |place: Place| matches!(place, Place::Whole | Place::ChosenToCompare);
        !suspect.is_whole && self.places_of(suspect.index).all(is_compared)
    }

    /// Whether what is in a part of the statement cannot be what the code is about.
    pub(super) fn is_aside(&self, part: Part) -> bool {
        match part {
            Part::Value => false,
            // Only what is stored is measured.
            Part::Aside => [TOO_LONG, OTHER_LENGTH].contains(&self.said.code) || self.is_of_domain(),
            Part::Limit | Part::Offset => true,
        }
    }

    /// Those that a code is about by where they stand.
    pub(super) fn of_counts(&self, standings: &[Standing]) -> Option<Vec<usize>> {
        let is_negative = |index: &usize| match self.arguments.get(*index) {
            Some(Value::Int(number)) => *number < 0,
            Some(Value::Float(number)) => *number < 0.0,
            Some(Value::Decimal(digits) | Value::Text(digits)) => digits.trim_start().starts_with('-'),
            _ => false,
        };
        let of_part = |part: Part| {
            let of_part = standings.iter().filter(|standing| standing.part == part);
            of_part.map(|standing| standing.parameter).filter(is_negative).collect()
        };
        match self.said.code {
            "2201W" => return Some(of_part(Part::Limit)),
            "2201X" => return Some(of_part(Part::Offset)),
            _ => {}
        }
        if !ESCAPES.contains(&self.said.code) {
            return None;
        }
        let behind = |words: &[&str]| {
            let is_behind = |word: &str| words.iter().any(|other| other.eq_ignore_ascii_case(word));
            let behind = self.places.iter().filter(move |(.., word)| is_behind(word));
            behind.map(|(index, ..)| *index).filter(|index| self.is_given(*index)).collect::<Vec<_>>()
        };
        let is_one = |index: &usize| self.text(*index).is_some_and(|text| text.chars().count() < 2);
        let (escapes, patterns) = (behind(&["ESCAPE"]), behind(&LIKES));
        let found = if escapes.iter().all(is_one) { patterns } else { escapes };
        (!found.is_empty()).then_some(found)
    }

    /// Those that a column without nulls gets: a null, or what a null is made of.
    pub(super) fn of_null(&self, suspects: &[Suspect<'_>], column: &str) -> Vec<usize> {
        let of_column: Vec<&Suspect<'_>> =
            suspects.iter().filter(|suspect| suspect.column == column).collect();
        let indexes = |is: &dyn Fn(&Suspect<'_>) -> bool| -> Vec<usize> {
            of_column.iter().filter(|suspect| is(suspect)).map(|suspect| suspect.index).collect()
        };
        let nulls = indexes(&|suspect| !self.is_given(suspect.index));
        if nulls.is_empty() {
            indexes(&|suspect| !suspect.is_whole && self.place_at(suspect.at) != Some(Place::Chosen))
        } else {
            nulls
        }
    }

    /// Of those that fail in an expression the ones in the narrowest, and of these the ones that the server shows.
    pub(super) fn narrowest(&self, guilty: &[(usize, Range<usize>)]) -> Vec<usize> {
        let is_within = |inner: &Range<usize>, outer: &Range<usize>| {
            inner != outer && outer.start <= inner.start && inner.end <= outer.end
        };
        let is_narrowest = |unit: &Range<usize>| !guilty.iter().any(|(_, other)| is_within(other, unit));
        let found: Vec<usize> =
            guilty.iter().filter(|(_, unit)| is_narrowest(unit)).map(|(index, _)| *index).collect();
        let can_be = |index: &usize| self.arguments.get(*index).is_some_and(|argument| self.can_be(argument));
        for narrower in [self.shown(&found), found.iter().copied().filter(can_be).collect()] {
            if !narrower.is_empty() {
                return narrower;
            }
        }
        found
    }

    /// Those that go into columns of the type that the server names, or the rest. The other columns are of these types.
    pub(super) fn of_types(&self, suspects: &[Suspect<'_>], others: &[&str]) -> Vec<usize> {
        // Whole values were tried, and so were those of which one is chosen.
        let is_made = |suspect: &&Suspect<'_>| {
            !suspect.is_whole && self.places_of(suspect.index).any(|place| place != Place::Chosen)
        };
        let is_said = |kind: &str| match self.said.domain {
            Some(domain) => kind == domain,
            None => says(self.said.message, kind),
        };
        let said: Vec<&Suspect<'_>> = suspects.iter().filter(|suspect| is_said(suspect.kind)).collect();
        let shown = self.shown(&self.candidates());
        if !shown.is_empty() {
            return shown;
        }
        if !self.shows_a_value() {
            if others.iter().any(|kind| is_said(kind)) {
                // What is made of rows may as well be to blame.
                return Vec::new();
            }
            if !said.is_empty() {
                let found = said.iter().copied().filter(is_made).map(|suspect| suspect.index);
                return found.filter(|index| self.open.contains(index)).collect();
            }
        }
        self.of_the_rest()
    }

    /// Those whose value the server shows, or with which the statement does something: it neither stores them as they are nor
    /// compares them.
    pub(super) fn of_the_rest(&self) -> Vec<usize> {
        let shown = self.shown(&self.candidates());
        if !shown.is_empty() || self.said.code.starts_with("42") {
            return shown;
        }
        // A `LIKE` takes other patterns.
        let is_like = |word: &str| {
            self.said.code == BAD_PATTERN && LIKES.iter().any(|like| like.eq_ignore_ascii_case(word))
        };
        let is_made = |index: &usize| {
            let mut places = self.places.iter().filter(|(other, ..)| other == index);
            places.any(|(_, _, place, word)| *place != Place::Whole && !is_like(word))
        };
        let mut found: Vec<usize> = self.candidates().into_iter().filter(is_made).collect();
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

    fn candidates(&self) -> Vec<usize> {
        self.open.iter().copied().filter(|index| self.is_given(*index)).collect()
    }

    /// Those of them whose text the message has in quotes, unless the statement has it too.
    fn shown(&self, of: &[usize]) -> Vec<usize> {
        let quoted = self.said.quoted();
        let literals =
            Tokens::new(self.statement, &Lexicon::POSTGRES).filter(|token| token.kind == TokenKind::Text);
        let own: Vec<Cow<'_, str>> = literals.filter_map(|token| token.name()).collect();
        let is_shown = |text: &str| quoted.contains(&text) && !own.iter().any(|own| own == text);
        of.iter().copied().filter(|index| self.text(*index).is_some_and(|text| is_shown(&text))).collect()
    }

    pub(super) fn is_given(&self, index: usize) -> bool {
        self.arguments.get(index).is_some_and(|argument| *argument != Value::Null)
    }

    fn places_of(&self, index: usize) -> impl Iterator<Item = Place> {
        self.places.iter().filter(move |(number, ..)| *number == index).map(|(_, _, place, _)| *place)
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
