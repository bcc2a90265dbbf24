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

mod indented;

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
    std::io::stdout().write_all(text(&answer.encoded).as_bytes()).context("cannot write the result")
}

/// The result as it is printed: each block ends its line, so that a notice about a cut is no part of the last row.
fn text(encoded: &Encoded) -> String {
    if encoded.encoding() == Encoding::Json {
        return indented::array(encoded.blocks()) + "\n";
    }
    let mut text = String::with_capacity(encoded.bytes() + encoded.blocks().len());
    for block in encoded.blocks() {
        text.push_str(block);
        if !block.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}
