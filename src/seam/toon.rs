//! The form `toon`: TOON, written and read by the crate `toon-format`.
//!
//! It says no number that JSON says as text (it makes NaN a null), so such cells are not admitted; whatever else it may lose is
//! found when the text is read back.

use toolbox_source::Value;

use super::{Encoding, answer::Answer, form::Form, number, tree, truncated::Truncated};

/// The form.
pub(super) struct Toon;

impl Form for Toon {
    fn encoding(&self) -> Encoding {
        Encoding::Toon
    }

    fn admits_several(&self) -> bool {
        false
    }

    fn admits_names(&self, names: &[String]) -> bool {
        !names.is_empty()
    }

    fn admits_row(&self, row: &[Value]) -> bool {
        row.iter().all(|cell| match cell {
            Value::Decimal(digits) => number::form(digits).is_some(),
            Value::UInt(_) => true,
            cell => tree::admits(cell),
        })
    }

    fn write(&self, answer: &Answer<'_>, most: usize) -> Option<String> {
        let table = answer.only_table().filter(|_| answer.json_bytes <= tree::MOST_BYTES)?;
        let text = toon_format::encode_default(&tree::of(table)?).ok()?;
        (text.len() <= most).then_some(text)
    }

    fn reads_back(&self, text: &str, answer: &Answer<'_>) -> bool {
        let read = toon_format::decode_strict(text);
        answer.only_table().is_some_and(|table| read.is_ok_and(|read| tree::is(read, table)))
    }

    /// Rows with nested values may cost twice the tokens of their JSON, with fewer bytes.
    fn margin(&self, _: &str) -> Option<usize> {
        None
    }

    fn notice_follows(&self, _: &Truncated) -> bool {
        true
    }
}
