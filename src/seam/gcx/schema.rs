//! Which of the two cell rules is the shorter one for a table, and the letter of each column under the schema rule.
//!
//! The text is not written twice for that. Outside columns of text both rules write the same cells but for text among other
//! things; so what the schema rule saves is the quotes of text that looks like JSON, and what it costs is the letters.

use std::borrow::Cow;

use toolbox_source::Value;

use super::{
    Table,
    cell::{self, Cell, Place},
};
use crate::seam::{number, sink::Count};

/// The type of a column. In a column of any type an empty cell is null; if there is only one column, null is `null`, since
/// an empty line is no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letter {
    /// `i`: integers of 64 bits.
    Int,
    /// `f`: doubles.
    Float,
    /// `d`: numbers of which every digit counts: decimals, integers beyond 64 bits, numbers of several kinds.
    Digits,
    /// `b`: booleans.
    Bool,
    /// `s`: text, bare unless it is empty, begins with `"`, holds a carriage return or would break the line's meaning; then
    /// it is a JSON string.
    Text,
    /// `j`: any JSON.
    Json,
}

impl Letter {
    pub(super) fn as_char(self) -> char {
        match self {
            Self::Int => 'i',
            Self::Float => 'f',
            Self::Digits => 'd',
            Self::Bool => 'b',
            Self::Text => 's',
            Self::Json => 'j',
        }
    }
}

/// What was seen in a column.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    /// A bit for each kind of cell.
    kinds: u8,
    /// Bytes of the texts that the two rules write in two ways: as the typed rule does, and as a column of text does.
    typed: usize,
    of_text: usize,
}

const NULL: u8 = 1;
const INT: u8 = 2;
const FLOAT: u8 = 4;
const DIGITS: u8 = 8;
const BOOL: u8 = 16;
const TEXT: u8 = 32;
const NESTED: u8 = 64;

const NUMBERS: u8 = INT | FLOAT | DIGITS;

impl Column {
    fn look_at_text(&mut self, text: &str, typed: Place) {
        self.kinds |= TEXT;
        match text.as_bytes() {
            // A number, most of the time, with nothing to escape: two quotes more.
            [b'0'..=b'9' | b'-', .., b'0'..=b'9'] | [b'0'..=b'9'] if number::form(text).is_some() => {
                self.typed += text.len() + 2;
                self.of_text += text.len();
            }
            [b'"', ..] => self.measure(text, typed),
            _ if cell::is_taken_for_json(text) => self.measure(text, typed),
            _ => {}
        }
    }

    fn measure(&mut self, text: &str, typed: Place) {
        let cell = Cell::Text(Cow::Borrowed(text));
        self.typed += length(&cell, typed);
        self.of_text += length(&cell, Place { letter: Some(Letter::Text), ..typed });
    }

    fn letter(self, single: bool) -> Letter {
        match self.kinds & !NULL {
            // `null` would be a text there.
            0 | TEXT if single && self.kinds & NULL != 0 => Letter::Json,
            0 | TEXT => Letter::Text,
            BOOL => Letter::Bool,
            INT => Letter::Int,
            FLOAT => Letter::Float,
            kinds if kinds & !NUMBERS == 0 => Letter::Digits,
            _ => Letter::Json,
        }
    }
}

/// The letters, if the schema rule makes the table shorter; none for the typed rule, also where a cell is not admitted.
pub(super) fn shorter(table: &Table) -> Vec<Letter> {
    decide(table).unwrap_or_default()
}

fn decide(table: &Table) -> Option<Vec<Letter>> {
    let single = table.names.len() == 1;
    let mut columns = vec![Column::default(); table.names.len()];
    for row in &table.rows {
        for (index, (column, value)) in columns.iter_mut().zip(row).enumerate() {
            let typed = Place { letter: None, first: index == 0, single };
            match value {
                // Most cells, seen without being turned into anything.
                Value::Null => column.kinds |= NULL,
                Value::Int(_) => column.kinds |= INT,
                Value::Text(text) => column.look_at_text(text, typed),
                value => match Cell::of(value)? {
                    Cell::Text(text) => column.look_at_text(&text, typed),
                    cell => column.kinds |= kind(&cell),
                },
            }
        }
    }
    let letters: Vec<Letter> = columns.iter().map(|column| column.letter(single)).collect();
    let mut typed = 0;
    let mut with_letters = " types=".len() + letters.len();
    for (column, _) in columns.iter().zip(&letters).filter(|(_, letter)| **letter == Letter::Text) {
        typed += column.typed;
        with_letters += column.of_text;
    }
    let shorter =
        with_letters < typed && with_letters + quotes_of_mixed_columns(table, &columns, &letters) < typed;
    shorter.then_some(letters)
}

fn kind(cell: &Cell<'_>) -> u8 {
    match cell {
        Cell::Null => NULL,
        Cell::Bool(_) => BOOL,
        Cell::Int(_) => INT,
        Cell::Float(_) => FLOAT,
        Cell::UInt(_) | Cell::Digits(_) => DIGITS,
        Cell::Text(_) => TEXT,
        Cell::Nested(_) => NESTED,
    }
}

/// Bytes by which text is longer in columns of the letter `j`, where it is a JSON string always.
fn quotes_of_mixed_columns(table: &Table, columns: &[Column], letters: &[Letter]) -> usize {
    let mut cost = 0;
    for (index, (column, letter)) in columns.iter().zip(letters).enumerate() {
        if *letter != Letter::Json || column.kinds & TEXT == 0 {
            continue;
        }
        for cell in table.rows.iter().filter_map(|row| row.get(index).and_then(Cell::of)) {
            if matches!(cell, Cell::Text(_)) {
                let quoted = Place { letter: Some(*letter), first: index == 0, single: letters.len() == 1 };
                cost += length(&cell, quoted) - length(&cell, Place { letter: None, ..quoted });
            }
        }
    }
    cost
}

fn length(cell: &Cell<'_>, place: Place) -> usize {
    let mut count = Count::default();
    cell::write(&mut count, cell, place);
    count.0
}
