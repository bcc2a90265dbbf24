//! What stands around the arguments of a statement, as far as it decides in which type a server takes them.
//!
//! `MySQL` settles the type of an argument from what stands around it before it sees a value: a double under `-` and in
//! `ABS`, the type of the other operands in `COALESCE`. A number beside it would be rounded, and a text would become 0.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens, items::find};

/// What stands around one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A value of its own: of a column, or compared with one.
    Whole,
    /// Arithmetic, or a function of numbers.
    Computed,
    /// One of several values of which the answer is one: `COALESCE`, `CASE`.
    Chosen,
    /// The same, where the answer is compared: `a = COALESCE(?, a)`.
    ChosenToCompare,
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

/// The words before a parenthesis that calls nothing.
const BEFORE_A_GROUP: [&str; 24] = [
    "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "DISTINCT", "DIV", "ELSE", "HAVING", "IN", "INTERVAL", "IS",
    "LIKE", "NOT", "ON", "OR", "SELECT", "SET", "THEN", "UNION", "WHEN", "WHERE", "XOR",
];

/// The place of each argument, in order.
pub(crate) fn places(statement: &str) -> Vec<Place> {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::MYSQL).collect();
    let arguments =
        tokens.iter().enumerate().filter(|(_, token)| matches!(token.kind, TokenKind::Placeholder(_)));
    arguments.map(|(index, _)| place(&tokens, index)).collect()
}

/// Whether a statement divides: a quotient of decimals has few digits, one of doubles as many as they hold.
pub(crate) fn divides(statement: &str) -> bool {
    Tokens::new(statement, &Lexicon::MYSQL).any(|token| token.is_symbol("/") || token.is_word("AVG"))
}

fn place(tokens: &[Token<'_>], index: usize) -> Place {
    around(tokens, index, index)
}

/// The place of an expression, which is of the kind of an argument in it.
fn around(tokens: &[Token<'_>], first: usize, last: usize) -> Place {
    let (first, last) = widened(tokens, first, last);
    let before = first.checked_sub(1).and_then(|before| tokens.get(before));
    let after = tokens.get(last + 1);
    let is_symbol = |token: Option<&Token<'_>>, symbols: &[&str]| {
        token.is_some_and(|token| symbols.iter().any(|symbol| token.is_symbol(symbol)))
    };
    let is_word = |token: Option<&Token<'_>>, words: &[&str]| {
        token.is_some_and(|token| words.iter().any(|word| token.is_word(word)))
    };
    let computes = |token| is_symbol(token, &["+", "-", "*", "/", "%"]) || is_word(token, &["DIV", "MOD"]);
    if computes(before) || computes(after) {
        return Place::Computed;
    }
    if is_symbol(before, &["=", "<", ">"])
        || is_symbol(after, &["=", "<", ">", "!"])
        || is_word(after, &["IS"])
    {
        return Place::Whole;
    }
    if is_word(before, &["THEN", "ELSE"]) && is_word(after, &["WHEN", "ELSE", "END"]) {
        return match case_around(tokens, first) {
            Some((first, last)) => in_choice(tokens, first, last),
            None => Place::Chosen,
        };
    }
    let is_item = is_symbol(before, &["(", ","]) || is_word(before, &["DISTINCT", "ALL"]);
    if is_item && is_symbol(after, &[",", ")"]) {
        return in_a_list(tokens, first);
    }
    // A subquery may stand where its value is computed with.
    match list_around(tokens, first) {
        Some((open, 0)) if is_word(before, &["SELECT"]) && is_symbol(after, &[")"]) => {
            in_choice(tokens, open, last + 1)
        }
        _ => Place::Other,
    }
}

/// The place of a value in a choice, which is that of the choice.
fn in_choice(tokens: &[Token<'_>], first: usize, last: usize) -> Place {
    match around(tokens, first, last) {
        place @ (Place::Computed | Place::ChosenToCompare) => place,
        Place::Whole if !is_assigned(tokens, widened(tokens, first, last).0) => Place::ChosenToCompare,
        _ => Place::Chosen,
    }
}

/// Whether an expression behind `=` is the new value of a column.
fn is_assigned(tokens: &[Token<'_>], first: usize) -> bool {
    const OTHERS: [&str; 11] =
        ["AND", "BY", "HAVING", "LIMIT", "NOT", "ON", "OR", "SELECT", "VALUES", "WHEN", "WHERE"];
    let mut depth = 0_usize;
    for token in tokens.iter().take(first).rev() {
        if token.is_symbol(")") {
            depth += 1;
        } else if token.is_symbol("(") {
            match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            }
        } else if depth == 0 && (token.is_word("SET") || token.is_word("UPDATE")) {
            return true;
        } else if depth == 0 && OTHERS.iter().any(|word| token.is_word(word)) {
            return false;
        }
    }
    false
}

/// The `CASE … END` around a token.
fn case_around(tokens: &[Token<'_>], index: usize) -> Option<(usize, usize)> {
    let end_of = |tokens: &mut dyn Iterator<Item = (usize, &Token<'_>)>, opens: &str, closes: &str| {
        let mut inner = 0_usize;
        for (place, token) in tokens {
            if token.is_word(closes) {
                inner += 1;
            } else if token.is_word(opens) {
                match inner.checked_sub(1) {
                    None => return Some(place),
                    Some(fewer) => inner = fewer,
                }
            }
        }
        None
    };
    let first = end_of(&mut tokens.iter().enumerate().take(index).rev(), "CASE", "END")?;
    let last = end_of(&mut tokens.iter().enumerate().skip(index), "END", "CASE")?;
    Some((first, last))
}

/// The first and the last token of an argument and the parentheses that stand around nothing else.
fn widened(tokens: &[Token<'_>], mut first: usize, mut last: usize) -> (usize, usize) {
    while let Some(open) = first.checked_sub(1)
        && tokens.get(open).is_some_and(|token| token.is_symbol("("))
        && tokens.get(last + 1).is_some_and(|token| token.is_symbol(")"))
        && opener(tokens, open).is_none()
    {
        (first, last) = (open, last + 1);
    }
    (first, last)
}

/// The name or the word that a parenthesis belongs to; none of one that only groups.
fn opener<'t, 's>(tokens: &'t [Token<'s>], open: usize) -> Option<&'t Token<'s>> {
    let before = tokens.get(open.checked_sub(1)?)?;
    let groups = BEFORE_A_GROUP.iter().any(|word| before.is_word(word) && !before.is_word("IN"));
    (matches!(before.kind, TokenKind::Word | TokenKind::Name) && !groups).then_some(before)
}

/// The place of an item of a list, by what the list belongs to.
fn in_a_list(tokens: &[Token<'_>], item: usize) -> Place {
    let Some((mut open, place)) = list_around(tokens, item) else { return Place::Other };
    // The rows of `VALUES (?, ?), (?, ?)`
    while let Some(comma) = open.checked_sub(1)
        && tokens.get(comma).is_some_and(|token| token.is_symbol(","))
        && let Some(close) = comma.checked_sub(1)
        && tokens.get(close).is_some_and(|token| token.is_symbol(")"))
        && let Some((before, _)) = list_around(tokens, close)
    {
        open = before;
    }
    let Some(name) = opener(tokens, open) else { return Place::Other };
    if ["IN", "VALUES", "VALUE", "ROW"].iter().any(|word| name.is_word(word)) {
        return Place::Whole;
    }
    if COMPUTING.iter().any(|(word, most)| name.is_word(word) && place < *most) {
        return Place::Computed;
    }
    if CHOOSING.iter().any(|word| name.is_word(word)) {
        let inside = tokens.get(open + 1..).unwrap_or_default();
        let close = find(inside, |token| token.is_symbol(")")).map(|place| open + 1 + place);
        return match (open.checked_sub(1), close) {
            (Some(first), Some(last)) => in_choice(tokens, first, last),
            _ => Place::Chosen,
        };
    }
    Place::Other
}

/// The parenthesis that opens the list around a token, and the place of the token's item in it, from 0.
fn list_around(tokens: &[Token<'_>], index: usize) -> Option<(usize, usize)> {
    let (mut depth, mut place) = (0_usize, 0);
    for (open, token) in tokens.get(..index)?.iter().enumerate().rev() {
        if token.is_symbol(")") || token.is_symbol("]") {
            depth += 1;
        } else if token.is_symbol("(") && depth == 0 {
            return Some((open, place));
        } else if token.is_symbol("(") || token.is_symbol("[") {
            depth = depth.saturating_sub(1);
        } else if token.is_symbol(",") && depth == 0 {
            place += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Place, divides, places};

    #[test]
    fn arguments_have_their_place_by_what_stands_around_them() {
        use Place::{Chosen, ChosenToCompare, Computed, Other, Whole};
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
            ("SELECT ?, ? AS a, CONCAT(?, 'x'), s LIKE ?, d + INTERVAL ? DAY", &[Other; 5]),
            (
                "SELECT JSON_CONTAINS(j, ?), j.coalesce(?), `IF`(?), 'ABS(?)' LIMIT ?",
                &[Other, Chosen, Other, Other],
            ),
            ("SELECT ABS((SELECT ?)), (SELECT ?), (SELECT COUNT(*) FROM t), ? b", &[Computed, Chosen, Other]),
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
            ("CALL p(?, -?)", &[Other, Computed]),
        ] {
            assert_eq!(places(statement), expected, "{statement}");
        }
    }

    #[test]
    fn a_statement_that_divides_says_so() {
        for statement in ["SELECT a / ?", "SELECT avg(a * ?)"] {
            assert!(divides(statement), "{statement}");
        }
        for statement in ["SELECT '/', a /* a / b */ FROM t -- /", "SELECT a DIV ?, `AVG`"] {
            assert!(!divides(statement), "{statement}");
        }
    }
}
