//! Runs the built program and speaks MCP to it, and gives tests the databases that they need.
//!
//! A [`Workspace`] is a folder of its own in which the program runs; [`Stdio`] and [`Http`] are the two ways to speak to it,
//! and a [`Client`] is the protocol on either of them. [`Database`] looks at the example's SQLite file without our program.
//! [`Fresh`] is an empty database for one test on any [`Engine`]; `servers` finds or starts what it needs. Nothing here knows
//! a tool.

mod client;
mod database;
mod engine;
mod fresh;
mod http;
mod log;
mod machine;
mod process;
mod servers;
mod stdio;
mod wire;
mod workspace;

pub(crate) use client::{Answer, Client};
pub(crate) use database::{Database, Dump};
pub(crate) use engine::{Engine, Sql, all, only};
pub(crate) use fresh::Fresh;
pub(crate) use http::Server;
pub(crate) use stdio::Stdio;
pub(crate) use wire::{Request, Response};
pub(crate) use workspace::{Workspace, program, repository};
