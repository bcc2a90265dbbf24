//! Random and edge values of every type: what the source says beside what the server itself writes as text, in the same row.
//!
//! The rules that bring the server's text to the contract's form stand in [`Rule::expected`]. On MariaDB the same rows are
//! also read in the text protocol, by a statement that cannot be prepared.

use toolbox_source::Value;

use crate::{
    dice::Dice,
    support::{Database, Server, ask, on_each},
};

/// Values of each type, so that the cases of a type are thousands over the servers and protocols.
const VALUES: usize = 500;

/// How the server shows a value, and what that says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Integer,
    Bits,
    Decimal,
    Double,
    /// A double of a column that is shown in six digits behind the point.
    SixDigits,
    Float,
    Date,
    DateTime,
    Timestamp,
    Time,
    Text,
    Bytes,
    Json,
    /// The server's text itself.
    Shown,
}

impl Rule {
    /// The expression by which the server shows column `c`.
    fn witness(self) -> &'static str {
        match self {
            Self::Bits => "CAST(c + 0 AS CHAR)",
            Self::Float => "CAST(c + 0e0 AS CHAR)",
            Self::Text => "HEX(CONVERT(c USING utf8mb4))",
            Self::Bytes => "HEX(c)",
            _ => "CAST(c AS CHAR)",
        }
    }

    /// The value that this text of the server stands for.
    fn expected(self, shown: &str) -> Value {
        let text = |text: String| Value::Text(text);
        match self {
            // ZEROFILL is about columns of equal width, which numbers in JSON do not have.
            Self::Integer | Self::Bits => {
                let number: i128 = shown.parse().unwrap();
                i64::try_from(number).map_or_else(|_| Value::UInt(number.try_into().unwrap()), Value::Int)
            }
            Self::Decimal => {
                let (sign, digits) = shown.strip_prefix('-').map_or(("", shown), |digits| ("-", digits));
                let trimmed = digits.trim_start_matches('0');
                let zero = if trimmed.is_empty() || trimmed.starts_with('.') { "0" } else { "" };
                Value::Decimal(format!("{sign}{zero}{trimmed}"))
            }
            Self::Double | Self::SixDigits => Value::Float(shown.parse().unwrap()),
            // The shortest digits that give the same single-precision number.
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the server widened a single-precision number"
            )]
            Self::Float => Value::Float((shown.parse::<f64>().unwrap() as f32).to_string().parse().unwrap()),
            Self::Date | Self::Shown => text(shown.to_owned()),
            Self::Time => text(short(shown)),
            // A moment that exists is written with a T; a zero or partial date has a blank, and no zone.
            Self::DateTime | Self::Timestamp => {
                let (day, clock) = shown.split_once(' ').unwrap();
                let exists = !day.contains("-00");
                let zone = if exists && self == Self::Timestamp { "Z" } else { "" };
                text(format!("{day}{}{}{zone}", if exists { 'T' } else { ' ' }, short(clock)))
            }
            Self::Text => text(String::from_utf8(bytes(shown)).unwrap()),
            Self::Bytes => Value::Bytes(bytes(shown)),
            // None of the strings below holds a blank, so these blanks are the server's own.
            Self::Json => Value::Json(shown.replace(", ", ",").replace(": ", ":")),
        }
    }
}

/// A time without the zeros at the end of its fraction.
fn short(time: &str) -> String {
    if time.contains('.') {
        time.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        time.to_owned()
    }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let pairs = hexadecimal.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

const MARKS: &str = "ab Z09'\"\\\t\n%_-";
const LATIN: &str = "ab é ü ÿ '€";
const CHINESE: &str = "ab 中文 数据";
const ANY: &str = "ab é 中 🦊 ñ\u{301}\u{200f}'";

/// A way to make a literal.
type Make = fn(&mut Dice) -> String;

const BOTH: [(&str, Rule, Make); 62] = [
    ("TINYINT", Rule::Integer, |dice| dice.signed(8)),
    ("TINYINT UNSIGNED", Rule::Integer, |dice| dice.unsigned(8).to_string()),
    ("TINYINT(1)", Rule::Integer, |dice| dice.signed(8)),
    ("TINYINT(1) UNSIGNED", Rule::Integer, |dice| dice.unsigned(8).to_string()),
    ("BOOLEAN", Rule::Integer, |dice| dice.below(2).to_string()),
    ("SMALLINT", Rule::Integer, |dice| dice.signed(16)),
    ("SMALLINT UNSIGNED", Rule::Integer, |dice| dice.unsigned(16).to_string()),
    ("MEDIUMINT", Rule::Integer, |dice| dice.signed(24)),
    ("MEDIUMINT UNSIGNED", Rule::Integer, |dice| dice.unsigned(24).to_string()),
    ("INT", Rule::Integer, |dice| dice.signed(32)),
    ("INT UNSIGNED", Rule::Integer, |dice| dice.unsigned(32).to_string()),
    ("INT(12) ZEROFILL", Rule::Integer, |dice| dice.unsigned(32).to_string()),
    ("BIGINT", Rule::Integer, |dice| dice.signed(64)),
    ("BIGINT UNSIGNED", Rule::Integer, |dice| dice.unsigned(64).to_string()),
    ("BIGINT UNSIGNED ZEROFILL", Rule::Integer, |dice| dice.unsigned(64).to_string()),
    ("YEAR", Rule::Integer, |dice| {
        if dice.below(9) == 0 { "0".to_owned() } else { (1901 + dice.below(255)).to_string() }
    }),
    ("BIT", Rule::Bits, |dice| dice.below(2).to_string()),
    ("BIT(7)", Rule::Bits, |dice| dice.unsigned(7).to_string()),
    ("BIT(33)", Rule::Bits, |dice| dice.unsigned(33).to_string()),
    ("BIT(64)", Rule::Bits, |dice| dice.unsigned(64).to_string()),
    ("DECIMAL(65,30)", Rule::Decimal, |dice| dice.decimal(35, 30)),
    ("DECIMAL(65,0)", Rule::Decimal, |dice| dice.digits(65)),
    ("DECIMAL(30,30)", Rule::Decimal, |dice| {
        dice.decimal(1, 30).replacen(|digit: char| digit.is_ascii_digit(), "0", 1)
    }),
    ("DECIMAL(12,2) UNSIGNED ZEROFILL", Rule::Decimal, |dice| {
        format!("{}.{}", dice.digits(10), dice.digits(2))
    }),
    ("DOUBLE", Rule::Double, Dice::double),
    ("DOUBLE(20,6)", Rule::SixDigits, |dice| dice.decimal(9, 6)),
    ("FLOAT", Rule::Float, Dice::float),
    ("FLOAT(7,3)", Rule::Float, |dice| dice.decimal(4, 3)),
    ("DATE", Rule::Date, |dice| format!("'{}'", dice.date())),
    ("DATETIME", Rule::DateTime, |dice| dice.datetime(0)),
    ("DATETIME(1)", Rule::DateTime, |dice| dice.datetime(1)),
    ("DATETIME(3)", Rule::DateTime, |dice| dice.datetime(3)),
    ("DATETIME(6)", Rule::DateTime, |dice| dice.datetime(6)),
    ("TIMESTAMP NULL", Rule::Timestamp, |dice| dice.timestamp(0)),
    ("TIMESTAMP(2) NULL", Rule::Timestamp, |dice| dice.timestamp(2)),
    ("TIMESTAMP(6) NULL", Rule::Timestamp, |dice| dice.timestamp(6)),
    ("TIME", Rule::Time, |dice| dice.time(0)),
    ("TIME(4)", Rule::Time, |dice| dice.time(4)),
    ("TIME(6)", Rule::Time, |dice| dice.time(6)),
    ("CHAR(20)", Rule::Text, |dice| dice.text(ANY, 20)),
    ("CHAR(20) COLLATE utf8mb4_bin", Rule::Text, |dice| dice.text(ANY, 20)),
    ("CHAR(20) CHARACTER SET latin1", Rule::Text, |dice| dice.text(LATIN, 20)),
    ("VARCHAR(20)", Rule::Text, |dice| dice.text(MARKS, 20)),
    ("VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin", Rule::Text, |dice| dice.text(LATIN, 20)),
    ("VARCHAR(20) CHARACTER SET gbk", Rule::Text, |dice| dice.text(CHINESE, 20)),
    ("VARCHAR(20) CHARACTER SET ucs2", Rule::Text, |dice| dice.text(CHINESE, 20)),
    ("VARCHAR(20) CHARACTER SET utf16le", Rule::Text, |dice| dice.text(ANY, 10)),
    ("VARCHAR(20) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin", Rule::Text, |dice| dice.text(CHINESE, 20)),
    ("TINYTEXT COLLATE utf8mb4_bin", Rule::Text, |dice| dice.text(ANY, 20)),
    ("TEXT CHARACTER SET sjis", Rule::Text, |dice| dice.text("ab アイウ 表", 20)),
    ("MEDIUMTEXT", Rule::Text, |dice| dice.text(ANY, 300)),
    ("LONGTEXT CHARACTER SET latin1", Rule::Text, |dice| dice.text(LATIN, 70)),
    ("ENUM('a','ä','','中') COLLATE utf8mb4_bin", Rule::Text, |dice| (1 + dice.below(4)).to_string()),
    ("SET('a','ä','中') CHARACTER SET utf8mb3", Rule::Text, |dice| dice.below(8).to_string()),
    ("BINARY(8)", Rule::Bytes, |dice| dice.hexadecimal(8)),
    ("VARBINARY(40)", Rule::Bytes, |dice| dice.hexadecimal(40)),
    ("TINYBLOB", Rule::Bytes, |dice| dice.hexadecimal(40)),
    ("BLOB", Rule::Bytes, |dice| dice.hexadecimal(300)),
    ("MEDIUMBLOB", Rule::Bytes, |dice| dice.hexadecimal(40)),
    ("LONGBLOB", Rule::Bytes, |dice| dice.hexadecimal(40)),
    ("GEOMETRY", Rule::Bytes, |dice| {
        format!("ST_GeomFromText('POINT({} {})')", dice.signed(20), dice.below(90))
    }),
    ("LINESTRING", Rule::Bytes, |dice| format!("ST_GeomFromText('LINESTRING(0 0,{} 1.5)')", dice.below(90))),
];

const MYSQL: [(&str, Rule, Make); 1] = [("JSON", Rule::Json, |dice| {
    let json = dice.json(3);
    format!("'{}'", json.replace('\\', "\\\\"))
})];

const MARIADB: [(&str, Rule, Make); 6] = [
    ("JSON", Rule::Text, |dice| {
        let json = dice.json(3).replace(',', " , ");
        format!("'{}'", json.replace('\\', "\\\\"))
    }),
    ("UUID", Rule::Shown, |dice| {
        let (high, low) = (dice.bits(), dice.bits());
        format!(
            "'{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}'",
            high >> 32,
            high & 0xffff,
            low & 0xfff,
            (low >> 12) & 0xfff,
            low >> 16
        )
    }),
    ("INET4", Rule::Shown, |dice| format!("'{}.{}.0.{}'", dice.below(256), dice.below(256), dice.below(256))),
    ("INET6", Rule::Shown, |dice| match dice.below(3) {
        0 => "'::ffff:192.0.2.7'".to_owned(),
        1 => "'::'".to_owned(),
        _ => format!("'2001:db8:{:x}::{:x}'", dice.below(65_536), dice.below(65_536)),
    }),
    ("VARCHAR(20) COMPRESSED", Rule::Text, |dice| dice.text(ANY, 20)),
    ("BLOB COMPRESSED", Rule::Bytes, |dice| dice.hexadecimal(200)),
];

/// Fills a table with values of the type, and some nulls.
async fn fill(database: &Database, kind: &str, make: Make, dice: &mut Dice) {
    let mut script = format!(
        "SET sql_mode = ''; SET time_zone = '+00:00'; DROP TABLE IF EXISTS x; CREATE TABLE x (c {kind})"
    );
    let mut left = VALUES;
    while left > 0 {
        let count = left.min(250);
        let rows: Vec<String> = (0..count)
            .map(|_| if dice.below(50) == 0 { "(NULL)".to_owned() } else { format!("({})", make(dice)) })
            .collect();
        script.push_str("; INSERT INTO x VALUES ");
        script.push_str(&rows.join(", "));
        left -= count;
    }
    database.script(&script).await;
}

/// Compares all rows that a statement answers: the value, and the server's text of it.
fn compare(kind: &str, rule: Rule, rows: &[Vec<Value>]) {
    assert_eq!(rows.len(), VALUES, "{kind}");
    for row in rows {
        match &row[1] {
            Value::Null => assert_eq!(row[0], Value::Null, "{kind}"),
            // The column is shown in six digits, and holds a double that may be only near them.
            Value::Text(shown) if rule == Rule::SixDigits => match &row[0] {
                Value::Float(number) => assert_eq!(format!("{number:.6}"), *shown, "{kind}"),
                other => panic!("{kind}: {other:?}"),
            },
            Value::Text(shown) => assert_eq!(row[0], rule.expected(shown), "{kind}: the server says {shown}"),
            other => panic!("{kind}: {other:?}"),
        }
    }
    let different = rows.iter().filter(|row| row[0] != rows[0][0]).count();
    assert!(different > 0, "{kind}: all values are the same");
}

async fn differ(database: &Database, cases: &[(&str, Rule, Make)]) {
    let source = database.source();
    let mut dice = Dice::new();
    for (kind, rule, make) in cases {
        if !database.knows(kind).await {
            // UUID and INET4 are younger than MariaDB 10.6.
            assert!(["UUID", "INET4"].contains(kind), "{kind}");
            continue;
        }
        fill(database, kind, *make, &mut dice).await;
        let statement = format!("SELECT c, {} FROM x", rule.witness());
        compare(kind, *rule, &ask(&statement).rows(&source).await);
        if database.server == Server::MariaDb {
            let immediate = format!("EXECUTE IMMEDIATE '{statement}'");
            compare(kind, *rule, &ask(&immediate).rows(&source).await);
        }
    }
}

#[tokio::test]
async fn numbers_are_those_of_the_servers_text() {
    on_each(|database| async move { differ(&database, &BOTH[..28]).await }).await;
}

#[tokio::test]
async fn moments_are_those_of_the_servers_text() {
    on_each(|database| async move { differ(&database, &BOTH[28..39]).await }).await;
}

#[tokio::test]
async fn texts_and_bytes_are_those_of_the_server() {
    on_each(|database| async move { differ(&database, &BOTH[39..]).await }).await;
}

#[tokio::test]
async fn values_of_the_types_of_one_server_are_those_of_its_text() {
    on_each(|database| async move {
        match database.server {
            Server::MySql => differ(&database, &MYSQL).await,
            Server::MariaDb => differ(&database, &MARIADB).await,
        }
    })
    .await;
}
