//! Lists in statements: what stands between commas, at one level of parentheses, and the names of tables and columns. Tools for
//! those who look for one thing in a statement and take a part that they do not understand for unknown.

use super::{Token, TokenKind};

/// How many parentheses and brackets are open after the token.
#[must_use]
pub fn depth_after(depth: usize, token: &Token<'_>) -> usize {
    if token.is_symbol("(") || token.is_symbol("[") {
        depth + 1
    } else if token.is_symbol(")") || token.is_symbol("]") {
        depth.saturating_sub(1)
    } else {
        depth
    }
}

/// The place of the first token outside of parentheses that is so. A closing parenthesis that was not opened here is outside.
#[must_use]
pub fn find(tokens: &[Token<'_>], is_it: impl Fn(&Token<'_>) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    tokens.iter().position(|token| {
        let found = depth == 0 && is_it(token);
        depth = depth_after(depth, token);
        found
    })
}

/// The pieces between the tokens outside of parentheses that are so; one more than there are such tokens.
#[must_use]
pub fn split<'t, 's>(
    tokens: &'t [Token<'s>],
    mut separates: impl FnMut(&Token<'s>) -> bool,
) -> Vec<&'t [Token<'s>]> {
    let mut depth = 0_usize;
    tokens
        .split(|token| {
            let separates = depth == 0 && separates(token);
            depth = depth_after(depth, token);
            separates
        })
        .collect()
}

/// The items between commas.
#[must_use]
pub fn items<'t, 's>(tokens: &'t [Token<'s>]) -> Vec<&'t [Token<'s>]> {
    split(tokens, |token| token.is_symbol(","))
}

/// What stands in the parentheses with which the tokens begin, and what follows them.
#[must_use]
pub fn group<'t, 's>(tokens: &'t [Token<'s>]) -> Option<(&'t [Token<'s>], &'t [Token<'s>])> {
    let (_, rest) = tokens.split_first().filter(|(open, _)| open.is_symbol("("))?;
    let end = find(rest, |token| token.is_symbol(")"))?;
    let (inside, after) = rest.split_at_checked(end)?;
    Some((inside, after.get(1..)?))
}

/// The tokens behind those at the beginning that are so.
#[must_use]
pub fn skip<'t, 's>(tokens: &'t [Token<'s>], words: &[&str]) -> &'t [Token<'s>] {
    let skipped = tokens.iter().take_while(|token| words.iter().any(|word| token.is_word(word))).count();
    tokens.get(skipped..).unwrap_or_default()
}

/// The tokens before the first one outside of parentheses that is one of these words, and those from it on.
#[must_use]
pub fn until<'t, 's>(tokens: &'t [Token<'s>], words: &[&str]) -> (&'t [Token<'s>], &'t [Token<'s>]) {
    let end = find(tokens, |token| token.is_symbol(")") || words.iter().any(|word| token.is_word(word)));
    tokens.split_at_checked(end.unwrap_or(tokens.len())).unwrap_or((tokens, &[]))
}

/// The parts of a name, `schema.table.column`, with which the tokens begin, and what follows it.
#[must_use]
pub fn name<'t, 's>(tokens: &'t [Token<'s>]) -> Option<(Vec<String>, &'t [Token<'s>])> {
    let mut parts = Vec::new();
    let mut rest = tokens;
    loop {
        let (token, after) = rest.split_first()?;
        if !is_name(token) {
            return None;
        }
        parts.push(token.name()?.into_owned());
        match after.split_first() {
            Some((dot, after)) if dot.is_symbol(".") => rest = after,
            _ => return Some((parts, after)),
        }
    }
}

/// Whether a token can be a name, or a part of one.
#[must_use]
pub fn is_name(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Name)
}

#[cfg(test)]
mod tests {
    use super::{group, items, name, until};
    use crate::scan::{Lexicon, Token, Tokens};

    fn texts(tokens: &[Token<'_>]) -> String {
        tokens.iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn items_stand_between_commas_at_one_level_of_parentheses_and_brackets() {
        let tokens: Vec<_> =
            Tokens::new("(a, f(b, c), ARRAY[1, 2], \"d, e\") RETURNING x", &Lexicon::POSTGRES).collect();
        let (inside, rest) = group(&tokens).unwrap();
        let found: Vec<_> = items(inside).into_iter().map(texts).collect();
        assert_eq!(found, ["a", "f ( b , c )", "ARRAY [ 1 , 2 ]", "\"d, e\""]);
        assert_eq!(texts(rest), "RETURNING x");
        assert_eq!(group(rest), None);
    }

    #[test]
    fn a_name_has_parts_between_points() {
        let tokens: Vec<_> = Tokens::new("s . `t u` . a = (1) LIMIT 2", &Lexicon::MYSQL).collect();
        let (parts, rest) = name(&tokens).unwrap();
        assert_eq!(parts, ["s", "t u", "a"]);
        let (condition, rest) = until(rest, &["LIMIT"]);
        assert_eq!((texts(condition).as_str(), texts(rest).as_str()), ("= ( 1 )", "LIMIT 2"));
        assert_eq!(name(rest.get(1..).unwrap()), None);
    }
}
