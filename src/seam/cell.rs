//! Cells that are too long: cut, and marked with their full length.
//!
//! A cut cell is always text, and the mark cannot be overlooked: it is at the end, it is no base64, and it closes no JSON.
//! Numbers are never cut: fewer digits would be another number.

use toolbox_source::Value;

use super::{
    json,
    sink::{Count, Sink as _},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Cuts a cell that is longer than `limit` bytes. Text and JSON count as they are, bytes before they become base64, arrays
/// and objects as JSON.
pub(super) fn cut(cell: &mut Value, limit: usize) {
    match cell {
        Value::Text(text) if text.len() > limit => mark(text, limit),
        Value::Json(text) if text.len() > limit => {
            let mut text = std::mem::take(text);
            mark(&mut text, limit);
            *cell = Value::Text(text);
        }
        Value::Bytes(bytes) if bytes.len() > limit => {
            let full = bytes.len();
            // Whole groups of three, so that the base64 of the part is the beginning of the base64 of the whole.
            bytes.truncate(limit / 3 * 3);
            let mut text = STANDARD.encode(&bytes);
            push_mark(&mut text, full);
            *cell = Value::Text(text);
        }
        Value::Array(_) | Value::Object(_) => {
            let mut count = Count::default();
            json::write_value(&mut count, cell);
            if count.0 > limit {
                let mut text = String::with_capacity(count.0);
                json::write_value(&mut text, cell);
                mark(&mut text, limit);
                *cell = Value::Text(text);
            }
        }
        _ => {}
    }
}

/// Cuts a text at the last end of a character within the limit.
fn mark(text: &mut String, limit: usize) {
    let full = text.len();
    text.truncate(text.floor_char_boundary(limit));
    push_mark(text, full);
}

fn push_mark(text: &mut String, full: usize) {
    text.put("…[cut: ");
    text.put(itoa::Buffer::new().format(full));
    text.put(" bytes in full]");
}
