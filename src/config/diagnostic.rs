//! Faults in the configuration, with file, line, caret and what to do.

use std::fmt;

/// Every fault found in one run. `Display` is the whole report.
pub struct Faults {}

impl fmt::Display for Faults {
    fn fmt(&self, _formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Faults {}
