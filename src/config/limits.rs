//! The limits that a source and a tool may both set.

use super::{
    diagnostic::Report,
    fields::Fields,
    source::{LimitSetting, LimitSettings},
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
