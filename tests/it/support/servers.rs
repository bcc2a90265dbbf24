//! Database servers for tests: "give me a PostgreSQL", once a process.
//!
//! A server comes from, in this order: a URL in the environment, which `scripts/test` sets; Docker; programs on this machine,
//! which `scripts/servers` starts. Where there is none, the test is left out and says so by name, unless
//! `TOOLBOX_TEST_REQUIRE` names the server. What was started here ends with this process, however it ends.

mod container;
mod programs;

use std::{env, sync::OnceLock};

use url::Url;

use super::Engine;

/// A server, and what keeps it alive.
#[derive(Debug)]
struct Found {
    url: Url,
    _keeper: Keeper,
}

/// Ends a server when its standard input is closed, which happens when this process ends.
#[derive(Debug)]
enum Keeper {
    /// The server is somebody else's.
    None,
    Process(#[expect(dead_code, reason = "held, never read")] std::process::Child),
}

/// The server's address, with an account that may create databases; `None` where the test is to be left out.
pub(crate) fn url(engine: Engine) -> Option<&'static Url> {
    static FOUND: [OnceLock<Result<Found, String>>; 3] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
    let place = match engine {
        Engine::Sqlite => panic!("SQLite has no server"),
        Engine::Postgres => 0,
        Engine::MySql => 1,
        Engine::MariaDb => 2,
    };
    match FOUND[place].get_or_init(|| find(engine)) {
        Ok(found) => Some(&found.url),
        Err(reason) => {
            let required = env::var("TOOLBOX_TEST_REQUIRE").unwrap_or_default();
            let required = required.split(',').any(|name| name.trim() == engine.name());
            assert!(!required, "{engine} is required: {reason}");
            println!("skipped: {engine} ({reason})");
            None
        }
    }
}

fn find(engine: Engine) -> Result<Found, String> {
    let variable = format!("TOOLBOX_TEST_{}_URL", engine.name().to_uppercase());
    if let Ok(url) = env::var(&variable) {
        let url = Url::parse(&url).map_err(|error| format!("{variable} is no URL: {error}"))?;
        return Ok(Found { url, _keeper: Keeper::None });
    }
    if env::var_os("NEXTEST").is_some() {
        // A process for each test would start a server for each test.
        return Err(format!("{variable} is not set; scripts/test sets it"));
    }
    container::start(engine).or_else(|docker| {
        programs::start(engine).map_err(|programs| {
            format!("set {variable}, start Docker or install the server ({docker}; {programs})")
        })
    })
}
