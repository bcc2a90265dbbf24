//! Cells of the type `BIT(n)`, the same in both protocols.
//!
//! A column of a table comes as its bits. Of an expression (`COALESCE(b, c)`, `MAX(b)`, the argument of a procedure) some
//! functions send the digits of the number, and still call it `BIT`, so the bytes have to say which they are. `IF` and `CASE` of
//! `MySQL` send bits as if they were text, which are no number here.

use sqlx::{Column as _, mysql::MySqlColumn};

use super::told::Told;

/// What is known of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    /// How many bits they have: 1 to 64.
    width: u32,
    /// Whether they are of a column, and what may be bits or digits is bits. `MySQL` says so of a view over an expression, too.
    is_column: bool,
}

impl Bits {
    pub(super) fn of(column: &MySqlColumn) -> Self {
        let Told { width, is_binary, .. } = Told::of(column).unwrap_or_default();
        Self { width, is_column: column.origin().table_column().is_some() && !is_binary }
    }

    /// The number of a cell; none where it may be either of two.
    pub(super) fn number(self, bytes: &[u8]) -> Option<u64> {
        match (self.bits(bytes), self.digits(bytes)) {
            (Some(bits), Some(digits)) => (self.is_column || bits == digits).then_some(bits),
            (bits, digits) => bits.or(digits),
        }
    }

    fn fits(self, number: u64) -> bool {
        number.checked_shr(self.width).is_none_or(|rest| rest == 0)
    }

    /// The most significant byte comes first, and all bytes that so many bits need are there.
    fn bits(self, bytes: &[u8]) -> Option<u64> {
        let is_whole = u32::try_from(bytes.len()) == Ok(self.width.div_ceil(8)) && bytes.len() <= 8;
        let number = bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        (is_whole && self.fits(number)).then_some(number)
    }

    fn digits(self, bytes: &[u8]) -> Option<u64> {
        let is_padded = bytes.len() > 1 && bytes.first() == Some(&b'0');
        let is_number = !is_padded && bytes.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(bytes).ok()?.parse().ok();
        number.filter(|number| is_number && self.fits(*number))
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn bits_are_told_from_their_digits() {
        for (width, is_column, bytes, number) in [
            (9, true, &b"\x01\x01"[..], Some(257)),
            (9, true, b"257", Some(257)),
            (9, false, b"257", Some(257)),
            (9, false, b"\x01\x01", Some(257)),
            (1, false, b"1", Some(1)),
            (1, false, b"\x01", Some(1)),
            // As bits 55, as digits 7.
            (8, false, b"7", None),
            (8, true, b"7", Some(55)),
            (5, false, b"7", Some(7)),
            (16, true, b"\x01\x00", Some(256)),
            (64, false, b"\xff\xff\xff\xff\xff\xff\xff\xff", Some(u64::MAX)),
            (64, false, b"18446744073709551615", Some(u64::MAX)),
            (64, false, b"18446744073709551616", None),
            (64, true, &[0; 9], None),
            (9, false, b"600", None),
            (9, false, b"007", None),
            (9, false, b"", None),
            // Bits of 511 as if they were text.
            (9, false, b"\x01\xc3\xbf", None),
        ] {
            assert_eq!(Bits { width, is_column }.number(bytes), number, "{width} {is_column} {bytes:?}");
        }
    }
}
