//! What reading a JSON text would cost, found out before anything is built.
//!
//! A value that is one byte long takes more than a hundred in memory, so the length of a message alone bounds nothing.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Most values in one message.
pub(super) const MAX_VALUES: usize = 200_000;

/// The name under which `serde_json` hides a text that it reads as JSON when it meets it. A value inside would be counted as
/// the text that it is hidden in.
const HIDDEN: &str = "$serde_json::private::RawValue";

/// The name under which `serde_json` shows a number of more digits than its own types hold.
const NUMBER: &str = "$serde_json::private::Number";

/// Walks through a text.
///
/// # Errors
///
/// A data error for more than [`MAX_VALUES`] values, and whatever makes the text no JSON, nesting without end included.
pub(super) fn survey(text: &[u8]) -> Result<(), serde_json::Error> {
    let mut values = 0;
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    Walk(&mut values).deserialize(&mut deserializer)?;
    deserializer.end()
}

/// Counts the value that is next, and those in it.
struct Walk<'a>(&'a mut usize);

impl Walk<'_> {
    fn count<E: Error>(&mut self) -> Result<(), E> {
        *self.0 += 1;
        if *self.0 > MAX_VALUES {
            return Err(E::custom(format_args!("the message has more than {MAX_VALUES} values")));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(mut self) -> Result<(), E> {
        self.count()
    }

    fn visit_bool<E: Error>(mut self, _: bool) -> Result<(), E> {
        self.count()
    }

    fn visit_i64<E: Error>(mut self, _: i64) -> Result<(), E> {
        self.count()
    }

    fn visit_u64<E: Error>(mut self, _: u64) -> Result<(), E> {
        self.count()
    }

    fn visit_f64<E: Error>(mut self, _: f64) -> Result<(), E> {
        self.count()
    }

    fn visit_str<E: Error>(mut self, _: &str) -> Result<(), E> {
        self.count()
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.count()?;
        while items.next_element_seed(Walk(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<(), A::Error> {
        self.count()?;
        let mut first = true;
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                HIDDEN => return Err(A::Error::custom(format_args!("the name {HIDDEN:?} is reserved"))),
                // A number looks like this here; it was counted as the object that it looks like.
                NUMBER if first => {
                    fields.next_value::<IgnoredAny>()?;
                }
                _ => fields.next_value_seed(Walk(self.0))?,
            }
            first = false;
        }
        Ok(())
    }
}
