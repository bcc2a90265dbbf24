//! Where JSON is written to: a text, or a count of its bytes.
//!
//! One writer serves both, so the counted size of a row is the size that the row has when it is written.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Takes text piece by piece.
pub(super) trait Sink {
    /// Takes a piece as it is.
    fn put(&mut self, piece: &str);

    /// Takes bytes as base64: standard alphabet, padded.
    fn put_base64(&mut self, bytes: &[u8]);
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
}
