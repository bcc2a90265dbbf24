//! A payload in, its rows as JSON out.

use std::{
    io::Write as _,
    panic::{UnwindSafe, catch_unwind, set_hook, take_hook},
};

use anyhow::Context as _;
use clap::Args;
use toolbox_source::Limits;

use super::standard_input;
use crate::{
    payload::{self, Sheet, Unreadable},
    seam::{self, Encoding},
};

/// Bytes of JSON that are written at most. Only a payload that leaves out most of its cells gets near.
const MOST_BYTES: u64 = 1 << 30;

/// What is read.
#[derive(Args, Clone, Debug)]
pub(super) struct Flags {
    /// The form: json, table, gcf, gcx or toon, in any letter case.
    #[arg(long, value_name = "FORM", value_parser = form)]
    from: Encoding,
}

fn form(name: &str) -> anyhow::Result<Encoding> {
    let encoding: Encoding = name.parse()?;
    anyhow::ensure!(
        encoding != Encoding::Auto,
        "auto chooses among forms; name the form of the payload: json, table, gcf, gcx or toon"
    );
    Ok(encoding)
}

pub(super) async fn run(flags: Flags) -> anyhow::Result<()> {
    let Flags { from } = flags;
    let text = standard_input::text()?;
    let sheets =
        quietly(|| read(&text, from)).with_context(|| format!("standard input is not read as {from}"))?;
    standard_input::warn_of_cuts(&sheets);
    let limits = Limits { max_bytes: Some(MOST_BYTES), ..Limits::default() };
    let encoded = seam::encode(payload::events(sheets), Encoding::Json.into(), &limits).await?;
    anyhow::ensure!(encoded.truncated().is_none(), "the rows are more than {MOST_BYTES} bytes of JSON");
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for row in encoded.blocks() {
        writeln!(out, "{row}").context("cannot write the rows")?;
    }
    out.flush().context("cannot write the rows")
}

/// What a reader gives. The libraries among them panic on some texts, which is an error like others, and no news of its own.
fn quietly(
    read: impl FnOnce() -> Result<Vec<Sheet>, Unreadable> + UnwindSafe,
) -> Result<Vec<Sheet>, Unreadable> {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let read = catch_unwind(read);
    set_hook(hook);
    read.unwrap_or_else(|_| {
        Err(Unreadable { line: None, message: "the reader gave up; please report this".to_owned() })
    })
}

fn read(text: &str, form: Encoding) -> Result<Vec<Sheet>, Unreadable> {
    match form {
        Encoding::Json => payload::json::rows(text),
        Encoding::Table | Encoding::Auto => payload::json::read(text),
        Encoding::Gcf => payload::gcf::read(text),
        Encoding::Gcx => payload::gcx::read(text),
        Encoding::Toon => payload::toon::read(text),
    }
}
