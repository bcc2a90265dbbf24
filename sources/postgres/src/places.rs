//! Where a place of the text that runs is in the caller's text: a statement around it, and what stands for its placeholders,
//! move its places. It must not know connections.

use std::sync::Arc;

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

/// How the text that runs moves the places of the caller's. Places are counted in characters, as the server counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    /// From the caller's text outwards.
    layers: Vec<Arc<[Edit]>>,
}

/// A change of a text, by its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edit {
    /// So many come before it in the text that is changed.
    at: usize,
    /// So many are replaced.
    taken: usize,
    /// So many stand in their place.
    put: usize,
}

impl Shift {
    /// So many characters stand before what comes after the first ones, `at`.
    pub(crate) fn around(at: usize, by: usize) -> Self {
        Self { layers: vec![Arc::new([Edit { at, taken: 0, put: by }])] }
    }

    /// Both, the other one around this one.
    pub(crate) fn and(&self, around: &Self) -> Self {
        Self { layers: self.layers.iter().chain(&around.layers).cloned().collect() }
    }

    /// The place in the caller's text, from 1; `None` for one in the text around it. What stands for a placeholder has the
    /// place of the placeholder.
    pub(crate) fn undo(&self, position: usize) -> Option<usize> {
        let place = position.checked_sub(1)?;
        self.layers.iter().rev().try_fold(place, |place, edits| undo(place, edits)).map(|place| place + 1)
    }
}

/// The place before the changes, from 0.
fn undo(place: usize, edits: &[Edit]) -> Option<usize> {
    let (mut taken, mut put) = (0, 0);
    for edit in edits {
        let start = edit.at + put - taken;
        if place < start {
            break;
        }
        if place < start + edit.put {
            return (edit.taken > 0).then_some(edit.at);
        }
        taken += edit.taken;
        put += edit.put;
    }
    Some(place + taken - put)
}

/// An expression that stands for a placeholder. A column is named as the placeholder alone names it.
pub(crate) fn in_place(expression: &str, is_column: bool) -> String {
    if is_column { format!("(SELECT {expression} AS \"?column?\")") } else { format!("({expression})") }
}

/// A text with something else in the place of some placeholders, and how that moves its places. Of a placeholder, the number,
/// from 0, is given, and whether it may name a column.
pub(crate) fn with_placeholders(
    text: &str,
    mut replace: impl FnMut(usize, bool) -> Option<String>,
) -> (String, Shift) {
    let mut replaced = String::with_capacity(text.len());
    let mut edits = Vec::new();
    let (mut copied, mut characters) = (0, 0);
    let mut columns = columns(text).into_iter();
    for token in Tokens::new(text, &Lexicon::POSTGRES) {
        let TokenKind::Placeholder(Some(number)) = token.kind else { continue };
        let Some(place) = number.checked_sub(1) else { continue };
        let Some(other) = replace(place, columns.next().unwrap_or_default()) else { continue };
        let before = text.get(copied..token.start).unwrap_or_default();
        characters += before.chars().count();
        edits.push(Edit { at: characters, taken: token.text.chars().count(), put: other.chars().count() });
        characters += token.text.chars().count();
        replaced.push_str(before);
        replaced.push_str(&other);
        copied = token.end();
    }
    replaced.push_str(text.get(copied..).unwrap_or_default());
    let shift = if edits.is_empty() { Shift::default() } else { Shift { layers: vec![edits.into()] } };
    (replaced, shift)
}

/// Of each placeholder, whether it may name a column of a select list: it is an item of one. With more around it than
/// parentheses, it names none, and an expression of it must stay the same everywhere, as in GROUP BY.
fn columns(text: &str) -> Vec<bool> {
    const BEGIN: [&str; 4] = ["SELECT", "DISTINCT", "ALL", "RETURNING"];
    const END: [&str; 5] = ["FROM", "INTO", "WHERE", "VALUES", "SET"];
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::POSTGRES).collect();
    // Whether each level of parentheses is in such a list.
    let mut lists = vec![false];
    let mut begins = false;
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        if matches!(token.kind, TokenKind::Placeholder(Some(1..))) {
            found.push(begins && is_whole(&tokens, place));
        }
        let list = lists.last().copied().unwrap_or_default();
        if token.is_symbol("(") {
            lists.push(begins);
            continue;
        }
        let is_one_of = |words: &[&str]| words.iter().any(|word| token.is_word(word));
        let follows = |word: &str| {
            place
                .checked_sub(1)
                .and_then(|before| tokens.get(before))
                .is_some_and(|before| before.is_word(word))
        };
        if token.is_symbol(")") {
            lists.pop();
            // The list of DISTINCT ON may end here.
            begins = lists.last().copied().unwrap_or_default();
        } else if is_one_of(&["DISTINCT", "ALL"]) && !follows("SELECT")
            || follows("DISTINCT") && is_one_of(&["FROM"])
        {
            // A comparison: IS DISTINCT FROM, = ALL ($1).
            begins = false;
        } else if is_one_of(&BEGIN) {
            if let Some(list) = lists.last_mut() {
                *list = true;
            }
            begins = true;
        } else if is_one_of(&END) {
            if let Some(list) = lists.last_mut() {
                *list = false;
            }
            begins = false;
        } else {
            begins = list && token.is_symbol(",");
        }
    }
    found
}

/// Whether no operator and no cast follows a placeholder and the parentheses around it.
fn is_whole(tokens: &[Token<'_>], place: usize) -> bool {
    let (before, after) = tokens.split_at(place);
    let opened = before.iter().rev().take_while(|token| token.is_symbol("(")).count();
    let mut after = after.iter().skip(1).enumerate();
    let next = after.find(|(closed, token)| *closed >= opened || !token.is_symbol(")"));
    next.is_none_or(|(_, token)| {
        token.kind != TokenKind::Symbol || [",", ")", ";", "["].iter().any(|symbol| token.is_symbol(symbol))
    })
}

#[cfg(test)]
mod tests {
    use super::{Shift, columns, with_placeholders};

    #[test]
    fn a_place_in_a_statement_around_the_callers_is_found_in_the_callers() {
        assert_eq!(Shift::default().undo(7), Some(7));
        let around = Shift::around(0, 10);
        assert_eq!([10, 11, 15].map(|place| around.undo(place)), [None, Some(1), Some(5)]);
        let inside = Shift::around(5, 10);
        assert_eq!(
            [1, 5, 6, 15, 16].map(|place| inside.undo(place)),
            [Some(1), Some(5), None, None, Some(6)]
        );
    }

    #[test]
    fn every_place_after_placeholders_is_found_through_several_changes() {
        let text = "SELECT 'é$1', $1, -- $2\n $12, x";
        let (cast, casts) = with_placeholders(text, |place, _| (place == 0).then(|| "($1::ä)".to_owned()));
        assert_eq!(cast, "SELECT 'é$1', ($1::ä), -- $2\n $12, x");
        let (guarded, guards) =
            with_placeholders(&format!("ab {cast}"), |place, _| Some(format!("(CASE ${})", place + 1)));
        assert_eq!(guarded, "ab SELECT 'é$1', ((CASE $1)::ä), -- $2\n (CASE $12), x");
        let shift = casts.and(&Shift::around(0, 3)).and(&guards);
        let place = |text: &str, what: &str| {
            text.find(what).and_then(|byte| text.get(..byte)).map(|before| before.chars().count() + 1)
        };
        for (ran, own) in [
            ("SELECT", "SELECT"),
            ("((CASE $1", "$1, --"),
            ("ä)", "$1, --"),
            (", --", ", --"),
            ("(CASE $12", "$12"),
            ("x", "x"),
        ] {
            let found = place(&guarded, ran).and_then(|place| shift.undo(place));
            assert_eq!(found, place(text, own), "{ran}");
        }
        assert_eq!(shift.undo(2), None);
    }

    /// Those that name no column may be in the answer too, for what stands there then has the name that it would have anyway.
    #[test]
    fn a_placeholder_that_names_a_column_is_known() {
        for (text, expected) in [
            (
                "SELECT $1, $2 AS x, a + $3, f($4), ($5) FROM t WHERE a = $6",
                [true, true, false, false, true, false],
            ),
            (
                "SELECT DISTINCT ON ($1) $2, CASE WHEN $3 THEN $4 END FROM (SELECT $5) AS x LIMIT $6",
                [false, true, false, false, true, false],
            ),
            (
                "INSERT INTO t VALUES ($1, $2), ($3, f($4)) RETURNING $5, -$6",
                [false, false, false, false, true, false],
            ),
            (
                "WITH w AS (INSERT INTO t SELECT $1 RETURNING $2) UPDATE t SET a = $3, b = $4 FROM u WHERE ($5, $6) = (1, 2)",
                [true, true, false, false, false, false],
            ),
            (
                "SELECT $1::int, (($2))::int, ($3)[1], (SELECT $4)::int, $5 * f, a <> ALL ($6) FROM t",
                [false, false, true, true, false, false],
            ),
            (
                "SELECT ALL $1, a IS NOT DISTINCT FROM $2, $3, count(DISTINCT $4), (($5)), ($6 || a)",
                [true, false, true, false, true, false],
            ),
        ] {
            assert_eq!(columns(text), expected, "{text}");
        }
    }
}
