//! Call one tool from the command line. The result alone goes to standard output: JSON rows as one indented array, as the
//! peer prints them, other forms as they are.

use std::io::Write as _;

use anyhow::Context as _;
use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;

use crate::{
    seam::{Encoded, Encoding},
    server::{Shared, StopSignal},
    tool::Preference,
};

pub(super) async fn run(shared: &Shared, tool: &str, arguments: &str) -> anyhow::Result<()> {
    let found = shared.catalog.tool(None, tool).with_context(|| format!("tool {tool:?} not found"))?;
    let arguments: Map<String, Json> =
        serde_json::from_str(arguments).context("the arguments must be a JSON object")?;
    let mut stop = StopSignal::listen().context("cannot listen for signals")?;
    let cancel = CancellationToken::new();
    let preference = Preference { call: None, otherwise: shared.encoding, numbers: shared.numbers };
    let mut call = std::pin::pin!(found.call(&arguments, preference, cancel.clone()));
    let outcome = tokio::select! {
        outcome = &mut call => outcome,
        () = stop.received() => {
            cancel.cancel();
            call.await
        }
    };
    shared.catalog.close().await;
    let answer = outcome?;
    if !answer.ignored.is_empty() {
        tracing::warn!("ignored arguments that the tool does not have: {}", answer.ignored.join(", "));
    }
    std::io::stdout().write_all(text(answer.encoded)?.as_bytes()).context("cannot write the result")
}

/// The result as it is printed, with a line break at its end.
fn text(encoded: Encoded) -> anyhow::Result<String> {
    if encoded.encoding() != Encoding::Json {
        let mut text = encoded.into_blocks().concat();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        return Ok(text);
    }
    // Number text and key order survive this: `arbitrary_precision` and `preserve_order` are on.
    let rows: Vec<Json> = encoded
        .blocks()
        .iter()
        .map(|block| serde_json::from_str(block))
        .collect::<Result<_, _>>()
        .context("a row is not valid JSON")?;
    let mut text = serde_json::to_string_pretty(&rows)?;
    text.push('\n');
    Ok(text)
}
