//! `pg_snapshot` in the server's text form, from what its `pg_snapshot_send` writes: the first transaction still running, the
//! first one not begun, and those between that run: `10:20:10,14`.

use std::fmt::Write as _;

use super::reader::Reader;

pub(super) fn snapshot(reader: &mut Reader<'_>) -> Result<String, String> {
    let count = reader.i32()?;
    let mut shown = format!("{}:{}:", reader.u64()?, reader.u64()?);
    for index in 0..count {
        let comma = if index > 0 { "," } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(shown, "{comma}{}", reader.u64()?);
    }
    Ok(shown)
}
