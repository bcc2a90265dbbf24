//! MCP over streamable HTTP: `/mcp`, `/mcp/` and `/mcp/{toolset}`, stateless, JSON answers; and `/healthz`.
//!
//! In front of rmcp stand, in this order: `hosts` (who may ask), CORS, and `edge` (what is no request is answered as
//! JSON-RPC, and what the client SDKs leave out is filled in). Nothing here knows tools.

mod edge;
mod hosts;

use std::{io, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{Path, Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    PARTING, Shared,
    mcp::{Handler, ToolsetName},
};
pub use hosts::Allowed;

/// Largest request body, unless the command line says otherwise.
pub const MAX_REQUEST_BYTES: usize = 10 << 20;

/// How the server is reached.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which `Host` and `Origin` headers are served.
    pub allowed: Allowed,
    /// Largest request body, in bytes.
    pub max_request_bytes: usize,
}

type Mcp = StreamableHttpService<Handler, NeverSessionManager>;

/// What the routes share.
#[derive(Clone)]
struct Edge {
    mcp: Arc<Mcp>,
    max_request_bytes: usize,
}

/// Serves on a listener until `stop` resolves, then lets running calls finish.
///
/// # Errors
///
/// What the network says.
pub async fn serve(
    shared: Arc<Shared>,
    listener: TcpListener,
    options: Options,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let router = router(shared.clone(), options);
    let stopping = CancellationToken::new();
    let told = stopping.clone();
    let server = axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(async move {
            stop.await;
            tracing::warn!("shutting down gracefully");
            told.cancel();
        });
    let drained = async {
        stopping.cancelled().await;
        shared.drain().await;
        // Answers that are ready now still have to reach their clients; a client that does not read must not keep us.
        tokio::time::sleep(PARTING).await;
    };
    tokio::select! {
        outcome = async { server.await } => outcome?,
        () = drained => {}
    }
    shared.drain().await;
    Ok(())
}

/// All routes.
fn router(shared: Arc<Shared>, options: Options) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        // Hosts and origins are checked in front, with the port ignored and a text that names the option.
        .disable_allowed_hosts()
        // The body was read, and bounded, before.
        .with_max_request_body_bytes(usize::MAX);
    let mcp = StreamableHttpService::new(
        move || Ok(Handler::new(shared.clone())),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let edge = Edge { mcp: Arc::new(mcp), max_request_bytes: options.max_request_bytes };
    let endpoint = get(no_stream).post(all_tools).delete(no_session);
    let allowed = Arc::new(options.allowed);
    Router::new()
        .route("/", get(|| async { "This is toolbox. MCP is at /mcp.\n" }))
        .route("/mcp", endpoint.clone())
        .route("/mcp/", endpoint)
        .route("/mcp/{toolset}", get(no_stream).post(one_toolset).delete(no_session))
        .fallback(|| async { (StatusCode::NOT_FOUND, "404 page not found\n") })
        .with_state(edge)
        .layer(hosts::cors(&allowed))
        .layer(middleware::from_fn_with_state(allowed, hosts::check))
        // A health check comes from anywhere.
        .route(
            "/healthz",
            get(|| async { ([(header::CONTENT_TYPE, "application/json")], r#"{"status":"ok"}"#) }),
        )
}

async fn all_tools(State(edge): State<Edge>, request: Request) -> Response {
    answer(&edge, None, request).await
}

async fn one_toolset(State(edge): State<Edge>, Path(toolset): Path<String>, request: Request) -> Response {
    answer(&edge, Some(toolset), request).await
}

async fn answer(edge: &Edge, toolset: Option<String>, request: Request) -> Response {
    let mut prepared = match edge::prepare(request, edge.max_request_bytes).await {
        Ok(prepared) => prepared,
        Err(refused) => return *refused,
    };
    prepared.request.extensions_mut().insert(ToolsetName(toolset));
    let response = edge.mcp.handle(prepared.request).await.map(axum::body::Body::new);
    let mut response = edge::explain(&prepared.id, response).await;
    // The protocol of 2025-03-26 knows sessions, and the client SDKs of that time fail without an id. It means nothing here.
    if prepared.wants_session_id
        && response.status().is_success()
        && let Ok(id) = HeaderValue::from_str(&edge::session_id())
    {
        response.headers_mut().insert("mcp-session-id", id);
    }
    response
}

/// There is no stream to listen to: answers come with the POST.
async fn no_stream() -> Response {
    let body = r#"{"status":"Method Not Allowed","error":"toolbox does not support streaming in streamable HTTP transport"}"#;
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::ALLOW, "POST")];
    (StatusCode::METHOD_NOT_ALLOWED, headers, body).into_response()
}

/// There is no session to end, so ending one succeeds.
async fn no_session(method: Method) -> StatusCode {
    debug_assert_eq!(method, Method::DELETE, "routed by method");
    StatusCode::OK
}
