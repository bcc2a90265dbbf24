//! What the columns of an answer are called, as far as the text of the statement says so.

use toolbox_source::scan::{Lexicon, Token, Tokens, items::name};

use super::select_lists::{is_star, select_lists, without_alias};

/// What is known of the name of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResultName {
    Known(String),
    /// It may be one of the columns that a star stands for.
    OfStar,
    Unknown,
}

/// The name of a column of the answer, by its place from 0.
pub(crate) fn result_name(statement: &str, place: usize) -> ResultName {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::MYSQL).collect();
    // The first SELECT of a UNION names the columns.
    let lists = select_lists(&tokens);
    let Some(list) = lists.first() else {
        let is_table = tokens.first().is_some_and(|first| first.is_word("TABLE"));
        return if is_table { ResultName::OfStar } else { ResultName::Unknown };
    };
    if list.iter().take(place + 1).any(|item| is_star(item)) {
        return ResultName::OfStar;
    }
    list.get(place).and_then(|item| called(statement, item)).map_or(ResultName::Unknown, ResultName::Known)
}

/// The alias of an item, the name of its column, or its own text.
fn called(statement: &str, item: &[Token<'_>]) -> Option<String> {
    let (expression, alias) = without_alias(item);
    if let Some(alias) = alias {
        return Some(alias.name()?.into_owned());
    }
    if let Some((mut parts, [])) = name(expression) {
        return parts.pop();
    }
    let (first, last) = (expression.first()?, expression.last()?);
    statement.get(first.start..last.end()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{ResultName, result_name};

    #[test]
    fn a_column_has_its_alias_its_own_name_or_its_text() {
        for (statement, place, expected) in [
            ("SELECT f( 'a' )", 0, "f( 'a' )"),
            ("SELECT 1, f(a, b) AS v FROM t", 1, "v"),
            ("SELECT DISTINCT f(a) `the v`, t.`a b` FROM t", 0, "the v"),
            ("SELECT f(a) v, t.`a b` FROM t", 0, "v"),
            ("SELECT f(a) AS 'v w', t.`a b` FROM t", 0, "v w"),
            ("SELECT f(a), t.`a b` c, t.`a b` FROM t", 1, "c"),
            ("SELECT a, t.w x FROM t", 1, "x"),
            ("SELECT f(a), t.`a b` FROM t", 1, "a b"),
            ("WITH c AS (SELECT 1 AS x) SELECT a /* a */ FROM c", 0, "a"),
            ("(SELECT 1 AS x UNION SELECT 2 AS y) LIMIT 1", 0, "x"),
            ("SELECT (SELECT w FROM v) + 1, 2 FROM v -- end", 0, "(SELECT w FROM v) + 1"),
            ("SELECT CASE WHEN a THEN w END FROM v", 0, "CASE WHEN a THEN w END"),
            ("SELECT a, * FROM t", 0, "a"),
        ] {
            assert_eq!(result_name(statement, place), ResultName::Known(expected.to_owned()), "{statement}");
        }
        for statement in ["SELECT *, a FROM t", "SELECT t.*, a FROM t", "TABLE t"] {
            assert_eq!(result_name(statement, 1), ResultName::OfStar, "{statement}");
        }
        for statement in ["CALL p()", "VALUES ROW(1, 2)", "SELECT 1"] {
            assert_eq!(result_name(statement, 1), ResultName::Unknown, "{statement}");
        }
    }
}
