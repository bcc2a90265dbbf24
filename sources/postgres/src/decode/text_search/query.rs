//! `tsquery`: operators and lexemes, brought from the order in which they are sent into the order in which they are read.

use std::fmt::Write as _;

use super::{
    super::{reader::Reader, text},
    push_quoted,
};

/// A part of a query. Each operator comes before its operands, and its right operand before its left one.
#[derive(Debug)]
enum Item<'a> {
    Lexeme {
        lexeme: &'a str,
        /// One bit for each weight that it asks for: 8 is A, 1 is D.
        weights: u8,
        is_prefix: bool,
    },
    Not,
    Pair(Pair),
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug)]
enum Pair {
    And,
    Or,
    /// How many places the right operand follows the left one.
    Phrase(u16),
}

/// What is still to be shown.
enum Step {
    Item {
        index: usize,
        /// How tightly the operator around it binds.
        around: u8,
        /// Whether it is the right operand of a phrase.
        follows: bool,
    },
    Operator(Pair),
    Close,
}

/// How tightly `!` binds: nothing in it goes without parentheses.
const NOT: u8 = 4;

impl Pair {
    /// How tightly it binds.
    fn priority(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Phrase(_) => 3,
        }
    }
}

/// The query with the parentheses that it needs: `'fat' & ( 'rat' | !'cat':*AB )`. Steps wait in a list, because a query may
/// be deeper than a stack of calls.
pub(in super::super) fn query(reader: &mut Reader<'_>) -> Result<String, String> {
    let mut shown = String::with_capacity(reader.left() * 2);
    let mut items = Vec::new();
    for _ in 0..reader.i32()? {
        items.push(item(reader)?);
    }
    let lefts = left_operands(&items)?;
    let mut steps = Vec::new();
    if !items.is_empty() {
        steps.push(Step::Item { index: 0, around: 0, follows: false });
    }
    while let Some(step) = steps.pop() {
        let (index, around, follows) = match step {
            Step::Item { index, around, follows } => (index, around, follows),
            Step::Operator(pair) => {
                push_operator(&mut shown, pair);
                continue;
            }
            Step::Close => {
                shown.push_str(" )");
                continue;
            }
        };
        match items.get(index).ok_or_else(malformed)? {
            Item::Lexeme { lexeme, weights, is_prefix } => {
                push_quoted(&mut shown, lexeme);
                push_options(&mut shown, *weights, *is_prefix);
            }
            Item::Not => {
                shown.push('!');
                steps.push(Step::Item { index: index + 1, around: NOT, follows: false });
            }
            Item::Pair(pair) => {
                let is_phrase = matches!(pair, Pair::Phrase(_));
                let priority = pair.priority();
                // Phrases in a row are read from the left.
                if priority < around || (is_phrase && follows) {
                    shown.push_str("( ");
                    steps.push(Step::Close);
                }
                let left = lefts.get(index).copied().ok_or_else(malformed)?;
                steps.push(Step::Item { index: index + 1, around: priority, follows: is_phrase });
                steps.push(Step::Operator(*pair));
                steps.push(Step::Item { index: left, around: priority, follows: false });
            }
        }
    }
    Ok(shown)
}

fn item<'a>(reader: &mut Reader<'a>) -> Result<Item<'a>, String> {
    match reader.u8()? {
        1 => {
            let (weights, prefix) = (reader.u8()?, reader.u8()?);
            let lexeme = text(reader.terminated()?)?;
            Ok(Item::Lexeme { lexeme, weights, is_prefix: prefix != 0 })
        }
        2 => match reader.u8()? {
            1 => Ok(Item::Not),
            2 => Ok(Item::Pair(Pair::And)),
            3 => Ok(Item::Pair(Pair::Or)),
            4 => Ok(Item::Pair(Pair::Phrase(reader.u16()?))),
            operator => Err(format!("a text search query has an unknown operator ({operator})")),
        },
        kind => Err(format!("a text search query has a part of an unknown kind ({kind})")),
    }
}

/// Where the left operand of each operator of two operands is, after all of its right one. Every item must belong to the
/// first one.
fn left_operands(items: &[Item<'_>]) -> Result<Vec<usize>, String> {
    let mut lefts = vec![0; items.len()];
    // Where the next item after each one and its operands is.
    let mut ends = vec![0; items.len() + 1];
    let end_of = |ends: &[usize], index: usize| match ends.get(index) {
        Some(end) if index < items.len() => Ok(*end),
        _ => Err(malformed()),
    };
    for (index, item) in items.iter().enumerate().rev() {
        let end = match item {
            Item::Lexeme { .. } => index + 1,
            Item::Not => end_of(&ends, index + 1)?,
            Item::Pair(_) => {
                let left = end_of(&ends, index + 1)?;
                if let Some(place) = lefts.get_mut(index) {
                    *place = left;
                }
                end_of(&ends, left)?
            }
        };
        if let Some(place) = ends.get_mut(index) {
            *place = end;
        }
    }
    match ends.first() {
        Some(end) if *end == items.len() => Ok(lefts),
        _ => Err(malformed()),
    }
}

fn malformed() -> String {
    "a text search query has operators without operands, or parts without an operator".to_owned()
}

fn push_operator(shown: &mut String, pair: Pair) {
    match pair {
        Pair::And => shown.push_str(" & "),
        Pair::Or => shown.push_str(" | "),
        Pair::Phrase(1) => shown.push_str(" <-> "),
        // Writing to a String cannot fail.
        Pair::Phrase(distance) => {
            let _ = write!(shown, " <{distance}> ");
        }
    }
}

/// What follows a lexeme: `:*AB`.
fn push_options(shown: &mut String, weights: u8, is_prefix: bool) {
    if weights == 0 && !is_prefix {
        return;
    }
    shown.push(':');
    if is_prefix {
        shown.push('*');
    }
    for (bit, letter) in [(8, 'A'), (4, 'B'), (2, 'C'), (1, 'D')] {
        if weights & bit != 0 {
            shown.push(letter);
        }
    }
}
