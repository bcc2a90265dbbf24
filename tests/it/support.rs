//! Runs the built program and speaks MCP to it.
//!
//! A [`Workspace`] is a folder of its own in which the program runs; [`Stdio`] and [`Http`] are the two ways to speak to it,
//! and a [`Client`] is the protocol on either of them. [`Database`] looks at the database without our program. Nothing here
//! knows a tool.

mod client;
mod database;
mod http;
mod log;
mod process;
mod stdio;
mod wire;
mod workspace;

pub(crate) use client::{Answer, Client};
pub(crate) use database::{Database, Dump};
pub(crate) use http::Server;
pub(crate) use stdio::Stdio;
pub(crate) use wire::{Request, Response};
pub(crate) use workspace::{Workspace, program, repository};
