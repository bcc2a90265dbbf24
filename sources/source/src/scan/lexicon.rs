//! The lexical rules of each SQL dialect, as data. The databases themselves live in their own crates.

/// The lexical rules of one SQL dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexicon {
    /// How arguments are marked.
    pub placeholders: PlaceholderStyle,
    /// What encloses texts and names.
    pub quotes: &'static [Quote],
    /// Where a backslash escapes the next character.
    pub backslash: Backslash,
    /// Comments that run to the end of the line.
    pub line_comments: &'static [LineComment],
    /// What `/* … */` means.
    pub block_comments: BlockComments,
    /// Statements that hold others, separated by semicolons.
    pub bodies: Bodies,
    /// What an operator that makes another value of the one before it may begin with, besides those of arithmetic.
    pub operators: &'static [&'static str],
}

/// How a dialect marks arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderStyle {
    /// `$1`, `$2`; the highest number counts (PostgreSQL).
    Dollar,
    /// `?`, each one is an argument (`MySQL`).
    Question,
    /// `?` and `?N`; the highest number counts (`SQLite`). `:name`, `@name` and `$name` are reported as named.
    QuestionOrNumbered,
}

/// What encloses a text or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// This character on both sides of a text; doubled inside, it stands for itself.
    Text(u8),
    /// This character on both sides of a name; doubled inside, it stands for itself.
    Name(u8),
    /// `[…]` encloses a name that ends at the first `]`.
    Brackets,
    /// `$tag$ … $tag$` encloses a text.
    Dollar,
}

/// Where a backslash escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backslash {
    /// Nowhere.
    Never,
    /// In texts that begin with `E'`.
    InEscapeStrings,
    /// In every text.
    Always,
}

/// A comment that runs to the end of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineComment {
    /// What begins it.
    pub mark: &'static str,
    /// What must follow the mark.
    pub then: Follow,
    /// The characters that end it.
    pub ends: &'static [u8],
}

/// What must follow the mark of a line comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// Anything.
    Anything,
    /// A blank, a control character or the end of the text.
    Blank,
}

/// What `/* … */` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockComments {
    /// A comment that ends at the first `*/`.
    Flat,
    /// A comment that may hold others.
    Nested,
    /// As `Flat`, but the database runs what `/*! … */` and `/*M! … */` hold, so that is no comment.
    Executable,
}

/// Which statements hold others, separated by semicolons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    /// `CREATE TRIGGER … BEGIN …; END`.
    Triggers,
    /// `CREATE FUNCTION`, `PROCEDURE`, `TRIGGER` and `EVENT`. Their bodies nest in ways that only a parser can follow, so
    /// everything after `BEGIN` counts as one statement; these servers take one statement at a time themselves.
    Routines,
}

impl Lexicon {
    /// PostgreSQL, with `standard_conforming_strings` on.
    pub const POSTGRES: Self = Self {
        placeholders: PlaceholderStyle::Dollar,
        quotes: &[Quote::Text(b'\''), Quote::Name(b'"'), Quote::Dollar],
        backslash: Backslash::InEscapeStrings,
        line_comments: &[LineComment { mark: "--", then: Follow::Anything, ends: b"\n\r" }],
        block_comments: BlockComments::Nested,
        bodies: Bodies::Routines,
        operators: &["#", "&", ":", "@", "[", "^", "|", "~"],
    };

    /// `MySQL` and `MariaDB`, without `ANSI_QUOTES` and `NO_BACKSLASH_ESCAPES`.
    pub const MYSQL: Self = Self {
        placeholders: PlaceholderStyle::Question,
        quotes: &[Quote::Text(b'\''), Quote::Text(b'"'), Quote::Name(b'`')],
        backslash: Backslash::Always,
        line_comments: &[
            LineComment { mark: "--", then: Follow::Blank, ends: b"\n" },
            LineComment { mark: "#", then: Follow::Anything, ends: b"\n" },
        ],
        block_comments: BlockComments::Executable,
        bodies: Bodies::Routines,
        // `||` is OR there, and those of bits leave the type of an argument as it is.
        operators: &[],
    };

    /// `SQLite`.
    pub const SQLITE: Self = Self {
        placeholders: PlaceholderStyle::QuestionOrNumbered,
        quotes: &[Quote::Text(b'\''), Quote::Name(b'"'), Quote::Name(b'`'), Quote::Brackets],
        backslash: Backslash::Never,
        line_comments: &[LineComment { mark: "--", then: Follow::Anything, ends: b"\n" }],
        block_comments: BlockComments::Flat,
        bodies: Bodies::Triggers,
        operators: &["&", "|"],
    };
}
