//! The words of one statement and how deep in parentheses they are. It reads no more of SQL than its callers ask for.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

/// The tokens of a statement with their depths.
pub(crate) struct Outline<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    depths: Vec<usize>,
}

impl<'a> Outline<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let tokens: Vec<Token<'a>> = Tokens::new(text, &Lexicon::POSTGRES).collect();
        let mut depth = 0_usize;
        let depths = tokens
            .iter()
            .map(|token| {
                if token.is_symbol("(") || token.is_symbol("[") {
                    depth += 1;
                } else if token.is_symbol(")") || token.is_symbol("]") {
                    depth = depth.saturating_sub(1);
                }
                depth
            })
            .collect();
        Self { text, tokens, depths }
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Token<'a>> {
        self.tokens.get(place)
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// How deep in parentheses and brackets a token is: those that open are inside, those that close are not.
    pub(crate) fn depth(&self, place: usize) -> usize {
        self.depths.get(place).copied().unwrap_or(0)
    }

    pub(crate) fn is_symbol(&self, place: usize, symbol: &str) -> bool {
        self.get(place).is_some_and(|token| token.is_symbol(symbol))
    }

    pub(crate) fn is_one_of(&self, place: usize, words: &[&str]) -> bool {
        self.get(place).is_some_and(|token| words.iter().any(|word| token.is_word(word)))
    }

    /// The first such word outside parentheses, from a token on.
    pub(crate) fn find(&self, word: &str, from: usize) -> Option<usize> {
        let mut places = self.tokens.iter().zip(&self.depths).enumerate().skip(from);
        places.find(|(_, (token, depth))| **depth == 0 && token.is_word(word)).map(|(place, _)| place)
    }

    pub(crate) fn after(&self, word: &str, from: usize) -> Option<usize> {
        self.find(word, from).map(|place| place + 1)
    }

    /// Where a table's name ends.
    pub(crate) fn end_of_table(&self, start: usize) -> Option<usize> {
        let mut end = start;
        while self.is_name(end) {
            end += 1;
            if !self.is_symbol(end, ".") {
                return Some(end);
            }
            end += 1;
        }
        None
    }

    /// Where a table's name, and the alias after `AS`, ends.
    pub(crate) fn end_of_name(&self, start: usize) -> Option<usize> {
        let end = self.end_of_table(start)?;
        let has_alias = self.is_one_of(end, &["AS"]) && self.is_name(end + 1);
        Some(if has_alias { end + 2 } else { end })
    }

    fn is_name(&self, place: usize) -> bool {
        self.get(place).is_some_and(|token| matches!(token.kind, TokenKind::Word | TokenKind::Name))
    }

    /// The text from one token up to another.
    pub(crate) fn text(&self, start: usize, end: usize) -> Option<&'a str> {
        self.text.get(self.get(start)?.start..self.get(end)?.start).map(str::trim)
    }
}
