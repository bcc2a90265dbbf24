//! Whether a value can be in a column at all, by what the type of the column says of its size.

use std::ops::RangeInclusive;

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

use crate::bind::Argument;

/// Whether a type, as the server writes it (`varchar(3)`, `enum('a','b')`), has no room for the value of an argument; none if
/// its size does not tell.
pub(crate) fn refuses(kind: &str, argument: &Argument) -> Option<bool> {
    let tokens: Vec<Token<'_>> = Tokens::new(kind, &Lexicon::MYSQL).collect();
    let name = tokens.first()?.text.to_ascii_lowercase();
    let mut sizes = tokens.iter().filter(|token| token.kind == TokenKind::Number);
    let mut size = || sizes.next().and_then(|size| size.text.parse::<usize>().ok());
    let is_unsigned = tokens.iter().any(|token| token.is_word("unsigned"));
    let words = || tokens.iter().filter(|token| token.kind == TokenKind::Text).filter_map(Token::name);
    let has_word = |sought: &str| words().any(|word| word.to_lowercase() == sought.to_lowercase());
    match name.as_str() {
        "tinyint" => is_beyond(argument, integers(8, is_unsigned)),
        "smallint" => is_beyond(argument, integers(16, is_unsigned)),
        "mediumint" => is_beyond(argument, integers(24, is_unsigned)),
        "int" => is_beyond(argument, integers(32, is_unsigned)),
        "bigint" => is_beyond(argument, integers(64, is_unsigned)),
        // Of a text, the bytes are the bits.
        "bit" if matches!(argument, Argument::Int(_) | Argument::UInt(_)) => {
            let bits = size().and_then(|bits| u32::try_from(bits).ok()).unwrap_or(1);
            is_beyond(argument, integers(bits.min(64), true))
        }
        "year" => match number(argument) {
            Number::Whole(year) => Some(!(0..=99).contains(&year) && !(1901..=2155).contains(&year)),
            _ => None,
        },
        "decimal" => {
            let digits = size().unwrap_or(10).saturating_sub(size().unwrap_or(0));
            let most = 10_i128.checked_pow(u32::try_from(digits).ok()?)? - 1;
            is_beyond(argument, if is_unsigned { 0..=most } else { -most..=most })
        }
        "char" | "varchar" => {
            let most = size().unwrap_or(1);
            Some(argument.text()?.trim_end_matches(' ').chars().count() > most)
        }
        "binary" | "varbinary" => has_more(argument, size().unwrap_or(1)),
        "tinytext" | "tinyblob" => has_more(argument, 0xFF),
        "text" | "blob" => has_more(argument, 0xFFFF),
        // A text of digits may be the place of a word.
        "enum" => match argument {
            Argument::Text(text) if number(argument) == Number::None => Some(!has_word(text)),
            _ => None,
        },
        "set" => match argument {
            Argument::Text(text) if number(argument) == Number::None => {
                Some(!text.is_empty() && text.split(',').any(|part| !has_word(part)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The integers of so many bits.
fn integers(bits: u32, is_unsigned: bool) -> RangeInclusive<i128> {
    if is_unsigned { 0..=(1 << bits) - 1 } else { -(1 << (bits - 1))..=(1 << (bits - 1)) - 1 }
}

/// What an argument is as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Whole(i128),
    /// The part before the point.
    Fraction(i128),
    /// Digits with an exponent, or bytes.
    Other,
    /// A text of no number.
    None,
}

fn number(argument: &Argument) -> Number {
    let Some(text) = argument.text() else { return Number::Other };
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    match (whole.parse(), fraction) {
        (Ok(number), "") => Number::Whole(number),
        (Ok(number), fraction) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
            Number::Fraction(number)
        }
        _ if text.trim().parse::<f64>().is_ok() => Number::Other,
        _ => Number::None,
    }
}

/// Whether a number is beyond these, or none at all. A fraction may be rounded away from zero.
fn is_beyond(argument: &Argument, range: RangeInclusive<i128>) -> Option<bool> {
    match number(argument) {
        Number::Whole(number) => Some(!range.contains(&number)),
        Number::Fraction(number) => (!range.contains(&number)).then_some(true),
        Number::Other => None,
        Number::None => Some(true),
    }
}

fn has_more(argument: &Argument, bytes: usize) -> Option<bool> {
    Some(match argument {
        Argument::Bytes(value) => value.len() > bytes,
        argument => argument.text()?.len() > bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::refuses;
    use crate::bind::Argument;

    fn text(text: &str) -> Argument {
        Argument::Text(text.to_owned())
    }

    // The limits are those of
    // <https://dev.mysql.com/doc/refman/9.4/en/integer-types.html> and its neighbors.
    #[test]
    fn a_type_refuses_what_is_over_its_limits() {
        for (kind, fits, refused) in [
            ("tinyint(4)", Argument::Int(127), Argument::Int(128)),
            ("tinyint unsigned", Argument::Int(255), Argument::Int(-1)),
            ("mediumint", Argument::Int(-8_388_608), Argument::Int(-8_388_609)),
            ("int(11)", text(" 2000000000 "), text("3000000000.5")),
            ("smallint", text("1"), text("2024-01-02")),
            ("bigint", Argument::Int(i64::MIN), Argument::UInt(u64::MAX)),
            ("bigint(20) unsigned", Argument::UInt(u64::MAX), text("18446744073709551616")),
            ("bit(3)", Argument::Int(7), Argument::Int(8)),
            ("bit(64)", Argument::UInt(u64::MAX), Argument::Int(-1)),
            ("year", Argument::Int(99), Argument::Int(100)),
            ("decimal(5,2)", Argument::Int(999), Argument::Decimal("1000.0".to_owned())),
            ("decimal(5,0) unsigned", Argument::Int(99_999), Argument::Int(-1)),
            ("varchar(3)", text("日本語  "), text("abcd")),
            ("char(1)", Argument::Int(1), Argument::Int(12)),
            ("varbinary(3)", text("日"), text("日本")),
            ("tinytext", text(&"x".repeat(255)), text(&"x".repeat(256))),
            ("enum('a','it''s')", text("IT'S"), text("b")),
            ("set('a','b')", text("b,A"), text("a,c")),
        ] {
            assert_eq!(refuses(kind, &fits), Some(false), "{kind} {fits:?}");
            assert_eq!(refuses(kind, &refused), Some(true), "{kind} {refused:?}");
        }
        for (kind, argument) in [
            ("longtext", text("x")),
            ("date", text("x")),
            ("", text("")),
            ("enum('a')", text("1")),
            ("tinyint", text("127.6")),
            ("tinyint", Argument::Float(1e30)),
            ("bit(8)", text("a")),
        ] {
            assert_eq!(refuses(kind, &argument), None, "{kind}");
        }
    }
}
