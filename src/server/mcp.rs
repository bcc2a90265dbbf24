//! The MCP handler: lists tools, calls them, and decides the text that the model sees.
//!
//! A result is made from an [`Encoded`](crate::seam::Encoded) or from a [`ToolError`] and from nothing else, so rows cannot
//! pass by the seam.

mod wish;

use std::{sync::Arc, time::Instant};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
        CustomResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
        MetaObject, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
        ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;

use super::Shared;
use crate::{
    config,
    seam::Encoding,
    tool::{Answer, Preference, Tool, ToolError},
};

/// The server's name, as the peer gives it.
const NAME: &str = "Toolbox";

/// The methods that are served. rmcp takes one whose parameters it cannot read for a method of ours.
const METHODS: [&str; 5] = ["initialize", "ping", "server/discover", "tools/list", "tools/call"];

/// The name of a toolset in the address of a request; absent for all tools.
#[derive(Clone, Debug)]
pub(crate) struct ToolsetName(pub(crate) Option<String>);

/// The handler of one connection, or of one request over HTTP. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Handler {
    shared: Arc<Shared>,
}

impl Handler {
    /// A handler over what the server shares.
    #[must_use]
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The toolset that a request's address names, which must exist.
    fn toolset(&self, context: &RequestContext<RoleServer>) -> Result<Option<String>, ErrorData> {
        let name = context
            .extensions
            .get::<axum::http::request::Parts>()
            .and_then(|parts| parts.extensions.get::<ToolsetName>())
            .and_then(|name| name.0.clone());
        if self.shared.catalog.has_toolset(name.as_deref()) {
            return Ok(name);
        }
        let message = format!("toolset {:?} does not exist", name.unwrap_or_default());
        Err(ErrorData::new(ErrorCode::INVALID_REQUEST, message, None))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        // Said even though it is false: a client SDK takes an empty object for no tools at all.
        if let Some(tools) = &mut capabilities.tools {
            tools.list_changed = Some(false);
        }
        ServerConfig::new(capabilities).with_server_info(Implementation::new(NAME, env!("CARGO_PKG_VERSION")))
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        // What follows in this session is in the version agreed on, not in the one asked for.
        request.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let name = self.toolset(&context)?;
        let toolset = self.shared.catalog.toolset(name.as_deref()).unwrap_or_default();
        let mut result =
            ListToolsResult::with_all_items(toolset.tools.iter().map(|tool| describe(tool)).collect());
        if is_stateless(&context) {
            result.ttl_ms = Some(toolset.caching.ttl_ms);
            result.cache_scope = Some(match toolset.caching.scope {
                config::CacheScope::Public => CacheScope::Public,
                config::CacheScope::Private => CacheScope::Private,
            });
            result.meta = Some(server_info(MetaObject::default()));
        }
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.shared.catalog.tool(None, name).map(|tool| describe(&tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let toolset = self.toolset(&context)?;
        let Some(tool) = self.shared.catalog.tool(toolset.as_deref(), &request.name) else {
            let message = format!("invalid tool name: tool with name {:?} does not exist", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let stateless = is_stateless(&context);
        let preference = Preference {
            call: wish::of_call(request.meta.as_ref(), &context)?,
            otherwise: self.shared.catalog.encoding(toolset.as_deref()).unwrap_or(self.shared.encoding),
            numbers: self.shared.numbers,
        };
        let outcome = self.run(tool, request.arguments.unwrap_or_default(), preference, context.ct).await;
        let mut result = result(outcome);
        if stateless {
            result.meta = Some(server_info(result.meta.unwrap_or_default()));
        }
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if METHODS.contains(&request.method.as_str()) {
            let message =
                format!("the params of {} do not have the form that the protocol gives them", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("invalid method {}", request.method), None))
    }
}

/// Whether a request speaks the protocol of 2026-07-28 or a later one, in which every request stands alone.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Adds who answers, which a stateless protocol says with every result.
fn server_info(mut meta: MetaObject) -> MetaObject {
    let info = json!({"name": NAME, "version": env!("CARGO_PKG_VERSION")});
    meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
    meta
}

impl Handler {
    /// Runs one call in a task of its own, so that a panic in it ends the call and nothing else, and so that the stop of
    /// the server knows of it.
    async fn run(
        &self,
        tool: Arc<Tool>,
        arguments: Map<String, Json>,
        preference: Preference,
        disconnect: CancellationToken,
    ) -> Result<Answer, ToolError> {
        let abort = self.shared.abort.clone();
        let name = tool.name.clone();
        let started = Instant::now();
        let cancel = disconnect.child_token();
        // When this future is dropped, the client is gone, and the statement must stop.
        let _stop_when_dropped = cancel.clone().drop_guard();
        let call = self.shared.calls.spawn(async move {
            let mut call = std::pin::pin!(tool.call(&arguments, preference, cancel.clone()));
            tokio::select! {
                outcome = &mut call => outcome,
                () = abort.cancelled() => {
                    cancel.cancel();
                    call.await
                }
            }
        });
        let outcome = call.await.unwrap_or_else(|panic| {
            tracing::error!(tool = name, %panic, "a call failed inside the toolbox");
            Err(ToolError::Internal)
        });
        log(&name, started, &outcome);
        outcome
    }
}

fn log(tool: &str, started: Instant, outcome: &Result<Answer, ToolError>) {
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    match outcome {
        Ok(answer) => tracing::info!(
            tool,
            duration_ms,
            encoding = answer.encoded.encoding().name(),
            bytes = answer.encoded.bytes(),
            truncated = answer.encoded.truncated().is_some(),
            "tool called"
        ),
        Err(error) => tracing::info!(tool, duration_ms, error = error.kind(), "tool call refused or failed"),
    }
}

/// A tool as `tools/list` shows it.
fn describe(tool: &Tool) -> rmcp::model::Tool {
    let mut described =
        rmcp::model::Tool::new(tool.name.clone(), tool.description.clone(), tool.input_schema.clone());
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = tool.annotations.read_only;
    annotations.destructive_hint = tool.annotations.destructive;
    annotations.idempotent_hint = tool.annotations.idempotent;
    annotations.open_world_hint = tool.annotations.open_world;
    described.annotations = Some(annotations);
    described
}

/// The result of a call as MCP carries it.
fn result(outcome: Result<Answer, ToolError>) -> CallToolResult {
    let answer = match outcome {
        Ok(answer) => answer,
        Err(error) => return CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    };
    let mut meta = MetaObject::default();
    if answer.wish != Encoding::Json {
        meta.insert(
            "toolbox/encoding".to_owned(),
            json!({
                "name": answer.encoded.encoding().name(),
                "bytes": answer.encoded.bytes(),
                "jsonBytes": answer.encoded.json_bytes(),
            }),
        );
    }
    if let Some(truncated) = answer.encoded.truncated() {
        meta.insert("toolbox/truncated".to_owned(), json!({"rows": truncated.rows, "hint": truncated.hint}));
    }
    if !answer.ignored.is_empty() {
        meta.insert("toolbox/ignoredArguments".to_owned(), json!(answer.ignored));
    }
    let blocks = answer.encoded.into_blocks().into_iter().map(ContentBlock::text).collect();
    let mut result = CallToolResult::success(blocks);
    result.is_error = None;
    result.with_meta((!meta.is_empty()).then_some(meta))
}
