//! What is left to read of a text, for the checks that read a form back.

/// What is left to read.
pub(super) struct Reader<'a> {
    pub(super) rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Takes a piece that must come next.
    #[inline]
    pub(super) fn expect(&mut self, piece: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(piece)?;
        Some(())
    }

    /// What comes before a byte, which stays. It must be there.
    #[inline]
    pub(super) fn until(&mut self, ends: impl Fn(u8) -> bool) -> Option<&'a str> {
        let end = self.rest.bytes().position(ends)?;
        let (token, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(token)
    }

    /// The rest of the line. Its end is taken too, and must be there.
    pub(super) fn line(&mut self) -> Option<&'a str> {
        let (line, rest) = self.rest.split_once('\n')?;
        self.rest = rest;
        Some(line)
    }

    /// What stands between two quotes, escapes and all.
    pub(super) fn quoted(&mut self) -> Option<&'a str> {
        self.expect("\"")?;
        let mut escaped = false;
        let end = self.rest.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        let (token, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.strip_prefix('"')?;
        Some(token)
    }
}
