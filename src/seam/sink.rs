//! Where JSON is written to: a text, or a count of its bytes.
//!
//! One writer serves both, so the counted size of a row is the size that the row has when it is written. Only of what is most
//! of a result, integers and text, is the size added up without the digits and escapes being made.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::quote;

/// Takes text piece by piece.
pub(super) trait Sink {
    /// Takes a piece as it is.
    fn put(&mut self, piece: &str);

    /// Takes bytes as base64: standard alphabet, padded.
    fn put_base64(&mut self, bytes: &[u8]);

    /// Takes the digits of an integer.
    fn put_int(&mut self, value: i64) {
        self.put(itoa::Buffer::new().format(value));
    }

    /// Takes the digits of an integer that is not negative.
    fn put_uint(&mut self, value: u64) {
        self.put(itoa::Buffer::new().format(value));
    }

    /// Takes a text as it stands between quotes, and the quotes.
    fn put_quoted(&mut self, text: &str) {
        quote::write(self, text);
    }
}

impl Sink for String {
    fn put(&mut self, piece: &str) {
        self.push_str(piece);
    }

    fn put_base64(&mut self, bytes: &[u8]) {
        STANDARD.encode_string(bytes, self);
    }
}

/// Counts the bytes that a text would have.
#[derive(Debug, Default)]
pub(super) struct Count(pub(super) usize);

impl Sink for Count {
    fn put(&mut self, piece: &str) {
        self.0 += piece.len();
    }

    fn put_base64(&mut self, bytes: &[u8]) {
        self.0 += bytes.len().div_ceil(3) * 4;
    }

    fn put_int(&mut self, value: i64) {
        self.0 += usize::from(value < 0);
        self.put_uint(value.unsigned_abs());
    }

    fn put_uint(&mut self, value: u64) {
        self.0 += value.checked_ilog10().unwrap_or_default() as usize + 1;
    }

    fn put_quoted(&mut self, text: &str) {
        self.0 += quote::length(text);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toolbox_source::Value;

    use super::*;
    use crate::seam::json::{self, Keys};

    fn count_is_length(names: &[String], row: &[Value]) {
        let keys = Keys::new(names);
        let (mut text, mut count) = (String::new(), Count::default());
        json::write_row(&mut text, &keys, row);
        json::write_row(&mut count, &keys, row);
        assert_eq!(count.0, text.len(), "{text}");
    }

    #[test]
    fn integers_of_every_number_of_digits_are_counted() {
        let powers = (0..19).map(|exponent| 10_i64.pow(exponent));
        let around = powers.flat_map(|power| [power - 1, power, power + 1]).chain([i64::MIN, i64::MAX]);
        for value in around.flat_map(|value| [value, value.wrapping_neg()]) {
            count_is_length(&["n".to_owned()], &[Value::Int(value)]);
            count_is_length(&["n".to_owned()], &[Value::UInt(value.unsigned_abs())]);
        }
        for value in [0, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, u64::MAX] {
            count_is_length(&["n".to_owned()], &[Value::UInt(value)]);
        }
    }

    #[test]
    fn every_character_of_one_byte_is_counted_wherever_it_stands() {
        for byte in 0..0x80_u8 {
            for before in [0, 1, 7, 15, 16, 17, 40] {
                let text = format!("{}{}{}", "x".repeat(before), char::from(byte), "é".repeat(before % 9));
                count_is_length(std::slice::from_ref(&text), &[Value::Text(text.clone())]);
            }
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            (-1000..1000_i64).prop_map(Value::Int),
            any::<u64>().prop_map(Value::UInt),
            any::<f64>().prop_map(Value::Float),
            "-?[0-9]{1,25}(\\.[0-9]{1,20})?".prop_map(Value::Decimal),
            "[-+0-9.eE]{0,6}|NaN|-Infinity".prop_map(Value::Decimal),
            any::<String>().prop_map(Value::Text),
            "[a-z\"\\\\\u{0}-\u{1f}é🙂]{0,40}".prop_map(Value::Text),
            "[0-9]{1,3}|\\{\"a\":1|\"[a-z]{0,9}\"|null".prop_map(Value::Json),
            proptest::collection::vec(any::<u8>(), 0..20).prop_map(Value::Bytes),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                proptest::collection::vec((any::<String>(), inner), 0..4).prop_map(Value::Object),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn the_counted_size_of_a_row_is_the_length_of_its_json(
            cells in proptest::collection::vec((any::<String>(), any_value()), 0..6)
        ) {
            let (names, row): (Vec<String>, Vec<Value>) = cells.into_iter().unzip();
            count_is_length(&names, &row);
        }
    }
}
