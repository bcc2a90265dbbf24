//! What one result costs in every form, so that a user can decide.

use std::io::Write as _;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;
use toolbox_source::Limits;

use super::standard_input;
use crate::{
    payload,
    seam::{self, Comparison, NumberFormat},
    server::{Shared, StopSignal},
};
use scorecard::Scorecard;

mod json;
mod scorecard;
mod text;

/// Whose result is measured, and how that is printed.
#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    /// The tool. Without it JSON rows are read from standard input.
    tool: Option<String>,
    /// Its arguments: a JSON object.
    #[arg(default_value = "{}")]
    arguments: String,
    /// How the comparison is printed.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    output: Output,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Output {
    /// A table for people.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

pub(super) async fn run(flags: Flags, load: impl Fn() -> anyhow::Result<Shared>) -> anyhow::Result<()> {
    let (name, comparison) = if let Some(tool) = flags.tool {
        let comparison = of_tool(&load()?, &tool, &flags.arguments).await?;
        (tool, comparison)
    } else {
        let rows = payload::events(standard_input::rows()?);
        (
            "standard input".to_owned(),
            seam::compare(rows, "rows", NumberFormat::Digits, &Limits::default()).await?,
        )
    };
    let scorecard = Scorecard::new(name, &comparison);
    let text = match flags.output {
        Output::Text => text::write(&scorecard),
        Output::Json => json::write(&scorecard)?,
    };
    std::io::stdout().write_all(text.as_bytes()).context("cannot write the comparison")
}

async fn of_tool(shared: &Shared, name: &str, arguments: &str) -> anyhow::Result<Comparison> {
    let found = shared.catalog.tool(None, name).with_context(|| format!("tool {name:?} not found"))?;
    let arguments: Map<String, Json> =
        serde_json::from_str(arguments).context("the arguments must be a JSON object")?;
    let mut stop = StopSignal::listen().context("cannot listen for signals")?;
    let cancel = CancellationToken::new();
    let mut call = std::pin::pin!(found.compare(&arguments, shared.numbers, cancel.clone()));
    let outcome = tokio::select! {
        outcome = &mut call => outcome,
        () = stop.received() => {
            cancel.cancel();
            call.await
        }
    };
    shared.catalog.close().await;
    Ok(outcome?)
}
