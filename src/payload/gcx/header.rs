//! The header line of a section: `GCX1 tool=… fields=…,… key=value …`.

use super::{super::repeated, shown, unescape};

/// The letters that `types` may have, one a column.
pub(super) const LETTERS: &str = "i, f, d, b, s or j";

#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) tool: String,
    /// Unique and not empty.
    pub(super) fields: Vec<String>,
    /// How many rows follow, where the header says so.
    pub(super) rows: Option<usize>,
    pub(super) truncated: bool,
    /// A letter a field; none where the typed rule holds.
    pub(super) types: Vec<u8>,
    /// All other pairs, in their order.
    pub(super) metadata: Vec<(String, String)>,
}

impl Header {
    /// Reads a header line, or says what is wrong with it.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let pairs = after_version(line)?;
        let mut header = Self::default();
        let mut keys = Vec::new();
        for pair in pairs.split(' ').skip(1) {
            let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.is_empty()) else {
                return Err(if pair.is_empty() {
                    "the header has a blank too many: its pairs have one between them".to_owned()
                } else {
                    format!("the header has {}, expected a pair key=value", shown(pair))
                });
            };
            keys.push(key);
            header.take(key, value)?;
        }
        if let Some(key) = repeated(keys) {
            return Err(format!("the header has {} twice", shown(key)));
        }
        header.complete()
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "tool" => self.tool = unescape(value).into_owned(),
            "fields" => self.fields = value.split(',').map(|name| unescape(name).into_owned()).collect(),
            "rows" => {
                let count =
                    value.parse().map_err(|_| format!("rows is {}, expected a number", shown(value)))?;
                self.rows = Some(count);
            }
            "truncated" if value == "true" => self.truncated = true,
            "types" => self.types = value.as_bytes().to_vec(),
            _ => self.metadata.push((key.to_owned(), unescape(value).into_owned())),
        }
        Ok(())
    }

    fn complete(self) -> Result<Self, String> {
        if self.tool.is_empty() {
            return Err("the header has no tool=…".to_owned());
        }
        if self.fields.is_empty() {
            return Err("the header has no fields=…,…".to_owned());
        }
        if self.fields.iter().any(String::is_empty) {
            return Err("fields has an empty name".to_owned());
        }
        if let Some(name) = repeated(self.fields.iter().map(String::as_str)) {
            return Err(format!("fields has {} twice", shown(name)));
        }
        if let Some(letter) = self.types.iter().find(|letter| !b"ifdbsj".contains(letter)) {
            return Err(format!("types has the letter {:?}, expected {LETTERS}", char::from(*letter)));
        }
        if !self.types.is_empty() && self.types.len() != self.fields.len() {
            let (letters, fields) = (self.types.len(), self.fields.len());
            return Err(format!("types has {letters} letters, where there are {fields} fields"));
        }
        Ok(self)
    }
}

/// What follows `GCX1` in a header line.
fn after_version(line: &str) -> Result<&str, String> {
    let expected = "expected a header \"GCX1 tool=… fields=…\"";
    let rest = line.strip_prefix("GCX").ok_or_else(|| format!("{expected}, not {}", shown(line)))?;
    let (version, pairs) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
    match version {
        "1" => Ok(pairs),
        _ if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => Err(format!(
            "this is version {} of GCX, and only version 1 is known; ask for JSON",
            shown(version)
        )),
        _ => Err(format!("{expected}, not {}", shown(line))),
    }
}
