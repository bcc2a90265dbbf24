//! Takes numbers and texts off the bytes of a cell, in network order.

/// What is left of a cell.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

macro_rules! number {
    ($($name:ident: $type:ty),*) => {
        $(pub(super) fn $name(&mut self) -> Result<$type, String> {
            Ok(<$type>::from_be_bytes(self.array()?))
        })*
    };
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    number!(u8: u8, u16: u16, u32: u32, u64: u64, i16: i16, i32: i32, i64: i64);

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (first, rest) = self.rest.split_first_chunk().ok_or_else(short)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (first, rest) = self.rest.split_at_checked(count).ok_or_else(short)?;
        self.rest = rest;
        Ok(first)
    }

    /// Bytes after their length; `None` for the length -1, which is null.
    pub(super) fn sized(&mut self) -> Result<Option<&'a [u8]>, String> {
        match self.i32()? {
            -1 => Ok(None),
            length => self.take(usize::try_from(length).map_err(|_| short())?).map(Some),
        }
    }

    /// Bytes before a zero byte, which is taken too.
    pub(super) fn terminated(&mut self) -> Result<&'a [u8], String> {
        let end = self.rest.iter().position(|byte| *byte == 0).ok_or_else(short)?;
        let (first, rest) = self.rest.split_at_checked(end).ok_or_else(short)?;
        self.rest = rest.get(1..).unwrap_or_default();
        Ok(first)
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<(), String> {
        if self.rest.is_empty() { Ok(()) } else { Err("the value is longer than its type".to_owned()) }
    }
}

fn short() -> String {
    "the value is shorter than its type".to_owned()
}
