//! PostgreSQL as a source, against a real server named by `TOOLBOX_TEST_POSTGRES_URL`: right values come from its own text
//! output, right states from its own views. Without a server each test says so and passes.
//!
//! `values`: cells against the server's text; `ranges`, `text_search`: thousands of them. `projected`, `multiranges`: columns
//! that the server renders. `arguments`, `declared`, `maps`, `roundtrip`: what is bound arrives. `altered`, `trips`: also after a column
//! got another type. `guards`: writes that check it.
//! `refusals`: what does not. `answers`: columns, events, counts, errors. `gate`: what may not be asked. `stop`: limits, cancelling,
//! dropping. `share`: lanes, nothing leaks, lost connections. `opening`: options, migrations, the account. `private`: TLS and
//! a restart, on a server of the test's own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]

mod altered;
mod answers;
mod arguments;
mod declared;
mod gate;
mod guards;
mod maps;
mod multiranges;
mod opening;
mod private;
mod projected;
mod ranges;
mod refusals;
mod roundtrip;
mod share;
mod stop;
mod support;
mod text_search;
mod trips;
mod values;
