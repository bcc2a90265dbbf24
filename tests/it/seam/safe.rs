//! Numbers that a reader may round, as text, in every encoding.

use toolbox::seam::{NumberFormat, Wish};

use super::*;

/// The largest integer below which no two have the same double.
const LAST: i64 = (1 << 53) - 1;

fn encode_safely(events: Events, encoding: Encoding, limits: &Limits) -> Encoded {
    let rows = RowStream::new(stream::iter(events).boxed(), CancellationToken::new());
    let wish = Wish { encoding, numbers: NumberFormat::Safe, tool: "rows" };
    let encoded = seam::encode(rows, wish, limits).now_or_never().expect("a list of events is always ready");
    encoded.expect("the source reports no error")
}

#[test]
fn number_formats_have_names_in_any_letter_case_and_digits_is_the_default() {
    for format in NumberFormat::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(format.to_string().to_uppercase().parse(), Ok(format));
    }
    assert_eq!(NumberFormat::default(), NumberFormat::Digits);
    let message = "text".parse::<NumberFormat>().map_err(|error| error.to_string());
    assert_eq!(message, Err(r#"unknown number format "text": use digits or safe"#.to_owned()));
}

#[test]
fn a_reader_of_doubles_gets_every_number_as_it_is() {
    let row = vec![
        Value::Int(LAST),
        Value::Int(LAST + 1),
        Value::UInt(u64::MAX),
        decimal("1.10"),
        decimal("0.1234567890123456"),
        Value::Float(1e300),
        Value::Array(vec![Value::Int(-LAST), Value::Int(-LAST - 1)]),
        Value::Json(r#"{"a":9007199254740993,"b":"9007199254740993","c":2.50}"#.to_owned()),
        Value::Object(vec![("d".to_owned(), Value::Int(i64::MIN))]),
        text("9007199254740993"),
    ];
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let encoded = encode_safely(table(&names, vec![row.clone()]), Encoding::Json, &Limits::default());
    assert_eq!(
        encoded.blocks(),
        [
            r#"{"a":9007199254740991,"b":"9007199254740992","c":"18446744073709551615","d":1.10,"e":"0.1234567890123456","f":1e+300,"g":[-9007199254740991,"-9007199254740992"],"h":{"a":"9007199254740993","b":"9007199254740993","c":2.50},"i":{"d":"-9223372036854775808"},"j":"9007199254740993"}"#
        ]
    );
    let digits = encode_table(&names, vec![row], Encoding::Json);
    assert!(digits.blocks()[0].contains(r#""b":9007199254740992,"c":18446744073709551615"#), "{digits:?}");
}

#[test]
fn the_key_of_an_insert_is_written_by_the_same_rule() {
    let done = Done { rows_affected: Some(1), last_insert_id: Some(Value::Int(LAST + 2)) };
    let encoded = encode_safely(vec![Ok(Event::Done(done))], Encoding::Json, &Limits::default());
    assert_eq!(encoded.blocks(), [r#"{"rows_affected":1,"last_insert_id":"9007199254740993"}"#]);
}

#[test]
fn every_encoding_says_the_same_safe_values() {
    let rows: Vec<Row> = (0..40)
        .map(|row| vec![Value::Int(LAST + row - 20), decimal(&format!("{row}.1234567890123456")), text("x")])
        .collect();
    let names = ["number", "decimal", "text"];
    let json = encode_safely(table(&names, rows.clone()), Encoding::Json, &Limits::default());
    let expected: Vec<serde_json::Value> =
        json.blocks().iter().map(|block| serde_json::from_str(block).expect("JSON")).collect();
    assert_eq!(expected[0]["number"], LAST - 20);
    assert_eq!(expected[39]["number"], (LAST + 19).to_string());
    let gcf = encode_safely(table(&names, rows), Encoding::Gcf, &Limits::default());
    assert_eq!(gcf.encoding(), Encoding::Gcf);
    let read = ::gcf::decode_generic(&gcf.blocks()[0]).expect("GCF");
    assert_eq!(read, serde_json::Value::Array(expected));
}

#[test]
fn the_limit_of_bytes_counts_what_is_sent() {
    // `{"n":"9007199254740993"}` has 24 bytes, and 22 as a number.
    let rows: Vec<Row> = vec![vec![Value::Int(LAST + 2)]; 3];
    let limits = Limits { max_bytes: Some(3 * 24 - 1), ..Limits::default() };
    let encoded = encode_safely(table(&["n"], rows), Encoding::Json, &limits);
    assert_eq!(encoded.truncated().map(|truncated| truncated.rows), Some(2));
}
