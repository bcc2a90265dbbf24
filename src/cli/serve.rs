//! The main job: serve the tools.

use std::{net::SocketAddr, sync::Arc};

use anyhow::Context as _;
use clap::Args;
use tokio::net::{TcpListener, lookup_host};

use crate::server::{
    Shared, StopSignal,
    http::{self, Allowed, MAX_REQUEST_BYTES},
    stdio,
};

/// How the tools are served.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Serving")]
pub(super) struct Flags {
    /// Serve one client on standard input and output. No port is opened.
    #[arg(long, global = true, num_args = 0..=1, require_equals = true, value_name = "BOOL", default_missing_value = "true", default_value = "false", hide_default_value = true, hide_possible_values = true)]
    stdio: bool,
    /// Address to listen on.
    #[arg(short, long, global = true, default_value = "127.0.0.1")]
    address: String,
    /// Port to listen on; 0 takes a free one.
    #[arg(short, long, global = true, default_value_t = 5000)]
    port: u16,
    /// Host names under which the server answers; * for any. Default: this machine's own.
    #[arg(long, value_name = "HOST,HOST", value_delimiter = ',', global = true)]
    allowed_hosts: Vec<String>,
    /// Origins whose web pages may ask; * for any. Default: pages served by this machine.
    #[arg(long, value_name = "ORIGIN,ORIGIN", value_delimiter = ',', global = true)]
    allowed_origins: Vec<String>,
    /// Largest request body in bytes; 0 means the default.
    #[arg(long, value_name = "BYTES", global = true, default_value_t = MAX_REQUEST_BYTES)]
    http_max_request_bytes: usize,
    /// Accepted for compatibility: the configuration is read once, at start.
    #[arg(long, global = true, hide = true, num_args = 0..=1, require_equals = true, value_name = "BOOL", default_missing_value = "true", default_value = "false")]
    disable_reload: bool,
    /// Accepted for compatibility: nothing looks for a newer version.
    #[arg(long, global = true, hide = true, num_args = 0..=1, require_equals = true, value_name = "BOOL", default_missing_value = "true", default_value = "false")]
    disable_version_check: bool,
}

/// Serves until the client is gone or the process is told to stop.
pub(super) async fn run(shared: Arc<Shared>, flags: Flags) -> anyhow::Result<()> {
    let allowed = Allowed::new(&flags.allowed_hosts, &flags.allowed_origins, &flags.address)?;
    let (sources, tools, toolsets) = shared.catalog.names();
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        sources = sources.join(", "),
        tools = tools.join(", "),
        toolsets = toolsets.join(", "),
        encoding = shared.encoding.name(),
        "starting toolbox"
    );
    // Before anyone is told that the server is ready: from here on a signal means a graceful end.
    let mut stop = StopSignal::listen().context("cannot listen for signals")?;
    if flags.stdio {
        shared.catalog.probe();
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        return Box::pin(stdio::serve(shared, input, output, stop.received()))
            .await
            .context("standard input or output failed");
    }
    for flag in allowed.wildcards() {
        tracing::warn!("{flag} allows everything: any web page that a user opens can reach this server");
    }
    let listener = listen(&flags.address, flags.port).await?;
    let local = listener.local_addr().context("cannot tell the address that is listened on")?;
    shared.catalog.probe();
    tracing::info!("server ready at http://{local}/mcp");
    let max_request_bytes =
        if flags.http_max_request_bytes == 0 { MAX_REQUEST_BYTES } else { flags.http_max_request_bytes };
    let options = http::Options { allowed, max_request_bytes };
    http::serve(shared, listener, options, async move { stop.received().await })
        .await
        .context("the HTTP server failed")
}

async fn listen(address: &str, port: u16) -> anyhow::Result<TcpListener> {
    let bare = address.trim_start_matches('[').trim_end_matches(']');
    let addresses: Vec<SocketAddr> = lookup_host((bare, port))
        .await
        .with_context(|| format!("--address {address:?} is no address"))?
        .collect();
    TcpListener::bind(addresses.as_slice())
        .await
        .with_context(|| format!("cannot listen on {address} port {port}; choose another with --port"))
}
