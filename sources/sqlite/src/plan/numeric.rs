//! Which arguments are only compared or computed with. There a number must be a number: `SQLite` compares a text with a number by
//! their types alone, unless one side is a column of numbers (<https://www.sqlite.org/datatype3.html#comparisons>), and JSON
//! makes a string of a text.

use toolbox_source::scan::{
    Lexicon, Token, Tokens,
    places::{Place, places},
};

use super::{Filling, numbered, targets};

/// The functions that make JSON of their arguments.
const OF_JSON: [&str; 11] = [
    "JSON_ARRAY",
    "JSON_ARRAY_INSERT",
    "JSON_GROUP_ARRAY",
    "JSON_GROUP_OBJECT",
    "JSON_INSERT",
    "JSON_OBJECT",
    "JSON_QUOTE",
    "JSON_REPLACE",
    "JSON_SET",
    "JSONB_ARRAY",
    "JSONB_SET",
];

/// These arguments, from 0.
pub(crate) fn numeric(text: &str) -> Vec<usize> {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::SQLITE).collect();
    let stored: Vec<usize> = targets(text)
        .fillings
        .iter()
        .filter(|filling| matches!(filling.part, None | Some(Place::Chosen)))
        .map(|Filling { argument, .. }| *argument)
        .collect();
    let mut numeric = Vec::new();
    let mut others = stored;
    for ((token, index), place) in numbered(&tokens).zip(places(text, &Lexicon::SQLITE)) {
        let Some(index) = index else { continue };
        let before = tokens.partition_point(|other| other.start < token.start);
        let is_numeric = match place {
            Place::Whole | Place::Chosen | Place::ChosenToCompare | Place::Computed => true,
            Place::Item | Place::Read => false,
            Place::Other => is_between(&tokens, before) || is_in_json(&tokens, before),
        };
        if is_numeric { numeric.push(index) } else { others.push(index) }
    }
    numeric.retain(|index| !others.contains(index));
    numeric.sort_unstable();
    numeric.dedup();
    numeric
}

/// `BETWEEN ?`, `BETWEEN 1 AND ?`
fn is_between(tokens: &[Token<'_>], place: usize) -> bool {
    let is = |back: usize, word: &str| {
        place.checked_sub(back).and_then(|at| tokens.get(at)).is_some_and(|token| token.is_word(word))
    };
    is(1, "BETWEEN") || is(1, "AND") && (is(3, "BETWEEN") || is(4, "BETWEEN"))
}

/// Whether it is an argument of a function that makes JSON, and nothing is made of it first.
fn is_in_json(tokens: &[Token<'_>], place: usize) -> bool {
    let is = |at: Option<usize>, symbols: [&str; 2]| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|token| symbols.iter().any(|symbol| token.is_symbol(symbol)))
    };
    if !is(place.checked_sub(1), [",", "("]) || !is(place.checked_add(1), [",", ")"]) {
        return false;
    }
    let mut depth = 0_usize;
    let opens = tokens.iter().take(place).rposition(|token| {
        if token.is_symbol(")") {
            depth += 1;
        }
        token.is_symbol("(") && {
            let is_outer = depth == 0;
            depth = depth.saturating_sub(1);
            is_outer
        }
    });
    let name = opens.and_then(|open| tokens.get(open.checked_sub(1)?));
    name.is_some_and(|name| OF_JSON.iter().any(|word| name.is_word(word)))
}

#[cfg(test)]
mod tests {
    use super::numeric;

    #[test]
    fn numbers_that_are_compared_computed_or_made_json_are_no_texts() {
        for (text, expected) in [
            (
                "SELECT 1 FROM t WHERE sum(a) > ? AND b = ? AND c BETWEEN ? AND ? AND d IN (?, ?)",
                &[0, 1, 2, 3, 4, 5][..],
            ),
            ("SELECT ?, CAST(? AS TEXT), ? || 'x', lower(?), ? + 1, max(?, 5)", &[4, 5]),
            ("INSERT INTO t VALUES (?, ? + 1, coalesce(?, 1))", &[1]),
            ("UPDATE t SET a = ?1, b = ?2 WHERE a = ?1 AND c < ?3", &[2]),
            ("UPDATE t SET j = json_set(j, '$.a', ?, '$.b', lower(?), '$.c', ? || 'x')", &[0]),
            ("SELECT json_array(1, f(2), ?)", &[0]),
        ] {
            assert_eq!(numeric(text), expected, "{text}");
        }
    }
}
