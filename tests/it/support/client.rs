//! MCP as a client speaks it, on any transport.

use serde_json::{Map, Value as Json, json};

/// A way for one message to reach the program, and for its answer to come back.
pub(crate) trait Transport {
    /// Sends a request and gives the response to it.
    fn exchange(&mut self, request: &Json) -> Json;

    /// Sends a notification, to which nothing answers.
    fn notify(&mut self, notification: &Json);
}

/// A session.
pub(crate) struct Client {
    transport: Box<dyn Transport>,
    requests: u64,
}

/// The result of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// The text blocks, in order.
    pub(crate) blocks: Vec<String>,
    /// `isError`.
    pub(crate) is_error: bool,
    /// `_meta`; an empty object where there is none.
    pub(crate) meta: Json,
}

impl Client {
    /// Opens a session as the specification of 2025-11-25 says.
    pub(crate) fn open(transport: impl Transport + 'static) -> Self {
        let mut client = Self { transport: Box::new(transport), requests: 0 };
        let hello = client
            .request(
                "initialize",
                &json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "tests", "version": "1"},
                }),
            )
            .expect("the server takes part");
        assert_eq!(hello["protocolVersion"], "2025-11-25");
        client.transport.notify(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// Sends a request: its result, or the JSON-RPC error.
    pub(crate) fn request(&mut self, method: &str, params: &Json) -> Result<Json, Json> {
        self.requests += 1;
        let id = json!(self.requests);
        let mut response =
            self.transport.exchange(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        assert_eq!(response["jsonrpc"], "2.0", "{response}");
        assert_eq!(response["id"], id, "{response}");
        match response.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(response["result"].take()),
        }
    }

    /// The tools as listed, in order.
    pub(crate) fn tools(&mut self) -> Vec<Json> {
        let mut list = self.request("tools/list", &json!({})).expect("a list of tools");
        assert_eq!(list.get("nextCursor"), None, "clients of the toolbox read one page only");
        match list["tools"].take() {
            Json::Array(tools) => tools,
            other => panic!("tools is no list: {other}"),
        }
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Json) -> Answer {
        let result = self
            .request("tools/call", &json!({"name": tool, "arguments": arguments}))
            .unwrap_or_else(|error| panic!("{tool}: {error}"));
        let content =
            result["content"].as_array().unwrap_or_else(|| panic!("{tool}: no content in {result}"));
        let blocks = content
            .iter()
            .map(|block| {
                assert_eq!(block["type"], "text", "{tool}: {block}");
                block["text"].as_str().expect("text").to_owned()
            })
            .collect();
        Answer {
            blocks,
            is_error: result["isError"].as_bool().unwrap_or(false),
            meta: result.get("_meta").cloned().unwrap_or_else(|| Json::Object(Map::new())),
        }
    }
}

impl Answer {
    /// The rows of an answer in JSON, one a block; panics where the tool reported an error.
    pub(crate) fn rows(&self) -> Vec<Json> {
        assert!(!self.is_error, "{:?}", self.blocks);
        self.blocks
            .iter()
            .map(|block| serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}")))
            .collect()
    }
}
