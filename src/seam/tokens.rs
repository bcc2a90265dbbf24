//! How many tokens of `o200k` a text costs: the vocabulary of current models of `OpenAI`, and close to that of others.
//!
//! Counting is slow beside writing (3 to 30 MB a second), so it is done only where the answer is open, and only as far as it is.

use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

/// Loaded once, when first needed: it takes 150 ms and 46 MB.
static VOCABULARY: OnceLock<&'static CoreBPE> = OnceLock::new();

fn vocabulary() -> &'static CoreBPE {
    VOCABULARY.get_or_init(tiktoken_rs::o200k_base_singleton)
}

/// Whether counting can begin at once.
pub(super) fn is_ready() -> bool {
    VOCABULARY.get().is_some()
}

/// Bytes of a text that are counted at once, or a few more. The tokenizer keeps what it counts in memory.
const PIECE: usize = 64 * 1024;

/// The tokens of a text.
pub(super) fn count(text: &str) -> usize {
    pieces(text, PIECE).map(|piece| vocabulary().count_ordinary(piece)).sum()
}

/// A text in pieces of at least so many bytes, which cost as many tokens one by one as the text does.
///
/// `o200k` first splits a text by a pattern, and no token goes beyond such a part. Digits are parts of their own, up to three of
/// them, and no other part has a digit; so a part ends after each digit before something else. The pattern looks ahead only
/// after blanks.
fn pieces(text: &str, least: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut pairs = rest.as_bytes().windows(2).skip(least.saturating_sub(1));
        // A digit of another script would be part of the same number, so what follows must be ASCII.
        let ends =
            |pair: &[u8]| matches!(pair, [b'0'..=b'9', next] if next.is_ascii() && !next.is_ascii_digit());
        let end = pairs.position(ends).map_or(rest.len(), |place| place + least.max(1));
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Whether texts cost at least so many tokens together. Counting ends where that is known.
pub(super) fn reach<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, tokens: usize) -> bool {
    let mut counted = 0;
    tokens == 0
        || texts.into_iter().any(|text| {
            counted += count(text.as_ref());
            counted >= tokens
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_cut_behind_digits_only() {
        let cut = |text, least| pieces(text, least).collect::<Vec<_>>();
        assert_eq!(cut("a1,b2,c3", 1), ["a1", ",b2", ",c3"]);
        assert_eq!(cut("a1,b2,c3", 3), ["a1,b2", ",c3"]);
        assert_eq!(cut("12345", 2), ["12345"]);
        assert_eq!(cut("1\u{661},2", 1), ["1\u{661},2"]);
        assert_eq!(cut("no digits", 2), ["no digits"]);
        assert_eq!(cut("", 2), [""; 0]);
    }

    proptest! {
        /// The tokenizer itself, given the whole text, is the judge.
        #[test]
        fn pieces_cost_as_many_tokens_as_the_text(
            text in "([0-9]{1,5}|[a-zA-Zé日]{1,6}|[-,|\"'{}:./#\u{661}½ ]{1,3}|[ \t\r\n]{1,3}|'s|true|null){0,60}",
            least in 1_usize..20,
        ) {
            let whole = vocabulary().count_ordinary(&text);
            prop_assert_eq!(pieces(&text, least).map(|piece| vocabulary().count_ordinary(piece)).sum::<usize>(), whole);
        }
    }
}
