//! What rmcp would answer in plain text, or not at all, is answered here as JSON-RPC with the right id and status; and
//! what client SDKs leave out is filled in before rmcp sees it.
//!
//! rmcp asks for an `Accept` header that names event streams (the SDKs send `*/*`), and turns away unknown protocol
//! versions as text, from which no SDK recovers. What the body lacks is `message`'s concern.

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use rmcp::model::ProtocolVersion;
use serde_json::{Value as Json, json};

use crate::server::message::{Message, Refusal};

/// The media types of a JSON-RPC request.
const MEDIA_TYPES: [&str; 3] = ["application/json", "application/json-rpc", "application/jsonrequest"];

/// Longest text of rmcp that is passed on in an error, in bytes.
const MAX_REASON: usize = 4 << 10;

/// A request that rmcp can answer.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) request: axum::http::Request<Body>,
    /// The id of the request in it.
    pub(super) id: Json,
    /// Whether the answer needs an `Mcp-Session-Id`.
    pub(super) wants_session_id: bool,
}

/// Reads a request and brings it into the form that rmcp takes.
///
/// # Errors
///
/// The answer to what is no request.
pub(super) async fn prepare(request: Request, max_bytes: usize) -> Result<Prepared, Box<Response>> {
    let (mut parts, body) = request.into_parts();
    if !is_json(&parts.headers) {
        let text = "Content-Type must be application/json\n";
        return Err(Box::new((StatusCode::UNSUPPORTED_MEDIA_TYPE, text).into_response()));
    }
    let Ok(body) = to_bytes(body, max_bytes).await else {
        let message = format!("request body exceeds {max_bytes} bytes, or ended early");
        let refusal = Refusal::new(&Json::Null, -32700, &message);
        return Err(Box::new(respond(StatusCode::PAYLOAD_TOO_LARGE, &refusal)));
    };
    let refuse = |refusal: Refusal| Box::new(respond(status(&refusal), &refusal));
    let message = match Message::read(&body).map_err(refuse)? {
        Message::Request(message) => message,
        // A notification is accepted, whatever it says.
        Message::Notification => return Err(Box::new(StatusCode::ACCEPTED.into_response())),
        Message::Response => {
            return Err(refuse(Refusal::new(
                &Json::Null,
                -32601,
                "method not found: this server asks nothing, so nothing can be answered",
            )));
        }
    };
    check_version(&parts.headers, &message.id, &message.method).map_err(refuse)?;
    let (id, wants_session_id) = (message.id.clone(), message.wants_session_id());
    let body = message.complete().map_err(refuse)?.map_or(body, Into::into);
    parts.headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Ok(Prepared { request: Request::from_parts(parts, Body::from(body)), id, wants_session_id })
}

/// What rmcp still refuses as text becomes a JSON-RPC error, for the same reason.
pub(super) async fn explain(id: &Json, response: Response) -> Response {
    let status = response.status();
    if !status.is_client_error() || is_json(response.headers()) {
        return response;
    }
    let reason = to_bytes(response.into_body(), MAX_REASON).await.unwrap_or_default();
    let reason = String::from_utf8_lossy(&reason);
    // The media type was right; it is the body that rmcp cannot read.
    let status = if status == StatusCode::UNSUPPORTED_MEDIA_TYPE { StatusCode::BAD_REQUEST } else { status };
    respond(status, &Refusal::new(id, -32600, &format!("invalid request: {}", reason.trim())))
}

/// An id for a session that does not exist.
pub(super) fn session_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

fn is_json(headers: &HeaderMap) -> bool {
    let essence = |value: &HeaderValue| {
        let value = value.to_str().unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    };
    headers.get(header::CONTENT_TYPE).is_some_and(|value| MEDIA_TYPES.contains(&essence(value).as_str()))
}

/// An unknown `MCP-Protocol-Version` gets the error from which client SDKs fall back to a version they share with us.
fn check_version(headers: &HeaderMap, id: &Json, method: &str) -> Result<(), Refusal> {
    let Some(version) = headers.get("mcp-protocol-version") else { return Ok(()) };
    let version = String::from_utf8_lossy(version.as_bytes());
    let known: Vec<&str> = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
    if known.contains(&version.as_ref()) || method == "initialize" {
        return Ok(());
    }
    let data = json!({"supported": known, "requested": version});
    Err(Refusal::with_data(id, -32022, "unsupported protocol version", &data))
}

/// The HTTP status that goes with an error, as the specification of 2026-07-28 says.
fn status(refusal: &Refusal) -> StatusCode {
    match refusal.code {
        -32022 => StatusCode::BAD_REQUEST,
        -32601 => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

fn respond(status: StatusCode, refusal: &Refusal) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], refusal.to_string()).into_response()
}
