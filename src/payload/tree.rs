//! Rows that a crate read, which knows 64-bit integers and doubles and nothing between.

use std::{
    fmt::Display,
    panic::{RefUnwindSafe, catch_unwind},
};

use serde_json::Value as Json;
use toolbox_source::Value;

use super::{Sheet, Sheets, Unreadable};
use crate::seam;

/// What a crate read, as result sets. The reader may fail and may panic. `signs` stand around bare values in this form.
pub(super) fn read<E: Display>(
    text: &str,
    (form, signs): (&str, &str),
    reader: impl Fn(&str) -> Result<Json, E> + RefUnwindSafe,
) -> Result<Vec<Sheet>, Unreadable> {
    is_exact(text, signs)?;
    let refused = |reason: String| Unreadable::new(None, format!("this is no {form}: {reason}"));
    let read = catch_unwind(|| reader(text))
        .map_err(|_| refused("its reader gave up".to_owned()))?
        .map_err(|error| refused(error.to_string().replace('\n', " ")))?;
    let Json::Array(rows) = read else {
        return Err(Unreadable::new(None, format!("this {form} holds no list of rows")));
    };
    let mut sheets = Sheets::default();
    for (index, row) in rows.into_iter().enumerate() {
        let place = |message: &str| Unreadable::new(None, format!("row {}: {message}", index + 1));
        let Json::Object(fields) = row else { return Err(place("expected an object of fields")) };
        let fields = fields.into_iter().map(|(name, cell)| (name, value(cell))).collect();
        sheets.push(fields).map_err(|message| place(&message))?;
    }
    Ok(sheets.0)
}

fn value(read: Json) -> Value {
    match read {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(value), ..) => Value::Int(value),
            (_, Some(value), _) => Value::UInt(value),
            (.., Some(value)) => Value::Float(value),
            _ => Value::Decimal(number.to_string()),
        },
        Json::String(text) => Value::Text(text),
        Json::Array(items) => Value::Array(items.into_iter().map(value).collect()),
        Json::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, field)| (name, value(field))).collect())
        }
    }
}

/// Refuses numbers outside quotes that a reader which knows 64-bit integers and doubles does not find again.
///
/// A text that only looks like such a number may be refused too, never the other way round.
fn is_exact(text: &str, signs: &str) -> Result<(), Unreadable> {
    for (index, line) in text.lines().enumerate() {
        if let Some(token) = bare(line, signs).find(|token| seam::number(token).is_some() && !is_kept(token))
        {
            let message = format!(
                "the number {token} has more digits than a reader of this form keeps; write it as text, or use GCX1 or JSON"
            );
            return Err(Unreadable::new(index + 1, message));
        }
    }
    Ok(())
}

/// What stands between signs and quotes of a line, without the blanks around it and the mark of a list.
fn bare<'a>(line: &'a str, signs: &'a str) -> impl Iterator<Item = &'a str> {
    let (mut quoted, mut escaped) = (false, false);
    line.split(move |character: char| {
        let was_escaped = std::mem::take(&mut escaped);
        match character {
            '"' if !was_escaped => quoted = !quoted,
            '\\' if quoted => escaped = !was_escaped,
            _ => return quoted || signs.contains(character),
        }
        true
    })
    .map(|token| {
        let token = token.trim_matches([' ', ':']);
        token.strip_prefix("- ").unwrap_or(token)
    })
}

/// Whether an integer fits 64 bits, and whether the nearest double has the digits of another number, zeros at their end aside.
fn is_kept(token: &str) -> bool {
    match seam::number(token) {
        Some(Value::Int(_) | Value::UInt(_) | Value::Float(_)) => true,
        _ => token.parse().is_ok_and(|double: f64| {
            double.is_finite() && significant(token) == significant(&format!("{double:e}"))
        }),
    }
}

/// The digits of a number from the first to the last that is not zero, and the power of ten of the first.
fn significant(number: &str) -> (String, i64) {
    let number = number.trim_start_matches('-');
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_matches('0').to_owned();
    if digits.is_empty() {
        return (digits, 0);
    }
    let place = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    (digits, (place(whole.len()) - place(leading)).saturating_add(exponent.parse().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNS: &str = ",|=[]";

    #[test]
    fn numbers_that_a_double_would_round_are_refused() {
        for text in [
            "a|1.5|2",
            "9223372036854775807",
            "18446744073709551615",
            "1.10",
            "1e5",
            "100000000000000000000",
            "0.000",
            "x=-0",
            "0.00012",
        ] {
            assert_eq!(is_exact(text, SIGNS), Ok(()), "{text}");
        }
        for text in
            ["a|123456789012345678.9", "x=1e400", "[2]: 1,0.1234567890123456789", "  - 18446744073709551617"]
        {
            let line = is_exact(&format!("ok\n{text}"), SIGNS).map_err(|error| error.line);
            assert_eq!(line, Err(Some(2)), "{text}");
        }
        let texts = r#"a: "1e400","x \" 1e400"|v0.12345678901234567890|costs 1e400 of them"#;
        assert_eq!(is_exact(texts, SIGNS), Ok(()));
    }
}
