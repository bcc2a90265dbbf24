//! Digits pushed in twos and fours, without the machinery of formatting, which costs more than all the rest of a decoder.

/// The numbers from 00 to 99.
const PAIRS: &str = "\
0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/// Two digits of a number below 100.
pub(super) fn push_two(text: &mut String, number: u64) {
    let place = usize::try_from(number % 100).unwrap_or(0) * 2;
    text.push_str(PAIRS.get(place..place + 2).unwrap_or_default());
}

/// Four digits of a number below 10,000.
pub(super) fn push_four(text: &mut String, number: u64) {
    push_two(text, number / 100);
    push_two(text, number % 100);
}

/// The digits of a number below 10,000, without zeros before them.
pub(super) fn push_up_to_four(text: &mut String, number: u64) {
    match number {
        0..10 => text.push(char::from(b'0' + u8::try_from(number).unwrap_or(0))),
        10..100 => push_two(text, number),
        100..1_000 => {
            push_up_to_four(text, number / 100);
            push_two(text, number % 100);
        }
        _ => push_four(text, number),
    }
}

/// Two digits of a byte.
pub(crate) fn push_hexadecimal(text: &mut String, byte: u8) {
    for digit in [byte >> 4, byte & 0xF] {
        text.push(char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }));
    }
}
