//! Every digit survives the whole program, in arguments and in results.

use serde_json::{Value as Json, json};

use super::on_both;

#[test]
fn integers_beyond_2_to_the_53_keep_every_digit() {
    for flags in [&[][..], &["--response-encoding=gcf"]] {
        on_both(flags, |client| {
            for digits in [
                "9007199254740993",
                "-9007199254740993",
                "1934567890123456789",
                "9223372036854775807",
                "-9223372036854775808",
                "0",
            ] {
                let number: Json = serde_json::from_str(digits).expect("a number");
                for argument in [number, json!(digits)] {
                    let answer = client.call("number", &json!({"value": argument}));
                    let expected = format!(r#"{{"value":{digits},"kind":"integer","other":null}}"#);
                    assert_eq!(answer.blocks, [expected], "{argument}");
                }
            }
        });
    }
}

#[test]
fn an_integer_that_does_not_fit_is_refused_and_not_rounded() {
    on_both(&[], |client| {
        for digits in
            ["9223372036854775808", "-9223372036854775809", "1e400", "123456789012345678901234567890"]
        {
            let number: Json = serde_json::from_str(digits).expect("a number");
            let answer = client.call("number", &json!({"value": number}));
            assert!(answer.is_error, "{digits}: {answer:?}");
            assert!(answer.blocks[0].contains("value"), "{answer:?}");
        }
    });
}

#[test]
fn text_arrives_and_returns_as_it_is() {
    on_both(&[], |client| {
        for text in [
            "日本語 naïve nai\u{308}ve \u{1f642} \u{200f}",
            "'; DROP TABLE items; --",
            "line\nbreak\r\n\ttab \\ \" \u{1} \u{7f} \u{2028}",
            "<script>&amp;</script>",
            "",
            " ",
            "null",
        ] {
            let answer = client.call("text", &json!({"value": text}));
            assert_eq!(answer.rows(), [json!({"value": text})]);
        }
    });
}
