//! Servers from programs on this machine: `scripts/servers` finds and runs them.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use url::Url;

use super::{Found, Keeper};
use crate::support::{Engine, repository};

/// Starts the server of one engine; the script waits until it answers.
pub(super) fn start(engine: Engine) -> Result<Found, String> {
    let mut script = Command::new(repository().join("scripts/servers"))
        .args(["--local", engine.name()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("scripts/servers: {error}"))?;
    let output = script.stdout.take().ok_or("scripts/servers has no output")?;
    // Up to its last word, since a script that writes to a closed pipe would end.
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    let said: Vec<String> = lines.take_while(|line| line != "ready").collect();
    let answer = said.first().ok_or("scripts/servers said nothing")?;
    let words: Vec<&str> = answer.splitn(3, ' ').collect();
    match words[..] {
        [_, "url", url] => {
            let url = Url::parse(url).map_err(|error| error.to_string())?;
            Ok(Found { url, _keeper: Keeper::Process(script) })
        }
        [_, "none", reason] => Err(reason.to_owned()),
        _ => Err(format!("scripts/servers said {answer:?}")),
    }
}
