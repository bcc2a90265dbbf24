//! The expressions around the parameters of a statement, for those who ask what becomes of an argument: `$1`, `abs($1)` and
//! `abs($1) + 1` in `SET a = abs($1) + 1`. An expression ends where its value is compared, listed, or chosen.

use std::ops::Range;

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

/// One place of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// From 0.
    pub(crate) parameter: usize,
    /// The expressions around it, from the outermost to itself: where they are in the text, in bytes.
    pub(crate) units: Vec<Range<usize>>,
    pub(crate) part: Part,
}

/// The part of a statement that the outermost expression is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its value may get into a column.
    Value,
    /// It does not: it is a condition, an order, or what is returned.
    Aside,
    /// How many rows there are.
    Limit,
    /// How many rows are left out.
    Offset,
}

/// The words that begin a part of a statement, or of a `CASE`.
const PARTS: [(&str, Part); 21] = [
    ("BY", Part::Aside),
    ("CASE", Part::Aside),
    ("DELETE", Part::Aside),
    ("ELSE", Part::Value),
    ("FETCH", Part::Limit),
    ("FROM", Part::Value),
    ("HAVING", Part::Aside),
    ("INSERT", Part::Value),
    ("LIMIT", Part::Limit),
    ("OFFSET", Part::Offset),
    ("ON", Part::Aside),
    ("RETURNING", Part::Aside),
    ("SELECT", Part::Value),
    ("SET", Part::Value),
    ("THEN", Part::Value),
    ("UPDATE", Part::Value),
    ("USING", Part::Value),
    ("VALUES", Part::Value),
    ("WHEN", Part::Aside),
    ("WHERE", Part::Aside),
    ("WITH", Part::Value),
];

/// The other words that no expression goes on behind.
const ENDS: [&str; 30] = [
    "ALL",
    "AND",
    "ANY",
    "AS",
    "ASC",
    "BETWEEN",
    "CONFLICT",
    "DESC",
    "DISTINCT",
    "DO",
    "END",
    "EXCEPT",
    "FILTER",
    "FIRST",
    "FOR",
    "GROUP",
    "IN",
    "INTERSECT",
    "INTO",
    "IS",
    "JOIN",
    "LATERAL",
    "NEXT",
    "NULLS",
    "OR",
    "ORDER",
    "OVER",
    "ROWS",
    "SOME",
    "UNION",
];

/// The operators that compare.
const COMPARISONS: [&str; 7] = ["=", "<", ">", "<=", ">=", "<>", "!="];

/// The characters of operators, and those after which one may end with a sign
/// (<https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-OPERATORS>).
const OPERATORS: &str = "+-*/<>=~!@#%^&|`?";
const SPECIAL: &str = "~!@#%^&|`?";

/// The places of the parameters, in the order of the text.
pub(crate) fn standings(text: &str) -> Vec<Standing> {
    let nest = Nest::of(text);
    let parameters = nest.tokens.iter().enumerate().filter_map(|(index, token)| match token.kind {
        TokenKind::Placeholder(Some(number)) => Some((index, token, number.checked_sub(1)?)),
        _ => None,
    });
    parameters
        .map(|(index, token, parameter)| {
            let own = token.start..token.start + token.text.len();
            let (units, part) = nest.around(index, own);
            Standing { parameter, units, part }
        })
        .collect()
}

/// What stands between two ends in the same parentheses.
struct Segment {
    /// Its first and its last token, if there are any.
    tokens: Option<(usize, usize)>,
    /// The part of the statement, if it begins in the same parentheses.
    part: Option<Part>,
    /// The token that opens the parentheses around it.
    open: Option<usize>,
    inside: Inside,
}

/// What parentheses are around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// A part of the expression around them.
    Expression,
    /// Values of their own: a row of new ones, or those of an `IN`; or a whole statement or a clause.
    Others,
}

/// The words of a statement, and what is around them.
struct Nest<'a> {
    tokens: Vec<Token<'a>>,
    segments: Vec<Segment>,
    /// The segment of each token. Parentheses belong to what is around them.
    places: Vec<usize>,
}

/// Parentheses that are read.
struct Level {
    open: Option<usize>,
    inside: Inside,
    /// Whether the last part is `VALUES`.
    lists_rows: bool,
    segment: usize,
    /// The part, and that of each `CASE` in it that has not ended.
    parts: Vec<Option<Part>>,
}

impl<'a> Nest<'a> {
    fn of(text: &'a str) -> Self {
        let tokens: Vec<Token<'a>> = Tokens::new(text, &Lexicon::POSTGRES).collect();
        let mut compares = vec![false; tokens.len()];
        for (start, end) in operators(&tokens) {
            let operator: String =
                tokens.get(start..end).unwrap_or_default().iter().map(|token| token.text).collect();
            if COMPARISONS.contains(&operator.as_str()) {
                compares.iter_mut().take(end).skip(start).for_each(|is| *is = true);
            }
        }
        let mut nest = Self { tokens: Vec::new(), segments: Vec::new(), places: Vec::new() };
        let mut around: Vec<Level> = Vec::new();
        let mut level = nest.level(None, Inside::Expression);
        for (index, (token, compares)) in tokens.iter().zip(compares).enumerate() {
            if (token.is_symbol(")") || token.is_symbol("]"))
                && let Some(outer) = around.pop()
            {
                level = outer;
            }
            nest.places.push(level.segment);
            let part = part(token);
            if part.is_some() {
                level.lists_rows = token.is_word("VALUES");
            }
            if token.is_word("CASE") {
                level.parts.push(part);
            } else if token.is_word("END") && level.parts.len() > 1 {
                level.parts.pop();
            } else if part.is_some()
                && let Some(last) = level.parts.last_mut()
            {
                *last = part;
            }
            let is_end = compares
                || part.is_some()
                || token.is_symbol(",")
                || token.is_symbol(";")
                || ENDS.iter().any(|word| token.is_word(word));
            if is_end {
                level.segment = nest.begin(&level);
            } else if let Some(segment) = nest.segments.get_mut(level.segment) {
                segment.tokens = Some((segment.tokens.map_or(index, |(first, _)| first), index));
            }
            if token.is_symbol("(") || token.is_symbol("[") {
                let inside = level.inside_of(index, &tokens);
                let inner = nest.level(Some(index), inside);
                around.push(std::mem::replace(&mut level, inner));
            }
        }
        nest.tokens = tokens;
        nest
    }

    fn level(&mut self, open: Option<usize>, inside: Inside) -> Level {
        let mut level = Level { open, inside, lists_rows: false, segment: 0, parts: vec![None] };
        level.segment = self.begin(&level);
        level
    }

    fn begin(&mut self, level: &Level) -> usize {
        let part = level.parts.last().copied().flatten();
        self.segments.push(Segment { tokens: None, part, open: level.open, inside: level.inside });
        self.segments.len() - 1
    }

    /// The expressions around a token, from the outermost to itself, and the part that the outermost is in.
    fn around(&self, index: usize, own: Range<usize>) -> (Vec<Range<usize>>, Part) {
        let mut units: Vec<Range<usize>> = std::iter::once(own).collect();
        let (mut part, mut is_unit) = (Part::Value, true);
        let mut at = Some(index);
        while let Some(segment) = at.and_then(|at| self.segments.get(*self.places.get(at)?)) {
            let unit = segment.tokens.and_then(|(first, last)| {
                let last = self.tokens.get(last)?;
                Some(self.tokens.get(first)?.start..last.start + last.text.len())
            });
            if let Some(unit) = unit.filter(|unit| is_unit && units.last() != Some(unit)) {
                units.push(unit);
            }
            if let (Part::Value, Some(begun)) = (part, segment.part) {
                part = begun;
            }
            is_unit &= segment.inside == Inside::Expression;
            at = segment.open;
        }
        units.reverse();
        (units, part)
    }
}

impl Level {
    /// What parentheses in it are around, which a token opens.
    fn inside_of(&self, open: usize, tokens: &[Token<'_>]) -> Inside {
        let before = open.checked_sub(1).and_then(|before| tokens.get(before));
        let begins = |after: &Token<'_>| part(after).is_some() && !after.is_word("CASE");
        let lists = |before: &Token<'_>| {
            before.is_word("IN") || before.is_word("VALUES") || before.is_symbol(",") && self.lists_rows
        };
        if tokens.get(open + 1).is_some_and(begins) || before.is_some_and(lists) {
            Inside::Others
        } else {
            Inside::Expression
        }
    }
}

/// The part that a word begins.
fn part(token: &Token<'_>) -> Option<Part> {
    PARTS.iter().find(|(word, _)| token.is_word(word)).map(|(_, part)| *part)
}

/// Where operators begin and end.
fn operators(tokens: &[Token<'_>]) -> Vec<(usize, usize)> {
    let is_sign = |token: &Token<'_>| {
        token.kind == TokenKind::Symbol && token.text.contains(|sign| OPERATORS.contains(sign))
    };
    let mut found = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let run = tokens.get(start..).unwrap_or_default();
        let mut length = 0;
        let mut reached = None;
        while let Some(token) =
            run.get(length).filter(|token| is_sign(token) && reached.is_none_or(|end| end == token.start))
        {
            reached = Some(token.start + token.text.len());
            length += 1;
        }
        let is_special =
            |run: &[Token<'_>]| run.iter().any(|token| token.text.contains(|sign| SPECIAL.contains(sign)));
        let is_signed = |length: usize| {
            length
                .checked_sub(1)
                .and_then(|last| run.get(last))
                .is_some_and(|last| last.is_symbol("-") || last.is_symbol("+"))
        };
        while length > 1 && is_signed(length) && !is_special(run.get(..length).unwrap_or_default()) {
            length -= 1;
        }
        if length > 0 {
            found.push((start, start + length));
        }
        start += length.max(1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Part, Standing, standings};

    /// The expressions around each parameter, and the part that they are in.
    type Expected = [(&'static [&'static str], Part)];

    #[test]
    fn the_expressions_around_a_parameter_end_where_their_value_is_compared_listed_or_chosen() {
        use Part::{Aside, Limit, Offset, Value};
        let cases: [(&str, &Expected); 16] = [
            ("SELECT abs($1) + 1, a FROM t", &[(&["abs($1) + 1", "$1"], Value)]),
            ("UPDATE t SET a = b - $1, c=-$2", &[(&["b - $1", "$1"], Value), (&["-$2", "$2"], Value)]),
            (
                "SELECT 1 FROM t WHERE lower(a) = upper($1) AND NOT f(b, $2 % 2) <= 3",
                &[(&["upper($1)", "$1"], Aside), (&["NOT f(b, $2 % 2)", "$2 % 2", "$2"], Aside)],
            ),
            (
                "SELECT CASE WHEN a = $1 THEN $2 ELSE s || $3 END FROM t",
                &[(&["$1"], Aside), (&["$2"], Value), (&["s || $3", "$3"], Value)],
            ),
            (
                "SELECT CASE WHEN CASE WHEN $1 THEN 1 END < $2 THEN $3 END",
                &[(&["$1"], Aside), (&["$2"], Aside), (&["$3"], Value)],
            ),
            (
                "INSERT INTO t VALUES ($1, ($2)::int), (1, $3) ON CONFLICT (a) DO UPDATE SET b = $4 WHERE c @> $5 RETURNING $6",
                &[
                    (&["$1"], Value),
                    (&["($2)::int", "$2"], Value),
                    (&["$3"], Value),
                    (&["$4"], Value),
                    (&["c @> $5", "$5"], Aside),
                    (&["$6"], Aside),
                ],
            ),
            ("INSERT INTO t SELECT v FROM (SELECT lower($1) AS v) q", &[(&["lower($1)", "$1"], Value)]),
            ("SELECT a FROM t WHERE b IN (SELECT c FROM u LIMIT $1)", &[(&["$1"], Limit)]),
            (
                "SELECT a FROM t WHERE b IN ($1, $2 + a) AND (b, c) = ($3, $4)",
                &[
                    (&["$1"], Aside),
                    (&["$2 + a", "$2"], Aside),
                    (&["($3, $4)", "$3"], Aside),
                    (&["($3, $4)", "$4"], Aside),
                ],
            ),
            (
                "SELECT a FROM t ORDER BY b + $1 LIMIT $2 OFFSET ($3)",
                &[(&["b + $1", "$1"], Aside), (&["$2"], Limit), (&["($3)", "$3"], Offset)],
            ),
            (
                "SELECT a[$1], ARRAY[$2, 1], make_interval(days => $3)",
                &[
                    (&["a[$1]", "$1"], Value),
                    (&["ARRAY[$2, 1]", "$2"], Value),
                    (&["make_interval(days => $3)", "days => $3", "$3"], Value),
                ],
            ),
            (
                "SELECT 1 FROM t WHERE a = ANY ($1) AND b BETWEEN $2 AND $3 + c",
                &[(&["($1)", "$1"], Aside), (&["$2"], Aside), (&["$3 + c", "$3"], Aside)],
            ),
            ("SELECT extract(hour FROM $1) + 1", &[(&["extract(hour FROM $1) + 1", "$1"], Value)]),
            ("SELECT count(*) FILTER (WHERE a < $1)", &[(&["$1"], Aside)]),
            ("DELETE FROM t WHERE EXISTS (SELECT a + $1 FROM u)", &[(&["a + $1", "$1"], Aside)]),
            ("SELECT a->>$1, '$2', \"$3\" -- $4", &[(&["a->>$1", "$1"], Value)]),
        ];
        for (text, expected) in cases {
            let found = standings(text);
            let units = |found: &Standing| -> Vec<&str> {
                found.units.iter().map(|unit| text.get(unit.clone()).unwrap()).collect()
            };
            let seen: Vec<(Vec<&str>, Part)> = found.iter().map(|found| (units(found), found.part)).collect();
            let expected: Vec<(Vec<&str>, Part)> =
                expected.iter().map(|(units, part)| (units.to_vec(), *part)).collect();
            assert_eq!(seen, expected, "{text}");
        }
    }

    #[test]
    fn a_long_and_a_deep_statement_are_read_at_once() {
        let rows = vec!["($1, -$2, $3, $4, $5)"; 4_000].join(", ");
        assert_eq!(standings(&format!("INSERT INTO t VALUES {rows}")).len(), 20_000);
        let list = (1..=60_000).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ");
        assert_eq!(standings(&format!("SELECT 1 FROM t WHERE a IN ({list})")).len(), 60_000);
    }
}
