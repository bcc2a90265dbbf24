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

/// Writes what was read in every form, reads that back, and expects the same rows, as JSON and byte for byte.
pub fn survives(sheets: Vec<Sheet>) {
    if sheets.iter().map(|sheet| sheet.len() * sheet.names.len()).sum::<usize>() > MOST_CELLS {
        return;
    }
    let json = encoded(sheets.clone(), Encoding::Json);
    for wish in Encoding::ALL {
        let sent = encoded(sheets.clone(), wish);
        assert!(wish == Encoding::Table || sent.bytes() <= json.bytes());
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
