//! How a text becomes part of a statement: between delimiters.

/// `escape`: what is put around a text in a template, and doubled inside it. A bound parameter needs none, so there it
/// changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// `single-quotes`: `'…'`.
    SingleQuotes(Backslash),
    /// `double-quotes`: `"…"`.
    DoubleQuotes(Backslash),
    /// `backticks`: `` `…` ``.
    Backticks,
    /// `square-brackets`: `[…]`.
    SquareBrackets,
    /// `identifier`: a name of one part or of several between dots, such as `public.orders`, each of them between the quotes
    /// that the database has for names.
    Identifier(NameQuote),
}

/// What stands between quotes to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoting {
    /// What encloses names.
    pub names: NameQuote,
    /// What a backslash means there.
    pub backslash: Backslash,
}

/// What a backslash between single or double quotes means to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backslash {
    /// Itself.
    Plain,
    /// It escapes the character behind it, also a quote, unless it is doubled (`MySQL`).
    Escapes,
}

/// What a database puts around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameQuote {
    /// `"…"`, as the standard has it.
    Double,
    /// `` `…` ``. `MySQL` needs it, and `SQLite` takes an unknown name between double quotes for a text.
    Backtick,
}

impl NameQuote {
    fn character(self) -> char {
        match self {
            Self::Double => '"',
            Self::Backtick => '`',
        }
    }
}

impl Escape {
    /// The text between its delimiters, each closing delimiter inside it doubled, and each backslash where it would escape one.
    ///
    /// # Errors
    ///
    /// A name with an empty part, as the end of a sentence.
    pub fn apply(self, text: &str) -> Result<String, String> {
        Ok(match self {
            Self::SingleQuotes(backslash) => literal(text, '\'', backslash),
            Self::DoubleQuotes(backslash) => literal(text, '"', backslash),
            Self::Backticks => quoted(text, '`', '`'),
            Self::SquareBrackets => quoted(text, '[', ']'),
            Self::Identifier(quote) => return identifier(text, quote.character()),
        })
    }
}

fn literal(text: &str, quote: char, backslash: Backslash) -> String {
    match backslash {
        Backslash::Plain => quoted(text, quote, quote),
        Backslash::Escapes => quoted(&text.replace('\\', r"\\"), quote, quote),
    }
}

fn quoted(text: &str, open: char, close: char) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(open);
    for character in text.chars() {
        quoted.push(character);
        if character == close {
            quoted.push(close);
        }
    }
    quoted.push(close);
    quoted
}

/// Each part of a name between quotes. A dot within a part is written between double quotes or backticks, which are not of
/// the name.
fn identifier(text: &str, quote: char) -> Result<String, String> {
    let mut parts = Vec::new();
    let mut rest = Some(text);
    while let Some(name) = rest {
        let (part, after) = first_part(name);
        if part.is_empty() {
            return Err(
                "must be a name, or names with a dot between each two, and none of them empty".to_owned()
            );
        }
        parts.push(quoted(&part, quote, quote));
        rest = after;
    }
    Ok(parts.join("."))
}

/// The first part of a name, and what follows the dot behind it.
fn first_part(name: &str) -> (String, Option<&str>) {
    if let Some(found) = ['"', '`'].into_iter().find_map(|quote| quoted_part(name, quote)) {
        return found;
    }
    match name.split_once('.') {
        Some((part, after)) => (part.to_owned(), Some(after)),
        None => (name.to_owned(), None),
    }
}

/// The same for a part that stands between quotes, up to a dot or the end; none for one that does not.
fn quoted_part(name: &str, quote: char) -> Option<(String, Option<&str>)> {
    let mut part = String::new();
    let mut rest = name.strip_prefix(quote)?;
    loop {
        let (piece, after) = rest.split_once(quote)?;
        part.push_str(piece);
        if after.is_empty() {
            return Some((part, None));
        }
        if let Some(after) = after.strip_prefix('.') {
            return Some((part, Some(after)));
        }
        rest = after.strip_prefix(quote)?;
        part.push(quote);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_delimiter_is_doubled() {
        for (escape, expected) in [
            (Escape::SingleQuotes(Backslash::Plain), "'a''b\"`]['"),
            (Escape::DoubleQuotes(Backslash::Plain), "\"a'b\"\"`][\""),
            (Escape::Backticks, "`a'b\"``][`"),
            (Escape::SquareBrackets, "[a'b\"`]][]"),
        ] {
            assert_eq!(escape.apply("a'b\"`][").unwrap(), expected);
        }
        for (escape, expected) in [
            (Escape::SingleQuotes(Backslash::Plain), r"'\''\'"),
            (Escape::SingleQuotes(Backslash::Escapes), r"'\\''\\'"),
            (Escape::DoubleQuotes(Backslash::Escapes), r#""\\'\\""#),
            (Escape::Backticks, r"`\'\`"),
        ] {
            assert_eq!(escape.apply(r"\'\").unwrap(), expected);
        }
    }

    #[test]
    fn each_part_of_a_name_is_between_quotes_of_its_own() {
        for (name, double, backtick) in [
            ("orders", "\"orders\"", "`orders`"),
            ("public.orders", "\"public\".\"orders\"", "`public`.`orders`"),
            ("a.b.c", "\"a\".\"b\".\"c\"", "`a`.`b`.`c`"),
            ("\"odd.name\".t", "\"odd.name\".\"t\"", "`odd.name`.`t`"),
            ("`odd.name`.t", "\"odd.name\".\"t\"", "`odd.name`.`t`"),
            ("\"a\"\"b\"", "\"a\"\"b\"", "`a\"b`"),
            ("a\"; DROP TABLE t; --", "\"a\"\"; DROP TABLE t; --\"", "`a\"; DROP TABLE t; --`"),
            ("a`; DROP TABLE t; --", "\"a`; DROP TABLE t; --\"", "`a``; DROP TABLE t; --`"),
            ("\"a\" b.c", "\"\"\"a\"\" b\".\"c\"", "`\"a\" b`.`c`"),
            ("\"a", "\"\"\"a\"", "`\"a`"),
            ("\"", "\"\"\"\"", "`\"`"),
            (" ", "\" \"", "` `"),
        ] {
            assert_eq!(Escape::Identifier(NameQuote::Double).apply(name).unwrap(), double, "{name}");
            assert_eq!(Escape::Identifier(NameQuote::Backtick).apply(name).unwrap(), backtick, "{name}");
        }
        for name in ["", ".", "a.", ".a", "a..b", "\"\"", "a.\"\""] {
            assert!(Escape::Identifier(NameQuote::Double).apply(name).is_err(), "{name}");
        }
    }
}
