//! Which arguments arrive as they were sent although the server casts them: a statement that is prepared keeps the types of its
//! parameters, and when a column gets another type, the server casts its argument from the old type to the new one.
//!
//! An argument survives if, for every type that PostgreSQL casts the old one to on assignment (`pg_cast`, and the texts of
//! output functions), the result is what the new type makes of the argument's own text, or an error. So it must have the very
//! text that the server writes for it, and at most 63 bytes, after which `name` cuts. Where no cast exists, the server refuses
//! the statement, and it is prepared anew. Not looked at is `"char"`, the one-byte type of the server's own catalog.
//!
//! What does not survive: fractions become whole in integers; `real`, `double precision` and moments have fewer digits or no
//! zone; `json` and `jsonb` keep different texts; a negative `smallint` or `integer` wraps in `oid`, and an `oid` in `integer`;
//! `char(n)` drops blanks at the end; lists are written as texts in columns of text, which take no list.

use toolbox_source::Value;

use super::{moment, number, uuid};
use crate::kind::{Kind, TEXT};

/// Most bytes of a `name`.
const NAME: usize = 63;

/// The numbers of types (`pg_type.dat`), and the first one of those that users make.
const INT4: u32 = 23;
const INT2: u32 = 21;
const INT8: u32 = 20;
const VARCHAR: u32 = 1043;
const CHARACTERS: u32 = 1042;
const FIRST_OF_USERS: u32 = 16_384;

/// Whether an argument for a parameter of this type survives every cast.
pub(super) fn survives(value: &Value, kind: &Kind, number: u32) -> bool {
    let text = match value {
        Value::Null => return true,
        Value::Text(text) | Value::Decimal(text) | Value::Json(text) => text.clone(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(integer) => integer.to_string(),
        Value::UInt(integer) => integer.to_string(),
        Value::Float(float) => number::digits(*float),
        Value::Bytes(_) | Value::Array(_) | Value::Object(_) => return false,
    };
    if text.len() > NAME {
        return false;
    }
    match (number, kind) {
        (16, _) => matches!(value, Value::Bool(_)),
        (INT8 | 1700, _) => is_whole(&text),
        (INT2 | INT4, _) => is_whole(&text) && !text.starts_with('-'),
        (TEXT | VARCHAR, _) => true,
        // Enums and types of extensions that are texts; a domain may be over `char(n)`.
        (CHARACTERS | FIRST_OF_USERS.., Kind::Text) => !text.ends_with(' '),
        (2950, _) => uuid(&text).is_some() && !text.bytes().any(|byte| byte.is_ascii_uppercase()),
        (1082, _) => text.len() == 10 && moment::binary(&text, &Kind::Date).is_some(),
        (17, _) => is_hexadecimal(&text),
        _ => false,
    }
}

/// Whether a text is the one that the server writes for a whole number.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let are_digits = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    are_digits && (text == "0" || !digits.starts_with('0'))
}

/// Whether a text is the one that the server writes for bytes.
fn is_hexadecimal(text: &str) -> bool {
    text.strip_prefix("\\x").is_some_and(|digits| {
        digits.len() % 2 == 0 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(test)]
mod tests {
    use toolbox_source::Value;

    use super::survives;
    use crate::kind::Kind;

    #[test]
    fn only_the_servers_own_short_text_of_an_exact_value_survives() {
        let text = |text: &str| Value::Text(text.to_owned());
        let decimal = |digits: &str| Value::Decimal(digits.to_owned());
        let is = |value: &Value, number: u32, expected: bool| {
            let kind = Kind::of_number(number).unwrap_or(Kind::Text);
            assert_eq!(survives(value, &kind, number), expected, "{value:?} for {number}");
        };
        for number in [16, 17, 18, 20, 21, 23, 25, 114, 700, 701, 1042, 1082, 1114, 1700, 2950] {
            is(&Value::Null, number, true);
            is(&Value::Array(Vec::new()), number, false);
            is(&text(&"1".repeat(64)), number, false);
        }
        for (value, whole, small) in [
            (Value::Int(5), true, true),
            (Value::Int(-5), true, false),
            (text("12"), true, true),
            (text("012"), false, false),
            (text(" 12"), false, false),
            (Value::Float(3.0), true, true),
            (Value::Float(-0.0), false, false),
            (decimal("7.00"), false, false),
            (decimal("0.5"), false, false),
            (text("NaN"), false, false),
        ] {
            is(&value, 20, whole);
            is(&value, 1700, whole);
            is(&value, 23, small);
            is(&value, 21, small);
            is(&value, 26, false);
            is(&value, 701, false);
        }
        is(&Value::Bool(true), 16, true);
        is(&text("yes"), 16, false);
        is(&Value::Bool(true), 25, true);
        for (value, text_like, padded) in [("ab", true, true), ("ab ", true, false), ("", true, true)] {
            is(&text(value), 25, text_like);
            is(&text(value), 1043, text_like);
            is(&text(value), 1042, padded);
            is(&text(value), 16_400, padded);
            is(&text(value), 142, false);
        }
        is(&text("018f3a1e-0000-7000-8000-000000000000"), 2950, true);
        is(&text("018F3A1E-0000-7000-8000-000000000000"), 2950, false);
        is(&text("2024-02-29"), 1082, true);
        is(&text(" 2024-02-29"), 1082, false);
        is(&text("29 Feb 2024"), 1082, false);
        is(&text("2024-02-29"), 1114, false);
        is(&text("\\x00ff"), 17, true);
        is(&text("\\x00FF"), 17, false);
    }
}
