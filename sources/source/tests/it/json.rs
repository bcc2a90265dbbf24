//! JSON on the way from and to a database.

use toolbox_source::{
    Value,
    json::{compact, of_value},
};

#[test]
fn only_blanks_outside_of_strings_go_from_json() {
    for (json, expected) in [
        (r#"{"a b": [1, 2.50, " \" , "], "c": null}"#, r#"{"a b":[1,2.50," \" , "],"c":null}"#),
        (r#""\\ " "#, r#""\\ ""#),
        ("\t\r\n9007199254740993 ", "9007199254740993"),
        ("[\n  \"ä \\\\\\\" 日\" ,\ttrue ]", "[\"ä \\\\\\\" 日\",true]"),
        ("", ""),
    ] {
        assert_eq!(compact(json), expected);
    }
}

#[test]
fn arguments_keep_their_order_digits_and_quotes() {
    let value = Value::Object(vec![
        (
            "z".to_owned(),
            Value::Array(vec![Value::Int(i64::MAX), Value::UInt(u64::MAX), Value::Null, Value::Bool(true)]),
        ),
        ("a\"".to_owned(), Value::Text("line\n".to_owned())),
        ("d".to_owned(), Value::Decimal("1.10".to_owned())),
        ("f".to_owned(), Value::Float(0.1)),
        ("j".to_owned(), Value::Json("{}".to_owned())),
    ]);
    let expected = r#"{"z":[9223372036854775807,18446744073709551615,null,true],"a\"":"line\n","d":1.10,"f":0.1,"j":{}}"#;
    assert_eq!(of_value(&value).as_deref(), Ok(expected));
    for value in [Value::Bytes(vec![1]), Value::Float(f64::NAN)] {
        assert!(of_value(&Value::Array(vec![value])).is_err());
    }
}
