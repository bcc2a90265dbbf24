//! The calls of functions and procedures in a statement, with the arguments in them.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

use super::functions::is_harmless;

/// A name with parentheses behind it. Some are no functions, such as `IN (?)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) schema: Option<String>,
    pub(crate) name: String,
    /// For each item in the parentheses the arguments in it, by their places in the statement.
    pub(crate) items: Vec<Item>,
}

/// What stands between commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) arguments: Vec<usize>,
    /// Whether it is one argument and nothing else.
    pub(crate) is_argument: bool,
}

impl Called {
    /// Whether somebody may have written the function: the servers have none of this name.
    pub(crate) fn may_be_stored(&self) -> bool {
        self.schema.is_some() || !is_harmless(&self.name)
    }
}

/// The calls of a statement, by where they end.
pub(crate) fn calls(statement: &str) -> Vec<Called> {
    let tokens: Vec<Token<'_>> = Tokens::new(statement, &Lexicon::MYSQL).collect();
    let mut found = Vec::new();
    // None for parentheses without a name.
    let mut open: Vec<Option<Called>> = Vec::new();
    let mut arguments = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        let back = |steps: usize| index.checked_sub(steps).and_then(|index| tokens.get(index));
        if token.is_symbol("(") {
            open.push(name(back(1), back(2), back(3)));
        } else if token.is_symbol(")") {
            found.extend(open.pop().flatten());
        } else if token.is_symbol(",") {
            if let Some(Some(call)) = open.last_mut() {
                call.items.push(Item::default());
            }
        } else if matches!(token.kind, TokenKind::Placeholder(_)) {
            let after = tokens.get(index + 1);
            let is_alone = back(1).is_some_and(|before| before.is_symbol("(") || before.is_symbol(","))
                && after.is_some_and(|after| after.is_symbol(")") || after.is_symbol(","));
            for (depth, call) in open.iter_mut().rev().enumerate() {
                if let Some(item) = call.as_mut().and_then(|call| call.items.last_mut()) {
                    item.arguments.push(arguments);
                    item.is_argument = depth == 0 && is_alone;
                }
            }
            arguments += 1;
        }
    }
    found
}

/// The call that a parenthesis opens behind these tokens, the last one first.
fn name(last: Option<&Token<'_>>, dot: Option<&Token<'_>>, schema: Option<&Token<'_>>) -> Option<Called> {
    let last = last.filter(|last| matches!(last.kind, TokenKind::Word | TokenKind::Name))?;
    let schema = schema.filter(|_| dot.is_some_and(|dot| dot.is_symbol("."))).and_then(Token::name);
    Some(Called {
        schema: schema.map(std::borrow::Cow::into_owned),
        name: last.name()?.into_owned(),
        items: vec![Item::default()],
    })
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn calls_have_the_arguments_of_each_item() {
        let found = calls("SELECT f(?, 1 + g(?), (?)), s.`h i`(), '?' FROM t WHERE a IN (?) AND (b = ?)");
        let short = |call: &super::Called| {
            let items: Vec<String> =
                call.items.iter().map(|item| format!("{:?}{}", item.arguments, item.is_argument)).collect();
            format!("{} {} {}", call.schema.as_deref().unwrap_or_default(), call.name, items.join(" "))
        };
        let found: Vec<(String, bool)> =
            found.iter().map(|call| (short(call), call.may_be_stored())).collect();
        let expected = [
            (" g [1]true", true),
            (" f [0]true [1]false [2]false", true),
            ("s h i []false", true),
            (" IN [3]true", false),
            (" AND [4]false", false),
        ];
        assert_eq!(found, expected.map(|(text, is_stored)| (text.to_owned(), is_stored)));
    }
}
