//! Reads `responseEncoding`, which tools, toolsets and groups have.

use super::{diagnostic::Report, fields::Fields, nearest::suggestion};
use crate::seam::Encoding;

/// The form of results that an entry asks for, in any letter case.
pub(super) fn read(fields: &mut Fields<'_>, report: &mut Report) -> Option<Encoding> {
    const FIELD: &str = "responseEncoding";
    let name = fields.text(FIELD, report)?;
    let encoding = name.parse().ok();
    if encoding.is_none()
        && let Some(node) = fields.node(FIELD)
    {
        let message = format!("{} cannot be {}", fields.name(FIELD), node.description());
        report.fault(&node.place, message, suggestion(&name, "encoding", Encoding::ALL.map(Encoding::name)));
    }
    encoding
}
