//! JSON rows and tables: objects one after the other or in one array, and `{"columns":[…],"rows":[[…]]}`.
//!
//! Every cell is taken from its text, so numbers keep their digits and nested values their order. A row with other fields than
//! the one before it begins another result set; one with the same fields in another order is put in order.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use toolbox_source::{Value, json};

use super::{Sheet, Sheets, Unreadable, repeated};
use crate::seam;

/// Reads rows and tables, in their order. The notice that a result was cut is no row.
///
/// # Errors
///
/// What is no JSON, and JSON that is neither rows nor tables. See [`Unreadable`].
pub fn read(text: &str) -> Result<Vec<Sheet>, Unreadable> {
    read_with(text, take)
}

/// Reads rows alone: an object with lists named `columns` and `rows` is a row like any other.
///
/// # Errors
///
/// As [`read`].
pub fn rows(text: &str) -> Result<Vec<Sheet>, Unreadable> {
    read_with(text, take_row)
}

type Take = fn(&mut Sheets, Vec<(String, &RawValue)>) -> Result<(), String>;

fn read_with(text: &str, take: Take) -> Result<Vec<Sheet>, Unreadable> {
    let stream = serde_json::Deserializer::from_str(text).into_iter();
    let mut values: Vec<&RawValue> = stream.collect::<Result<_, _>>().map_err(|error| {
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        Unreadable::new(error.line(), format!("this is no JSON: {}", message.replace(&place, "")))
    })?;
    if let [list] = values.as_slice()
        && list.get().starts_with('[')
    {
        values = parse(list).map_err(|message| Unreadable::new(None, message))?;
    }
    let mut sheets = Sheets::default();
    for (index, value) in values.into_iter().enumerate() {
        object(value)
            .and_then(|fields| take(&mut sheets, fields))
            .map_err(|message| Unreadable::new(None, format!("row {}: {message}", index + 1)))?;
    }
    Ok(sheets.0)
}

fn object(value: &RawValue) -> Result<Vec<(String, &RawValue)>, String> {
    if !value.get().starts_with('{') {
        return Err(format!("this is {}, expected an object of fields", kind(value)));
    }
    parse(value).map(|Object(fields)| fields)
}

/// Takes an object that is a row or a table.
fn take(sheets: &mut Sheets, fields: Vec<(String, &RawValue)>) -> Result<(), String> {
    match fields.as_slice() {
        [(columns, names), (rows, lists), rest @ ..]
            if columns == "columns" && rows == "rows" && is_list(names) && is_list(lists) =>
        {
            sheets.0.push(table(names, lists, rest)?);
            Ok(())
        }
        _ => take_row(sheets, fields),
    }
}

/// Takes an object that is a row, or the notice about a cut.
fn take_row(sheets: &mut Sheets, fields: Vec<(String, &RawValue)>) -> Result<(), String> {
    if let [(name, _)] = fields.as_slice()
        && name == "toolbox/truncated"
    {
        if let Some(sheet) = sheets.0.last_mut() {
            sheet.truncated = true;
        }
        return Ok(());
    }
    sheets.push(fields.into_iter().map(|(name, cell)| (name, cell_of(cell))).collect())
}

fn table(names: &RawValue, rows: &RawValue, rest: &[(String, &RawValue)]) -> Result<Sheet, String> {
    let names: Vec<String> = parse(names).map_err(|error| format!("\"columns\": {error}"))?;
    if let Some(name) = repeated(names.iter().map(String::as_str)) {
        return Err(format!("\"columns\" has {name:?} twice"));
    }
    let truncated = match rest {
        [] => false,
        [(key, _)] if key == "truncated" => true,
        [(key, _), ..] => {
            return Err(format!("a table has no key {key:?} beside \"columns\", \"rows\" and \"truncated\""));
        }
    };
    let lists: Vec<&RawValue> = parse(rows)?;
    let row = |(index, list): (usize, &RawValue)| {
        let cells: Vec<&RawValue> = parse(list)
            .map_err(|_| format!("\"rows\" has {} at {}, expected a list", kind(list), index + 1))?;
        if cells.len() == names.len() {
            Ok(cells.into_iter().map(cell_of).collect())
        } else {
            Err(format!(
                "list {} of \"rows\" has {} cells for {} columns",
                index + 1,
                cells.len(),
                names.len()
            ))
        }
    };
    let rows = lists.into_iter().enumerate().map(row).collect::<Result<_, String>>()?;
    Ok(Sheet { truncated, names, rows, ..Sheet::default() })
}

fn is_list(value: &RawValue) -> bool {
    value.get().starts_with('[')
}

fn parse<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, String> {
    serde_json::from_str(value.get()).map_err(|error| error.to_string())
}

/// What a JSON value is, for messages.
fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "text",
        Some(b'n') => "null",
        Some(b't' | b'f') => "a boolean",
        _ => "a number",
    }
}

/// An object whose fields are not read yet, in their order, repetitions and all.
struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

fn cell_of(cell: &RawValue) -> Value {
    // It is JSON, so it is a value.
    value(cell.get()).unwrap_or_else(|| Value::Text(cell.get().to_owned()))
}

/// What a text says that is JSON from end to end, blanks around it allowed; none for other text. Lists, objects and strings
/// that stand for no text (half of a surrogate pair) stay JSON.
pub(super) fn value(text: &str) -> Option<Value> {
    let text = trimmed(text);
    let is_json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
    match text.as_bytes().first()? {
        b'-' | b'0'..=b'9' => seam::number(text),
        b'n' if text == "null" => Some(Value::Null),
        b't' if text == "true" => Some(Value::Bool(true)),
        b'f' if text == "false" => Some(Value::Bool(false)),
        b'"' => serde_json::from_str(text)
            .map(Value::Text)
            .ok()
            .or_else(|| is_json().then(|| Value::Json(text.to_owned()))),
        b'{' | b'[' => is_json().then(|| Value::Json(json::compact(text))),
        _ => None,
    }
}

/// The digits of a number, as they are.
pub(super) fn digits(text: &str) -> Option<String> {
    let text = trimmed(text);
    seam::number(text).map(|_| text.to_owned())
}

/// The double that a number is nearest to, if that is finite.
pub(super) fn double(text: &str) -> Option<f64> {
    let text = trimmed(text);
    seam::number(text)?;
    text.parse().ok().filter(|double: &f64| double.is_finite())
}

/// Without the blanks of JSON around it.
fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

#[cfg(test)]
mod tests {
    use toolbox_source::Row;

    use super::*;

    fn shown(sheets: Vec<Sheet>) -> Vec<(Vec<String>, Vec<Row>)> {
        sheets.into_iter().map(|sheet| (sheet.names.clone(), sheet.into_rows().collect())).collect()
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn message(text: &str) -> String {
        read(text).expect_err(text).to_string()
    }

    #[test]
    fn numbers_keep_their_digits_and_nested_values_their_order() {
        for (text, expected) in [
            ("null", Value::Null),
            (" true ", Value::Bool(true)),
            ("9223372036854775807", Value::Int(i64::MAX)),
            ("18446744073709551615", Value::UInt(u64::MAX)),
            ("18446744073709551616", Value::Decimal("18446744073709551616".to_owned())),
            ("0.5", Value::Float(0.5)),
            ("1e+300", Value::Float(1e300)),
            ("1.10", Value::Decimal("1.10".to_owned())),
            ("1E5", Value::Decimal("1E5".to_owned())),
            ("1e400", Value::Decimal("1e400".to_owned())),
            ("\"a\\nb\"", Value::Text("a\nb".to_owned())),
            (
                "{\"b\" : 1.50, \"a\": [ ], \"a\": \" , \"}",
                Value::Json("{\"b\":1.50,\"a\":[],\"a\":\" , \"}".to_owned()),
            ),
            ("\"\\ud800\"", Value::Json("\"\\ud800\"".to_owned())),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        assert!(matches!(value("-0"), Some(Value::Float(zero)) if zero.is_sign_negative()));
        for text in ["", " ", "nul", "007", "+1", "\"a", "[1", "{]", "1 2", "NaN"] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn rows_come_in_an_array_or_one_after_the_other() {
        let expected = vec![(
            names(&["a", "b"]),
            vec![vec![Value::Int(1), Value::Null], vec![Value::Int(2), Value::Bool(true)]],
        )];
        for text in [
            r#"[{"a":1,"b":null},{"a":2,"b":true}]"#,
            "[\n  {\"a\": 1, \"b\": null},\n  {\"b\": true, \"a\": 2}\n]\n",
            "{\"a\":1,\"b\":null}\n{\"a\":2,\"b\":true}\n",
            r#"{"columns":["a","b"],"rows":[[1,null],[2,true]]}"#,
        ] {
            assert_eq!(shown(read(text).expect("rows")), expected, "{text}");
        }
    }

    #[test]
    fn a_row_may_look_like_a_table() {
        let text = r#"{"columns":["a"],"rows":[[1]]}"#;
        let list = |text: &str| Value::Json(text.to_owned());
        let expected = (names(&["columns", "rows"]), vec![vec![list("[\"a\"]"), list("[[1]]")]]);
        assert_eq!(shown(rows(text).expect("rows")), [expected]);
        assert_eq!(shown(read(text).expect("a table")), [(names(&["a"]), vec![vec![Value::Int(1)]])]);
    }

    #[test]
    fn no_rows_are_no_result_set_unless_a_table_names_its_columns() {
        assert_eq!(read(""), Ok(Vec::new()));
        assert_eq!(read(" [] "), Ok(Vec::new()));
        assert_eq!(
            shown(read(r#"{"columns":["a"],"rows":[]}"#).expect("a table")),
            [(names(&["a"]), vec![])]
        );
    }

    #[test]
    fn other_fields_begin_another_result_set_and_a_notice_is_no_row() {
        let text = r#"{"a":1}{"a":2}{"rows_affected":3}{"toolbox/truncated":{"rows":2,"hint":"x"}}"#;
        let sheets = read(text).expect("rows");
        assert_eq!(sheets.iter().map(|sheet| sheet.truncated).collect::<Vec<_>>(), [false, true]);
        assert_eq!(
            shown(sheets),
            [
                (names(&["a"]), vec![vec![Value::Int(1)], vec![Value::Int(2)]]),
                (names(&["rows_affected"]), vec![vec![Value::Int(3)]])
            ]
        );
        let tables = r#"[{"columns":["a"],"rows":[[1]],"truncated":{}},{"rows_affected":3}]"#;
        let sheets = read(tables).expect("tables");
        assert_eq!(sheets.iter().map(|sheet| sheet.truncated).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn what_is_not_rows_is_refused_with_its_place() {
        assert_eq!(message("{\"a\":1}\n{\"a\":}"), "line 2: this is no JSON: expected value");
        assert_eq!(message("[{\"a\":1},\n7]"), "row 2: this is a number, expected an object of fields");
        assert_eq!(message("[1] [2]"), "row 1: this is a list, expected an object of fields");
        assert_eq!(message(r#"{"a":1,"b":2,"a":3}"#), "row 1: the field \"a\" is there twice");
        assert_eq!(
            message(r#"{"columns":["a"],"rows":[[1],[1,2]]}"#),
            "row 1: list 2 of \"rows\" has 2 cells for 1 columns"
        );
        assert_eq!(
            message(r#"{"columns":["a"],"rows":[{}]}"#),
            "row 1: \"rows\" has an object at 1, expected a list"
        );
        assert_eq!(message(r#"{"columns":["a","a"],"rows":[]}"#), "row 1: \"columns\" has \"a\" twice");
        assert!(message(r#"{"columns":["a"],"rows":[],"more":1}"#).contains("\"more\""));
    }
}
