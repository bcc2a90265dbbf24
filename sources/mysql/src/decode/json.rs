//! Takes the blanks out of the server's JSON. `MySQL` puts one after every comma and colon.

/// The same JSON text without blanks between its tokens; `None` if it ends inside a string.
pub(super) fn compact(json: &str) -> Option<String> {
    let mut compact = String::with_capacity(json.len());
    let mut characters = json.chars();
    let mut in_string = false;
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' | '\n' | '\r' if !in_string => continue,
            '"' => in_string = !in_string,
            '\\' if in_string => {
                compact.push(character);
                compact.push(characters.next()?);
                continue;
            }
            _ => {}
        }
        compact.push(character);
    }
    (!in_string && !compact.is_empty()).then_some(compact)
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn only_blanks_outside_strings_go() {
        for (json, expected) in [
            (r#"{"a b": [1, 2.50, " \" , "], "c": null}"#, r#"{"a b":[1,2.50," \" , "],"c":null}"#),
            (r#""\\ ""#, r#""\\ ""#),
            (" 9007199254740993 ", "9007199254740993"),
        ] {
            assert_eq!(compact(json).as_deref(), Some(expected));
        }
        assert_eq!(compact(r#""open"#), None);
        assert_eq!(compact(" "), None);
    }
}
