//! Statements whose quotients are to have all digits.

use toolbox_source::scan::{Lexicon, Tokens};

/// Whether a statement divides: a quotient of decimals has few digits, one of doubles as many as they hold.
pub(crate) fn divides(statement: &str) -> bool {
    Tokens::new(statement, &Lexicon::MYSQL).any(|token| token.is_symbol("/") || token.is_word("AVG"))
}

#[cfg(test)]
mod tests {
    use super::divides;

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
