//! What the words of a statement tell about its effects beyond its rows: on the session, on files, on locks.

use std::borrow::Cow;

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

use super::functions;

/// Functions that wait, hold locks beyond the call, or read files of the server.
const REFUSED: [&str; 15] = [
    "BENCHMARK",
    "GET_LOCK",
    "LOAD_FILE",
    "MASTER_GTID_WAIT",
    "MASTER_POS_WAIT",
    "RELEASE_ALL_LOCKS",
    "RELEASE_LOCK",
    "SERVICE_GET_READ_LOCKS",
    "SERVICE_GET_WRITE_LOCKS",
    "SERVICE_RELEASE_LOCKS",
    "SLEEP",
    "SOURCE_POS_WAIT",
    "WAIT_FOR_EXECUTED_GTID_SET",
    "WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS",
    "WSREP_SYNC_WAIT_UPTO_GTID",
];

/// Functions that tell what an earlier statement of the session did. `LAST_INSERT_ID()` does so only without an argument.
const OF_EARLIER: [&str; 4] = ["FOUND_ROWS", "LAST_INSERT_ID", "LASTVAL", "ROW_COUNT"];

/// Session variables that tell the same.
const EARLIER_VALUES: [&str; 6] =
    ["error_count", "identity", "insert_id", "last_gtid", "last_insert_id", "warning_count"];

/// Session variables that say how the server writes values.
const PINNED: [&str; 3] = ["character_set_connection", "character_set_results", "time_zone"];

/// What `SHOW` shows of earlier statements.
const SHOWN_EARLIER: [&str; 4] = ["ERRORS", "PROFILE", "PROFILES", "WARNINGS"];

/// A name between one of these words and `(` is a table with its columns.
const BEFORE_A_TABLE: [&str; 9] =
    ["AS", "DELAYED", "HIGH_PRIORITY", "IGNORE", "INSERT", "INTO", "LOW_PRIORITY", "RECURSIVE", "REPLACE"];

/// What a statement wants to know of earlier ones in its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Earlier {
    #[default]
    Nothing,
    /// It asks for values that they leave, such as `LAST_INSERT_ID()`.
    Asked,
    /// It is nothing but the question: `SHOW WARNINGS`.
    Shown(&'static str),
}

/// What a statement does beside answering rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// The second word in upper case, if a word stands there.
    pub(super) second: String,
    /// `INTO OUTFILE` or `INTO DUMPFILE`.
    pub(super) writes_file: bool,
    /// `FOR UPDATE`, `FOR SHARE`, `LOCK IN SHARE MODE`.
    pub(super) locks: bool,
    /// It names a user variable, or calls a function that may leave something in the session.
    pub(super) touches_session: bool,
    pub(super) earlier: Earlier,
    /// `SET STATEMENT time_zone = … FOR`, or the same with another value on which the reading of answers stands.
    pub(super) pinned: Option<&'static str>,
    /// What a `CREATE`, `ALTER`, `DROP` or `RENAME` acts on, where that is the server, its files or its accounts.
    pub(super) object: Option<&'static str>,
    /// `SHOW GRANTS` or `SHOW CREATE USER`.
    pub(super) account: Option<&'static str>,
    /// The first function that is refused.
    pub(super) refused_function: Option<&'static str>,
}

impl Form {
    pub(super) fn of(text: &str) -> Self {
        let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::MYSQL).collect();
        let mut form = Self::default();
        if let Some(second) = tokens.get(1).filter(|token| token.kind == TokenKind::Word) {
            form.second = second.text.to_ascii_uppercase();
        }
        let first_is = |word: &str| tokens.first().is_some_and(|first| first.is_word(word));
        let places = (0..tokens.len()).map(|index| Place { tokens: &tokens, index });
        if first_is("SET") && form.second == "STATEMENT" {
            form.pinned = places.clone().find_map(|place| place.one_of(&PINNED));
        }
        if first_is("SHOW") {
            // `SHOW COUNT(*) WARNINGS`
            let index = if form.second == "COUNT" { 5 } else { 1 };
            let shown = Place { tokens: &tokens, index }.one_of(&SHOWN_EARLIER);
            form.earlier = shown.map_or(Earlier::Nothing, Earlier::Shown);
            let of_user = form.second == "CREATE" && tokens.get(2).is_some_and(|word| word.is_word("USER"));
            form.account = match form.second.as_str() {
                "GRANTS" => Some("SHOW GRANTS"),
                _ => of_user.then_some("SHOW CREATE USER"),
            };
        }
        if ["CREATE", "ALTER", "DROP", "RENAME"].into_iter().any(first_is) {
            form.object = object(&tokens);
        }
        places.for_each(|place| form.take(place));
        form
    }

    fn take(&mut self, place: Place<'_>) {
        let is = |offset: isize, word: &str| place.at(offset).is_some_and(|token| token.is_word(word));
        let symbol = |offset: isize, text: &str| place.at(offset).is_some_and(|token| token.is_symbol(text));
        self.writes_file |= is(0, "INTO") && (is(1, "OUTFILE") || is(1, "DUMPFILE"));
        self.locks |= is(0, "FOR") && (is(1, "UPDATE") || is(1, "SHARE"));
        self.locks |= is(0, "LOCK") && is(1, "IN");
        // `@name` is a user variable; `@@name` and `@@SESSION.name` show a setting.
        if symbol(0, "@") && !symbol(-1, "@") && !symbol(1, "@") {
            self.touches_session = true;
            // A trigger of an earlier statement may have set it.
            self.earlier = Earlier::Asked;
        }
        let of_session = symbol(-1, ".") && (is(-2, "SESSION") || is(-2, "LOCAL"));
        if (symbol(-1, "@") || of_session) && place.one_of(&EARLIER_VALUES).is_some() {
            self.earlier = Earlier::Asked;
        }
        if symbol(1, "(") {
            self.take_call(place);
        }
    }

    /// Takes a name before a parenthesis. A function of the server may be quoted, but not qualified: `schema.sleep(1)` is
    /// another one.
    fn take_call(&mut self, place: Place<'_>) {
        let Some(name) = place.name() else { return };
        let symbol = |offset: isize, text: &str| place.at(offset).is_some_and(|token| token.is_symbol(text));
        let is_qualified = symbol(-1, ".");
        let before = place.at(if is_qualified { -3 } else { -1 });
        if before.is_some_and(|before| BEFORE_A_TABLE.iter().any(|word| before.is_word(word))) {
            return;
        }
        if is_qualified {
            self.touches_session = true;
            return;
        }
        self.refused_function = self.refused_function.or(place.one_of(&REFUSED));
        let has_argument = !symbol(2, ")");
        match place.one_of(&OF_EARLIER) {
            // With an argument it sets what it tells.
            Some("LAST_INSERT_ID") if has_argument => self.touches_session = true,
            Some(_) => self.earlier = Earlier::Asked,
            None => self.touches_session |= !functions::is_harmless(&name),
        }
    }
}

/// What a DDL statement acts on that is not data, or `SONAME`, with which it loads a library.
fn object(tokens: &[Token<'_>]) -> Option<&'static str> {
    let words = ["INSTANCE", "LOGFILE", "RESOURCE", "ROLE", "SERVER", "TABLESPACE", "UNDO", "USER"];
    // `CREATE OR REPLACE USER`
    let kind = tokens.iter().skip(1).find(|token| !token.is_word("OR") && !token.is_word("REPLACE"));
    let kind = kind.and_then(|kind| words.into_iter().find(|word| kind.is_word(word)));
    let loads = |pair: &[Token<'_>]| matches!(pair, [word, file] if word.is_word("SONAME") && file.kind == TokenKind::Text);
    kind.or_else(|| tokens.windows(2).any(loads).then_some("SONAME"))
}

/// A token among its neighbors.
#[derive(Clone, Copy)]
struct Place<'t> {
    tokens: &'t [Token<'t>],
    index: usize,
}

impl<'t> Place<'t> {
    /// The token so many places on, or back.
    fn at(self, offset: isize) -> Option<&'t Token<'t>> {
        self.tokens.get(self.index.checked_add_signed(offset)?)
    }

    /// The name that the token spells, quoted or not.
    fn name(self) -> Option<Cow<'t, str>> {
        self.at(0).filter(|token| token.kind != TokenKind::Text)?.name()
    }

    /// Which of these names it spells.
    fn one_of(self, names: &[&'static str]) -> Option<&'static str> {
        let name = self.name()?;
        names.iter().copied().find(|other| name.eq_ignore_ascii_case(other))
    }
}

/// Whether a comment of the text is one that the server executes.
pub(super) fn holds_executable_comment(sql: &str) -> bool {
    let begins_one = |text: &str| text.contains("/*!") || text.contains("/*M!");
    begins_one(sql) && any_gap(sql, begins_one)
}

/// Whether a hint sets the time zone of its statement: `/*+ SET_VAR(time_zone = '+05:00') */`.
pub(crate) fn hint_sets_zone(sql: &str) -> bool {
    sql.contains("/*+")
        && any_gap(sql, |gap| gap.contains("/*+") && gap.to_ascii_lowercase().contains("time_zone"))
}

/// Whether anything that stands between two tokens, or after the last one, is so.
fn any_gap(sql: &str, is_so: impl Fn(&str) -> bool) -> bool {
    let mut end = 0;
    for token in Tokens::new(sql, &Lexicon::MYSQL) {
        if is_so(sql.get(end..token.start).unwrap_or_default()) {
            return true;
        }
        end = token.end();
    }
    is_so(sql.get(end..).unwrap_or_default())
}
