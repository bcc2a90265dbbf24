//! How much of a new value is an argument: all of it, one term of a sum, or something that only running the statement tells.

use toolbox_source::scan::{
    Token, TokenKind,
    items::{group, items, split},
};

/// What an argument is to its column, or to the new value of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// The value itself: `?`, `(?)`.
    Whole,
    /// The value itself, if it is not null: `COALESCE(?, n)`.
    First,
    /// Somewhere in the expression of the new value.
    Inside,
    /// What the column is compared with.
    Compared,
    /// What is added to integers: `n + ?` for the column n, `-?`. With a fraction the sum is no integer either.
    Term,
}

/// The argument that fills the value that this expression makes, and how; none where the text does not say it.
/// `is_own` says which names are the column itself.
pub(super) fn fill<'t, 's>(
    expression: &'t [Token<'s>],
    is_own: impl Fn(&[Token<'s>]) -> bool,
) -> Option<(&'t Token<'s>, Fill)> {
    let expression = bare(expression);
    match expression {
        [] => None,
        [token] => is_argument(token).then_some((token, Fill::Whole)),
        [function, rest @ ..] if is_first_not_null(function) => {
            let (inside, after) = group(rest)?;
            let first = items(inside).first().copied().filter(|_| after.is_empty())?;
            let (argument, fill) = fill(first, is_own)?;
            Some((argument, if fill == Fill::Whole { Fill::First } else { fill }))
        }
        _ => sum(expression, is_own),
    }
}

/// Every argument of an expression.
pub(super) fn inside<'t, 's>(expression: &'t [Token<'s>]) -> impl Iterator<Item = &'t Token<'s>> {
    expression.iter().filter(|token| is_argument(token))
}

/// The only argument among the terms of a sum of integers.
fn sum<'t, 's>(
    expression: &'t [Token<'s>],
    is_own: impl Fn(&[Token<'s>]) -> bool,
) -> Option<(&'t Token<'s>, Fill)> {
    let mut argument = None;
    for term in split(expression, |token| token.is_symbol("+") || token.is_symbol("-")) {
        match bare(term) {
            // Before a sign.
            [] => {}
            [token] if is_argument(token) => {
                if argument.replace(token).is_some() {
                    return None;
                }
            }
            [token]
                if token.kind == TokenKind::Number
                    && token.text.bytes().all(|byte| byte.is_ascii_digit()) => {}
            other if is_own(other) => {}
            _ => return None,
        }
    }
    argument.map(|argument| (argument, Fill::Term))
}

/// The expression without parentheses around all of it.
fn bare<'t, 's>(mut expression: &'t [Token<'s>]) -> &'t [Token<'s>] {
    while let Some((inside, [])) = group(expression) {
        expression = inside;
    }
    expression
}

fn is_argument(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Placeholder(_))
}

fn is_first_not_null(function: &Token<'_>) -> bool {
    ["COALESCE", "IFNULL", "NVL"].iter().any(|name| function.is_word(name))
}

#[cfg(test)]
mod tests {
    use toolbox_source::scan::{Lexicon, Token, Tokens};

    use super::{Fill, fill};

    #[test]
    fn an_argument_fills_a_value_alone_or_as_a_term_of_integers() {
        for (expression, expected) in [
            ("?", Some(Fill::Whole)),
            ("((?))", Some(Fill::Whole)),
            ("COALESCE(?, n)", Some(Fill::First)),
            ("IFNULL((?), ROUND(?))", Some(Fill::First)),
            ("-?", Some(Fill::Term)),
            ("n + ?", Some(Fill::Term)),
            ("(n) - (?) + 1", Some(Fill::Term)),
            ("COALESCE(? + 1, n)", Some(Fill::Term)),
            ("n * ?", None),
            ("m + ?", None),
            ("n + 0.5 + ?", None),
            ("? + ?", None),
            ("ROUND(?)", None),
            ("CAST(? AS SIGNED)", None),
            ("COALESCE(n, ?)", None),
            ("COALESCE(?, n) * 2", None),
            ("IF(n > 1, ?, n)", None),
            ("CASE WHEN n THEN ? END", None),
            ("", None),
            ("n", None),
        ] {
            let tokens: Vec<_> = Tokens::new(expression, &Lexicon::MYSQL).collect();
            let is_own = |tokens: &[Token<'_>]| matches!(tokens, [token] if token.text == "n");
            assert_eq!(fill(&tokens, is_own).map(|(_, fill)| fill), expected, "{expression}");
        }
    }
}
