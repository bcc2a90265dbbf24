//! Which pragmas read and which set something (<https://www.sqlite.org/pragma.html>).

use std::borrow::Cow;

use toolbox_source::scan::{Lexicon, Tokens};

/// A PRAGMA statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pragma {
    name: String,
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Absent,
    Present,
}

/// Pragmas that answer with rows about the object that their argument names.
const LOOK_UP: [&str; 10] = [
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Pragmas that answer with a setting or a fact when they have no argument.
const REPORT: [&str; 28] = [
    "application_id",
    "auto_vacuum",
    "automatic_index",
    "cache_size",
    "cell_size_check",
    "collation_list",
    "compile_options",
    "data_version",
    "database_list",
    "encoding",
    "foreign_keys",
    "freelist_count",
    "function_list",
    "journal_mode",
    "journal_size_limit",
    "max_page_count",
    "mmap_size",
    "module_list",
    "page_count",
    "page_size",
    "pragma_list",
    "recursive_triggers",
    "schema_version",
    "secure_delete",
    "synchronous",
    "trusted_schema",
    "user_version",
    "wal_autocheckpoint",
];

/// Pragmas that do a piece of maintenance; their argument sets nothing.
const MAINTENANCE: [&str; 4] = ["incremental_vacuum", "optimize", "shrink_memory", "wal_checkpoint"];

impl Pragma {
    /// Reads `PRAGMA [schema.]name`, `… = value` or `… (value)`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let incomplete = || "PRAGMA needs a name, such as PRAGMA table_info(customers)".to_owned();
        let mut tokens = Tokens::new(text, &Lexicon::SQLITE).skip(1);
        let first = tokens.next().and_then(|token| token.name()).ok_or_else(incomplete)?;
        let mut next = tokens.next();
        let name: Cow<'_, str> = if next.is_some_and(|token| token.is_symbol(".")) {
            let name = tokens.next().and_then(|token| token.name()).ok_or_else(incomplete)?;
            next = tokens.next();
            name
        } else {
            first
        };
        let value = if next.is_some() { Value::Present } else { Value::Absent };
        Ok(Self { name: name.to_ascii_lowercase(), value })
    }

    /// Whether it only reads.
    pub(super) fn reads(&self) -> bool {
        let name = self.name.as_str();
        LOOK_UP.contains(&name) || (self.value == Value::Absent && REPORT.contains(&name))
    }

    /// Whether it changes a setting, which would stay for the next caller.
    pub(super) fn sets(&self) -> bool {
        self.value == Value::Present && !self.reads() && !MAINTENANCE.contains(&self.name.as_str())
    }

    pub(super) fn refusal_for_readers(&self) -> String {
        let name = &self.name;
        if self.sets() && REPORT.contains(&name.as_str()) {
            format!(
                "PRAGMA {name} with a value is refused: this call is read-only; leave the value out to read it"
            )
        } else {
            format!(
                "PRAGMA {name} is refused: this call is read-only and takes the PRAGMAs that only read, such as table_info, \
                 table_list, index_list, foreign_key_list and database_list"
            )
        }
    }

    pub(super) fn refusal_for_the_model(&self) -> String {
        format!(
            "PRAGMA {} with a value is refused: it changes a setting of the connection; ask the operator to set it in the \
             database URI of the source",
            self.name
        )
    }
}
