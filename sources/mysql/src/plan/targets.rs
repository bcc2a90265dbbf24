//! Which columns the arguments of a writing statement go into, as far as its text says so: `(a, b) VALUES (?, ?)` and
//! `SET a = ?`. What the server refuses then has the place of its argument.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

/// Where the arguments of one statement go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    /// The one table that is written, as it is spelled.
    pub(crate) table: Option<String>,
    /// For each argument the column of which it is the whole new value.
    pub(crate) columns: Vec<Option<String>>,
}

impl Targets {
    /// Reads them from the text of a statement.
    pub(crate) fn of(text: &str) -> Self {
        let tokens: Vec<Token<'_>> = Tokens::new(text, &Lexicon::MYSQL).collect();
        let mut targets = Self { table: table(text, &tokens), columns: Vec::new() };
        let listed = listed_columns(&tokens);
        let mut place = Place::default();
        for (index, token) in tokens.iter().enumerate() {
            let before = |back: usize| index.checked_sub(back).and_then(|index| tokens.get(index));
            if matches!(token.kind, TokenKind::Placeholder(_)) {
                let next = tokens.get(index + 1);
                targets.columns.push(match place.part {
                    Part::Values if place.depth == 1 && is_whole(before(1), next) => {
                        listed.get(place.item).cloned()
                    }
                    Part::Assignments if place.depth == 0 => assigned(before(2), before(1), next),
                    _ => None,
                });
            }
            place.take(token);
        }
        targets
    }
}

/// The part of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Other,
    /// After `VALUES`.
    Values,
    /// After `SET`, or `ON DUPLICATE KEY UPDATE`.
    Assignments,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    part: Part,
    /// Open parentheses.
    depth: usize,
    /// The place in a row of `VALUES`.
    item: usize,
    after_key: bool,
}

impl Place {
    fn take(&mut self, token: &Token<'_>) {
        let is = |word: &str| token.is_word(word);
        if token.is_symbol("(") {
            self.depth += 1;
            if self.depth == 1 {
                self.item = 0;
            }
        } else if token.is_symbol(")") {
            self.depth = self.depth.saturating_sub(1);
        } else if token.is_symbol(",") && self.depth == 1 {
            self.item += 1;
        } else if self.depth == 0 {
            if is("VALUES") || is("VALUE") {
                self.part = Part::Values;
            } else if is("SET") || (is("UPDATE") && self.after_key) {
                self.part = Part::Assignments;
            } else if ["WHERE", "ORDER", "LIMIT", "ON", "RETURNING", "SELECT"].into_iter().any(is) {
                self.part = Part::Other;
            }
            self.after_key = is("KEY");
        }
    }
}

/// Whether nothing stands beside an item of a list.
fn is_whole(before: Option<&Token<'_>>, next: Option<&Token<'_>>) -> bool {
    let ends = |token: Option<&Token<'_>>, one: &str, other: &str| {
        token.is_some_and(|token| token.is_symbol(one) || token.is_symbol(other))
    };
    ends(before, "(", ",") && ends(next, ")", ",")
}

/// The column of `column = ?` with nothing behind it.
fn assigned(
    name: Option<&Token<'_>>,
    equals: Option<&Token<'_>>,
    next: Option<&Token<'_>>,
) -> Option<String> {
    let ends = next.is_none_or(|next| {
        next.is_symbol(",")
            || ["WHERE", "ORDER", "LIMIT", "ON", "AS", "RETURNING"].into_iter().any(|word| next.is_word(word))
    });
    let name = name.filter(|_| ends && equals.is_some_and(|equals| equals.is_symbol("=")))?;
    column(name)
}

fn column(token: &Token<'_>) -> Option<String> {
    let is_name = matches!(token.kind, TokenKind::Word | TokenKind::Name);
    is_name.then(|| token.name().map(std::borrow::Cow::into_owned)).flatten()
}

/// What may stand between the verb and the table.
const BEFORE_THE_TABLE: [&str; 11] = [
    "DELAYED",
    "DELETE",
    "FROM",
    "HIGH_PRIORITY",
    "IGNORE",
    "INSERT",
    "INTO",
    "LOW_PRIORITY",
    "QUICK",
    "REPLACE",
    "UPDATE",
];

/// Where the name of the table begins and ends, among the tokens.
pub(super) fn table_tokens(tokens: &[Token<'_>]) -> Option<(usize, usize)> {
    let is_before = |token: &Token<'_>| BEFORE_THE_TABLE.iter().any(|word| token.is_word(word));
    let is_name = |index: usize| {
        tokens.get(index).is_some_and(|token| matches!(token.kind, TokenKind::Word | TokenKind::Name))
    };
    let start =
        tokens.iter().position(|token| !is_before(token)).filter(|start| *start > 0 && is_name(*start))?;
    let is_qualified = tokens.get(start + 1).is_some_and(|token| token.is_symbol("."));
    let end = if is_qualified { start + 2 } else { start };
    is_name(end).then_some((start, end))
}

/// The table, with its schema if it is named, as it is spelled; none if an `UPDATE` has several.
pub(super) fn table(text: &str, tokens: &[Token<'_>]) -> Option<String> {
    let (start, end) = table_tokens(tokens)?;
    let is_update = tokens.first().is_some_and(|first| first.is_word("UPDATE"));
    if is_update && !tokens.get(end + 1).is_some_and(|next| next.is_word("SET")) {
        return None;
    }
    Some(text.get(tokens.get(start)?.start..tokens.get(end)?.end())?.to_owned())
}

/// The columns between the table and `VALUES`.
fn listed_columns(tokens: &[Token<'_>]) -> Vec<String> {
    let Some((_, end)) = table_tokens(tokens) else { return Vec::new() };
    let mut rest = tokens.iter().skip(end + 1);
    if !rest.next().is_some_and(|open| open.is_symbol("(")) {
        return Vec::new();
    }
    rest.take_while(|token| !token.is_symbol(")")).filter_map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::Targets;

    #[test]
    fn the_column_of_each_argument_is_the_one_that_it_alone_fills() {
        for (text, table, columns) in [
            ("INSERT INTO t (a, `b c`) VALUES (?, ?), (1, ?)", Some("t"), &["a", "b c", "b c"][..]),
            ("INSERT INTO s.t (a, b) VALUES (? + 1, f(?)), ((?), ?)", Some("s.t"), &["", "", "", "b"]),
            (
                "INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = ?, b = b + ?",
                Some("t"),
                &["a", "a", ""],
            ),
            ("INSERT t SET a = ?, b = ?", Some("t"), &["a", "b"]),
            ("INSERT INTO t VALUES (?)", Some("t"), &[""]),
            ("INSERT INTO t (a) SELECT ? FROM u", Some("t"), &[""]),
            ("REPLACE INTO t (a) VALUE (?) RETURNING ?", Some("t"), &["a", ""]),
            ("UPDATE t SET a = ?, t.b = ? WHERE c = ? LIMIT ?", Some("t"), &["a", "b", "", ""]),
            ("UPDATE t, u SET t.a = ?", None, &["a"]),
            ("UPDATE t SET a = (SELECT x FROM u WHERE y = ?), b = -?", Some("t"), &["", ""]),
            ("DELETE FROM t WHERE a = ?", Some("t"), &[""]),
            ("SELECT ?", None, &[""]),
        ] {
            let targets = Targets::of(text);
            let found: Vec<&str> = targets.columns.iter().map(|name| name.as_deref().unwrap_or("")).collect();
            assert_eq!((targets.table.as_deref(), found.as_slice()), (table, columns), "{text}");
        }
    }
}
