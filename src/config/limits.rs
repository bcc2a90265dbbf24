//! The limits that a source and a tool may both set.

use super::{
    diagnostic::Report,
    fields::Fields,
    source::{LimitSetting, LimitSettings, Source},
};

/// What to write for a limit that is a number.
const HELP: &str = "write digits only, such as 1000; 0 means no limit";

/// Reads `maxRows`, `maxBytes`, `maxCellBytes` and `statementTimeout`.
pub(super) fn read(fields: &mut Fields<'_>, report: &mut Report) -> LimitSettings {
    LimitSettings {
        max_rows: setting(fields.whole("maxRows", HELP, report)),
        max_bytes: setting(fields.whole("maxBytes", HELP, report)),
        max_cell_bytes: setting(fields.whole("maxCellBytes", HELP, report)),
        statement_timeout: setting(fields.duration("statementTimeout", report)),
    }
}

/// Zero means no limit.
fn setting<T: Default + PartialEq>(written: Option<T>) -> LimitSetting<T> {
    match written {
        None => LimitSetting::Unset,
        Some(limit) if limit == T::default() => LimitSetting::Unlimited,
        Some(limit) => LimitSetting::At(limit),
    }
}

/// Warns where a tool asks for more than its source allows, since the source's limit then holds.
pub(super) fn warn_where_looser(owner: &str, tool: LimitSettings, source: &Source, report: &mut Report) {
    let outer = source.limits;
    for (field, looser) in [
        ("maxRows", is_looser(tool.max_rows, outer.max_rows)),
        ("maxBytes", is_looser(tool.max_bytes, outer.max_bytes)),
        ("maxCellBytes", is_looser(tool.max_cell_bytes, outer.max_cell_bytes)),
        ("statementTimeout", is_looser(tool.statement_timeout, outer.statement_timeout)),
    ] {
        if looser {
            report.warn(format!("`{field}` of {owner} is above that of its source, which holds"));
        }
    }
}

fn is_looser<T: PartialOrd>(tool: LimitSetting<T>, source: LimitSetting<T>) -> bool {
    match (tool, source) {
        (LimitSetting::At(tool), LimitSetting::At(source)) => tool > source,
        (LimitSetting::Unlimited, LimitSetting::At(_)) => true,
        _ => false,
    }
}
