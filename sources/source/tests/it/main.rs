//! What all sources share, from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answer;
mod json;
mod lanes;
mod scan;
