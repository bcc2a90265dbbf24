//! Cells by the typed rule, and by the letter of their column.

use toolbox_source::Value;

use super::super::json;

/// Reads a cell whose escapes are undone, or says what was expected. Without a letter an empty cell is null, a cell that is
/// JSON is that value, and any other is text.
pub(super) fn read(cell: &str, letter: Option<u8>) -> Result<Value, &'static str> {
    if cell.is_empty() {
        return Ok(Value::Null);
    }
    let text = || Value::Text(cell.to_owned());
    let Some(letter) = letter else { return Ok(json::value(cell).unwrap_or_else(text)) };
    match letter {
        b's' if cell.starts_with('"') => match json::value(cell) {
            Some(value @ Value::Text(_)) => Ok(value),
            _ => Err("text, or a JSON string since it begins with a quote"),
        },
        b's' => Ok(text()),
        letter => match (letter, json::value(cell)) {
            (b'i' | b'f' | b'd' | b'b', Some(Value::Null)) => Ok(Value::Null),
            (b'i', Some(value @ Value::Int(_))) | (b'b', Some(value @ Value::Bool(_))) => Ok(value),
            (b'i', _) => Err("an integer of 64 bits"),
            (b'f', _) => json::double(cell).map(Value::Float).ok_or("a double"),
            (b'd', _) => json::digits(cell).map(Value::Decimal).ok_or("a number"),
            (b'b', _) => Err("true or false"),
            (_, value) => value.ok_or("JSON"),
        },
    }
}
