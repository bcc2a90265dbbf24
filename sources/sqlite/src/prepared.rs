//! What a connection knows of the operator's statements that it has prepared. It holds for one version of the schema.

use std::{collections::HashMap, sync::Arc};

use toolbox_source::Column;

/// As many statements as sqlx keeps prepared for a connection.
const MOST: usize = 100;

/// One prepared statement.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// Its columns, in order; none if it answers without rows.
    pub(crate) columns: Arc<[Column]>,
    /// How many arguments it takes.
    pub(crate) arguments: usize,
}

/// The statements of one connection.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    /// The version of the schema; `None` before the first look.
    version: Option<i64>,
    known: HashMap<Arc<str>, Prepared>,
}

impl Statements {
    /// Takes note of the version of the schema. If it is another one, everything is forgotten, and the driver must forget too.
    pub(crate) fn is_news(&mut self, version: Option<i64>) -> bool {
        let news = self.version != version;
        if news {
            self.known.clear();
            self.version = version;
        }
        news
    }

    pub(crate) fn get(&self, text: &str) -> Option<Prepared> {
        self.known.get(text).cloned()
    }

    pub(crate) fn insert(&mut self, text: Arc<str>, prepared: Prepared) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(text, prepared);
    }
}
