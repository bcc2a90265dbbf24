//! What one row of the page is made from: a type, an example, and the rule for its value.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use toolbox_source::Value;

use crate::support::Engine;

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    /// The type, as the page shows it.
    pub(super) kind: &'static str,
    /// A literal or an expression, as the page shows it.
    pub(super) example: &'static str,
    place: Place,
    pub(super) rule: Rule,
    pub(super) remark: &'static str,
    /// What not every server has.
    pub(super) needs: Option<Needs>,
}

/// How an example becomes an expression with the type.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// It is one.
    Expression,
    /// `example::type`.
    Cast,
    /// A column that is declared so holds it.
    Column(&'static str),
}

/// What a server may lack.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needs {
    /// An extension of PostgreSQL.
    Extension(&'static str),
    /// The major version times 100, plus the minor one.
    Version(u32),
}

/// What the JSON of a value must be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// Just this: the contract says so.
    Is(&'static str),
    /// A floating-point number in these digits, which must be the double that the server's own digits say.
    Float(&'static str),
    /// The server's text, as a text.
    Text,
    /// The server's digits, as a number.
    Digits,
    /// The server's date and time, with `T` between them and without zeros at the end of a fraction.
    Moment,
    /// The same in UTC, with `Z` for the zone.
    Instant,
    /// Base64 of the bytes that the server shows in hexadecimal.
    Bytes,
    /// The server's JSON without blanks.
    Json,
    /// It is refused with these words.
    Refused(&'static str),
}

/// An expression.
pub(super) const fn expression(kind: &'static str, example: &'static str, rule: Rule) -> Case {
    Case { kind, example, place: Place::Expression, rule, remark: "", needs: None }
}

/// A literal that is cast to the type.
pub(super) const fn cast(kind: &'static str, example: &'static str, rule: Rule) -> Case {
    Case { kind, example, place: Place::Cast, rule, remark: "", needs: None }
}

/// A literal that a column of the type holds.
pub(super) const fn stored(kind: &'static str, example: &'static str, rule: Rule) -> Case {
    stored_as(kind, kind, example, rule)
}

/// A literal that a column holds whose declaration is another one than the shown type.
pub(super) const fn stored_as(
    kind: &'static str,
    declared: &'static str,
    example: &'static str,
    rule: Rule,
) -> Case {
    Case { kind, example, place: Place::Column(declared), rule, remark: "", needs: None }
}

impl Case {
    pub(super) const fn remark(mut self, remark: &'static str) -> Self {
        self.remark = remark;
        self
    }

    pub(super) const fn extension(mut self, name: &'static str) -> Self {
        self.needs = Some(Needs::Extension(name));
        self
    }

    pub(super) const fn since(mut self, version: u32) -> Self {
        self.needs = Some(Needs::Version(version));
        self
    }

    /// The declaration of the column that holds the example.
    pub(super) const fn column(&self) -> Option<&'static str> {
        match self.place {
            Place::Column(declared) => Some(declared),
            Place::Expression | Place::Cast => None,
        }
    }

    /// The name of the column of the case at this place.
    pub(super) fn column_name(place: usize) -> String {
        format!("c{place}")
    }

    /// The expression, and where it comes from.
    fn expression(&self, place: usize) -> (String, &'static str) {
        match self.place {
            Place::Expression => (self.example.to_owned(), ""),
            Place::Cast => (format!("{}::{}", self.example, self.kind), ""),
            Place::Column(_) => (Self::column_name(place), " FROM cells"),
        }
    }

    /// The stored type, which is the type of a value of SQLite.
    pub(super) fn stored_type(&self, place: usize) -> String {
        let (value, from) = self.expression(place);
        format!("SELECT upper(typeof({value})){from}")
    }

    /// The value, and what the server itself says about it.
    pub(super) fn query(&self, engine: Engine, place: usize) -> String {
        let (value, from) = self.expression(place);
        let said = match (self.rule, engine) {
            (Rule::Bytes, Engine::Postgres) => format!("encode({value}, 'hex')"),
            (Rule::Bytes, _) => format!("hex({value})"),
            (_, Engine::Postgres) => format!("({value})::text"),
            (Rule::Float(_), Engine::Sqlite) => format!("quote({value})"),
            (_, Engine::Sqlite) => format!("CAST({value} AS TEXT)"),
            (Rule::Refused(_), Engine::MySql | Engine::MariaDb) => "NULL".to_owned(),
            (_, Engine::MySql | Engine::MariaDb) => format!("CAST({value} AS CHAR)"),
        };
        format!("SELECT {value} AS v, {said} AS said{from}")
    }
}

impl Rule {
    /// The JSON of the value, by what the server says about it.
    pub(super) fn expected(self, said: &Value) -> Result<String, String> {
        let text = || match said {
            Value::Text(text) => Ok(text.as_str()),
            other => Err(format!("the server says no text but {other:?}")),
        };
        let quoted = |text: &str| serde_json::to_string(text).map_err(|error| error.to_string());
        match self {
            Self::Is(json) => Ok(json.to_owned()),
            Self::Float(digits) => {
                let said: f64 = text()?.parse().map_err(|_| format!("the server says {said:?}"))?;
                let same = digits.parse::<f64>().map(f64::to_bits) == Ok(said.to_bits());
                same.then(|| digits.to_owned()).ok_or_else(|| format!("the server says the double {said}"))
            }
            Self::Text => quoted(text()?),
            Self::Digits => Ok(text()?.to_owned()),
            Self::Moment => quoted(&moment(text()?)),
            Self::Instant => quoted(&instant(text()?)),
            Self::Bytes => Ok(format!("\"{}\"", STANDARD.encode(bytes(text()?)?))),
            Self::Json => Ok(without_blanks(text()?)),
            Self::Refused(_) => Err("a refused value has no JSON".to_owned()),
        }
    }
}

/// `2024-01-02 03:04:05.100000` becomes `2024-01-02T03:04:05.1`.
fn moment(server: &str) -> String {
    let text = server.replacen(' ', "T", 1);
    match text.split_once('.') {
        Some((whole, fraction)) => {
            let (digits, era) =
                fraction.split_once(' ').map_or((fraction, ""), |(digits, era)| (digits, era));
            let digits = digits.trim_end_matches('0');
            let point = if digits.is_empty() { "" } else { "." };
            let blank = if era.is_empty() { "" } else { " " };
            format!("{whole}{point}{digits}{blank}{era}")
        }
        None => text,
    }
}

/// `2024-01-02 03:04:05+00` becomes `2024-01-02T03:04:05Z`; an infinity has no zone.
fn instant(server: &str) -> String {
    // The zone stands after the fraction, and an era after the zone.
    match server.split_once("+00") {
        Some((local, era)) => format!("{}Z{era}", moment(local)),
        None => moment(server),
    }
}

/// JSON without the blanks between its tokens.
fn without_blanks(json: &str) -> String {
    let (mut in_text, mut escaped) = (false, false);
    let keep = |char: &char| {
        let kept = in_text || !char.is_ascii_whitespace();
        in_text ^= *char == '"' && !escaped;
        escaped = in_text && *char == '\\' && !escaped;
        kept
    };
    json.chars().filter(keep).collect()
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits = hex.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).map_err(|error| error.to_string())?;
        u8::from_str_radix(pair, 16).map_err(|_| format!("the server says {hex:?}, which is no hexadecimal"))
    });
    digits.collect()
}
