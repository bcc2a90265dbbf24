//! Reads just enough of a statement to know what may not be asked of a database: how many arguments it takes, where it
//! ends, and which kind of statement it is. It follows the lexical rules of each SQL dialect (strings, quoted names,
//! comments, dollar quotes) and parses nothing.

mod form;
pub mod items;
pub mod lexicon;
pub mod places;
pub mod token;
pub mod tokens;

pub use lexicon::{Backslash, BlockComments, Bodies, Follow, Lexicon, LineComment, PlaceholderStyle, Quote};
pub use token::{Token, TokenKind};
pub use tokens::Tokens;

use form::Form;

/// What a scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// How many arguments the text takes.
    pub placeholders: usize,
    /// The first placeholder with a name (`:name`), which no dialect here binds.
    pub named_placeholder: Option<String>,
    /// The keyword that says what the statement does, in upper case: the first one, or after `WITH …` the one of the main
    /// statement. Empty for a statement of blanks and comments.
    pub verb: String,
    /// The very first keyword, in upper case: `WITH`, `EXPLAIN`, `SELECT`.
    pub first: String,
    /// Whether the text ends inside a string, a quoted name or a comment.
    pub unterminated: bool,
    /// Where the first statement begins, in bytes, after leading blanks, comments and semicolons. Comments that the server
    /// executes are parts of it.
    pub start: usize,
    /// Where it ends, in bytes, before its semicolon or trailing blanks and comments.
    pub end: usize,
    /// Where a second statement begins, in bytes.
    pub second_statement: Option<usize>,
    reads: bool,
}

impl Scan {
    /// Whether the text cannot change data by its form: one statement whose verb reads, which neither fills a table nor
    /// locks rows nor runs what it explains. A function that it calls may still write.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.reads && self.second_statement.is_none()
    }
}

/// Scans the first statement of a text and finds out whether there is a second one.
#[must_use]
pub fn scan(sql: &str, lexicon: &Lexicon) -> Scan {
    let mut scan = Scan::default();
    let mut form = Form::default();
    let mut body = Body::new(lexicon.bodies);
    let mut tokens = Tokens::new(sql, lexicon);
    let mut begun = false;
    let mut ended = false;
    let mut ends_in_comment = false;
    while let Some(token) = tokens.next() {
        if std::mem::take(&mut ends_in_comment) {
            scan.end = scan.end.max(tokens.closed());
        }
        match token.kind {
            TokenKind::Placeholder(number) => {
                let number = number.unwrap_or(scan.placeholders.saturating_add(1));
                scan.placeholders = scan.placeholders.max(number);
            }
            TokenKind::NamedPlaceholder if scan.named_placeholder.is_none() => {
                scan.named_placeholder = Some(token.text.to_owned());
            }
            _ => {}
        }
        if scan.second_statement.is_some() {
            continue;
        }
        if token.is_symbol(";") && !body.is_open() {
            ended = begun;
            continue;
        }
        if ended {
            scan.second_statement = Some(token.start);
            continue;
        }
        if !begun {
            begun = true;
            scan.start = tokens.executable().unwrap_or(token.start);
        }
        scan.end = token.end();
        ends_in_comment = tokens.executable().is_some();
        form.take(&token);
        body.take(&token);
    }
    if ends_in_comment {
        scan.end = scan.end.max(tokens.closed());
    }
    scan.unterminated = tokens.unterminated();
    scan.reads = form.reads();
    scan.verb = form.verb;
    scan.first = form.first;
    scan
}

/// Whether a semicolon stands inside the body of a trigger or a routine.
#[derive(Debug)]
struct Body {
    bodies: Bodies,
    state: BodyState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyState {
    /// Before the first keyword.
    Start,
    /// After `CREATE`, before the word that says what is created.
    Create,
    /// What is created may have a body.
    Head,
    /// After `BEGIN`.
    Open,
    /// Right after a semicolon in the body.
    Semicolon,
    /// No body, or none any more.
    Closed,
}

impl Body {
    fn new(bodies: Bodies) -> Self {
        Self { bodies, state: BodyState::Start }
    }

    fn is_open(&self) -> bool {
        matches!(self.state, BodyState::Open | BodyState::Semicolon)
    }

    fn take(&mut self, token: &Token<'_>) {
        let is_one_of = |words: &[&str]| words.iter().any(|word| token.is_word(word));
        self.state = match (self.state, self.bodies) {
            (BodyState::Start, _) if token.is_word("CREATE") => BodyState::Create,
            (BodyState::Create, _) if token.is_word("TRIGGER") => BodyState::Head,
            (BodyState::Create, Bodies::Triggers) if is_one_of(&["TEMP", "TEMPORARY"]) => BodyState::Create,
            (BodyState::Create, Bodies::Routines) if is_one_of(&["FUNCTION", "PROCEDURE", "EVENT"]) => {
                BodyState::Head
            }
            // `CREATE OR REPLACE DEFINER = 'a'@'b' AGGREGATE FUNCTION`
            (BodyState::Create, Bodies::Routines) if !token.is_symbol("(") => BodyState::Create,
            (BodyState::Head, _) if token.is_word("BEGIN") => BodyState::Open,
            (BodyState::Head, _) => BodyState::Head,
            // SQLite's grammar ends every statement in a trigger with a semicolon, so only the last END follows one.
            (BodyState::Open | BodyState::Semicolon, Bodies::Triggers) if token.is_symbol(";") => {
                BodyState::Semicolon
            }
            (BodyState::Semicolon, Bodies::Triggers) if token.is_word("END") => BodyState::Closed,
            (BodyState::Open | BodyState::Semicolon, _) => BodyState::Open,
            _ => BodyState::Closed,
        };
    }
}
