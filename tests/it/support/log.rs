//! The program's log, in the log of the test.

use std::{
    io::{BufRead, BufReader, Read},
    thread,
};

/// Passes a stream of the program on, line by line, until it ends. The runner shows it when the test fails. `seen` gets
/// each line first.
pub(crate) fn pass_on(stream: impl Read + Send + 'static, mut seen: impl FnMut(&str) + Send + 'static) {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            seen(&line);
            eprintln!("{line}");
        }
    });
}
