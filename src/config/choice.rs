//! Reads the fields that choose the form of results: `responseEncoding`, which tools, toolsets and groups have, and
//! `numberFormat`.

use std::str::FromStr;

use super::{diagnostic::Report, fields::Fields, nearest::suggestion};
use crate::seam::{Encoding, NumberFormat};

/// The encoding that an entry asks for, in any letter case.
pub(super) fn encoding(fields: &mut Fields<'_>, report: &mut Report) -> Option<Encoding> {
    choice(fields, "responseEncoding", "encoding", Encoding::ALL.map(Encoding::name), report)
}

/// The number format that an entry asks for, in any letter case.
pub(super) fn numbers(fields: &mut Fields<'_>, report: &mut Report) -> Option<NumberFormat> {
    choice(fields, "numberFormat", "number format", NumberFormat::ALL.map(NumberFormat::name), report)
}

/// One of a few names, each of which is a `what`.
fn choice<T: FromStr, const N: usize>(
    fields: &mut Fields<'_>,
    field: &'static str,
    what: &str,
    names: [&'static str; N],
    report: &mut Report,
) -> Option<T> {
    let name = fields.text(field, report)?;
    let choice = name.parse().ok();
    if choice.is_none()
        && let Some(node) = fields.node(field)
    {
        let message = format!("{} cannot be {}", fields.name(field), node.description());
        report.fault(&node.place, message, suggestion(&name, what, names));
    }
    choice
}
