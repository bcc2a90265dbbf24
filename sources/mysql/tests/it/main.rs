//! MySQL and MariaDB as a source, against real servers: right values come from the server's own text.
//!
//! Each test runs on every server that `TOOLBOX_TEST_MYSQL_URL` and `TOOLBOX_TEST_MARIADB_URL` name, in a database of its
//! own, and says so when it is skipped.
//!
//! `values`: cells. `differential`: cells beside the server's own text. `arguments`: what is sent. `answers`: columns, events, counts, keys. `gate`: what may not be asked. `stop`: limits,
//! cancelling, dropping. `share`: lanes, killed connections, nothing leaks. `opening`: connecting. `migrations`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on fails, and a skipped one says so"
)]

mod answers;
mod arguments;
mod dice;
mod differential;
mod gate;
mod migrations;
mod opening;
mod share;
mod stop;
mod support;
mod values;
