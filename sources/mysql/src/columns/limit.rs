//! Whether a value can be in a column at all, by what the type of the column says of its size.

use toolbox_source::scan::{Lexicon, Token, TokenKind, Tokens};

use crate::bind::Argument;

/// Whether a type, as the server writes it (`varchar(3)`, `enum('a','b')`), has no room for the value of an argument; none if
/// its size does not tell. A fraction that the server rounds up may still be too much.
pub(crate) fn refuses(kind: &str, argument: &Argument) -> Option<bool> {
    let tokens: Vec<Token<'_>> = Tokens::new(kind, &Lexicon::MYSQL).collect();
    let name = tokens.first()?.text.to_ascii_lowercase();
    let mut sizes = tokens.iter().filter(|token| token.kind == TokenKind::Number);
    let mut size = || sizes.next().and_then(|size| size.text.parse::<usize>().ok());
    let is_unsigned = tokens.iter().any(|token| token.is_word("unsigned"));
    let words = || tokens.iter().filter(|token| token.kind == TokenKind::Text).filter_map(Token::name);
    let has_word = |sought: &str| words().any(|word| word.to_lowercase() == sought.to_lowercase());
    Some(match name.as_str() {
        "tinyint" => whole(argument).is_some_and(|number| !integers(8, is_unsigned).contains(&number)),
        "smallint" => whole(argument).is_some_and(|number| !integers(16, is_unsigned).contains(&number)),
        "mediumint" => whole(argument).is_some_and(|number| !integers(24, is_unsigned).contains(&number)),
        "int" => whole(argument).is_some_and(|number| !integers(32, is_unsigned).contains(&number)),
        "bigint" => whole(argument).is_some_and(|number| !integers(64, is_unsigned).contains(&number)),
        "bit" => {
            let bits = size().and_then(|bits| u32::try_from(bits).ok()).unwrap_or(1);
            matches!(argument, Argument::Int(_) | Argument::UInt(_))
                && whole(argument).is_some_and(|number| number < 0 || number >> bits.min(64) != 0)
        }
        "year" => whole(argument).is_some_and(|number| number > 2155 || (100..=1900).contains(&number)),
        "decimal" => {
            let (digits, scale) = (size().unwrap_or(10), size().unwrap_or(0));
            whole(argument).is_some_and(|number| {
                let has = number.unsigned_abs().checked_ilog10().map_or(0, |most| most as usize + 1);
                has > digits.saturating_sub(scale) || is_unsigned && number < 0
            })
        }
        "char" | "varchar" => {
            let most = size().unwrap_or(1);
            argument.text().is_some_and(|text| text.trim_end_matches(' ').chars().count() > most)
        }
        "binary" | "varbinary" => has_more(argument, size().unwrap_or(1)),
        "tinytext" | "tinyblob" => has_more(argument, 0xFF),
        "text" | "blob" => has_more(argument, 0xFFFF),
        "enum" => matches!(argument, Argument::Text(text) if whole(argument).is_none() && !has_word(text)),
        "set" => match argument {
            Argument::Text(text) if !text.is_empty() && whole(argument).is_none() => {
                text.split(',').any(|part| !has_word(part))
            }
            _ => false,
        },
        _ => return None,
    })
}

/// The integers of so many bits.
fn integers(bits: u32, is_unsigned: bool) -> std::ops::RangeInclusive<i128> {
    if is_unsigned { 0..=(1 << bits) - 1 } else { -(1 << (bits - 1))..=(1 << (bits - 1)) - 1 }
}

/// The part before the point of a number, or of a text of one.
fn whole(argument: &Argument) -> Option<i128> {
    let text = match argument {
        Argument::Float(number) => number.trunc().to_string(),
        argument => argument.text()?.into_owned(),
    };
    let (before, after) = text.split_once('.').unwrap_or((&text, ""));
    let number = before.parse().ok()?;
    after.bytes().all(|byte| byte.is_ascii_digit()).then_some(number)
}

fn has_more(argument: &Argument, bytes: usize) -> bool {
    match argument {
        Argument::Bytes(value) => value.len() > bytes,
        argument => argument.text().is_some_and(|text| text.len() > bytes),
    }
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
            ("int(11)", Argument::Float(2e9), Argument::Float(3e9)),
            ("bigint", Argument::Int(i64::MIN), Argument::UInt(u64::MAX)),
            ("bigint(20) unsigned", Argument::UInt(u64::MAX), text("18446744073709551616")),
            ("bit(3)", Argument::Int(7), Argument::Int(8)),
            ("bit(64)", Argument::UInt(u64::MAX), Argument::Int(-1)),
            ("year", Argument::Int(99), Argument::Int(100)),
            ("decimal(5,2)", Argument::Decimal("999.994".to_owned()), Argument::Decimal("1000.0".to_owned())),
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
        assert_eq!(refuses("enum('a')", &text("1")), Some(false));
        for (kind, argument) in [("longtext", text("x")), ("date", text("x")), ("", text(""))] {
            assert_eq!(refuses(kind, &argument), None, "{kind}");
        }
    }
}
