//! The commands of README.md do what it shows.
//!
//! Commands stand in fenced blocks. In a `console` block each line that begins with `$ ` is a command, and the lines below it
//! are what it prints, standard output and error together; a command with no such lines may print anything. In a `sh` block
//! every line is a command. A command goes on after a line that ends with `\` or inside quotes, as in a shell. Every command
//! must succeed. In what is printed, `…` stands for anything within a line, and a line that is only `…` for any number of
//! lines.
//!
//! A command that ends in ` &` is a server: it runs until the next one, or until the end. The program that was built for the
//! tests is first in the search path and takes the place of `cargo run --release --`. All commands run in one folder that holds
//! a copy of `tools.yaml` and `migrations`; port 5000 becomes a free one.
//!
//! A block marked `no-run` (```` ```console no-run ````) is not run. Only the command that runs the tests and commands that
//! install something may stand there.

mod block;
mod expected;
mod run;

use std::fs;

use block::Block;
use run::Runner;

use crate::support::repository;

/// How commands begin that need not run: the tests themselves, and what changes the machine or needs a network.
const NEED_NOT_RUN: &[&str] = &[
    "scripts/test",
    ".ci/run",
    "cargo build",
    "cargo install",
    "git clone",
    "cd ",
    "rustup ",
    "apt-get ",
    "sudo apt-get ",
    "pip install",
    "python3 -m venv",
    "npm install",
    "claude mcp add",
];

#[test]
fn the_commands_of_the_readme_do_what_it_shows() {
    let path = repository().join("README.md");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let blocks = block::read(&text).unwrap_or_else(|error| panic!("README.md: {error}"));
    let mut runner = Runner::new();
    let mut run = 0;
    for Block { commands, runs } in blocks {
        for command in commands {
            let place = format!("README.md:{}: {}", command.line, command.text);
            if runs {
                run += 1;
                if let Err(error) = runner.run(&command) {
                    panic!("{place}\n{error}");
                }
            } else {
                assert!(
                    NEED_NOT_RUN.iter().any(|start| command.text.starts_with(start)),
                    "{place}\nonly the test command and installation may be marked no-run"
                );
            }
        }
    }
    assert!(run > 0, "README.md shows no command");
}
