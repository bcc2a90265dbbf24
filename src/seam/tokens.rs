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

/// The tokens of a text.
pub(super) fn count(text: &str) -> usize {
    vocabulary().count_ordinary(text)
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
