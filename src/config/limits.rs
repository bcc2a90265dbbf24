//! The limits that a source and a tool may both set.

use super::{
    diagnostic::Report,
    fields::Fields,
    source::{LimitSetting, LimitSettings},
};

/// Reads `maxRows`, `maxBytes`, `maxCellBytes` and `statementTimeout`.
pub(super) fn read(fields: &mut Fields<'_>, report: &mut Report) -> LimitSettings {
    LimitSettings {
        max_rows: setting(fields.whole("maxRows", report)),
        max_bytes: setting(fields.whole("maxBytes", report)),
        max_cell_bytes: setting(fields.whole("maxCellBytes", report)),
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
