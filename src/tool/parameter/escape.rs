//! How a text becomes part of a statement: between delimiters.

/// `escape`: the delimiters put around a text in a template, which are doubled inside it. A bound parameter needs none,
/// so there it changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// `single-quotes`: `'…'`.
    SingleQuotes,
    /// `double-quotes`: `"…"`.
    DoubleQuotes,
    /// `backticks`: `` `…` ``.
    Backticks,
    /// `square-brackets`: `[…]`.
    SquareBrackets,
}

impl Escape {
    /// The text between its delimiters, each closing delimiter inside it doubled.
    #[must_use]
    pub fn apply(self, text: &str) -> String {
        let (open, close) = match self {
            Self::SingleQuotes => ('\'', '\''),
            Self::DoubleQuotes => ('"', '"'),
            Self::Backticks => ('`', '`'),
            Self::SquareBrackets => ('[', ']'),
        };
        let mut quoted = String::with_capacity(text.len() + 2);
        quoted.push(open);
        for character in text.chars() {
            quoted.push(character);
            if character == close {
                quoted.push(close);
            }
        }
        quoted.push(close);
        quoted
    }
}
