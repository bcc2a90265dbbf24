//! Logs. They go to standard error only, so that standard output carries the protocol, or a result, and nothing else.
//!
//! What is logged holds tool names, durations, counts and error kinds; never a statement of the model, an argument or a
//! secret.

use std::{fmt, str::FromStr};

use tracing_subscriber::{EnvFilter, fmt::time::SystemTime, layer::SubscriberExt, util::SubscriberInitExt};

/// `--log-level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Everything.
    Debug,
    /// Starts, stops and calls.
    #[default]
    Info,
    /// What an operator should look at.
    Warn,
    /// What failed.
    Error,
}

/// `--logging-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One readable line an event.
    #[default]
    Standard,
    /// One JSON object an event.
    Json,
}

/// A word that is none of the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not one of {choices}")]
pub struct UnknownWord {
    word: String,
    choices: &'static str,
}

impl FromStr for Level {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word.to_ascii_lowercase().as_str() {
            "debug" => Ok(Self::Debug),
            "info" => Ok(Self::Info),
            "warn" => Ok(Self::Warn),
            "error" => Ok(Self::Error),
            _ => Err(UnknownWord { word: word.to_owned(), choices: "debug, info, warn, error" }),
        }
    }
}

impl FromStr for Format {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word.to_ascii_lowercase().as_str() {
            "standard" => Ok(Self::Standard),
            "json" => Ok(Self::Json),
            _ => Err(UnknownWord { word: word.to_owned(), choices: "standard, json" }),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Standard => "standard",
            Self::Json => "json",
        })
    }
}

/// Starts logging for the life of the process. A second start changes nothing.
pub fn start(level: Level, format: Format) {
    // The libraries log each JSON-RPC error and each statement of their own; ours say the same once, without values.
    let filter = EnvFilter::new(format!(
        "warn,toolbox={level},toolbox_source={level},toolbox_sqlite={level},rmcp=error,sqlx=off"
    ));
    let registry = tracing_subscriber::registry().with(filter);
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_timer(SystemTime)
        .with_target(false);
    // An error means that a subscriber is there already, as in tests.
    let _already_started = match format {
        Format::Standard => {
            registry.with(layer.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))).try_init()
        }
        Format::Json => registry.with(layer.json().flatten_event(true)).try_init(),
    };
}
