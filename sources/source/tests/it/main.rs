//! The scan of statements and the lanes of connections, from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answer;
mod lanes;
mod scan;
