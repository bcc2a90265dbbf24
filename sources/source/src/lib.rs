//! The contract between the toolbox and a database.
//!
//! The road of one query:
//!
//! 1. a caller builds a [`Query`]: statement, arguments, limits, access mode, cancellation token;
//! 2. [`Source::query`] plans it, takes a connection from one of two [`lanes`], binds and runs it;
//! 3. the answer is a [`RowStream`]: [`Event::Columns`], [`Event::Row`]s and [`Event::Done`], repeated for each result set;
//! 4. whatever goes wrong on the way is a [`SourceError`].
//!
//! This crate must not depend on a database driver, on MCP, on HTTP, on configuration files or on encodings. A database
//! is a crate beside this one which implements [`Source`] and depends on nothing but this crate and its driver.

pub mod answer;
pub mod error;
pub mod json;
pub mod lanes;
pub mod names;
pub mod query;
pub mod ready;
pub mod rows;
pub mod scan;
pub mod source;
pub mod value;

pub use error::{DatabaseError, SourceError};
pub use query::{Access, Declared, Limits, Origin, Query};
pub use rows::{Column, ColumnKind, Done, Event, Row, RowStream};
pub use source::Source;
pub use value::Value;
