//! Whether a text holds a byte of some kind: a question that is asked of every text of a result, several times.
//!
//! Blocks are looked at whole, without a branch a byte, which the compiler turns into vector instructions. What is left beside
//! the blocks is looked at in a last block that overlaps the one before it, so short texts take no loop either. For that, a kind
//! must be a few plain comparisons: patterns of several bytes are compiled to branches.

/// Whether there is a byte of a kind.
#[inline]
pub(super) fn any(bytes: &[u8], kind: impl Fn(u8) -> bool + Copy) -> bool {
    let (blocks, rest) = bytes.as_chunks::<16>();
    blocks.iter().any(|block| in_block(block, kind)) || (!rest.is_empty() && in_end(bytes, rest, kind))
}

/// Whether one is among the bytes after the last whole block. The end of the text covers them, and as much of what is before
/// them as makes a block.
#[inline]
fn in_end(bytes: &[u8], rest: &[u8], kind: impl Fn(u8) -> bool + Copy) -> bool {
    if let Some(block) = bytes.last_chunk::<16>() {
        return in_block(block, kind);
    }
    if let (Some(first), Some(last)) = (rest.first_chunk::<8>(), rest.last_chunk::<8>()) {
        return in_block(first, kind) | in_block(last, kind);
    }
    if let (Some(first), Some(last)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        return in_block(first, kind) | in_block(last, kind);
    }
    rest.iter().any(|byte| kind(*byte))
}

#[expect(clippy::inline_always, reason = "it is a handful of vector instructions, fewer than a call takes")]
#[inline(always)]
fn in_block<const N: usize>(block: &[u8; N], kind: impl Fn(u8) -> bool) -> bool {
    block.iter().fold(false, |found, byte| found | kind(*byte))
}

/// Where the first byte of a kind is.
pub(super) fn first(bytes: &[u8], kind: impl Fn(u8) -> bool + Copy) -> Option<usize> {
    let (blocks, _) = bytes.as_chunks::<16>();
    let clean = blocks.iter().take_while(|block| !in_block(block, kind)).count() * 16;
    let within = bytes.get(clean..)?.iter().position(|byte| kind(*byte))?;
    Some(clean + within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_stands_in_a_text_of_any_length() {
        let is_comma = |byte| byte == b',';
        for length in 0..70 {
            let mut text = vec![b'x'; length];
            assert!(!any(&text, is_comma), "{length}");
            assert_eq!(first(&text, is_comma), None, "{length}");
            for place in 0..length {
                text[place] = b',';
                assert!(any(&text, is_comma), "{place} of {length}");
                assert_eq!(first(&text, is_comma), Some(place), "{length}");
                text[place] = b'x';
            }
        }
    }

    #[test]
    fn the_first_of_several_bytes_is_found() {
        let text = b"0123456789abcdef0123,5,789abcdef,";
        assert_eq!(first(text, |byte| byte == b','), Some(20));
    }
}
