//! What rmcp would answer in plain text, or not at all, is answered here as JSON-RPC with the right id and status; and
//! what client SDKs leave out is filled in before rmcp sees it.
//!
//! rmcp asks for an `Accept` header that names event streams (the SDKs send `*/*`), reads only what its types describe
//! (an `initialize` without `clientInfo` is an unknown method to it), and turns away unknown protocol versions as text,
//! from which no SDK recovers.

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use rmcp::model::ProtocolVersion;
use serde_json::{Map, Value as Json, json};

/// The media types of a JSON-RPC request.
const MEDIA_TYPES: [&str; 3] = ["application/json", "application/json-rpc", "application/jsonrequest"];

/// A request that rmcp can answer.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) request: axum::http::Request<Body>,
    /// Whether the answer needs an `Mcp-Session-Id`: an `initialize` of the protocol of 2025-03-26.
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
        return Err(error(StatusCode::PAYLOAD_TOO_LARGE, &Json::Null, -32700, &message, None));
    };
    let (body, wants_session_id) = read(body, &parts.headers)?;
    parts.headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Ok(Prepared { request: Request::from_parts(parts, Body::from(body)), wants_session_id })
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

/// The body as rmcp takes it.
fn read(body: Bytes, headers: &HeaderMap) -> Result<(Bytes, bool), Box<Response>> {
    let message: Json = serde_json::from_slice(&body).map_err(|fault| {
        let message = format!("parse error: {fault}");
        error(StatusCode::OK, &Json::Null, -32700, &message, None)
    })?;
    let Json::Object(mut message) = message else {
        let text =
            if message.is_array() { "not supporting batch requests" } else { "a request is a JSON object" };
        return Err(error(StatusCode::OK, &Json::Null, -32600, text, None));
    };
    let id = message.get("id").cloned().unwrap_or_default();
    let invalid = |text: &str| error(StatusCode::OK, &id, -32600, text, None);
    if message.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return Err(invalid("invalid json-rpc version: \"jsonrpc\" must be \"2.0\""));
    }
    let Some(method) = message.get("method").and_then(Json::as_str).map(str::to_owned) else {
        return Err(error(
            StatusCode::NOT_FOUND,
            &id,
            -32601,
            "method not found: a request has a \"method\"",
            None,
        ));
    };
    match &id {
        // A notification, whatever it says, is accepted.
        Json::Null => return Err(Box::new(StatusCode::ACCEPTED.into_response())),
        Json::String(_) => {}
        Json::Number(number) if number.is_i64() => {}
        _ => return Err(error(StatusCode::OK, &Json::Null, -32600, "an id is a string or an integer", None)),
    }
    check_version(headers, &id, &method)?;
    let null_params = message.get("params").is_some_and(Json::is_null);
    if null_params {
        message.remove("params");
    }
    let params = match message.get_mut("params") {
        None => None,
        Some(Json::Object(params)) => Some(params),
        Some(_) => return Err(error(StatusCode::OK, &id, -32602, "params must be an object", None)),
    };
    let (mut rewritten, mut wants_session_id) = (null_params, false);
    match (method.as_str(), params) {
        ("tools/call", params) => {
            check_call(params).map_err(|text| error(StatusCode::OK, &id, -32602, text, None))?;
        }
        ("initialize", Some(params)) => {
            (rewritten, wants_session_id) = (true, complete(params));
        }
        _ => {}
    }
    let body = if rewritten {
        serde_json::to_vec(&message).map_err(|fault| invalid(&fault.to_string()))?.into()
    } else {
        body
    };
    Ok((body, wants_session_id))
}

/// An unknown `MCP-Protocol-Version` gets the error from which client SDKs fall back to a version they share with us.
fn check_version(headers: &HeaderMap, id: &Json, method: &str) -> Result<(), Box<Response>> {
    let Some(version) = headers.get("mcp-protocol-version") else { return Ok(()) };
    let version = version.to_str().unwrap_or_default();
    let known: Vec<&str> = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
    if known.contains(&version) || method == "initialize" {
        return Ok(());
    }
    let data = json!({"supported": known, "requested": version});
    Err(error(StatusCode::BAD_REQUEST, id, -32022, "unsupported protocol version", Some(data)))
}

/// The parameters of a tool call, so far as rmcp would misread them.
fn check_call(params: Option<&mut Map<String, Json>>) -> Result<(), &'static str> {
    let Some(params) = params else {
        return Err("tools/call needs params with the name of a tool");
    };
    match params.get("name") {
        Some(Json::String(_)) => {}
        _ => return Err("tools/call needs the name of a tool, as a string"),
    }
    match params.get("arguments") {
        None | Some(Json::Null | Json::Object(_)) => Ok(()),
        Some(_) => Err("arguments must be an object"),
    }
}

/// Fills in what an `initialize` may lack, and says whether its protocol has session ids.
fn complete(params: &mut Map<String, Json>) -> bool {
    params.entry("capabilities").or_insert_with(|| json!({}));
    params.entry("clientInfo").or_insert_with(|| json!({"name": "unknown", "version": "0"}));
    let version =
        params.entry("protocolVersion").or_insert_with(|| ProtocolVersion::V_2025_11_25.as_str().into());
    version.as_str() == Some(ProtocolVersion::V_2025_03_26.as_str())
}

/// A JSON-RPC error.
#[expect(clippy::unnecessary_box_returns, reason = "every caller returns it as a boxed error")]
fn error(status: StatusCode, id: &Json, code: i32, message: &str, data: Option<Json>) -> Box<Response> {
    let mut fault = json!({"code": code, "message": message});
    if let (Some(data), Json::Object(fault)) = (data, &mut fault) {
        fault.insert("data".to_owned(), data);
    }
    let body = json!({"jsonrpc": "2.0", "id": id, "error": fault}).to_string();
    Box::new((status, [(header::CONTENT_TYPE, "application/json")], body).into_response())
}
