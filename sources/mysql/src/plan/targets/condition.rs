//! The columns that arguments are compared with, as far as the text of a condition says so.

use toolbox_source::scan::{
    Lexicon, Token, TokenKind, Tokens,
    items::{find, group, items, name},
};

/// The words before a comparison.
const AROUND: [&str; 5] = ["AND", "NOT", "OR", "WHEN", "XOR"];

/// Each argument that is compared with a column, with the parts of its name: `a = ?`, `t.a >= ?`, `? < a`,
/// `a BETWEEN ? AND ?`, `a IN (?, ?)`. None of those in subqueries, whose columns are of other tables.
pub(super) fn compared<'t, 's>(condition: &'t [Token<'s>]) -> Vec<(&'t Token<'s>, Vec<String>)> {
    let mut found = Vec::new();
    let mut rest = condition;
    let mut begins = true;
    while let Some((first, after)) = rest.split_first() {
        if begins && let Some(mut arguments) = comparison(rest) {
            found.append(&mut arguments);
        }
        if let Some((inside, behind)) = group(rest) {
            if !inside.first().is_some_and(|word| {
                ["SELECT", "TABLE", "VALUES", "WITH"].iter().any(|query| word.is_word(query))
            }) {
                found.append(&mut compared(inside));
            }
            (rest, begins) = (behind, false);
            continue;
        }
        begins = first.is_symbol(",") || AROUND.iter().any(|word| first.is_word(word));
        rest = after;
    }
    found
}

/// Whether the argument of this place, from 0, stands beside the sign of a comparison, parentheses around it aside.
pub(crate) fn is_compared(statement: &str, place: usize) -> bool {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::MYSQL).collect();
    let Some(index) =
        tokens.iter().enumerate().filter(|(_, token)| is_argument(token)).map(|(index, _)| index).nth(place)
    else {
        return false;
    };
    let (before, rest) = tokens.split_at_checked(index).unwrap_or_default();
    let is_sign = |token: &Token<'_>| ["=", "<", ">", "!"].iter().any(|sign| token.is_symbol(sign));
    let before = before.iter().rev().find(|token| !token.is_symbol("("));
    let behind = rest.iter().skip(1).find(|token| !token.is_symbol(")"));
    before.is_some_and(|token| is_sign(token) || token.is_word("IN")) || behind.is_some_and(is_sign)
}

/// The arguments of the comparison with which the tokens begin.
fn comparison<'t, 's>(tokens: &'t [Token<'s>]) -> Option<Vec<(&'t Token<'s>, Vec<String>)>> {
    if let Some((argument, rest)) = argument(tokens) {
        let (parts, rest) = name(operator(rest)?)?;
        return ends(rest).then(|| vec![(argument, parts)]);
    }
    let (parts, rest) = name(tokens)?;
    let (arguments, rest) = operands(rest)?;
    ends(rest).then(|| arguments.into_iter().map(|argument| (argument, parts.clone())).collect())
}

/// The arguments on the right side, and what follows them.
fn operands<'t, 's>(tokens: &'t [Token<'s>]) -> Option<(Vec<&'t Token<'s>>, &'t [Token<'s>])> {
    if let Some(rest) = operator(tokens) {
        let (argument, rest) = argument(rest)?;
        return Some((vec![argument], rest));
    }
    let (word, rest) = tokens.split_first()?;
    let (word, rest) = if word.is_word("NOT") { rest.split_first()? } else { (word, rest) };
    if word.is_word("BETWEEN") {
        let (low, high) = rest.split_at_checked(find(rest, |token| token.is_word("AND"))?)?;
        let (high, after) = high.get(1..)?.split_first()?;
        let mut arguments = Vec::new();
        if let [low] = low {
            arguments.extend(Some(low).filter(|low| is_argument(low)));
        }
        // What else stands there is none of the argument on the other side.
        arguments.extend(Some(high).filter(|high| is_argument(high) && ends(after)));
        return Some((arguments, &[]));
    }
    if word.is_word("IN") {
        let (inside, rest) = group(rest)?;
        let alone = |item: &'t [Token<'s>]| match item {
            [only] => Some(only).filter(|only| is_argument(only)),
            _ => None,
        };
        return Some((items(inside).into_iter().filter_map(alone).collect(), rest));
    }
    None
}

/// What follows the sign of a comparison, which comes as one token for each of its characters.
fn operator<'t, 's>(tokens: &'t [Token<'s>]) -> Option<&'t [Token<'s>]> {
    ["<=>", "<=", ">=", "<>", "!=", "=", "<", ">"].into_iter().find_map(|sign| {
        let (signs, rest) = tokens.split_at_checked(sign.len())?;
        let is_it =
            signs.iter().zip(sign.split_terminator("").skip(1)).all(|(token, part)| token.is_symbol(part));
        is_it.then_some(rest)
    })
}

fn argument<'t, 's>(tokens: &'t [Token<'s>]) -> Option<(&'t Token<'s>, &'t [Token<'s>])> {
    tokens.split_first().filter(|(token, _)| is_argument(token))
}

fn is_argument(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Placeholder(_))
}

/// Whether nothing more belongs to the comparison.
fn ends(rest: &[Token<'_>]) -> bool {
    rest.first().is_none_or(|next| {
        next.is_symbol(",") || ["AND", "OR", "THEN", "XOR"].iter().any(|word| next.is_word(word))
    })
}

#[cfg(test)]
mod tests {
    use toolbox_source::scan::{Lexicon, Token, Tokens};

    use super::{compared, is_compared};

    #[test]
    fn an_argument_beside_the_sign_of_a_comparison_is_compared() {
        for statement in
            ["SELECT a < ?", "SELECT ((?)) = a", "SELECT a IN (?, 1)", "SELECT a <=> (?)", "SELECT f(?) > 1"]
        {
            assert!(is_compared(statement, 0), "{statement}");
        }
        for statement in [
            "SELECT ?, a = ?",
            "SELECT f('=', ?)",
            "SELECT ? + 1 = a",
            "SELECT a BETWEEN ? AND b",
            "SELECT 1",
        ] {
            assert!(!is_compared(statement, 0), "{statement}");
        }
    }

    #[test]
    fn an_argument_is_compared_with_a_column_that_stands_beside_it() {
        for (condition, expected) in [
            ("a = ?", &["a"][..]),
            ("t.a >= ? AND NOT `b c` <=> ? OR ? <> s.t.d", &["t.a", "b c", "s.t.d"]),
            ("(a BETWEEN ? AND ? OR b NOT IN (?, ?)) AND c != ?", &["a", "a", "b", "b", "c"]),
            ("EXISTS (SELECT 1 FROM u WHERE a = ?) AND f(a = ?, b)", &["a"]),
            ("CASE WHEN a < ? THEN b END", &["a"]),
            ("a + 1 = ?", &[]),
            ("a = ? + 1", &[]),
            ("a = ? COLLATE x", &[]),
            ("a IN (?, f(?), 1)", &["a"]),
            ("a IN (SELECT ?)", &[]),
            ("BINARY a = ?", &[]),
            ("f(a) = ?", &[]),
            ("a LIKE ?", &[]),
            ("a BETWEEN b AND ? OR a BETWEEN ? AND NOW() + 1", &["a", "a"]),
            ("a BETWEEN f(?) AND ? + 1", &[]),
            ("", &[]),
        ] {
            let tokens: Vec<Token<'_>> = Tokens::new(condition, &Lexicon::MYSQL).collect();
            let found: Vec<_> = compared(&tokens).into_iter().map(|(_, parts)| parts.join(".")).collect();
            assert_eq!(found, expected, "{condition}");
        }
    }
}
