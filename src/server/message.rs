//! A client's message, looked at before rmcp reads it.
//!
//! rmcp reads only what its types describe: an `initialize` without `clientInfo` is an unknown method to it, and what is no
//! request gets a plain text or no answer. Here such messages get a JSON-RPC error with the right id, and what client SDKs
//! leave out is filled in. Both transports use this; it must not know HTTP or standard input.

mod survey;

use std::fmt;

use rmcp::model::ProtocolVersion;
use serde_json::{Map, Value as Json, json};

use survey::survey;

/// A message that is well-formed JSON-RPC.
#[derive(Debug)]
pub(super) enum Message {
    /// It wants an answer.
    Request(Request),
    /// It wants none, and neither does a message whose id is null.
    Notification,
    /// The answer to a request that we never send.
    Response,
}

/// A request, not yet looked into.
#[derive(Debug)]
pub(super) struct Request {
    /// A string or an integer of 64 bits.
    pub(super) id: Json,
    /// What is asked for.
    pub(super) method: String,
    message: Map<String, Json>,
}

/// The JSON-RPC error that answers a message. It has the id of the message, or null where there is none to echo.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The code of JSON-RPC or MCP.
    pub(super) code: i32,
    text: String,
}

impl Refusal {
    pub(super) fn new(id: &Json, code: i32, message: &str) -> Self {
        Self::of(id, code, &json!({"code": code, "message": message}))
    }

    pub(super) fn with_data(id: &Json, code: i32, message: &str, data: &Json) -> Self {
        Self::of(id, code, &json!({"code": code, "message": message, "data": data}))
    }

    fn of(id: &Json, code: i32, error: &Json) -> Self {
        Self { code, text: json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string() }
    }
}

/// The JSON-RPC message.
impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Message {
    /// Reads a message as far as its kind.
    ///
    /// # Errors
    ///
    /// -32700 for what is no JSON, -32600 for what is no JSON-RPC or has too many values, -32601 for a request without a method.
    pub(super) fn read(text: &[u8]) -> Result<Self, Refusal> {
        survey(text).map_err(|fault| {
            // What is JSON, and yet not to be read, is no request.
            let (code, what) =
                if fault.is_data() { (-32600, "invalid request") } else { (-32700, "parse error") };
            Refusal::new(&Json::Null, code, &format!("{what}: {fault}"))
        })?;
        let message: Json = serde_json::from_slice(text)
            .map_err(|fault| Refusal::new(&Json::Null, -32700, &format!("parse error: {fault}")))?;
        let message = match message {
            Json::Object(message) => message,
            Json::Array(_) => {
                return Err(Refusal::new(&Json::Null, -32600, "not supporting batch requests"));
            }
            _ => return Err(Refusal::new(&Json::Null, -32600, "a request is a JSON object")),
        };
        let id = match message.get("id") {
            None => Json::Null,
            Some(id @ (Json::Null | Json::String(_))) => id.clone(),
            Some(id @ Json::Number(number)) if number.is_i64() => id.clone(),
            Some(_) => {
                return Err(Refusal::new(&Json::Null, -32600, "an id is a string or an integer of 64 bits"));
            }
        };
        if message.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            let text = "invalid json-rpc version: \"jsonrpc\" must be \"2.0\"";
            return Err(Refusal::new(&id, -32600, text));
        }
        let Some(method) = message.get("method").and_then(Json::as_str).map(str::to_owned) else {
            if message.contains_key("result") || message.contains_key("error") {
                return Ok(Self::Response);
            }
            return Err(Refusal::new(&id, -32601, "method not found: a request has a \"method\""));
        };
        if id.is_null() {
            return Ok(Self::Notification);
        }
        Ok(Self::Request(Request { id, method, message }))
    }
}

impl Request {
    /// Checks the parameters so far as rmcp would misread them, and fills in what an `initialize` may lack. Gives the new
    /// text if it had to change, and otherwise nothing.
    ///
    /// # Errors
    ///
    /// -32602 with what is wrong.
    pub(super) fn complete(mut self) -> Result<Option<Vec<u8>>, Refusal> {
        let id = self.id;
        let invalid = |text: &str| Refusal::new(&id, -32602, text);
        let null = self.message.get("params").is_some_and(Json::is_null);
        if null {
            self.message.remove("params");
        }
        let initialize = self.method == "initialize";
        if initialize {
            self.message.entry("params").or_insert_with(|| json!({}));
        }
        let params = match self.message.get_mut("params") {
            None => None,
            Some(Json::Object(params)) => Some(params),
            Some(_) => return Err(invalid("params must be an object")),
        };
        if params.as_ref().and_then(|params| params.get("_meta")).is_some_and(|meta| !meta.is_object()) {
            return Err(invalid("_meta must be an object"));
        }
        match (self.method.as_str(), params) {
            ("tools/call", params) => check_call(params).map_err(invalid)?,
            ("initialize", Some(params)) => complete(params),
            _ => {}
        }
        if !null && !initialize {
            return Ok(None);
        }
        let text = serde_json::to_vec(&self.message).map_err(|fault| invalid(&fault.to_string()))?;
        Ok(Some(text))
    }

    /// Whether the answer needs a session id: an `initialize` of the protocol of 2025-03-26.
    pub(super) fn wants_session_id(&self) -> bool {
        let version = self.message.get("params").and_then(|params| params.get("protocolVersion"));
        self.method == "initialize"
            && version.and_then(Json::as_str) == Some(ProtocolVersion::V_2025_03_26.as_str())
    }
}

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

/// The members without which rmcp knows no `initialize`.
fn complete(params: &mut Map<String, Json>) {
    params.entry("capabilities").or_insert_with(|| json!({}));
    params.entry("clientInfo").or_insert_with(|| json!({"name": "unknown", "version": "0"}));
    params.entry("protocolVersion").or_insert_with(|| ProtocolVersion::V_2025_11_25.as_str().into());
}
