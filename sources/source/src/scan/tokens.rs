//! Cuts a text into tokens by the lexical rules of a dialect. Blanks and comments are left out. It knows no keyword.

use super::{
    lexicon::{Backslash, BlockComments, Follow, Lexicon, PlaceholderStyle, Quote},
    token::{Token, TokenKind},
};

/// The tokens of a text, in order.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    sql: &'a str,
    lexicon: Lexicon,
    at: usize,
    /// Where the `/*! … */` begins that is open.
    executable: Option<usize>,
    /// Where the last one ends that was closed.
    closed: usize,
    unterminated: bool,
}

impl<'a> Tokens<'a> {
    /// Begins at the start of the text.
    #[must_use]
    pub fn new(sql: &'a str, lexicon: &Lexicon) -> Self {
        Self { sql, lexicon: *lexicon, at: 0, executable: None, closed: 0, unterminated: false }
    }

    /// Whether the text, as far as it was read, ends inside a string, a quoted name or a comment.
    #[must_use]
    pub fn unterminated(&self) -> bool {
        self.unterminated
    }

    /// Where the comment begins that the server executes and that holds the last token, if it is in one.
    pub(super) fn executable(&self) -> Option<usize> {
        self.executable
    }

    /// Where the last comment ends that the server executes, as far as the text was read.
    pub(super) fn closed(&self) -> usize {
        self.closed
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.sql.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        self.sql.get(self.at..).unwrap_or_default()
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) {
        while self.byte(0).is_some_and(&accept) {
            self.at += 1;
        }
    }

    /// Skips everything up to and including `end`; without one, the rest of the text.
    fn skip_past(&mut self, end: &str) {
        if let Some(found) = self.rest().find(end) {
            self.at += found + end.len();
        } else {
            self.at = self.sql.len();
            self.unterminated = true;
        }
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            let before = self.at;
            self.take_while(is_blank);
            if self.rest().starts_with('\u{feff}') {
                self.at += '\u{feff}'.len_utf8();
            }
            self.skip_line_comment();
            self.skip_block_comment();
            if self.at == before {
                return;
            }
        }
    }

    fn skip_line_comment(&mut self) {
        let rest = self.rest();
        let begun = self.lexicon.line_comments.iter().find(|comment| {
            rest.strip_prefix(comment.mark).is_some_and(|after| match comment.then {
                Follow::Anything => true,
                Follow::Blank => after.bytes().next().is_none_or(|byte| byte <= b' ' || byte == 0x7f),
            })
        });
        if let Some(comment) = begun {
            self.take_while(|byte| !comment.ends.contains(&byte));
        }
    }

    fn skip_block_comment(&mut self) {
        let rest = self.rest();
        if self.executable.is_some() && rest.starts_with("*/") {
            self.executable = None;
            self.at += 2;
            self.closed = self.at;
            return;
        }
        if !rest.starts_with("/*") {
            return;
        }
        match self.lexicon.block_comments {
            BlockComments::Flat => {
                self.at += 2;
                self.skip_past("*/");
            }
            BlockComments::Nested => self.skip_nested_comment(),
            BlockComments::Executable => {
                let mark = ["/*!", "/*M!"].into_iter().find(|mark| rest.starts_with(mark));
                if let Some(mark) = mark {
                    self.executable = Some(self.at);
                    self.at += mark.len();
                    self.take_while(|byte| byte.is_ascii_digit());
                } else {
                    self.at += 2;
                    self.skip_past("*/");
                }
            }
        }
    }

    fn skip_nested_comment(&mut self) {
        let mut depth = 0_usize;
        while self.byte(0).is_some() {
            match (self.byte(0), self.byte(1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    self.at += 2;
                }
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.unterminated = true;
    }

    /// Skips a quoted text or name, from its first quote on.
    fn skip_quoted(&mut self, close: u8, doubles: bool, escapes: bool) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            if escapes && byte == b'\\' {
                self.at = (self.at + 2).min(self.sql.len());
            } else if byte == close && doubles && self.byte(1) == Some(close) {
                self.at += 2;
            } else if byte == close {
                self.at += 1;
                return;
            } else {
                self.at += 1;
            }
        }
        self.unterminated = true;
    }

    /// Skips `E'…'` from its quote on, with the pieces that continue it: after a blank with a line break, another `'…'` belongs
    /// to the same string, escapes included (PostgreSQL, "String Constants").
    fn skip_escape_string(&mut self) {
        loop {
            self.skip_quoted(b'\'', true, true);
            let end = self.at;
            loop {
                let before = self.at;
                self.take_while(is_blank);
                self.skip_line_comment();
                if self.at == before {
                    break;
                }
            }
            let between = self.sql.get(end..self.at).unwrap_or_default();
            if self.byte(0) != Some(b'\'') || !between.contains(['\n', '\r']) {
                self.at = end;
                return;
            }
        }
    }

    /// Skips `$tag$ … $tag$` if one begins here.
    fn skip_dollar_quoted(&mut self) -> bool {
        let after = self.rest().get(1..).unwrap_or_default();
        let Some(length) = after.find('$') else { return false };
        let tag = after.get(..length).unwrap_or_default();
        let is_tag = tag.bytes().all(|byte| is_word_byte(byte) && byte != b'$')
            && !tag.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
        if !is_tag {
            return false;
        }
        let mark = self.rest().get(..length + 2).unwrap_or_default();
        self.at += mark.len();
        self.skip_past(mark);
        true
    }

    /// Skips a placeholder if one begins here.
    fn skip_placeholder(&mut self, first: u8) -> Option<TokenKind> {
        let second = self.byte(1);
        match (self.lexicon.placeholders, first) {
            (PlaceholderStyle::Dollar, b'$') if second.is_some_and(|byte| byte.is_ascii_digit()) => {
                Some(self.skip_number())
            }
            (PlaceholderStyle::Question, b'?') => {
                self.at += 1;
                Some(TokenKind::Placeholder(None))
            }
            (PlaceholderStyle::QuestionOrNumbered, b'?') => Some(self.skip_number()),
            (PlaceholderStyle::QuestionOrNumbered, b':' | b'@' | b'$')
                if second.is_some_and(is_word_byte) =>
            {
                self.at += 1;
                self.take_while(is_word_byte);
                Some(TokenKind::NamedPlaceholder)
            }
            _ => None,
        }
    }

    /// Skips a number, and no letter more: the keyword in `SELECT 1.0INTO OUTFILE 'f'` needs no blank before it, and a gate
    /// that took it for a part of the number would not see it. So a name that begins with digits comes as a number and a word.
    fn skip_digits(&mut self) {
        let digits = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        let based = match (self.byte(0), self.byte(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => self.byte(2).is_some_and(|byte| byte.is_ascii_hexdigit()),
            _ => false,
        };
        if based {
            self.at += 2;
            self.take_while(|byte| byte.is_ascii_hexdigit());
            return;
        }
        self.take_while(digits);
        if self.byte(0) == Some(b'.') {
            self.at += 1;
            self.take_while(digits);
        }
        let sign = usize::from(matches!(self.byte(1), Some(b'+' | b'-')));
        if matches!(self.byte(0), Some(b'e' | b'E'))
            && self.byte(1 + sign).is_some_and(|byte| byte.is_ascii_digit())
        {
            self.at += 1 + sign;
            self.take_while(digits);
        }
    }

    fn skip_number(&mut self) -> TokenKind {
        self.at += 1;
        let start = self.at;
        self.take_while(|byte| byte.is_ascii_digit());
        let digits = self.sql.get(start..self.at).unwrap_or_default();
        // A number that does not fit is far beyond what any database takes, so the count that it makes can match nothing.
        TokenKind::Placeholder((!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX)))
    }

    fn skip_quote(&mut self, first: u8) -> Option<TokenKind> {
        let escapes = self.lexicon.backslash == Backslash::Always;
        for quote in self.lexicon.quotes {
            match *quote {
                Quote::Text(mark) if mark == first => {
                    self.skip_quoted(mark, true, escapes);
                    return Some(TokenKind::Text);
                }
                Quote::Name(mark) if mark == first => {
                    self.skip_quoted(mark, true, false);
                    return Some(TokenKind::Name);
                }
                Quote::Brackets if first == b'[' => {
                    self.skip_quoted(b']', false, false);
                    return Some(TokenKind::Name);
                }
                Quote::Dollar if first == b'$' && self.skip_dollar_quoted() => return Some(TokenKind::Text),
                _ => {}
            }
        }
        None
    }

    fn skip_word(&mut self) -> TokenKind {
        let start = self.at;
        self.take_while(is_word_byte);
        let word = self.sql.get(start..self.at).unwrap_or_default();
        let begins_escapes =
            self.lexicon.backslash == Backslash::InEscapeStrings && word.eq_ignore_ascii_case("e");
        if begins_escapes && self.byte(0) == Some(b'\'') {
            self.skip_escape_string();
            return TokenKind::Text;
        }
        TokenKind::Word
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blanks_and_comments();
        let start = self.at;
        let Some(first) = self.byte(0) else {
            self.unterminated |= self.executable.is_some();
            return None;
        };
        let kind = if let Some(kind) = self.skip_placeholder(first) {
            kind
        } else if let Some(kind) = self.skip_quote(first) {
            kind
        } else if first.is_ascii_digit() {
            self.skip_digits();
            TokenKind::Number
        } else if is_word_byte(first) && first != b'$' {
            self.skip_word()
        } else {
            self.at += 1;
            TokenKind::Symbol
        };
        Some(Token { kind, text: self.sql.get(start..self.at).unwrap_or_default(), start })
    }
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Whether a byte may stand inside a word. Every byte of a character beyond ASCII may.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}
