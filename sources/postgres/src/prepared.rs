//! What a connection knows of the statements that it has prepared.

use std::{collections::HashMap, sync::Arc};

use sqlx::postgres::PgTypeInfo;
use tokio::time::Instant;
use toolbox_source::Column;

use crate::{error::Shift, kind::Kind};

/// Statements of one connection. When there are more, all are forgotten.
const MOST: usize = 100;

/// One prepared statement.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The text that runs: the caller's own, or one around it that lets the server render some columns.
    pub(crate) text: Arc<str>,
    /// How it moves places in the caller's own.
    pub(crate) shift: Shift,
    /// Its columns, in order; none if it answers without rows.
    pub(crate) columns: Arc<[Column]>,
    /// How the cells of each column are read.
    pub(crate) kinds: Arc<[Kind]>,
    /// Whether one more column says that row types still have the fields that they had.
    pub(crate) checks: bool,
    /// Its parameters, in order.
    pub(crate) parameters: Arc<[Parameter]>,
    /// When the server last said that these are their types.
    pub(crate) verified: Instant,
}

/// A parameter, with the type that the server inferred.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) of: PgTypeInfo,
    pub(crate) kind: Kind,
    /// The name of its type in a cast.
    pub(crate) name: Arc<str>,
}

/// The statements of one connection.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    known: HashMap<Arc<str>, Prepared>,
}

impl Statements {
    pub(crate) fn get(&self, text: &str) -> Option<Prepared> {
        self.known.get(text).cloned()
    }

    pub(crate) fn are_many(&self) -> bool {
        self.known.len() >= MOST
    }

    pub(crate) fn insert(&mut self, text: Arc<str>, prepared: Prepared) {
        self.known.insert(text, prepared);
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }
}
