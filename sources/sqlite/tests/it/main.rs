//! SQLite as a source, against SQLite itself: right values come from its own `typeof`, `quote` and `hex`.
//!
//! `values`: cells and arguments. `tables`: cells of every kind of table. `answers`: columns, events, counts, keys. `gate`:
//! what may not be asked. `blame`: which arguments the database refused. `stop`: limits, cancelling, dropping. `share`: lanes, locks, nothing leaks. `opening`: paths, URIs,
//! memory. `migrations`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod answers;
mod blame;
mod gate;
mod migrations;
mod opening;
mod share;
mod stop;
mod support;
mod tables;
mod values;
