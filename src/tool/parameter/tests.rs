use serde_json::{Value as Json, json};
use toolbox_source::Value;

use super::{Backslash, Escape, Kind, MapValue, Parameter, ParameterFault, Written, rule::plain};

fn written(kind: Kind) -> Written {
    Written {
        name: "p".to_owned(),
        kind,
        description: "a parameter".to_owned(),
        required: None,
        default: None,
        allowed: Vec::new(),
        excluded: Vec::new(),
        min: None,
        max: None,
        escape: None,
        value_from: None,
    }
}

fn parse(json: &str) -> Json {
    serde_json::from_str(json).unwrap()
}

fn list(json: &str) -> Vec<Json> {
    serde_json::from_str(json).unwrap()
}

fn bind(kind: Kind, json: &str) -> Result<Value, String> {
    Parameter::check(written(kind)).unwrap().bind(Some(&parse(json)))
}

fn faults(written: Written) -> Vec<ParameterFault> {
    Parameter::check(written).unwrap_err()
}

fn array(items: Kind) -> Kind {
    Kind::Array(Box::new(written(items)))
}

#[test]
fn integers_keep_every_digit_and_accept_their_decimal_text() {
    for (json, value) in [
        ("5", Value::Int(5)),
        ("-0", Value::Int(0)),
        ("5.0", Value::Int(5)),
        ("1e2", Value::Int(100)),
        ("9007199254740993", Value::Int(9_007_199_254_740_993)),
        ("-9223372036854775808", Value::Int(i64::MIN)),
        ("18446744073709551615", Value::UInt(u64::MAX)),
        (r#""7960607143101464576""#, Value::Int(7_960_607_143_101_464_576)),
        (r#""-5""#, Value::Int(-5)),
    ] {
        assert_eq!(bind(Kind::Integer, json), Ok(value), "{json}");
    }
    for json in
        [r#""5x""#, r#""""#, r#""5.5""#, r#""-""#, "5.5", "true", "18446744073709551616", "[5]", "{}", "1e-2"]
    {
        let message = bind(Kind::Integer, json).unwrap_err();
        assert!(message.starts_with("must be an integer, not "), "{json}: {message}");
    }
}

#[test]
fn floats_are_doubles_only_where_a_double_holds_the_digits() {
    for (json, value) in [
        ("1.5", Value::Float(1.5)),
        ("1.10", Value::Decimal("1.10".into())),
        ("0.00", Value::Decimal("0.00".into())),
        ("1.50e1", Value::Float(15.0)),
        ("1.500e1", Value::Decimal("15.00".into())),
        ("3", Value::Float(3.0)),
        ("3.0", Value::Float(3.0)),
        ("1e22", Value::Float(1e22)),
        ("1e-7", Value::Float(1e-7)),
        ("1e300", Value::Float(1e300)),
        ("-0.25", Value::Float(-0.25)),
        (r#""0.1""#, Value::Float(0.1)),
        ("9007199254740993", Value::Decimal("9007199254740993".into())),
        ("12345678901234567.89", Value::Decimal("12345678901234567.89".into())),
        ("0.12345678901234567890123", Value::Decimal("0.12345678901234567890123".into())),
    ] {
        assert_eq!(bind(Kind::Float, json), Ok(value), "{json}");
    }
    for json in ["-0.0", "-0", "-0e-999999"] {
        let zero = bind(Kind::Float, json);
        assert!(
            matches!(zero, Ok(Value::Float(zero)) if zero == 0.0 && zero.is_sign_negative()),
            "{json}: {zero:?}"
        );
    }
    for json in [r#""abc""#, r#""NaN""#, r#"" 1""#, "true", "1e400", "[]"] {
        let message = bind(Kind::Float, json).unwrap_err();
        assert!(message.starts_with("must be a number, not "), "{json}: {message}");
    }
}

#[test]
fn booleans_accept_their_text_and_nothing_else() {
    assert_eq!(bind(Kind::Boolean, "true"), Ok(Value::Bool(true)));
    assert_eq!(bind(Kind::Boolean, r#""False""#), Ok(Value::Bool(false)));
    for json in ["1", "0", r#""yes""#, r#""""#] {
        assert!(bind(Kind::Boolean, json).unwrap_err().starts_with("must be true or false, not "), "{json}");
    }
}

#[test]
fn strings_are_never_made_from_other_types() {
    assert_eq!(bind(Kind::String, r#""a\u0000'b""#), Ok(Value::Text("a\0'b".into())));
    assert_eq!(bind(Kind::String, "5").unwrap_err(), "must be a string, not 5");
    assert_eq!(bind(Kind::String, "[1]").unwrap_err(), "must be a string, not an array");
}

#[test]
fn arrays_bind_their_elements_and_name_the_wrong_one() {
    assert_eq!(
        bind(array(Kind::Integer), "[1, null, 9007199254740993]"),
        Ok(Value::Array(vec![Value::Int(1), Value::Null, Value::Int(9_007_199_254_740_993)]))
    );
    assert_eq!(
        bind(array(array(Kind::Boolean)), "[[true],[]]"),
        Ok(Value::Array(vec![Value::Array(vec![Value::Bool(true)]), Value::Array(vec![])]))
    );
    assert_eq!(
        bind(array(Kind::Integer), r#"[1,"x"]"#).unwrap_err(),
        r#"element 2 must be an integer, not the string "x""#
    );
}

#[test]
fn maps_keep_order_and_digits() {
    let json = r#"{"z":9007199254740993,"a":[1.10,{"b":null}]}"#;
    assert_eq!(bind(Kind::Map(None), json), Ok(Value::Json(json.to_owned())));
    assert_eq!(
        bind(Kind::Map(Some(MapValue::Integer)), r#"{"b":"5","a":2.0}"#),
        Ok(Value::Json(r#"{"b":5,"a":2}"#.to_owned()))
    );
    assert_eq!(
        bind(Kind::Map(Some(MapValue::String)), r#"{"k":5}"#).unwrap_err(),
        r#"key "k" must be a string, not 5"#
    );
}

#[test]
fn absence_is_null_a_default_or_an_error() {
    let required = Parameter::check(written(Kind::Integer)).unwrap();
    assert_eq!(required.bind(None).unwrap_err(), "is required");
    assert_eq!(required.bind(Some(&Json::Null)).unwrap_err(), "is required");

    let optional = Parameter::check(Written { required: Some(false), ..written(Kind::Integer) }).unwrap();
    assert_eq!(optional.bind(Some(&Json::Null)), Ok(Value::Null));

    let defaulted =
        Parameter::check(Written { default: Some(parse("[1, 2]")), ..written(array(Kind::Integer)) })
            .unwrap();
    assert!(!defaulted.is_required());
    assert_eq!(defaulted.bind(None), Ok(Value::Array(vec![Value::Int(1), Value::Int(2)])));
}

#[test]
fn text_entries_are_anchored_patterns_that_also_match_themselves() {
    let allowed = |entries: &str, value: &str| {
        let parameter =
            Parameter::check(Written { allowed: list(entries), ..written(Kind::String) }).unwrap();
        parameter.bind(Some(&json!(value))).is_ok()
    };
    assert!(allowed(r#"["abc"]"#, "abc"));
    assert!(!allowed(r#"["abc"]"#, "xabcx"));
    assert!(allowed(r#"["a.*"]"#, "axx"));
    assert!(!allowed(r#"["a|b"]"#, "ab"));
    assert!(allowed(r#"["a|b"]"#, "b"));
    assert!(allowed(r#"["C++"]"#, "C++"));
    assert!(allowed(r#"["a("]"#, "a("));
    assert!(!allowed(r#"["abc"]"#, "abc\n"));
    let excluded =
        Parameter::check(Written { excluded: list(r#"["bad"]"#), ..written(Kind::String) }).unwrap();
    assert!(excluded.bind(Some(&json!("not bad at all"))).is_ok());
    assert_eq!(excluded.bind(Some(&json!("bad"))).unwrap_err(), r#"is an excluded value (the string "bad")"#);
}

#[test]
fn number_entries_compare_as_numbers() {
    let parameter = Parameter::check(Written {
        allowed: list(r#"[1, 2.0, 9007199254740993, "7"]"#),
        ..written(Kind::Integer)
    })
    .unwrap();
    for json in ["1", "2", "1.0", "9007199254740993", "7"] {
        assert!(parameter.bind(Some(&parse(json))).is_ok(), "{json}");
    }
    assert_eq!(
        parameter.bind(Some(&parse("9007199254740992"))).unwrap_err(),
        r#"is not an allowed value; allowed are 1, 2.0, 9007199254740993, "7""#
    );
}

#[test]
fn bounds_are_inclusive_and_exact() {
    let bounded = |kind| {
        Parameter::check(Written {
            min: Some("-1.5".parse().unwrap()),
            max: Some("9007199254740993".parse().unwrap()),
            ..written(kind)
        })
        .unwrap()
    };
    let integer = bounded(Kind::Integer);
    assert!(integer.bind(Some(&parse("9007199254740993"))).is_ok());
    assert_eq!(
        integer.bind(Some(&parse("9007199254740994"))).unwrap_err(),
        "is above the maximum value 9007199254740993"
    );
    assert_eq!(integer.bind(Some(&parse("-2"))).unwrap_err(), "is under the minimum value -1.5");
    assert!(bounded(Kind::Float).bind(Some(&parse("-1.5"))).is_ok());
    assert!(bounded(Kind::Float).bind(Some(&parse("-1.51"))).is_err());
}

#[test]
fn faults_in_a_parameter_name_their_field() {
    let found = faults(Written { default: Some(parse("5.5")), ..written(Kind::Integer) });
    assert_eq!(
        (found[0].field, found[0].message.as_str()),
        ("default", "the default must be an integer, not 5.5")
    );

    let found =
        faults(Written { default: Some(parse("5")), allowed: list("[1, 2]"), ..written(Kind::Integer) });
    assert_eq!(found[0].message, "the default is not an allowed value; allowed are 1, 2");

    let found =
        faults(Written { allowed: list(r#"["a", true]"#), excluded: list("[[]]"), ..written(Kind::Integer) });
    assert_eq!(
        found.iter().map(|fault| (fault.field, fault.element)).collect::<Vec<_>>(),
        [("allowedValues", Some(1)), ("excludedValues", Some(0))]
    );

    let found = faults(Written { min: Some(3.into()), max: Some(2.into()), ..written(Kind::Integer) });
    assert_eq!(found[0].message, "minValue 3 is above maxValue 2, so no value would do");
    assert_eq!(faults(Written { min: Some(3.into()), ..written(Kind::String) })[0].field, "minValue");

    let items = Written { default: Some(parse("1")), ..written(Kind::String) };
    let found = faults(written(Kind::Array(Box::new(items))));
    assert_eq!((found[0].field, found[0].depth), ("default", 1));
    assert_eq!(
        faults(Written { escape: Some(Escape::Backticks), ..written(array(Kind::String)) })[0].field,
        "escape"
    );
}

#[test]
fn escape_is_for_templates_and_reaches_the_items_of_a_list() {
    let items = Written { escape: Some(Escape::SingleQuotes(Backslash::Plain)), ..written(Kind::String) };
    let parameter = Parameter::check(written(Kind::Array(Box::new(items)))).unwrap();
    let value = parameter.bind(Some(&json!(["a'b"]))).unwrap();
    assert_eq!(value, Value::Array(vec![Value::Text("a'b".into())]), "a bound value stays as it is");
    assert_eq!(parameter.escaped(value), Ok(Value::Array(vec![Value::Text("'a''b'".into())])));
}

#[test]
fn the_schema_tells_the_model_what_is_enforced() {
    let schema = |written: Written| Json::Object(Parameter::check(written).unwrap().schema()).to_string();
    insta::assert_snapshot!(schema(Written {
        allowed: list(r#"["a", "b"]"#), default: Some(json!("a")), ..written(Kind::String)
    }), @r#"{"type":"string","description":"a parameter","enum":["a","b"],"default":"a"}"#);
    insta::assert_snapshot!(schema(Written { allowed: list(r#"["a.*"]"#), ..written(Kind::String) }),
        @r#"{"type":"string","description":"a parameter"}"#);
    insta::assert_snapshot!(schema(Written {
        min: Some(1.into()), max: Some(100.into()), ..written(Kind::Integer)
    }), @r#"{"type":"integer","description":"a parameter","minimum":1,"maximum":100}"#);
    insta::assert_snapshot!(schema(written(array(Kind::Float))),
        @r#"{"type":"array","description":"a parameter","items":{"type":"number","description":"a parameter"}}"#);
    insta::assert_snapshot!(schema(written(Kind::Map(Some(MapValue::Float)))),
        @r#"{"type":"object","description":"a parameter","additionalProperties":{"type":"number"}}"#);
    insta::assert_snapshot!(schema(written(Kind::Map(None))),
        @r#"{"type":"object","description":"a parameter","additionalProperties":true}"#);
    insta::assert_snapshot!(schema(written(Kind::Boolean)), @r#"{"type":"boolean","description":"a parameter"}"#);
}

#[test]
fn plain_numbers_lose_exponents_and_idle_zeros_only() {
    for (number, expected) in [
        ("0", Some("0")),
        ("-0.000", Some("0")),
        ("007", Some("7")),
        ("1.50e1", Some("15")),
        ("1.5e-3", Some("0.0015")),
        ("-12.340", Some("-12.34")),
        ("1e3", Some("1000")),
        ("123e-2", Some("1.23")),
        ("1e999999999999", None),
        ("", None),
        ("1x", None),
        ("-", None),
    ] {
        assert_eq!(plain(number).as_deref(), expected, "{number}");
    }
}
