//! Everything that crosses a boundary, as one binary: one file a concern, one folder where a concern needs tables.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by a panic, and what it prints is shown when it does"
)]

mod cli;
mod config;
mod contract;
mod example;
#[cfg(unix)]
mod readme;
mod sdk;
mod seam;
mod server;
mod support;
mod tokens;
mod values;
