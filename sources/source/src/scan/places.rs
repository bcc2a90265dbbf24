//! What stands around the arguments of a statement: whether they are values of their own, or something is made of them.

use super::{Lexicon, Token, TokenKind, Tokens};

/// What stands around one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A value of its own: of a column, or compared with one.
    Whole,
    /// Arithmetic, or a function of numbers.
    Computed,
    /// One of several values of which the answer is one: `COALESCE`, `CASE`.
    Chosen,
    /// The same, where the answer is compared: `a = COALESCE(?, a)`.
    ChosenToCompare,
    /// A function, a cast or an operator of bits, which read a text in a way of their own: `CAST(? AS TIME)`, `HOUR(?)`.
    Read,
    /// A column of a `SELECT`.
    Item,
    /// Anything else.
    Other,
}

/// The functions of numbers, with how many of their arguments, the first ones, are numbers that they compute with.
const COMPUTING: [(&str, usize); 9] = [
    ("ABS", 1),
    ("AVG", 1),
    ("CEIL", 1),
    ("CEILING", 1),
    ("FLOOR", 1),
    ("MOD", 2),
    ("ROUND", 1),
    ("SUM", 1),
    ("TRUNCATE", 1),
];

/// The functions that answer one of their arguments.
const CHOOSING: [&str; 10] =
    ["ANY_VALUE", "COALESCE", "GREATEST", "IF", "IFNULL", "LEAST", "MAX", "MIN", "NULLIF", "NVL"];

/// The functions that read texts as times or as numbers.
const READING: [&str; 26] = [
    "ADDDATE",
    "ADDTIME",
    "CAST",
    "CONVERT",
    "DATE",
    "DATEDIFF",
    "DATE_FORMAT",
    "DAYNAME",
    "EXTRACT",
    "HOUR",
    "MICROSECOND",
    "MINUTE",
    "SECOND",
    "STR_TO_DATE",
    "SUBDATE",
    "SUBTIME",
    "TIME",
    "TIMEDIFF",
    "TIMESTAMP",
    "TIMESTAMPADD",
    "TIMESTAMPDIFF",
    "TIME_FORMAT",
    "TIME_TO_SEC",
    "TO_DAYS",
    "TO_SECONDS",
    "UNIX_TIMESTAMP",
];

/// The functions whose third argument stands in for an answer that is not there.
const DEFAULTING: [&str; 2] = ["LAG", "LEAD"];

/// The words before a parenthesis that calls nothing.
const BEFORE_A_GROUP: [&str; 23] = [
    "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "DISTINCT", "DIV", "ELSE", "HAVING", "INTERVAL", "IS",
    "LIKE", "NOT", "ON", "OR", "SELECT", "SET", "THEN", "UNION", "WHEN", "WHERE", "XOR",
];

/// The words before a row of new values.
const ROWS: [&str; 3] = ["ROW", "VALUE", "VALUES"];

/// How many choices may stand in each other.
const DEEPEST: usize = 32;

/// The place of each placeholder, in the order of the text.
#[must_use]
pub fn places(statement: &str, lexicon: &Lexicon) -> Vec<Place> {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, lexicon).collect();
    let is_argument = |token: &Token<'_>| matches!(token.kind, TokenKind::Placeholder(_));
    if !tokens.iter().any(is_argument) {
        return Vec::new();
    }
    let nest = Nest::of(&tokens, lexicon.operators);
    let arguments = tokens.iter().enumerate().filter(|(_, token)| is_argument(token));
    arguments.map(|(index, _)| nest.around(index, index, 0)).collect()
}

/// The words of a statement, and which parentheses stand around each of them.
struct Nest<'t, 's> {
    tokens: &'t [Token<'s>],
    operators: &'static [&'static str],
    /// For each token the parenthesis that opens the list around it, and the place of its item in that list, from 0.
    lists: Vec<Option<(usize, usize)>>,
    /// For each parenthesis the one that closes it, or that it closes.
    others: Vec<Option<usize>>,
    /// For each opening parenthesis of a row of `(?, ?), (?, ?)` the one of the first row.
    rows: Vec<usize>,
}

impl<'t, 's> Nest<'t, 's> {
    fn of(tokens: &'t [Token<'s>], operators: &'static [&'static str]) -> Self {
        let mut lists = Vec::with_capacity(tokens.len());
        let mut others = vec![None; tokens.len()];
        let mut rows: Vec<usize> = (0..tokens.len()).collect();
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            if token.is_symbol(")")
                && let Some((opening, _)) = open.pop()
            {
                for (one, other) in [(opening, index), (index, opening)] {
                    if let Some(slot) = others.get_mut(one) {
                        *slot = Some(other);
                    }
                }
            }
            if token.is_symbol(",")
                && let Some((_, place)) = open.last_mut()
            {
                *place += 1;
            }
            lists.push(open.last().copied());
            if token.is_symbol("(") {
                let comma = index
                    .checked_sub(1)
                    .filter(|comma| tokens.get(*comma).is_some_and(|token| token.is_symbol(",")));
                let before = comma.and_then(|comma| *others.get(comma.checked_sub(1)?)?);
                let first = before.and_then(|before| rows.get(before).copied());
                if let (Some(first), Some(slot)) = (first, rows.get_mut(index)) {
                    *slot = first;
                }
                open.push((index, 0));
            }
        }
        Self { tokens, operators, lists, others, rows }
    }

    fn is_symbol(&self, index: Option<usize>, symbols: &[&str]) -> bool {
        let token = index.and_then(|index| self.tokens.get(index));
        token.is_some_and(|token| symbols.iter().any(|symbol| token.is_symbol(symbol)))
    }

    fn is_word(&self, index: Option<usize>, words: &[&str]) -> bool {
        let token = index.and_then(|index| self.tokens.get(index));
        token.is_some_and(|token| words.iter().any(|word| token.is_word(word)))
    }

    fn list(&self, index: usize) -> Option<(usize, usize)> {
        self.lists.get(index).copied().flatten()
    }

    /// The place of an expression, which is of the kind of an argument in it. So many choices stand in it.
    fn around(&self, first: usize, last: usize, depth: usize) -> Place {
        let (first, last) = self.widened(first, last);
        let (before, after) = (first.checked_sub(1), Some(last + 1));
        let computes =
            |index| self.is_symbol(index, &["+", "-", "*", "/", "%"]) || self.is_word(index, &["DIV", "MOD"]);
        if computes(before) || computes(after) {
            return Place::Computed;
        }
        // `->`, `#>` and `name => value` end like a comparison.
        let back = |steps| first.checked_sub(steps);
        let is_arrow = self.is_symbol(before, &[">"])
            && (self.is_symbol(back(2), &["-", "#"])
                || self.is_symbol(back(2), &["="]) && !self.is_symbol(back(3), &["<"]));
        if is_arrow || self.is_symbol(after, self.operators) {
            return Place::Other;
        }
        let shifts = |index: Option<usize>, sign: &str| {
            self.is_symbol(index, &[sign]) && self.is_symbol(index.and_then(|at| at.checked_add(1)), &[sign])
        };
        // `||` is OR.
        let is_bits = |index: Option<usize>, other: Option<usize>| {
            self.is_symbol(index, &["&", "^", "|"]) && !self.is_symbol(other, &["&", "|"])
        };
        if self.is_symbol(before, &["~"])
            || is_bits(before, back(2))
            || is_bits(after, Some(last + 2))
            || self.is_word(before, &["INTERVAL"])
            || ["<", ">"].iter().any(|sign| shifts(after, sign) || shifts(back(2), sign))
        {
            return Place::Read;
        }
        if self.is_symbol(before, &["=", "<", ">"])
            || self.is_symbol(after, &["=", "<", ">", "!"])
            || self.is_word(after, &["IS"])
        {
            return Place::Whole;
        }
        if self.is_word(before, &["THEN", "ELSE"]) && self.is_word(after, &["WHEN", "ELSE", "END"]) {
            return self.in_choice(self.case_around(first), depth);
        }
        let is_item = self.is_symbol(before, &["(", ","]) || self.is_word(before, &["DISTINCT", "ALL"]);
        if is_item && self.is_symbol(after, &[",", ")"]) {
            return self.in_a_list(first, depth);
        }
        // `CAST(? AS TIME)`, `EXTRACT(HOUR FROM ?)`
        let opener = self.list(first).and_then(|(open, _)| self.opener(open));
        let is_in = |name: &str| opener.is_some_and(|opener| opener.is_word(name));
        if self.is_symbol(before, &["("]) && self.is_word(after, &["AS"]) && is_in("CAST")
            || self.is_word(before, &["FROM"]) && self.is_symbol(after, &[")"]) && is_in("EXTRACT")
        {
            return Place::Read;
        }
        // A subquery may stand where its value is computed with.
        match self.list(first) {
            Some((open, 0)) if self.is_word(before, &["SELECT"]) && self.is_symbol(after, &[")"]) => {
                self.in_choice(Some((open, last + 1)), depth)
            }
            _ if self.is_word(before, &["SELECT", "DISTINCT", "ALL"]) => Place::Item,
            around
                if self.is_symbol(before, &[","])
                    && self.is_selected(first, around.map(|(open, _)| open)) =>
            {
                Place::Item
            }
            _ => Place::Other,
        }
    }

    /// Whether an item behind a comma is a column of a `SELECT`: of all words before it in the same parentheses, the last one that
    /// begins a part of a statement is that.
    fn is_selected(&self, first: usize, list: Option<usize>) -> bool {
        const PARTS: [&str; 10] =
            ["BY", "CALL", "FROM", "HAVING", "LIMIT", "ON", "SELECT", "SET", "VALUES", "WHERE"];
        let from = list.unwrap_or(0);
        let same = (from..first).rev().filter(|index| self.list(*index).map(|(open, _)| open) == list);
        let mut parts = same.filter(|index| self.is_word(Some(*index), &PARTS));
        parts.next().is_some_and(|part| self.is_word(Some(part), &["SELECT"]))
    }

    /// The place of a value in a choice, which is that of the choice.
    fn in_choice(&self, choice: Option<(usize, usize)>, depth: usize) -> Place {
        let Some((first, last)) = choice.filter(|_| depth < DEEPEST) else { return Place::Chosen };
        match self.around(first, last, depth + 1) {
            place @ (Place::Computed | Place::ChosenToCompare) => place,
            Place::Whole if !self.is_assigned(self.widened(first, last).0) => Place::ChosenToCompare,
            _ => Place::Chosen,
        }
    }

    /// Whether an expression behind `=`, or in a row, is the new value of a column.
    fn is_assigned(&self, first: usize) -> bool {
        const OTHERS: [&str; 11] =
            ["AND", "BY", "HAVING", "LIMIT", "NOT", "ON", "OR", "SELECT", "VALUES", "WHEN", "WHERE"];
        let list = self.list(first).map(|(open, _)| open);
        let row = list.and_then(|open| self.opener(self.rows.get(open).copied().unwrap_or(open)));
        if row.is_some_and(|row| ROWS.iter().any(|word| row.is_word(word))) {
            return true;
        }
        // How many `CASE … END` before it are open, from the right.
        let mut cases = 0_usize;
        for index in (0..first).rev() {
            if Some(index) == list {
                return false;
            }
            if self.list(index).map(|(open, _)| open) != list {
                continue;
            }
            if self.is_word(Some(index), &["END"]) {
                cases += 1;
            } else if self.is_word(Some(index), &["CASE"]) {
                cases = cases.saturating_sub(1);
            }
            if cases > 0 {
                continue;
            }
            if self.is_word(Some(index), &["SET", "UPDATE"]) {
                return true;
            }
            if self.is_word(Some(index), &OTHERS) {
                return false;
            }
        }
        false
    }

    /// The `CASE … END` around a token.
    fn case_around(&self, index: usize) -> Option<(usize, usize)> {
        let end_of = |places: &mut dyn Iterator<Item = usize>, opens: &str, closes: &str| {
            let mut inner = 0_usize;
            for place in places {
                if self.is_word(Some(place), &[closes]) {
                    inner += 1;
                } else if self.is_word(Some(place), &[opens]) {
                    match inner.checked_sub(1) {
                        None => return Some(place),
                        Some(fewer) => inner = fewer,
                    }
                }
            }
            None
        };
        let first = end_of(&mut (0..index).rev(), "CASE", "END")?;
        let last = end_of(&mut (index..self.tokens.len()), "END", "CASE")?;
        Some((first, last))
    }

    /// The first and the last token of an expression and the parentheses that stand around nothing else.
    fn widened(&self, mut first: usize, mut last: usize) -> (usize, usize) {
        while let Some(open) = first.checked_sub(1)
            && self.is_symbol(Some(open), &["("])
            && self.is_symbol(Some(last + 1), &[")"])
            && self.opener(open).is_none()
        {
            (first, last) = (open, last + 1);
        }
        (first, last)
    }

    /// The name or the word that a parenthesis belongs to; none of one that only groups.
    fn opener(&self, open: usize) -> Option<&'t Token<'s>> {
        let before = self.tokens.get(open.checked_sub(1)?)?;
        let groups = BEFORE_A_GROUP.iter().any(|word| before.is_word(word));
        (matches!(before.kind, TokenKind::Word | TokenKind::Name) && !groups).then_some(before)
    }

    /// The place of an item of a list, by what the list belongs to.
    fn in_a_list(&self, item: usize, depth: usize) -> Place {
        let Some((open, place)) = self.list(item) else { return Place::Other };
        let first = self.rows.get(open).copied().unwrap_or(open);
        let Some(name) = self.opener(first) else { return Place::Other };
        if name.is_word("IN") || ROWS.iter().any(|word| name.is_word(word)) {
            return Place::Whole;
        }
        if COMPUTING.iter().any(|(word, most)| name.is_word(word) && place < *most) {
            return Place::Computed;
        }
        if READING.iter().any(|word| name.is_word(word)) {
            return Place::Read;
        }
        let defaults = place >= 2 && DEFAULTING.iter().any(|word| name.is_word(word));
        if defaults || CHOOSING.iter().any(|word| name.is_word(word)) {
            let close = self.others.get(open).copied().flatten();
            return self.in_choice(open.checked_sub(1).zip(close), depth);
        }
        Place::Other
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, places};
    use crate::scan::Lexicon;

    fn of(statement: &str) -> Vec<Place> {
        places(statement, &Lexicon::MYSQL)
    }

    #[test]
    fn arguments_have_their_place_by_what_stands_around_them() {
        use Place::{Chosen, ChosenToCompare, Computed, Item, Other, Read, Whole};
        for (statement, expected) in [
            ("SELECT -?, +(?), ? * 2, 1 % ((?)), ? DIV 2, ? MOD 3", &[Computed; 6][..]),
            (
                "SELECT ABS(?), CEIL(?), SUM(DISTINCT ?), AVG(ALL ?), ROUND(?, ?)",
                &[Computed, Computed, Computed, Computed, Computed, Other],
            ),
            ("SELECT MOD(?, ?), TRUNCATE((?), 2), abs (?)", &[Computed; 4]),
            ("SELECT COALESCE(?, a), IF(?, ?, b), NULLIF((?), 1), MAX(?)", &[Chosen; 5]),
            ("SELECT CASE WHEN a THEN ? WHEN b THEN (?) ELSE ? END", &[Chosen; 3]),
            ("SELECT CASE ? WHEN ? THEN 1 END", &[Other; 2]),
            (
                "SELECT a FROM t WHERE b = ? AND ? < c AND (? IS NULL OR d IN (?, ?)) AND e <> (?)",
                &[Whole; 6],
            ),
            (
                "UPDATE t SET a = ?, b = b + ?, c = COALESCE(?, c) WHERE d = ?",
                &[Whole, Computed, Chosen, Whole],
            ),
            (
                "INSERT INTO t (a, b) VALUES (?, ?), (?, DEFAULT), ROW(-?, ?)",
                &[Whole, Whole, Whole, Computed, Whole],
            ),
            ("SELECT CONCAT(?, 'x'), s LIKE ?", &[Other; 2]),
            (
                "SELECT ?, ? AS a, f(?, ?), ? UNION ALL SELECT DISTINCT ? FROM t",
                &[Item, Item, Other, Other, Item, Item],
            ),
            ("SELECT ~?, ? & 1, 2 | ?, ? << 1, a + INTERVAL ? DAY", &[Read; 5]),
            (
                "SELECT JSON_CONTAINS(j, ?), j.coalesce(?), `IF`(?), 'ABS(?)' LIMIT ?",
                &[Other, Chosen, Other, Other],
            ),
            ("SELECT ABS((SELECT ?)), (SELECT ?), (SELECT COUNT(*) FROM t), ? b", &[Computed, Chosen, Item]),
            (
                "SELECT -COALESCE(?, 1), SUM(IF(a, ?, 0)), MAX(IFNULL(?, 1)) + 1, GREATEST(LEAST(?, 1), 2)",
                &[Computed, Computed, Computed, Chosen],
            ),
            (
                "SELECT SUM(CASE a WHEN 1 THEN ? ELSE CASE b WHEN 2 THEN 3 END END), -CASE WHEN CASE WHEN a THEN b END THEN ? END",
                &[Computed, Computed],
            ),
            (
                "SELECT 1 FROM t WHERE a = COALESCE(?, a) AND ABS(b) = IF(c, (LEAST(?, 1)), -1) AND CASE WHEN d THEN ? END < e",
                &[ChosenToCompare; 3],
            ),
            (
                "UPDATE t JOIN u ON a = IFNULL(?, a) SET b = COALESCE(?, b), c = IF(d = COALESCE(?, d), ?, c) WHERE (e = IFNULL(?, e))",
                &[ChosenToCompare, Chosen, ChosenToCompare, Chosen, ChosenToCompare],
            ),
            (
                "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = COALESCE(?, a), b = IF(c, ?, b)",
                &[Chosen; 2],
            ),
            (
                "INSERT INTO t VALUES (COALESCE(?, 1), b), (a, IF(c = (?), ?, 2)) ON DUPLICATE KEY UPDATE a = ?",
                &[Chosen, Whole, Chosen, Whole],
            ),
            ("SELECT 1 FROM t WHERE a IN (COALESCE(?, a), 1)", &[ChosenToCompare]),
            (
                "UPDATE t SET a = CASE WHEN b THEN ? ELSE CASE c WHEN 1 THEN 2 END END, d = COALESCE(?, d)",
                &[Chosen; 2],
            ),
            ("SELECT LAG(a, ?, ?) OVER w, LEAD(a, ?)", &[Other, Chosen, Other]),
            (
                "SELECT CAST(? AS TIME), HOUR(?), EXTRACT(HOUR FROM ?), CONVERT(?, SIGNED), TIMESTAMPDIFF(DAY, ?, a), CAST(-? AS CHAR)",
                &[Read, Read, Read, Read, Read, Computed],
            ),
            ("SELECT HOUR(COALESCE(?, a)), CAST(IF(a, ?, b) AS DATE)", &[Chosen; 2]),
            ("CALL p(?, -?)", &[Other, Computed]),
        ] {
            assert_eq!(of(statement), expected, "{statement}");
        }
    }

    #[test]
    fn operators_of_a_dialect_make_values() {
        use Place::{Other, Whole};
        for (statement, expected) in [
            (
                "UPDATE t SET a = $1 || 'x', b = $2::int, c = $3, d = f(n => $4)",
                &[Other, Other, Whole, Other][..],
            ),
            (
                "SELECT a -> $1, b #> $2, c FROM t WHERE d >= $3 AND e = $4 AND $5 <= f",
                &[Other, Other, Whole, Whole, Whole],
            ),
        ] {
            assert_eq!(places(statement, &Lexicon::POSTGRES), expected, "{statement}");
        }
        assert_eq!(places("UPDATE t SET a = ? || 'x', b = ?1", &Lexicon::SQLITE), [Other, Whole]);
        assert_eq!(of("SELECT 1 FROM t WHERE a = ? || b AND c <=> ?"), [Whole; 2]);
    }

    #[test]
    fn a_long_and_a_deep_statement_are_read_at_once() {
        let rows = vec!["(?, -?, ?, ?, ?, ?, ?, ?, ?, ?)"; 6_000].join(", ");
        let places_of_rows = of(&format!("INSERT INTO t VALUES {rows}"));
        assert_eq!(places_of_rows.len(), 60_000);
        assert_eq!(places_of_rows.iter().filter(|place| **place == Place::Whole).count(), 54_000);
        for (open, close) in
            [("COALESCE(", ")"), ("(", ")"), ("CASE WHEN a THEN ", " END"), ("(SELECT ", ")")]
        {
            let deep = format!("SELECT -{}?{}", open.repeat(20_000), close.repeat(20_000));
            let expected = if open == "(" { Place::Computed } else { Place::Chosen };
            assert_eq!(of(&deep), [expected], "{open}");
        }
    }
}
