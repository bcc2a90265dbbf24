//! Arguments of `LIMIT`. A null counts as zero there, so that an answer is empty without a word, and `MariaDB` takes a negative
//! number for no limit at all.

use toolbox_source::{
    SourceError, Value,
    scan::{Lexicon, Token, TokenKind, Tokens},
};

/// Refuses what `LIMIT` and `OFFSET` do not take as it is meant.
pub(super) fn check(statement: &str, arguments: &[Value]) -> Result<(), SourceError> {
    if !arguments.iter().any(is_no_count) {
        return Ok(());
    }
    let limits = limits(statement);
    match arguments.iter().enumerate().find(|(index, value)| is_no_count(value) && limits.contains(index)) {
        Some((index, _)) => Err(SourceError::Argument {
            index,
            message: "LIMIT and OFFSET take a whole number from 0 on, and no null".to_owned(),
        }),
        None => Ok(()),
    }
}

fn is_no_count(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Int(number) => *number < 0,
        Value::Float(number) => *number < 0.0 || number.fract() != 0.0,
        Value::Decimal(digits) => digits.parse::<u64>().is_err(),
        _ => false,
    }
}

/// The places of the arguments of `LIMIT ?`, `LIMIT ?, ?`, `OFFSET ?` and `FETCH FIRST ?`.
pub(crate) fn limits(statement: &str) -> Vec<usize> {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::MYSQL).collect();
    let before = |index: usize, offset: usize| index.checked_sub(offset).and_then(|index| tokens.get(index));
    let is_one_of = |token: Option<&Token<'_>>, words: &[&str]| {
        token.is_some_and(|token| words.iter().any(|word| token.is_word(word)))
    };
    let is_limit = |index: usize| {
        let after_word = is_one_of(before(index, 1), &["LIMIT", "OFFSET"]);
        let second = before(index, 1).is_some_and(|comma| comma.is_symbol(","))
            && is_one_of(before(index, 3), &["LIMIT"]);
        let fetched =
            is_one_of(before(index, 1), &["FIRST", "NEXT"]) && is_one_of(before(index, 2), &["FETCH"]);
        after_word || second || fetched
    };
    let is_argument = |(_, token): &(usize, &Token<'_>)| matches!(token.kind, TokenKind::Placeholder(_));
    let arguments = tokens.iter().enumerate().filter(is_argument).enumerate();
    arguments.filter(|(_, (index, _))| is_limit(*index)).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::limits;

    #[test]
    fn the_arguments_of_a_limit_stand_behind_its_word() {
        for (statement, expected) in [
            ("SELECT ? LIMIT ?", &[1][..]),
            ("SELECT a FROM t WHERE b = ? LIMIT ?, ?", &[1, 2]),
            ("SELECT a FROM (SELECT b FROM t LIMIT 1 OFFSET ?) x LIMIT ? OFFSET 2", &[0, 1]),
            ("SELECT a FROM t OFFSET ? ROWS FETCH FIRST ? ROWS ONLY", &[0, 1]),
            ("SELECT `limit`, ?, 'LIMIT ?' FROM t", &[]),
            ("SELECT f(1, ?), a LIMIT 1", &[]),
        ] {
            assert_eq!(limits(statement), expected, "{statement}");
        }
    }
}
