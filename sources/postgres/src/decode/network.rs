//! `inet`, `cidr`, `macaddr` and `macaddr8`.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{digits::push_hexadecimal, reader::Reader};

/// The families as PostgreSQL numbers them on every platform.
const IPV4: u8 = 2;
const IPV6: u8 = 3;

/// A host goes without the length of its prefix, a network (`cidr`) always with it.
pub(super) fn address(reader: &mut Reader<'_>) -> Result<String, String> {
    let family = reader.u8()?;
    let prefix = reader.u8()?;
    let is_network = reader.u8()? != 0;
    let length = reader.u8()?;
    let (text, whole) = match (family, length) {
        (IPV4, 4) => (Ipv4Addr::from(reader.array::<4>()?).to_string(), 32),
        (IPV6, 16) => (ipv6(Ipv6Addr::from(reader.array::<16>()?)), 128),
        _ => return Err("the address is of an unknown family".to_owned()),
    };
    Ok(if is_network || prefix != whole { format!("{text}/{prefix}") } else { text })
}

/// As PostgreSQL writes it: addresses whose first bits of one are in the seventh group end in the dotted form too.
fn ipv6(address: Ipv6Addr) -> String {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            format!("::{}", Ipv4Addr::new(a, b, c, d))
        }
        _ => address.to_string(),
    }
}

pub(super) fn hardware(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 {
            text.push(':');
        }
        push_hexadecimal(&mut text, *byte);
    }
    text
}
