//! JSON rows in, what the seam sends for them out.

use std::io::Write as _;

use anyhow::Context as _;
use clap::Args;
use toolbox_source::Limits;

use super::standard_input;
use crate::{
    payload,
    seam::{self, Encoding, NumberFormat, Wish},
};

/// What is written.
#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    /// The form: json, table, gcf, gcx, toon or auto, in any letter case.
    #[arg(long, value_name = "FORM")]
    to: Encoding,
    /// The name of the tool, for forms that carry it.
    #[arg(long, value_name = "NAME", default_value = "rows")]
    tool: String,
    /// Fail where JSON would stand in for the form.
    #[arg(long)]
    strict: bool,
}

pub(super) async fn run(flags: Flags) -> anyhow::Result<()> {
    let Flags { to, tool, strict } = flags;
    let sheets = standard_input::rows()?;
    let limits = Limits::default();
    let wish = Wish { encoding: to, numbers: NumberFormat::Digits, tool: &tool };
    let encoded = seam::encode(payload::events(sheets.clone()), wish, &limits).await?;
    if to != Encoding::Auto && encoded.encoding() != to {
        let comparison = seam::compare(payload::events(sheets), &tool, NumberFormat::Digits, &limits).await?;
        let candidate = comparison.candidates.into_iter().find(|candidate| candidate.encoding == to);
        let reason = match candidate.and_then(|candidate| candidate.refusal) {
            Some(refusal) => refusal.to_string(),
            None => "the guard refused it".to_owned(),
        };
        anyhow::ensure!(!strict, "{to} does not stand in for JSON: {reason}");
        tracing::warn!("this is JSON, not {to}: {reason}");
    }
    let mut out = std::io::stdout().lock();
    for block in encoded.blocks() {
        let end = if block.ends_with('\n') { "" } else { "\n" };
        write!(out, "{block}{end}").context("cannot write the result")?;
    }
    out.flush().context("cannot write the result")
}
