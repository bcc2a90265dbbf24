//! MySQL and MariaDB as a source, against real servers: right values come from the server's own text.
//!
//! Each test runs on every server that `TOOLBOX_TEST_MYSQL_URL` and `TOOLBOX_TEST_MARIADB_URL` name, in a database of its
//! own, and says so when it is skipped.
//!
//! `values`: cells. `differential`: cells beside the server's own text. `unreadable`: cells that are refused. `arguments`: what
//! is sent. `expressions`: the same inside of them. `blame`: which of it the server refused. `instants`: the same for those with a zone. `listing`: when columns are asked for, heard by `wiretap`. `answers`: columns, events, counts, keys. `gate`: what may not be asked. `stop`: limits, cancelling, dropping. `storm`: the same for many calls at once.
//! `share`: lanes, killed connections, nothing leaks. `opening`: connecting. `account`: its powers. `migrations`. `private`: a
//! server of its own, for what no other test may do to a server.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "a test that cannot go on fails, and a skipped one says so"
)]

mod account;
mod answers;
mod arguments;
mod blame;
mod dice;
mod differential;
mod expressions;
mod gate;
mod instants;
mod listing;
mod migrations;
mod opening;
#[cfg(unix)]
mod private;
mod share;
mod stop;
mod storm;
mod support;
mod unreadable;
mod values;
mod wiretap;
