//! What holds for every payload that can be read: its rows survive every form in which the seam sends them.

use futures::FutureExt as _;
use toolbox::{
    payload::{self, Sheet},
    seam::{self, Encoded, Encoding},
};
use toolbox_source::Limits;

/// More cells than this take long to write, and show nothing that fewer do not.
const MOST_CELLS: usize = 10_000;

fn encoded(sheets: Vec<Sheet>, wish: Encoding) -> Encoded {
    let rows = payload::events(sheets);
    seam::encode(rows, wish.into(), &Limits::default())
        .now_or_never()
        .expect("rows in memory are always ready")
        .expect("rows in memory have no errors")
}

/// Whether a form says a number that may be in these rows in other characters: GCF has no negative zero, and TOON has no exponents,
/// so digits that JSON writes with one are read back as such a double. The number is the same.
fn respells(form: Encoding, json: &Encoded) -> bool {
    const FIRST_WITH_EXPONENT: usize = 22;
    json.blocks().iter().any(|row| match form {
        Encoding::Gcf => row.contains(":-0,") || row.contains(":-0}"),
        Encoding::Toon => {
            let mut runs = row.split(|character: char| !character.is_ascii_digit());
            row.contains("0.000000") || runs.any(|digits| digits.len() >= FIRST_WITH_EXPONENT)
        }
        _ => false,
    })
}

/// Writes what was read in every form, reads that back, and expects the same rows, as JSON and byte for byte.
pub fn survives(sheets: Vec<Sheet>) {
    if sheets.iter().map(|sheet| sheet.len() * sheet.names.len()).sum::<usize>() > MOST_CELLS {
        return;
    }
    let json = encoded(sheets.clone(), Encoding::Json);
    for wish in Encoding::ALL {
        let sent = encoded(sheets.clone(), wish);
        assert!(wish == Encoding::Table || sent.bytes() <= json.bytes());
        if respells(sent.encoding(), &json) {
            continue;
        }
        let text = sent.blocks().join("\n");
        let read = match sent.encoding() {
            // Rows do not say where a result set ends: the same fields in another order are put in order.
            Encoding::Json if sheets.len() > 1 => continue,
            Encoding::Json => payload::json::rows(&text).expect("our own rows"),
            Encoding::Table | Encoding::Auto => payload::json::read(&text).expect("our own table"),
            Encoding::Gcx => payload::gcx::read(&text).expect("our own GCX1"),
            // The readers of these two refuse text that looks like a number with too many digits.
            Encoding::Gcf | Encoding::Toon => {
                let read =
                    if sent.encoding() == Encoding::Gcf { payload::gcf::read } else { payload::toon::read };
                let Ok(sheets) = read(&text) else { continue };
                sheets
            }
        };
        assert_eq!(encoded(read, Encoding::Json).blocks(), json.blocks(), "{text}");
    }
}
