//! What a syntax error of the parser means to the person who wrote the file.

use granit_parser::{ErrorKind, ScanError};

/// A message and what to do.
pub(super) struct Explanation {
    pub(super) message: String,
    pub(super) help: &'static str,
}

/// Explains a syntax error.
pub(super) fn explain(error: &ScanError) -> Explanation {
    let (message, help) = match error.kind() {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => {
            ("a tab stands where YAML takes only spaces".to_owned(), "indent with spaces")
        }
        ErrorKind::RecursionLimitExceeded => (
            format!("the document is nested deeper than {} levels", super::DEEPEST),
            "no field of a configuration is that deep; check the brackets and the indentation",
        ),
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => (
            "a quoted text has no closing quote".to_owned(),
            "close the quote; inside single quotes write a quote twice, inside double quotes write \\\"",
        ),
        ErrorKind::UnclosedFlowCollection { open } => {
            (format!("a `{open}` is never closed"), "close it, or put the text that begins with it in quotes")
        }
        ErrorKind::UnexpectedCharacter { character } => (
            format!("a text without quotes cannot begin with {character:?}"),
            "put the text in quotes, or write it as a block after `|`",
        ),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidMappingValueWhitespace => (
            "a `:` begins a value where none may stand".to_owned(),
            "put a text that holds `: ` in quotes, or indent the line like its neighbors",
        ),
        ErrorKind::UnknownQuotedScalarEscape => (
            "a backslash in double quotes begins no escape that YAML knows".to_owned(),
            "write two backslashes, or use single quotes, where a backslash is only a backslash",
        ),
        ErrorKind::BomInsideDocument => {
            ("a byte-order mark stands inside the document".to_owned(), "delete it")
        }
        kind => (
            format!("invalid YAML: {}", kind.to_string().to_lowercase().trim_end_matches('.')),
            "check the quotes, the colons and the indentation of this line and of the line before",
        ),
    };
    Explanation { message, help }
}
