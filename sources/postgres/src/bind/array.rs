//! Lists for array types.

use toolbox_source::Value;

use super::{Form, literal};
use crate::kind::Kind;

/// The form of a list for an array with elements of this kind and the number of their type. In binary form: dimensions,
/// whether it holds nulls, the type of its elements, then the elements in order. Where only the server reads an element,
/// the whole array becomes one text.
pub(super) fn form(items: &[Value], element: &Kind, number: u32) -> Result<Form, String> {
    let mut lengths = Vec::new();
    let mut level = items.first().map(|_| items);
    while let Some(items) = level {
        lengths.push(items.len());
        level = match items.first() {
            // A list inside an array of json is a value, not a dimension.
            Some(Value::Array(inner)) if !matches!(element, Kind::Json | Kind::Jsonb) => Some(inner),
            _ => None,
        };
    }
    let mut elements = Elements { kind: element, bytes: Vec::new(), nulls: false, is_text: false };
    elements.take(items, &lengths)?;
    if elements.is_text {
        return literal::list(items, element).map(Form::Text);
    }
    let mut bytes = Vec::with_capacity(elements.bytes.len() + 20);
    bytes.extend(size(lengths.len())?.to_be_bytes());
    bytes.extend(i32::from(elements.nulls).to_be_bytes());
    bytes.extend(number.to_be_bytes());
    for length in lengths {
        bytes.extend(size(length)?.to_be_bytes());
        bytes.extend(1_i32.to_be_bytes());
    }
    bytes.extend(elements.bytes);
    Ok(Form::Binary(bytes))
}

fn size(length: usize) -> Result<i32, String> {
    i32::try_from(length).map_err(|_| "the list is too long".to_owned())
}

struct Elements<'a> {
    kind: &'a Kind,
    bytes: Vec<u8>,
    nulls: bool,
    /// Whether only the server reads one of them.
    is_text: bool,
}

impl Elements<'_> {
    fn take(&mut self, items: &[Value], lengths: &[usize]) -> Result<(), String> {
        let Some((length, inner)) = lengths.split_first() else { return Ok(()) };
        if items.len() != *length {
            return Err("the lists of one dimension of an array must be of equal length".to_owned());
        }
        for (index, item) in items.iter().enumerate() {
            if inner.is_empty() {
                self.push(item).map_err(|message| format!("entry {}: {message}", index + 1))?;
            } else if let Value::Array(items) = item {
                self.take(items, inner)?;
            } else {
                return Err(format!("entry {} must be a list like the first one", index + 1));
            }
        }
        Ok(())
    }

    fn push(&mut self, item: &Value) -> Result<(), String> {
        match super::form(item, self.kind)? {
            Form::Null => {
                self.nulls = true;
                self.bytes.extend((-1_i32).to_be_bytes());
            }
            Form::Binary(bytes) => {
                self.bytes.extend(size(bytes.len())?.to_be_bytes());
                self.bytes.extend(bytes);
            }
            Form::Text(_) => self.is_text = true,
        }
        Ok(())
    }
}
