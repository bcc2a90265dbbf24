//! What the words of a statement tell about its effects beyond its rows: on the session, on files, on locks.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

/// Functions that wait, hold locks beyond the call, or read files of the server.
const REFUSED: [&str; 14] = [
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
];

/// Functions that leave a lock or a value in the session. `LAST_INSERT_ID()` does so only with an argument.
const OF_THE_SESSION: [&str; 6] = [
    "GET_LOCK",
    "LAST_INSERT_ID",
    "RELEASE_ALL_LOCKS",
    "RELEASE_LOCK",
    "SERVICE_GET_READ_LOCKS",
    "SERVICE_GET_WRITE_LOCKS",
];

/// What a statement does beside answering rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// The second word in upper case, if a word stands there.
    pub(super) second: String,
    /// `INTO OUTFILE` or `INTO DUMPFILE`.
    pub(super) writes_file: bool,
    /// `FOR UPDATE`, `FOR SHARE`, `LOCK IN SHARE MODE`.
    pub(super) locks: bool,
    /// It names a user variable or calls a function of the session.
    pub(super) touches_session: bool,
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
        for (index, token) in tokens.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| tokens.get(before));
            form.take(before, token, tokens.get(index + 1), tokens.get(index + 2));
        }
        form
    }

    fn take(
        &mut self,
        before: Option<&Token<'_>>,
        token: &Token<'_>,
        next: Option<&Token<'_>>,
        after: Option<&Token<'_>>,
    ) {
        let next_is = |word: &str| next.is_some_and(|next| next.is_word(word));
        self.writes_file |= token.is_word("INTO") && (next_is("OUTFILE") || next_is("DUMPFILE"));
        self.locks |= token.is_word("FOR") && (next_is("UPDATE") || next_is("SHARE"));
        self.locks |= token.is_word("LOCK") && next_is("IN");
        // `@name` is a user variable; `@@name` shows a setting.
        let at = |token: Option<&Token<'_>>| token.is_some_and(|token| token.is_symbol("@"));
        self.touches_session |= token.is_symbol("@") && !at(before) && !at(next);

        // A function of the server may be quoted, but not qualified: `schema.sleep(1)` is another one.
        let is_call = next.is_some_and(|next| next.is_symbol("("));
        if !is_call || token.kind == TokenKind::Text || before.is_some_and(|before| before.is_symbol(".")) {
            return;
        }
        let Some(name) = token.name() else { return };
        let one_of = |functions: &[&'static str]| {
            functions.iter().copied().find(|function| name.eq_ignore_ascii_case(function))
        };
        self.refused_function = self.refused_function.or(one_of(&REFUSED));
        let reads_last_id =
            name.eq_ignore_ascii_case("LAST_INSERT_ID") && after.is_some_and(|after| after.is_symbol(")"));
        self.touches_session |= one_of(&OF_THE_SESSION).is_some() && !reads_last_id;
    }
}

/// Whether what stands between two tokens begins a comment that the server executes.
pub(super) fn holds_executable_comment(sql: &str) -> bool {
    let mut end = 0;
    let gap_begins_one = |gap: &str| gap.contains("/*!") || gap.contains("/*M!");
    for token in Tokens::new(sql, &Lexicon::MYSQL) {
        if gap_begins_one(sql.get(end..token.start).unwrap_or_default()) {
            return true;
        }
        end = token.end();
    }
    gap_begins_one(sql.get(end..).unwrap_or_default())
}
