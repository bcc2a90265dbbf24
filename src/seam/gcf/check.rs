//! Reads a GCF text back and compares it with the cells that it was made of.
//!
//! This is a reader in its own right: it follows the grammar and knows nothing of how the writer decides. Integers are
//! compared as integers and never through a double, text by code points, doubles by value (1.0 may read as 1, and -0.0 as
//! 0), decimals by their digits.

use toolbox_source::Value;

use crate::seam::{
    answer::Table,
    number::{self, Form},
    scan,
};

/// Whether a reader of this text finds the names and cells of this table, all of them and nothing else.
pub(super) fn reads_back(text: &str, table: &Table) -> bool {
    compare(text, table).is_some()
}

fn compare(text: &str, table: &Table) -> Option<()> {
    let mut reader = Reader { rest: text };
    reader.expect("GCF profile=generic\n## [")?;
    let (count, rest) = reader.rest.split_once(']')?;
    reader.rest = rest;
    is_that_many(count, table.rows.len())?;
    let constants = compare_declaration(&mut reader, &table.names)?;
    if constants.iter().all(Option::is_some) {
        return None;
    }
    for row in &table.rows {
        compare_row(&mut reader, &constants, row)?;
    }
    while !reader.rest.is_empty() {
        reader.expect("# ")?;
        let (_, rest) = reader.rest.split_once('\n')?;
        reader.rest = rest;
    }
    Some(())
}

fn is_that_many(count: &str, rows: usize) -> Option<()> {
    let canonical = number::form(count) == Some(Form::Integer) && !count.starts_with('-');
    (canonical && count.parse() == Ok(rows)).then_some(())
}

/// The values in the declaration, one a column, where there is one.
fn compare_declaration<'a>(reader: &mut Reader<'a>, names: &[String]) -> Option<Vec<Option<Token<'a>>>> {
    let mut constants = Vec::with_capacity(names.len());
    reader.expect("{")?;
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            reader.expect(",")?;
        }
        if reader.rest.starts_with('"') {
            is_quoted(reader.quoted()?, name)?;
        } else {
            (is_identifier(reader.until(|byte| matches!(byte, b'=' | b',' | b'}'))?, name)).then_some(())?;
        }
        let constant = if reader.expect("=").is_some() {
            Some(reader.token(|byte| matches!(byte, b',' | b'}'))?)
        } else {
            None
        };
        constants.push(constant);
    }
    reader.expect("}\n")?;
    Some(constants)
}

fn is_identifier(token: &str, name: &str) -> bool {
    token == name
        && !token.is_empty()
        && !token.starts_with(|character: char| character.is_ascii_digit())
        && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn compare_row(reader: &mut Reader<'_>, constants: &[Option<Token<'_>>], row: &[Value]) -> Option<()> {
    if constants.len() != row.len() {
        return None;
    }
    let mut is_first = true;
    for (constant, cell) in constants.iter().zip(row) {
        if let Some(constant) = constant {
            is_same(constant, cell)?;
            continue;
        }
        if !is_first {
            reader.expect("|")?;
        }
        is_first = false;
        if reader.known(cell).is_none() {
            is_same(&reader.token(|byte| byte == b'|')?, cell)?;
        }
    }
    reader.expect("\n")
}

/// One cell as a reader sees it.
enum Token<'a> {
    Null,
    Bool(bool),
    Number(&'a str, Form),
    /// Text without quotes.
    Bare(&'a str),
    /// What stands between quotes, escapes and all.
    Quoted(&'a str),
}

fn is_same(token: &Token<'_>, cell: &Value) -> Option<()> {
    let same = match (token, cell) {
        (Token::Null, Value::Null) => true,
        (Token::Bool(token), Value::Bool(cell)) => token == cell,
        (Token::Number(digits, Form::Integer), Value::Int(cell)) => digits.parse() == Ok(*cell),
        (Token::Number(digits, form), Value::Float(cell)) => is_same_double(digits, *form, *cell),
        (Token::Number(digits, _), Value::Decimal(cell)) => digits == cell,
        (Token::Bare(token), Value::Text(cell)) => token == cell,
        (Token::Quoted(token), Value::Text(cell)) => return is_quoted(token, cell),
        _ => false,
    };
    same.then_some(())
}

/// Whether digits stand for a double. Digits alone are an int64, so they must be one that a double holds exactly.
fn is_same_double(digits: &str, form: Form, cell: f64) -> bool {
    const EXACT: u64 = 1 << 53;
    let exact =
        form != Form::Integer || digits.parse::<i64>().is_ok_and(|integer| integer.unsigned_abs() <= EXACT);
    exact && digits.parse() == Ok(cell)
}

/// Whether quoted text stands for this one.
fn is_quoted(quoted: &str, text: &str) -> Option<()> {
    if !quoted.contains('\\') {
        return (quoted == text && !quoted.bytes().any(|byte| byte < 0x20)).then_some(());
    }
    let mut quoted = quoted.chars();
    let mut text = text.chars();
    while let Some(character) = quoted.next() {
        let character = match character {
            '\\' => unescape(&mut quoted)?,
            '\0'..='\x1f' => return None,
            plain => plain,
        };
        (text.next() == Some(character)).then_some(())?;
    }
    text.next().is_none().then_some(())
}

fn unescape(rest: &mut std::str::Chars<'_>) -> Option<char> {
    match rest.next()? {
        same @ ('"' | '\\') => Some(same),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'u' => {
            let code = (0..4).try_fold(0, |code, _| Some(code * 16 + rest.next()?.to_digit(16)?))?;
            char::from_u32(code)
        }
        _ => None,
    }
}

/// What is left to read.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    #[inline]
    fn expect(&mut self, piece: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(piece)?;
        Some(())
    }

    /// What comes before a byte, which stays. It must be there.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> Option<&'a str> {
        let end = self.rest.bytes().position(ends)?;
        let (token, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(token)
    }

    /// What stands between two quotes.
    fn quoted(&mut self) -> Option<&'a str> {
        self.expect("\"")?;
        let mut escaped = false;
        let end = self.rest.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        let (token, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.strip_prefix('"')?;
        Some(token)
    }

    /// Takes the next token of a row, if it is this cell in a spelling that most cells have. To know what must be there is faster
    /// than to look for the end of the token and then ask what it is, and no token is taken that would not be found in that way.
    /// Where nothing is taken, nothing is said about the cell.
    #[inline]
    fn known(&mut self, cell: &Value) -> Option<()> {
        let rest = match cell {
            Value::Null => self.rest.strip_prefix('-')?,
            Value::Text(text) => {
                let rest = self.rest.strip_prefix(text.as_str())?;
                (!scan::any(text.as_bytes(), ends_row_cell) && is_text(text)).then_some(rest)?
            }
            Value::Decimal(digits) => {
                number::form(digits)?;
                self.rest.strip_prefix(digits.as_str())?
            }
            Value::Int(cell) => {
                let (value, rest) = number::leading_int(self.rest)?;
                (value == *cell).then_some(rest)?
            }
            _ => return None,
        };
        matches!(rest.as_bytes().first(), Some(b'|' | b'\n')).then_some(())?;
        self.rest = rest;
        Some(())
    }

    fn token(&mut self, ends: impl Fn(u8) -> bool) -> Option<Token<'a>> {
        if self.rest.starts_with('"') {
            return self.quoted().map(Token::Quoted);
        }
        // A control ends bare text wherever it stands (a line break ends the row), and a quote cannot be part of it. Whether it
        // ended where it should is seen by whoever expects what follows.
        let token = self.until(|byte| byte < 0x20 || byte == b'"' || ends(byte))?;
        classified(token)
    }
}

/// What ends bare text in a row. A quote does, though no reader takes what follows.
fn ends_row_cell(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'|'
}

/// What a token without quotes stands for.
fn classified(token: &str) -> Option<Token<'_>> {
    match token {
        "-" => return Some(Token::Null),
        "true" => return Some(Token::Bool(true)),
        "false" => return Some(Token::Bool(false)),
        _ => {}
    }
    if let Some(form) = number::form(token) {
        return Some(Token::Number(token, form));
    }
    is_bare(token).then_some(Token::Bare(token))
}

/// Whether [`classified`] says bare text, told by the first byte most of the time.
fn is_text(token: &str) -> bool {
    let is_another_kind = match token.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => token == "-" || number::form(token).is_some(),
        Some(b't' | b'f') => matches!(token, "true" | "false"),
        _ => false,
    };
    !is_another_kind && is_bare(token)
}

/// Whether a reader takes a token that is no value of another kind for text, wherever in a line it stands. It would lose
/// blanks at the ends, and take a line that begins with one of these for a comment, a section, a row with an attachment or an
/// attachment.
fn is_bare(token: &str) -> bool {
    let bytes = token.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    let begins_line = matches!(first, b'#' | b'@' | b'.' | b' ');
    let marks = matches!(token, "~" | "^") || (token.starts_with("^{") && *last == b'}');
    !begins_line && !marks && *last != b' '
}
