//! Finds out what a statement does from where its keywords stand: the verb behind `WITH` and `EXPLAIN`, and the forms in
//! which a reading verb writes.

use super::token::{Token, TokenKind};

/// Where the reading of a statement is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before the first keyword.
    #[default]
    First,
    /// After `EXPLAIN`, among its options.
    Explain,
    /// Before the name of a common table expression.
    Name,
    /// Between that name and `AS`.
    Columns,
    /// Between `AS` and the opening parenthesis.
    Body,
    /// Inside the parentheses, before the first keyword.
    BodyVerb,
    /// Inside the parentheses.
    BodyRest,
    /// After the closing parenthesis.
    AfterBody,
    /// In `SEARCH … SET` or `CYCLE … SET`, whose commas separate columns.
    Clause,
    /// After the verb of the main statement.
    Rest,
}

/// What the keywords of one statement say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// The very first keyword, in upper case.
    pub(super) first: String,
    /// The first keyword, or after `WITH` the one of the main statement, in upper case.
    pub(super) verb: String,
    /// The verb of the statement that `EXPLAIN` explains.
    explained: String,
    place: Place,
    /// Open parentheses.
    depth: usize,
    /// Open parentheses where `WITH` stands.
    base: usize,
    /// `EXPLAIN ANALYZE` runs what it explains.
    analyzes: bool,
    /// A form that writes or locks although its verb reads.
    writes: bool,
    /// The last two tokens as keywords in upper case; empty for other tokens.
    before: [String; 2],
    /// Whether the last token makes a name of the next word (`t.into`, `AS into`).
    names_next: bool,
}

const READING: [&str; 3] = ["SELECT", "VALUES", "TABLE"];

/// The verbs that `EXPLAIN` may explain.
const EXPLAINED: [&str; 14] = [
    "SELECT", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "CREATE", "DECLARE",
    "EXECUTE", "REFRESH", "CALL", "ALTER",
];

impl Form {
    /// Takes the next token of the statement.
    pub(super) fn take(&mut self, token: &Token<'_>) {
        let word =
            if token.kind == TokenKind::Word { token.text.to_ascii_uppercase() } else { String::new() };
        if token.is_symbol("(") {
            self.open();
        } else if token.is_symbol(")") {
            self.close();
        } else if token.is_symbol(",") {
            if self.place == Place::AfterBody {
                self.place = Place::Name;
            }
        } else if !word.is_empty() || token.kind == TokenKind::Name {
            self.word(&word);
        }
        // `PRAGMA name = value` sets something. `PRAGMA name(value)` may do so too; only SQLite's own crate knows.
        self.writes |= self.verb == "PRAGMA" && token.is_symbol("=");
        self.names_next = token.is_symbol(".") || word == "AS";
        let [_, last] = &mut self.before;
        let last = std::mem::replace(last, word);
        let [second, _] = &mut self.before;
        *second = last;
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.place == Place::Body && self.depth == self.base + 1 {
            self.place = Place::BodyVerb;
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if matches!(self.place, Place::BodyVerb | Place::BodyRest) && self.depth <= self.base {
            self.place = Place::AfterBody;
        }
    }

    /// Takes a keyword or a name; a quoted name comes as an empty text.
    fn word(&mut self, word: &str) {
        match self.place {
            Place::First => {
                word.clone_into(&mut self.first);
                match word {
                    "WITH" => self.begin_with(),
                    "EXPLAIN" | "DESCRIBE" | "DESC" => {
                        word.clone_into(&mut self.verb);
                        self.place = Place::Explain;
                    }
                    _ => self.main_verb(word),
                }
            }
            Place::Explain => match word {
                "ANALYZE" | "ANALYSE" => self.analyzes = true,
                "WITH" => self.begin_with(),
                _ if EXPLAINED.contains(&word) => self.main_verb(word),
                _ => {}
            },
            Place::Name if word != "RECURSIVE" => self.place = Place::Columns,
            Place::Columns if word == "AS" && self.depth == self.base => self.place = Place::Body,
            Place::BodyVerb => {
                self.writes |= word != "WITH" && !READING.contains(&word);
                self.place = Place::BodyRest;
            }
            Place::AfterBody => match word {
                "SEARCH" | "CYCLE" => self.place = Place::Clause,
                // What may follow the SET of a SEARCH or CYCLE clause.
                "TO" | "DEFAULT" | "USING" => {}
                _ if self.follows(&["SET", "TO", "DEFAULT", "USING"]) => {}
                _ => self.main_verb(word),
            },
            Place::Clause if word == "SET" => self.place = Place::AfterBody,
            Place::BodyRest | Place::Rest if !self.names_next => self.writing_form(word),
            _ => {}
        }
    }

    fn follows(&self, words: &[&str]) -> bool {
        let [_, last] = &self.before;
        words.contains(&last.as_str())
    }

    fn begin_with(&mut self) {
        self.base = self.depth;
        self.place = Place::Name;
    }

    fn main_verb(&mut self, word: &str) {
        let verb = if self.verb.is_empty() { &mut self.verb } else { &mut self.explained };
        word.clone_into(verb);
        self.place = Place::Rest;
    }

    /// Notes `SELECT … INTO`, `FOR UPDATE` and its sisters, and `LOCK IN SHARE MODE`.
    fn writing_form(&mut self, word: &str) {
        let [second, last] = &self.before;
        self.writes |= match word {
            "INTO" => true,
            "UPDATE" | "NO" | "KEY" => last == "FOR",
            "SHARE" => last == "FOR" || (second == "LOCK" && last == "IN"),
            _ => false,
        };
    }

    /// Whether the statement cannot change data, as far as its form tells.
    pub(super) fn reads(&self) -> bool {
        match self.verb.as_str() {
            "SHOW" => true,
            "EXPLAIN" | "DESCRIBE" | "DESC" => {
                !self.analyzes
                    || self.explained.is_empty()
                    || (READING.contains(&self.explained.as_str()) && !self.writes)
            }
            "PRAGMA" => !self.writes,
            verb => READING.contains(&verb) && !self.writes,
        }
    }
}
