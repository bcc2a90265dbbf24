//! TOON in, typed rows out, by the crate `toon-format`.

use super::{Sheet, Unreadable, tree};

/// Reads a list of rows.
///
/// # Errors
///
/// What is no TOON, what is no list of objects, and numbers that the reader would round.
pub fn read(text: &str) -> Result<Vec<Sheet>, Unreadable> {
    tree::read(text.strip_suffix('\n').unwrap_or(text), ("TOON", "\t,|:[]{}"), toon_format::decode_strict)
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
    fn what_is_no_list_of_rows_and_what_would_be_rounded_is_refused() {
        let message = |text: &str| read(text).expect_err(text).to_string();
        assert_eq!(message("a: 1"), "this TOON holds no list of rows");
        assert_eq!(message("[2]: 1,2"), "row 1: expected an object of fields");
        assert!(message("[2]{id}:\n  1").starts_with("this is no TOON: "));
        let rounded = message("[1]{id}:\n  1.00000000000000000001");
        assert!(rounded.starts_with("line 2: the number 1.00000000000000000001"), "{rounded}");
    }
}
