//! Tools over a database under test, called with JSON arguments as clients send them: below MCP, and all of the rest.

use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use toolbox::{
    catalog::{Catalog, Writes},
    config::{self, Choice, Files},
    tool::Preference,
};

use super::Subject;
use crate::support::{Engine, Sql};

/// Tools that are served over one connection, so that what a call leaves behind is noticed by the next.
#[derive(Debug)]
pub(super) struct Tools(Catalog);

/// A tool that runs a statement.
pub(super) fn tool(engine: Engine, statement: Sql, parameters: &Json) -> Json {
    let statement = statement.of(engine).expect("every database has the statement");
    json!({
        "kind": format!("{}-sql", kind(engine)),
        "source": "db",
        "description": "A tool.",
        "statement": statement,
        "parameters": parameters,
    })
}

/// A parameter that must be given.
pub(super) fn parameter(name: &str, kind: &str) -> Json {
    json!({"name": name, "type": kind, "description": "A parameter."})
}

/// A parameter that may be left out.
pub(super) fn optional(name: &str, kind: &str) -> Json {
    json!({"name": name, "type": kind, "description": "A parameter.", "required": false})
}

/// A list whose items have a type.
pub(super) fn list(name: &str, items: &str) -> Json {
    json!({"name": name, "type": "array", "description": "A list.", "items": parameter("item", items)})
}

impl Tools {
    /// Serves tools by name.
    pub(super) fn over<const N: usize>(subject: &Subject, tools: [(&str, Json); N]) -> Self {
        match Self::read(subject, tools) {
            Ok(tools) => tools,
            Err(faults) => panic!("{faults}"),
        }
    }

    /// What the reader of the configuration says against a tool.
    pub(super) fn faults(subject: &Subject, tool: Json) -> String {
        match Self::read(subject, [("tool", tool)]) {
            Ok(tools) => panic!("no fault was found: {tools:?}"),
            Err(faults) => faults,
        }
    }

    fn read<const N: usize>(subject: &Subject, tools: [(&str, Json); N]) -> Result<Self, String> {
        let tools: Map<String, Json> =
            tools.into_iter().map(|(name, tool)| (name.to_owned(), tool)).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("tools.yaml");
        // Every JSON text is YAML.
        let text = json!({"sources": {"db": source(subject)}, "tools": tools}).to_string();
        std::fs::write(&file, text).expect("a file");
        let choice = Choice { files: Files::Named(vec![file]), ignore_unknown_tools: false };
        let config = config::load(&choice, &|_| None).map_err(|faults| faults.to_string())?;
        Catalog::build(config, Writes::AsConfigured).map(Self).map_err(|error| error.to_string())
    }

    /// Calls a tool: its blocks.
    pub(super) async fn call(&self, name: &str, arguments: &Json) -> Vec<String> {
        match self.outcome(name, arguments).await {
            Ok(blocks) => blocks,
            Err(error) => panic!("{name} {arguments}: {error}"),
        }
    }

    /// Calls a tool, which must refuse or fail.
    pub(super) async fn error(&self, name: &str, arguments: &Json) -> String {
        match self.outcome(name, arguments).await {
            Ok(blocks) => panic!("{name} {arguments}: {blocks:?}"),
            Err(error) => error,
        }
    }

    /// Calls a tool.
    pub(super) async fn outcome(&self, name: &str, arguments: &Json) -> Result<Vec<String>, String> {
        let tool = self.0.tool(None, name).expect("the tool");
        let arguments = arguments.as_object().expect("an object");
        let answer = tool.call(arguments, Preference::default(), CancellationToken::new()).await;
        answer.map(|answer| answer.encoded.into_blocks()).map_err(|error| error.to_string())
    }
}

/// How the configuration calls a database.
pub(super) fn kind(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
        Engine::MySql | Engine::MariaDb => "mysql",
    }
}

/// The source in the configuration.
pub(super) fn source(subject: &Subject) -> Json {
    let kind = kind(subject.engine);
    let Some(url) = subject.database.url() else {
        return json!({"kind": kind, "database": subject.database.file(), "maxConnections": 1});
    };
    json!({
        "kind": kind,
        "host": url.host_str(),
        "port": url.port(),
        "database": url.path().trim_start_matches('/'),
        "user": url.username(),
        "password": url.password().unwrap_or_default(),
        "maxConnections": 1,
    })
}
