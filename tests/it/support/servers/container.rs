//! Servers in Docker.

use std::{
    process::{self, Command, Stdio},
    thread,
};

use testcontainers::{ContainerAsync, GenericImage, ImageExt, core::IntoContainerPort, runners::AsyncRunner};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use super::{Found, Keeper};
use crate::support::{Engine, fresh, machine};

/// The account's password; the port is open on this machine only.
const PASSWORD: &str = "toolbox-test";

/// The label by which `scripts/servers` finds containers of runs that were killed.
const LABEL: &str = "dev.toolbox.test.run";

/// Starts the server of one engine and waits until it takes connections.
pub(super) fn start(engine: Engine) -> Result<Found, String> {
    // A thread of its own, since the caller may be inside a runtime.
    thread::spawn(move || {
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        start_with(&runtime, engine)
    })
    .join()
    .map_err(|_| "starting a container panicked".to_owned())?
}

fn start_with(runtime: &Runtime, engine: Engine) -> Result<Found, String> {
    let (image, tag, port, arguments, variable) = match engine {
        Engine::Sqlite => return Err("SQLite has no server".to_owned()),
        Engine::Postgres => {
            ("postgres", "18", 5432, vec!["postgres", "-c", "fsync=off"], "POSTGRES_PASSWORD")
        }
        Engine::MySql => ("mysql", "9.7", 3306, vec!["mysqld", "--skip-log-bin"], "MYSQL_ROOT_PASSWORD"),
        Engine::MariaDb => ("mariadb", "11.8", 3306, vec!["mariadbd"], "MARIADB_ROOT_PASSWORD"),
    };
    let request = GenericImage::new(image, tag)
        .with_exposed_port(port.tcp())
        .with_env_var(variable, PASSWORD)
        .with_label(LABEL, format!("{}/{}", machine::name(), process::id()))
        .with_cmd(arguments);
    let container: ContainerAsync<GenericImage> =
        runtime.block_on(request.start()).map_err(|error| format!("no Docker: {error}"))?;
    let keeper = keep(container.id())?;
    let port = runtime.block_on(container.get_host_port_ipv4(port)).map_err(|error| error.to_string())?;
    let url = match engine {
        Engine::Postgres => format!("postgres://postgres:{PASSWORD}@127.0.0.1:{port}/postgres"),
        _ => format!("mysql://root:{PASSWORD}@127.0.0.1:{port}/mysql"),
    };
    let url = Url::parse(&url).map_err(|error| error.to_string())?;
    runtime.block_on(fresh::wait_until_ready(engine, &url))?;
    // From here on the keeper alone ends it; the guard would end it with this function.
    std::mem::forget(container);
    Ok(Found { url, _keeper: Keeper::Process(keeper) })
}

/// Removes the container when this process is gone.
fn keep(id: &str) -> Result<process::Child, String> {
    Command::new("sh")
        .args(["-c", "cat; exec docker rm --force --volumes \"$0\"", id])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("sh: {error}"))
}
