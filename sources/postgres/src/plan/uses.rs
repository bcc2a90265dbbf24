//! Where the parameters of a statement stand, as far as that says whether anything there settles their types: the column that
//! they fill or are compared with, or a cast.

use toolbox_source::scan::{
    Lexicon, Token, TokenKind, Tokens,
    places::{Place, places},
};

use super::{Form, targets};

/// How a parameter is used, in all its places together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Use {
    /// Whether nothing that is seen settles its type at one place at least.
    pub(crate) is_free: bool,
    /// Whether it is cast.
    pub(crate) is_cast: bool,
    /// Whether it is computed with.
    pub(crate) is_computed: bool,
}

/// The operators that compare values of one type.
const COMPARISONS: [&str; 7] = ["=", "<", ">", "<=", ">=", "<>", "!="];

/// The uses of the parameters of a statement, from the first.
pub(crate) fn uses(text: &str, form: Form) -> Vec<Use> {
    let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::POSTGRES).collect();
    let targets = targets(text, form);
    let is_write = targets.is_some();
    let filled: Vec<usize> = targets
        .into_iter()
        .flat_map(|targets| targets.fillings)
        .filter_map(|filling| filling.is_whole.then_some(filling.parameter))
        .collect();
    let mut uses: Vec<Use> = Vec::new();
    let arguments = tokens.iter().enumerate().filter_map(|(index, token)| match token.kind {
        TokenKind::Placeholder(number) => Some((index, number)),
        _ => None,
    });
    for ((index, number), place) in arguments.zip(places(text, &Lexicon::POSTGRES)) {
        let Some(parameter) = number.and_then(|number| number.checked_sub(1)) else { continue };
        if uses.len() <= parameter {
            uses.resize(parameter + 1, Use::default());
        }
        let Some(stands) = uses.get_mut(parameter) else { continue };
        stands.is_computed |= place == Place::Computed;
        if is_cast(&tokens, index, place) {
            stands.is_cast = true;
        } else if place != Place::Whole {
            stands.is_free = true;
        } else if !filled.contains(&parameter) {
            stands.is_free |= match beside(&tokens, index) {
                Some((operator, _)) if !COMPARISONS.contains(&operator.as_str()) => true,
                Some((_, other)) => matches!(other.kind, TokenKind::Placeholder(_) | TokenKind::Text),
                // In an `IN`, before an `IS`, or in a row of `VALUES`, which is one of columns in a write.
                None => !is_write && tokens.iter().any(|token| token.is_word("VALUES")),
            };
        }
    }
    uses
}

/// Whether a cast follows: `$1::date`, `CAST($1 AS date)`.
fn is_cast(tokens: &[Token<'_>], index: usize, place: Place) -> bool {
    let is =
        |offset: usize, symbol: &str| tokens.get(index + offset).is_some_and(|token| token.is_symbol(symbol));
    is(1, ":") && is(2, ":")
        || place == Place::Read && tokens.get(index + 1).is_some_and(|token| token.is_word("AS"))
}

/// The operator next to a parameter, and what stands next to it on the other side.
fn beside<'t, 's>(tokens: &'t [Token<'s>], index: usize) -> Option<(String, &'t Token<'s>)> {
    let is_sign = |token: &&Token<'_>| {
        token.kind == TokenKind::Symbol && token.text.contains(|sign| "+-*/<>=~!@#%^&|`?".contains(sign))
    };
    let (before, after) = (tokens.get(..index)?, tokens.get(index + 1..)?);
    let next: String = after.iter().take_while(is_sign).map(|token| token.text).collect();
    if !next.is_empty() {
        return Some((next, after.iter().find(|token| !is_sign(token))?));
    }
    let mut signs: Vec<&str> = before.iter().rev().take_while(is_sign).map(|token| token.text).collect();
    signs.reverse();
    (!signs.is_empty()).then_some((signs.concat(), before.iter().rev().find(|token| !is_sign(token))?))
}

#[cfg(test)]
mod tests {
    use super::{Use, uses};
    use crate::plan::Form;

    #[test]
    fn a_parameter_is_free_where_no_column_and_no_cast_stands_beside_it() {
        let free = Use { is_free: true, ..Use::default() };
        let computed = Use { is_computed: true, ..free };
        let cast = Use { is_cast: true, ..Use::default() };
        let settled = Use::default();
        for (text, form, expected) in [
            ("SELECT $1, f($2), $3 + 1", Form::Query, &[free, free, computed][..]),
            ("SELECT 1 FROM t WHERE a = $1 AND $2 <= b AND c IN ($3, 1)", Form::Query, &[settled; 3]),
            ("SELECT $1 < $2, $3 <> 'x'", Form::Query, &[free; 3]),
            ("SELECT $1::date, CAST($2 AS date), $2::text", Form::Query, &[cast; 2]),
            ("SELECT 1 FROM t WHERE a = $1 OR $1 IS NULL", Form::Query, &[settled]),
            ("SELECT 1 FROM t WHERE r @> $1 AND $2 <@ r AND $3 != a", Form::Query, &[free, free, settled]),
            ("VALUES ($1), ($2)", Form::Query, &[free; 2]),
            (
                "INSERT INTO t (a, b, c) VALUES ($1, $2 || 'x', $3)",
                Form::DataChange,
                &[settled, free, settled],
            ),
            ("UPDATE t SET a = $1, b = b - $2 WHERE c = $3", Form::DataChange, &[settled, computed, settled]),
            ("INSERT INTO t (a) SELECT $1 UNION ALL SELECT $2", Form::DataChange, &[free; 2]),
        ] {
            assert_eq!(uses(text, form), expected, "{text}");
        }
    }
}
