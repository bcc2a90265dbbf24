//! The types of tools: those that are served, and those of MCP Toolbox that are known and not served.

use crate::config::{
    nearest,
    source::{self, DatabaseType},
};

/// What a tool of a type runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A statement of the operator.
    Statement,
    /// A statement of the model.
    ExecuteSql,
}

impl What {
    /// How the type's word ends.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Statement => "sql",
            Self::ExecuteSql => "execute-sql",
        }
    }
}

/// A type that is served.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type {
    /// Its word.
    pub(super) word: &'static str,
    /// The type of its sources.
    pub(super) database: DatabaseType,
    /// What it runs.
    pub(super) what: What,
}

/// What is known of a word.
pub(super) enum Known {
    /// A type that is served.
    Served(Type),
    /// A type of MCP Toolbox.
    NotServed,
    /// Nothing.
    Unknown,
}

const SERVED: [Type; 6] = [
    Type { word: "sqlite-sql", database: DatabaseType::Sqlite, what: What::Statement },
    Type { word: "sqlite-execute-sql", database: DatabaseType::Sqlite, what: What::ExecuteSql },
    Type { word: "postgres-sql", database: DatabaseType::Postgres, what: What::Statement },
    Type { word: "postgres-execute-sql", database: DatabaseType::Postgres, what: What::ExecuteSql },
    Type { word: "mysql-sql", database: DatabaseType::MySql, what: What::Statement },
    Type { word: "mysql-execute-sql", database: DatabaseType::MySql, what: What::ExecuteSql },
];

/// Types of the served databases that read their catalogs.
const CATALOG: [&str; 31] = [
    "postgres-list-tables",
    "postgres-list-views",
    "postgres-list-schemas",
    "postgres-list-indexes",
    "postgres-list-sequences",
    "postgres-list-triggers",
    "postgres-list-stored-procedure",
    "postgres-list-roles",
    "postgres-list-tablespaces",
    "postgres-list-pg-settings",
    "postgres-list-available-extensions",
    "postgres-list-installed-extensions",
    "postgres-list-publication-tables",
    "postgres-list-active-queries",
    "postgres-long-running-transactions",
    "postgres-list-locks",
    "postgres-replication-stats",
    "postgres-database-overview",
    "postgres-list-database-stats",
    "postgres-list-table-stats",
    "postgres-list-query-stats",
    "postgres-get-column-cardinality",
    "mysql-list-tables",
    "mysql-list-active-queries",
    "mysql-get-query-plan",
    "mysql-list-table-stats",
    "mysql-show-query-stats",
    "mysql-list-all-locks",
    "mysql-list-table-fragmentation",
    "mysql-list-tables-missing-unique-indexes",
    "wait",
];

/// What is known of a type's word.
pub(super) fn of_word(word: &str) -> Known {
    if let Some(served) = SERVED.into_iter().find(|served| served.word == word) {
        return Known::Served(served);
    }
    let of_another_source = source::NOT_SERVED
        .into_iter()
        .any(|source| word.strip_prefix(source).is_some_and(|rest| rest.starts_with('-')));
    if of_another_source || CATALOG.contains(&word) { Known::NotServed } else { Known::Unknown }
}

/// The served type that a misspelt word most likely means.
pub(super) fn guess(word: &str) -> Option<Type> {
    let near = nearest::nearest(word, SERVED.into_iter().map(|served| served.word).chain(CATALOG))?;
    SERVED.into_iter().find(|served| served.word == near)
}

/// What a misspelt type may mean: the nearest of all known words, or those that are served.
pub(super) fn suggestion(word: &str) -> String {
    let served = || SERVED.into_iter().map(|served| served.word);
    match nearest::nearest(word, served().chain(CATALOG)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => nearest::suggestion(word, "type", served()),
    }
}
