//! JSON rows as one indented array: two blanks a level, as `serde_json` and the peer print it.
//!
//! Only blanks are added. The text of a row is not read as values, so repeated keys, nesting of any depth, escapes and the digits
//! of numbers stay as they are.

/// The levels that are indented. What is nested more deeply begins where these end, so that the output does not grow with the
/// square of the depth.
const MOST_LEVELS: usize = 100;

/// Rows, a JSON text each, as one array.
pub(super) fn array(rows: &[String]) -> String {
    let mut out = Indented::default();
    out.put('[');
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            out.put(',');
        }
        row.chars().for_each(|character| out.put(character));
    }
    out.put(']');
    out.text
}

#[derive(Default)]
struct Indented {
    text: String,
    levels: usize,
    in_string: bool,
    escaped: bool,
    /// Whether a list or an object was just opened.
    opened: bool,
}

impl Indented {
    fn put(&mut self, character: char) {
        if self.in_string {
            self.in_string = self.escaped || character != '"';
            self.escaped = character == '\\' && !self.escaped;
            self.text.push(character);
            return;
        }
        let closes = matches!(character, ']' | '}');
        if closes {
            self.levels = self.levels.saturating_sub(1);
        }
        if self.opened != closes {
            self.begin_line();
        }
        self.opened = false;
        self.text.push(character);
        match character {
            '[' | '{' => {
                self.levels += 1;
                self.opened = true;
            }
            ',' => self.begin_line(),
            ':' => self.text.push(' '),
            '"' => self.in_string = true,
            _ => {}
        }
    }

    fn begin_line(&mut self) {
        self.text.push('\n');
        (0..self.levels.min(MOST_LEVELS)).for_each(|_| self.text.push_str("  "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indented(rows: &[&str]) -> String {
        array(&rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>())
    }

    /// `serde_json` is the judge where it keeps what it reads.
    #[test]
    fn rows_are_indented_as_serde_json_indents_them() {
        let rows = [
            r#"{"a":1,"b":[],"c":{},"d":[1,[2,{"e":"x, [y]: \"{z}\\"}]],"é":"\n"}"#,
            "{}",
            r#"{"":[[],[{}]],"n":[null,true,-1.5]}"#,
        ];
        for count in 0..=rows.len() {
            let rows = &rows[..count];
            let list: serde_json::Value =
                serde_json::from_str(&format!("[{}]", rows.join(","))).expect("JSON");
            assert_eq!(indented(rows), serde_json::to_string_pretty(&list).expect("JSON"));
        }
    }

    #[test]
    fn what_a_parser_would_lose_or_refuse_stays() {
        let text = "[\n  {\n    \"a\": {\n      \"b\": 1,\n      \"b\": 1.10\n    }\n  }\n]";
        assert_eq!(indented(&[r#"{"a":{"b":1,"b":1.10}}"#]), text);
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
        let text = indented(&[&deep]);
        assert_eq!(text.replace(['\n', ' '], ""), format!("[{deep}]"));
        assert!(text.len() < 5000 * 2 * (2 * MOST_LEVELS + 2) + 100, "{}", text.len());
    }
}
