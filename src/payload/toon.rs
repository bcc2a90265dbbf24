//! TOON in, typed rows out, by the crate `toon-format`.

use super::{NOTICE, Sheet, Unreadable, tree};

/// Reads a list of rows. A last line that says that the result was cut is no part of it.
///
/// # Errors
///
/// What is no TOON, what is no list of objects, and numbers that the reader would round.
pub fn read(text: &str) -> Result<Vec<Sheet>, Unreadable> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let (rows, truncated) = match text.rsplit_once('\n') {
        Some((rows, last)) if last.starts_with(NOTICE) => (rows, true),
        _ => (text, false),
    };
    let sheets = tree::read(rows, ("TOON", "\t,|:[]{}"), toon_format::decode_strict)?;
    Ok(sheets.into_iter().map(|sheet| Sheet { truncated, ..sheet }).collect())
}

#[cfg(test)]
mod tests {
    use toolbox_source::{Row, Value};

    use super::*;

    #[test]
    fn a_table_is_read() {
        let sheets = read("[2]{id,name}:\n  1,Alice\n  2,\"007\"\n").expect("TOON");
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(sheets.len(), 1);
        let rows: Vec<Row> = sheets.into_iter().flat_map(Sheet::into_rows).collect();
        assert_eq!(rows, [[Value::Int(1), text("Alice")], [Value::Int(2), text("007")]]);
    }

    #[test]
    fn a_notice_behind_the_rows_says_that_some_are_missing() {
        let notice = r#"{"toolbox/truncated":{"rows":1,"hint":"x"}}"#;
        for (text, truncated) in [
            (format!("[1]{{id}}:\n  1\n{notice}\n"), true),
            (format!("[1]:\n  - id: 1\n    t[0]:\n{notice}"), true),
            ("[1]{id}:\n  \"{\\\"toolbox/truncated\\\":\"".to_owned(), false),
        ] {
            let sheets = read(&text).expect(&text);
            assert_eq!(
                sheets.iter().map(|sheet| (sheet.len(), sheet.truncated)).collect::<Vec<_>>(),
                [(1, truncated)]
            );
        }
    }

    #[test]
    fn what_is_no_list_of_rows_and_what_would_be_rounded_is_refused() {
        let message = |text: &str| read(text).expect_err(text).to_string();
        assert_eq!(message("a: 1"), "this TOON holds no list of rows");
        assert_eq!(message("[2]: 1,2"), "row 1: expected an object of fields");
        assert!(message("[2]{id}:\n  1").starts_with("this is no TOON: "));
        let rounded = message("[1]{id}:\n  1.00000000000000000001");
        assert!(rounded.starts_with("line 2: the number 1.00000000000000000001"), "{rounded}");
    }
}
