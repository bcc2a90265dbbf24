//! The command line: what the user typed, and which of the program's jobs it asks for.
//!
//! Flags, their defaults and their aliases are those of MCP Toolbox for Databases, so a command written for it works here.

mod decode;
mod encode;
mod invoke;
mod serve;
mod standard_input;
mod tokens;

use std::{ffi::OsString, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};

use crate::{
    catalog::{Catalog, Writes},
    config::{self, Choice, Files},
    seam::{Encoding, NumberFormat},
    server::Shared,
    telemetry::{self, Format, Level},
};

/// SQL databases for AI agents over MCP: exact, safe, small.
///
/// Serves the tools of tools.yaml over HTTP at <http://127.0.0.1:5000/mcp>, or over standard input and output with --stdio.
#[derive(Debug, Parser)]
#[command(name = "toolbox", version = concat!("version ", env!("CARGO_PKG_VERSION")), disable_version_flag = true)]
struct Line {
    #[command(flatten)]
    config: ConfigFlags,
    #[command(flatten)]
    log: LogFlags,
    #[command(flatten)]
    serve: serve::Flags,
    /// Print the version.
    #[arg(short = 'v', long, action = clap::ArgAction::Version)]
    version: Option<bool>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the tools. The same as no command.
    Serve,
    /// Call one tool and print its result on standard output.
    Invoke {
        /// The tool.
        tool: String,
        /// Its arguments: a JSON object.
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Write JSON rows from standard input as a tool's result would be written.
    ///
    /// Rows are JSON objects, one after the other or in an array, or a table {"columns":[...],"rows":[[...]]}.
    Encode(encode::Flags),
    /// Read a result from standard input and print its rows as JSON, one object a line.
    Decode(decode::Flags),
    /// Compare what a result costs in every form: bytes and tokens.
    ///
    /// The result is that of a tool, or without one that of JSON rows on standard input.
    Tokens(tokens::Flags),
}

/// Which configuration is read, and how. Accepted before and after a command.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Configuration")]
struct ConfigFlags {
    /// One configuration file. Without any of these flags it is tools.yaml.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The old name of --config.
    #[arg(long, value_name = "FILE", global = true, hide = true)]
    tools_file: Option<PathBuf>,
    /// Several files, merged: a comma list, or the flag repeated.
    #[arg(long, value_name = "FILE,FILE", value_delimiter = ',', global = true)]
    configs: Vec<PathBuf>,
    /// The old name of --configs.
    #[arg(long, value_name = "FILE,FILE", value_delimiter = ',', global = true, hide = true)]
    tools_files: Vec<PathBuf>,
    /// All *.yaml and *.yml files of a folder, merged.
    #[arg(long, value_name = "FOLDER", global = true)]
    config_folder: Option<PathBuf>,
    /// The old name of --config-folder.
    #[arg(long, value_name = "FOLDER", global = true, hide = true)]
    tools_folder: Option<PathBuf>,
    /// Leave out tools of a type that is not known, with a warning.
    #[arg(long, global = true, num_args = 0..=1, require_equals = true, value_name = "BOOL", default_missing_value = "true", default_value = "false", hide_default_value = true, hide_possible_values = true)]
    ignore_unknown_tools: bool,
    /// Form of the results: json, table, gcf, gcx, toon or auto, in any letter case.
    #[arg(long, value_name = "NAME", global = true, default_value = "json")]
    response_encoding: Encoding,
    /// How numbers are written that a reader of JSON may round: digits or safe, which makes text of them.
    #[arg(long, value_name = "NAME", global = true, default_value = "digits")]
    number_format: NumberFormat,
    /// Nothing writes: every source is read-only, and tools that write are not served.
    #[arg(long, global = true, num_args = 0..=1, require_equals = true, value_name = "BOOL", default_missing_value = "true", default_value = "false", hide_default_value = true, hide_possible_values = true)]
    read_only: bool,
    /// SQL from the model may write, where neither its tool nor its source says otherwise.
    #[arg(long, global = true, num_args = 0..=1, require_equals = true, value_name = "BOOL", default_missing_value = "true", default_value = "false", hide_default_value = true, hide_possible_values = true)]
    allow_writes: bool,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Logs")]
struct LogFlags {
    /// debug, info, warn or error, in any letter case. Logs go to standard error.
    #[arg(long, value_name = "LEVEL", global = true, default_value_t)]
    log_level: Level,
    /// standard or json.
    #[arg(long, value_name = "FORMAT", global = true, default_value_t)]
    logging_format: Format,
}

impl ConfigFlags {
    fn choice(&self) -> anyhow::Result<Choice> {
        let named = |file: &PathBuf| Files::Named(vec![file.clone()]);
        let list = |files: &Vec<PathBuf>| (!files.is_empty()).then(|| Files::Named(files.clone()));
        let folder = |folder: &PathBuf| Files::Folder(folder.clone());
        let mut given = [
            ("--config", self.config.as_ref().map(named)),
            ("--tools-file", self.tools_file.as_ref().map(named)),
            ("--configs", list(&self.configs)),
            ("--tools-files", list(&self.tools_files)),
            ("--config-folder", self.config_folder.as_ref().map(folder)),
            ("--tools-folder", self.tools_folder.as_ref().map(folder)),
        ]
        .into_iter()
        .filter_map(|(flag, files)| Some((flag, files?)));
        let first = given.next();
        let others: Vec<&str> = given.map(|(flag, _)| flag).collect();
        let files = match first {
            Some((flag, _)) if !others.is_empty() => {
                anyhow::bail!("{flag} and {} exclude each other; use one of them", others.join(" and "))
            }
            Some((_, files)) => files,
            None => Files::Named(vec![PathBuf::from("tools.yaml")]),
        };
        Ok(Choice { files, ignore_unknown_tools: self.ignore_unknown_tools })
    }

    fn writes(&self) -> anyhow::Result<Writes> {
        match (self.read_only, self.allow_writes) {
            (true, true) => {
                anyhow::bail!("--read-only and --allow-writes contradict each other; use one of them")
            }
            (true, false) => Ok(Writes::Never),
            (false, true) => Ok(Writes::Allowed),
            (false, false) => Ok(Writes::AsConfigured),
        }
    }

    /// Reads the configuration and makes what is shared by all that is served.
    fn load(&self, environment: &Environment<'_>) -> anyhow::Result<Shared> {
        let (choice, writes) = (self.choice()?, self.writes()?);
        let mut config = config::load(&choice, environment).map_err(|faults| anyhow::anyhow!("{faults}"))?;
        for warning in config.warnings.drain(..) {
            tracing::warn!("{warning}");
        }
        let catalog = Catalog::build(config, writes)?;
        Ok(Shared::new(catalog, self.response_encoding, self.number_format))
    }
}

/// What `${NAME}` in the configuration stands for.
pub type Environment<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Does what the command line asks for. Returns 0 when it worked, 1 when it did not, after saying why on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>, environment: &Environment<'_>) -> ExitCode {
    let line = match Line::try_parse_from(arguments) {
        Ok(line) => line,
        Err(message) => {
            // Help and the version go to standard output, mistakes to standard error; when that is closed, nobody reads.
            let _closed = message.print();
            return if message.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match execute(line, environment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _closed = report(&error);
            ExitCode::FAILURE
        }
    }
}

fn report(error: &anyhow::Error) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stderr(), "Error: {error:#}")
}

fn execute(line: Line, environment: &Environment<'_>) -> anyhow::Result<()> {
    telemetry::start(line.log.log_level, line.log.logging_format);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let load = || line.config.load(environment);
    let outcome = runtime.block_on(async {
        match line.command {
            None | Some(Command::Serve) => serve::run(Arc::new(load()?), line.serve).await,
            Some(Command::Invoke { tool, arguments }) => invoke::run(&load()?, &tool, &arguments).await,
            Some(Command::Encode(flags)) => encode::run(flags).await,
            Some(Command::Decode(flags)) => decode::run(flags).await,
            Some(Command::Tokens(flags)) => tokens::run(flags, load).await,
        }
    });
    // Reading standard input blocks a thread until the client closes it; the process does not wait for that.
    runtime.shutdown_background();
    outcome
}
