//! What a statement is made of.

use std::borrow::Cow;

/// A piece of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// Its text, quotes included.
    pub text: &'a str,
    /// Where it begins, in bytes.
    pub start: usize,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A keyword or a bare name.
    Word,
    /// A quoted name.
    Name,
    /// A quoted text.
    Text,
    /// A number, or what begins like one.
    Number,
    /// A placeholder: its number, or `None` for a bare `?`.
    Placeholder(Option<usize>),
    /// A placeholder with a name.
    NamedPlaceholder,
    /// Any other character.
    Symbol,
}

impl<'a> Token<'a> {
    /// Where it ends, in bytes.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is this keyword, in any letter case.
    #[must_use]
    pub fn is_word(&self, keyword: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(keyword)
    }

    /// Whether it is this character outside quotes.
    #[must_use]
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    /// The name that it spells, without its quotes, if it can be one.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'a, str>> {
        match self.kind {
            TokenKind::Word => Some(Cow::Borrowed(self.text)),
            TokenKind::Name | TokenKind::Text => {
                let mut characters = self.text.chars();
                let open = characters.next()?;
                characters.next_back()?;
                let inner = characters.as_str();
                let doubled = format!("{open}{open}");
                Some(if inner.contains(&doubled) {
                    Cow::Owned(inner.replace(&doubled, &open.to_string()))
                } else {
                    Cow::Borrowed(inner)
                })
            }
            _ => None,
        }
    }
}
