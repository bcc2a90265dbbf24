use proptest::prelude::*;

use super::*;

fn safe(mut value: Value) -> Value {
    super::value(&mut value);
    value
}

fn rewritten(text: &str) -> String {
    let mut text = text.to_owned();
    json(&mut text);
    text
}

#[test]
fn integers_are_numbers_up_to_2_to_the_53_minus_1() {
    for integer in [0, -1, 9_007_199_254_740_991, -9_007_199_254_740_991] {
        assert_eq!(safe(Value::Int(integer)), Value::Int(integer));
    }
    for integer in [9_007_199_254_740_992, -9_007_199_254_740_992, i64::MAX, i64::MIN] {
        assert_eq!(safe(Value::Int(integer)), Value::Text(integer.to_string()));
    }
    assert_eq!(safe(Value::UInt(u64::MAX)), Value::Text("18446744073709551615".to_owned()));
}

#[test]
fn decimals_are_numbers_while_a_double_keeps_their_digits() {
    for digits in [
        "1.10",
        "-0.00",
        "123456789012.345",
        "9007199254740991",
        "0.000000123456789012345",
        "0.00000000000000000000000000000000000000000000000000000000001",
    ] {
        let decimal = Value::Decimal(digits.to_owned());
        assert_eq!(safe(decimal.clone()), decimal);
    }
    let tiny = format!("0.{}1", "0".repeat(310));
    let huge = format!("1{}.5", "0".repeat(400));
    for digits in [
        "0.1234567890123456",
        "1234567890123456.0",
        "9007199254740992",
        "-100000000000000000000",
        &tiny,
        &huge,
    ] {
        assert_eq!(safe(Value::Decimal(digits.to_owned())), Value::Text(digits.to_owned()), "{digits}");
    }
}

#[test]
fn a_floating_point_number_is_a_double_already() {
    for float in [1e300, 0.1 + 0.2, 9_007_199_254_740_993.0, f64::MAX, 5e-324, f64::INFINITY] {
        assert_eq!(safe(Value::Float(float)), Value::Float(float));
    }
}

#[test]
fn numbers_are_found_at_any_depth() {
    let big = || Value::Int(i64::MAX);
    let text = || Value::Text(i64::MAX.to_string());
    let nested = |number: fn() -> Value| {
        Value::Array(vec![
            Value::Int(1),
            Value::Object(vec![("a".to_owned(), Value::Array(vec![number()])), ("b".to_owned(), number())]),
        ])
    };
    assert_eq!(safe(nested(big)), nested(text));
}

#[test]
fn numbers_in_json_are_rewritten_and_everything_else_is_not() {
    for (json, expected) in [
        ("9007199254740993", r#""9007199254740993""#),
        ("[1,-9007199254740993,2.50]", r#"[1,"-9007199254740993",2.50]"#),
        (r#"{"9007199254740993":9007199254740993}"#, r#"{"9007199254740993":"9007199254740993"}"#),
        (
            r#"{"a":"9007199254740993 \" 9007199254740993","b":[{}]}"#,
            r#"{"a":"9007199254740993 \" 9007199254740993","b":[{}]}"#,
        ),
        (r#"["\\",9007199254740993,"\\\""]"#, r#"["\\","9007199254740993","\\\""]"#),
        (
            r#"{"a":1e400,"b":1E5,"c":1.0,"d":-0,"e":1e-400}"#,
            r#"{"a":"1e400","b":1E5,"c":1.0,"d":-0,"e":"1e-400"}"#,
        ),
        ("[0.12345678901234567]", r#"["0.12345678901234567"]"#),
        (r#"[true,false,null,"日本 9007199254740993"]"#, r#"[true,false,null,"日本 9007199254740993"]"#),
    ] {
        assert_eq!(rewritten(json), expected);
    }
}

#[test]
fn a_text_that_is_no_json_stays_as_it_is() {
    for text in [
        "{9007199254740993",
        "\"9007199254740993",
        "9007199254740993 x",
        "007199254740993123456",
        "\"\\",
        "-",
    ] {
        assert_eq!(rewritten(text), text);
    }
}

proptest! {
    /// The judge is the conversion itself: a reader that goes through a double must end with the same number.
    #[test]
    fn what_stays_a_number_is_the_same_number_after_a_double(digits in "-?(0|[1-9][0-9]{0,20})([.][0-9]{1,20})?") {
        if let Value::Decimal(kept) = safe(Value::Decimal(digits)) {
            let double: f64 = kept.parse().unwrap();
            // As many digits as the decimal has after its point give the decimal back.
            let scale = kept.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            let back = format!("{double:.scale$}");
            prop_assert_eq!(back, kept);
        }
    }

    #[test]
    fn every_safe_integer_stays_and_every_other_becomes_text(integer in any::<i64>(), shift in 0..64_u32) {
        let integer = integer >> shift;
        let exact = i128::from(integer).abs() < 1 << 53;
        prop_assert_eq!(safe(Value::Int(integer)) == Value::Int(integer), exact);
    }

    /// A parser that keeps digits sees the same text with only unsafe numbers changed.
    #[test]
    fn json_reads_back_to_the_same_values(numbers in prop::collection::vec(any::<i64>(), 0..8), text in ".*") {
        let original = serde_json::json!({"n": numbers, "t": text, text.as_str(): [text]});
        let safe: serde_json::Value = serde_json::from_str(&rewritten(&original.to_string())).unwrap();
        let expected: Vec<serde_json::Value> = numbers
            .iter()
            .map(|number| if number.unsigned_abs() < 1 << 53 { (*number).into() } else { number.to_string().into() })
            .collect();
        let mut wanted = original.clone();
        if let Some(list) = wanted.get_mut("n").filter(|list| list.as_array().is_some_and(|list| list.len() == expected.len())) {
            *list = expected.into();
        }
        prop_assert_eq!(safe, wanted);
    }
}
