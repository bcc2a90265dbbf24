//! How numbers are written that a reader may round: the choice and its names.

use std::{fmt, str::FromStr};

/// How numbers are written that a reader may round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NumberFormat {
    /// All digits, as numbers.
    #[default]
    Digits,
    /// As text, where a reader that takes JSON numbers for doubles would round them: integers beyond ±(2^53−1), and
    /// decimals of more than 15 significant digits.
    Safe,
}

impl NumberFormat {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Digits, Self::Safe];

    /// Its name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Digits => "digits",
            Self::Safe => "safe",
        }
    }
}

impl fmt::Display for NumberFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that is no number format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown number format {0:?}: use digits or safe")]
pub struct UnknownNumberFormat(pub String);

impl FromStr for NumberFormat {
    type Err = UnknownNumberFormat;

    /// Any letter case is accepted.
    fn from_str(name: &str) -> Result<Self, UnknownNumberFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownNumberFormat(name.to_owned()))
    }
}
