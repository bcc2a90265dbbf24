//! What holds without a server: no bytes make a decoder panic, and what `bind` writes is read back.

use std::sync::Arc;

use proptest::prelude::{Just, any, prop, prop_assert_eq, prop_oneof, proptest};
use toolbox_source::Value;

use super::{calendar, value};
use crate::kind::{Field, Kind, Shape};

fn kinds() -> Vec<Kind> {
    let plain = vec![
        Kind::Bool,
        Kind::Int2,
        Kind::Int4,
        Kind::Int8,
        Kind::Unsigned,
        Kind::LongUnsigned,
        Kind::Float4,
        Kind::Float8,
        Kind::Numeric,
        Kind::Text,
        Kind::Byte,
        Kind::Uuid,
        Kind::Json,
        Kind::Jsonb,
        Kind::Bytea,
        Kind::Date,
        Kind::Time,
        Kind::TimeTz,
        Kind::Timestamp,
        Kind::TimestampTz,
        Kind::Interval,
        Kind::Network,
        Kind::Hardware,
        Kind::Bits,
        Kind::JsonPath,
        Kind::LogPosition,
        Kind::TuplePlace,
        Kind::Geometric(Shape::Point),
        Kind::Geometric(Shape::Line),
        Kind::Geometric(Shape::Segment),
        Kind::Geometric(Shape::Box),
        Kind::Geometric(Shape::Path),
        Kind::Geometric(Shape::Polygon),
        Kind::Geometric(Shape::Circle),
        Kind::Snapshot,
        Kind::SearchVector,
        Kind::SearchQuery,
        Kind::Record,
        Kind::Foreign,
    ];
    let ranges = plain.iter().map(|kind| Kind::Range(Arc::new(kind.clone())));
    let plain: Vec<Kind> = plain.iter().cloned().chain(ranges).collect();
    let arrays: Vec<Kind> = plain.iter().map(|kind| Kind::Array(Arc::new(kind.clone()), 0)).collect();
    let field = |name: &str, number, kind| Field { name: name.to_owned(), number, kind };
    let row = Kind::Composite(Arc::from([field("a", 0, Kind::Int4), field("b", 1, Kind::Numeric)]));
    plain.into_iter().chain(arrays).chain([row]).collect()
}

proptest! {
    #[test]
    fn no_bytes_make_a_decoder_panic(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            // Small numbers, which are what lengths and counts look like.
            prop::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(2), Just(4), Just(255)], 0..60),
        ],
        place in any::<prop::sample::Index>(),
    ) {
        let kinds = kinds();
        // The outcome may be either; getting here is the point, and a value that is read leaves nothing over.
        if let Ok(Value::Bytes(read)) = value(&bytes, &kinds[place.index(kinds.len())]) {
            prop_assert_eq!(read, bytes);
        }
    }

    #[test]
    fn every_day_has_a_date_and_every_date_is_its_day(days in any::<i32>()) {
        let (year, month, day) = calendar::date(i64::from(days));
        prop_assert_eq!(calendar::days(year, month, day), Some(i64::from(days)));
    }
}

#[test]
fn dates_that_do_not_exist_have_no_day() {
    for (year, month, day) in
        [(2023, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 4, 31), (1900, 2, 29), (2024, 1, 0)]
    {
        assert_eq!(calendar::days(year, month, day), None, "{year}-{month}-{day}");
    }
    assert_eq!(calendar::days(2000, 1, 1), Some(0));
    assert_eq!(calendar::days(1970, 1, 1), Some(-10_957));
}

/// Deeper than any stack of calls.
#[test]
fn a_query_of_a_million_operators_is_read() {
    const DEEP: usize = 1_000_000;
    let lexeme = [1, 0, 0, b'a', 0];
    let mut nots = i32::try_from(DEEP + 1).unwrap().to_be_bytes().to_vec();
    nots.extend([2, 1].repeat(DEEP));
    nots.extend(lexeme);
    assert_eq!(value(&nots, &Kind::SearchQuery), Ok(Value::Text(format!("{}'a'", "!".repeat(DEEP)))));
    let mut ands = i32::try_from(2 * DEEP + 1).unwrap().to_be_bytes().to_vec();
    ands.extend([2, 2].repeat(DEEP));
    ands.extend(lexeme.repeat(DEEP + 1));
    let expected = format!("'a'{}", " & 'a'".repeat(DEEP));
    assert_eq!(value(&ands, &Kind::SearchQuery), Ok(Value::Text(expected)));
}

#[test]
fn a_query_whose_parts_do_not_fit_is_refused() {
    let lexeme: &[u8] = &[1, 0, 0, b'a', 0];
    for (count, parts) in [
        (1, vec![&[2_u8, 1][..]]),
        (2, vec![&[2, 2], lexeme]),
        (2, vec![lexeme, lexeme]),
        (4, vec![&[2, 3], lexeme, lexeme, lexeme]),
        (3, vec![&[2, 9], lexeme, lexeme]),
        (1, vec![&[3]]),
        (2, vec![lexeme]),
    ] {
        let mut bytes = i32::to_be_bytes(count).to_vec();
        bytes.extend(parts.concat());
        assert!(value(&bytes, &Kind::SearchQuery).is_err(), "{bytes:?}");
    }
}

#[test]
fn a_value_that_is_cut_short_or_has_bytes_left_over_is_refused() {
    let integers = Kind::Range(Arc::new(Kind::Int4));
    for (kind, bytes, expected) in [
        (&integers, &[2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5][..], "[1,5)"),
        (&integers, &[8 | 4, 0, 0, 0, 4, 0, 0, 0, 5], "(,5]"),
        (&integers, &[8 | 16], "(,)"),
        (&integers, &[1], "empty"),
        (
            &Kind::Snapshot,
            &[[0, 0, 0, 1].as_slice(), &10_u64.to_be_bytes(), &u64::MAX.to_be_bytes(), &14_u64.to_be_bytes()]
                .concat(),
            "10:18446744073709551615:14",
        ),
        (&Kind::SearchVector, &[0, 0, 0, 1, b'a', 0, 0, 2, 0, 7, 0xC0, 8], "'a':7,8A"),
        (&Kind::SearchQuery, &[0, 0, 0, 2, 2, 1, 1, 9, 1, b'a', 0], "!'a':*AD"),
        (&Kind::SearchQuery, &[0, 0, 0, 3, 2, 4, 0, 2, 1, 0, 0, b'b', 0, 1, 0, 0, b'a', 0], "'a' <2> 'b'"),
    ] {
        assert_eq!(value(bytes, kind), Ok(Value::Text(expected.to_owned())));
        for length in 0..bytes.len() {
            assert!(value(&bytes[..length], kind).is_err(), "{expected}, {length} bytes");
        }
        assert!(value(&[bytes, &[0]].concat(), kind).is_err(), "{expected}, one byte more");
    }
    // Both bounds are sent, and the second one is null.
    let with_null = [2, 0, 0, 0, 4, 0, 0, 0, 1, 255, 255, 255, 255];
    assert!(value(&with_null, &integers).is_err());
}
