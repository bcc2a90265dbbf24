//! SQL databases for AI agents over MCP. The road of one call, as a list of modules:
//!
//! 1. [`config`] reads `tools.yaml` and reports every fault in it;
//! 2. [`catalog`] turns what was written into what runs: sources, tools, toolsets;
//! 3. [`server`] takes a call over MCP, on standard input and output or over HTTP;
//! 4. [`tool`] turns arguments into values and a query;
//! 5. a source (`sources/`) answers with rows;
//! 6. [`seam`] is the only way from rows to text;
//! 7. [`server`] wraps that text into a result.
//!
//! [`cli`] is the command line, [`telemetry`] the logs. [`payload`] is the way back from text to rows, for the command line
//! alone.

pub mod catalog;
pub mod cli;
pub mod config;
pub mod payload;
pub mod seam;
pub mod server;
pub mod telemetry;
pub mod tool;
