//! Finds the commands in a Markdown text.

/// A fenced block of commands.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// Its commands, in order.
    pub(crate) commands: Vec<Command>,
    /// Whether they are to be run.
    pub(crate) runs: bool,
}

/// One command and what it shows.
#[derive(Debug, PartialEq)]
pub(crate) struct Command {
    /// The line of its beginning, from 1.
    pub(crate) line: usize,
    /// The command; may have several lines.
    pub(crate) text: String,
    /// The lines below it; empty where none are shown.
    pub(crate) output: Vec<String>,
}

/// How the lines of a block are read.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Every line is a command.
    Sh,
    /// Commands begin with `$ `, everything else is output.
    Console,
}

/// All blocks of commands, in order.
pub(crate) fn read(text: &str) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let indent = line.len() - line.trim_start().len();
        let mut content = Vec::new();
        loop {
            let (line, number) =
                lines.next().ok_or_else(|| format!("line {number}: the block has no end"))?;
            if line.trim() == "```" {
                break;
            }
            // A block inside a list item is indented as a whole.
            content.push((line.get(indent..).unwrap_or_default(), number));
        }
        let mut words = info.split_whitespace();
        let kind = match words.next() {
            Some("sh") => Kind::Sh,
            Some("console") => Kind::Console,
            Some(other @ ("bash" | "shell" | "zsh")) => {
                return Err(format!("line {number}: write sh or console instead of {other}"));
            }
            _ => continue,
        };
        let runs = match words.next() {
            None => true,
            Some("no-run") => false,
            Some(other) => return Err(format!("line {number}: unknown word {other}")),
        };
        blocks.push(Block { commands: commands(kind, &content)?, runs });
    }
    Ok(blocks)
}

fn commands(kind: Kind, lines: &[(&str, usize)]) -> Result<Vec<Command>, String> {
    let mut commands: Vec<Command> = Vec::new();
    let mut lines = lines.iter();
    while let Some(&(line, number)) = lines.next() {
        let start = match kind {
            Kind::Sh if line.trim().is_empty() || line.starts_with('#') => continue,
            Kind::Sh => Some(line),
            Kind::Console => line.strip_prefix("$ "),
        };
        match (start, commands.last_mut()) {
            (Some(start), _) => {
                let mut text = start.to_owned();
                while goes_on(&text) {
                    let (next, _) =
                        lines.next().ok_or_else(|| format!("line {number}: the command has no end"))?;
                    text.push('\n');
                    text.push_str(next);
                }
                commands.push(Command { line: number, text, output: Vec::new() });
            }
            (None, Some(command)) => command.output.push(line.to_owned()),
            (None, None) => return Err(format!("line {number}: output before the first command")),
        }
    }
    for command in &mut commands {
        while command.output.last().is_some_and(|line| line.trim().is_empty()) {
            command.output.pop();
        }
    }
    Ok(commands)
}

/// Whether a shell reads on after this text: it ends with a backslash, or inside quotes.
fn goes_on(text: &str) -> bool {
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None | Some('"'), '\\') if characters.next().is_none() => return true,
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    quote.is_some()
}

#[cfg(test)]
mod tests {
    use super::{Block, Command, read};

    fn command(line: usize, text: &str, output: &[&str]) -> Command {
        Command { line, text: text.to_owned(), output: output.iter().map(|&line| line.to_owned()).collect() }
    }

    #[test]
    fn console_blocks_hold_commands_and_what_they_print() {
        let text = "# Title\n\n```console\n$ one a \\\n  b\nout\n\nput\n\n$ two\n```\n";
        let commands = vec![command(4, "one a \\\n  b", &["out", "", "put"]), command(10, "two", &[])];
        assert_eq!(read(text), Ok(vec![Block { commands, runs: true }]));
    }

    #[test]
    fn a_command_goes_on_while_a_quote_is_open() {
        let text = "```console\n$ one '{\"a\": 1,\n     \\' \"it's\n\" 'b'\nout\n```\n";
        let commands = vec![command(2, "one '{\"a\": 1,\n     \\' \"it's\n\" 'b'", &["out"])];
        assert_eq!(read(text), Ok(vec![Block { commands, runs: true }]));
    }

    #[test]
    fn sh_blocks_hold_commands_only() {
        let text = "```sh\n# a remark\none\n\ntwo\n```\n";
        let commands = vec![command(3, "one", &[]), command(5, "two", &[])];
        assert_eq!(read(text), Ok(vec![Block { commands, runs: true }]));
    }

    #[test]
    fn other_blocks_are_passed_over_with_the_fences_inside_them() {
        assert_eq!(read("```yaml\n$ no\n```\n```\n$ no\n```\n"), Ok(vec![]));
    }

    #[test]
    fn a_block_in_a_list_is_read_without_its_indent() {
        let text = "1. Do:\n\n   ```console no-run\n   $ one\n     out\n   ```\n";
        let commands = vec![command(4, "one", &["  out"])];
        assert_eq!(read(text), Ok(vec![Block { commands, runs: false }]));
    }

    #[test]
    fn what_cannot_be_understood_is_an_error() {
        for text in [
            "```console\n$ one\n",
            "```console\nout\n$ one\n```\n",
            "```console norun\n$ one\n```\n",
            "```bash\none\n```\n",
            "```sh\none \\\n```\n",
            "```sh\none 'two\n```\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
