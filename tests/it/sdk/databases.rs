//! The example on each database server: its tools are in `docs/examples`, and client libraries call them.

use std::{
    env, fs,
    process::{Command, Output},
};

use serde_json::json;
use tokio::runtime::Builder;

use crate::support::{Client, Database, Engine, Fresh, Server, Stdio, Workspace, program, repository};

/// The example, served in both encodings from one database.
struct Served {
    json: Server,
    gcf: Server,
    workspace: Workspace,
    /// What the configuration takes from the environment.
    variables: Vec<(String, String)>,
    /// The name of the configuration in the workspace.
    config: String,
    /// The same rows in SQLite.
    expected: Workspace,
}

impl Served {
    fn start(database: &Fresh, engine: Engine) -> Self {
        let kind = if engine == Engine::Postgres { "postgres" } else { "mysql" };
        let config = format!("{kind}.yaml");
        let workspace = Workspace::example();
        fs::copy(repository().join("docs/examples").join(&config), workspace.path().join(&config))
            .expect("the example of this database");
        let url = database.url().expect("a server");
        let port = url.port().map(|port| port.to_string()).unwrap_or_default();
        let values = [
            ("HOST", url.host_str().expect("a host")),
            ("PORT", &port),
            ("DATABASE", url.path().trim_start_matches('/')),
            ("USER", url.username()),
            ("PASSWORD", url.password().unwrap_or_default()),
        ];
        let variables: Vec<(String, String)> = values
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (format!("{}_{name}", kind.to_uppercase()), value.to_owned()))
            .collect();
        let [json, gcf] = ["json", "gcf"].map(|encoding| {
            let mut command = workspace.command();
            command.args(["--config", &config, "--response-encoding", encoding]);
            Server::start(command.envs(variables.iter().cloned()))
        });
        let expected = Workspace::example();
        let mut sqlite = Client::open(Stdio::start(expected.command().arg("--stdio")));
        assert_eq!(sqlite.call("list_instances", &json!({})).rows().len(), 30);
        Self { json, gcf, workspace, variables, config, expected }
    }

    /// Runs the tests of a client library.
    fn run(&self, tests: &mut Command) {
        let fleet = self.expected.path().join("fleet.db");
        let instances = Database::open(&fleet).objects(
            "SELECT json_object('name', name, 'version', version, 'region', region, 'tier', tier, 'state', state,
                                'address', address, 'created', created)
             FROM instances ORDER BY name",
        );
        let file = self.workspace.path().join("instances.json");
        fs::write(&file, serde_json::Value::Array(instances).to_string()).expect("a file");
        let Output { status, stdout, stderr } = tests
            .envs(self.variables.iter().cloned())
            .envs([("TOOLBOX_JSON_URL", self.json.url()), ("TOOLBOX_GCF_URL", self.gcf.url())])
            .env("TOOLBOX_BINARY", program())
            .env("TOOLBOX_CONFIG", &self.config)
            .env("TOOLBOX_FOLDER", self.workspace.path())
            .env("TOOLBOX_EXPECTED_DATABASE", fleet)
            .env("TOOLBOX_EXPECTED_INSTANCES", file)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .expect("what scripts/test prepared");
        println!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(status.success(), "{status}");
    }
}

/// What `scripts/test` prepared under this variable; nothing where the test is left out.
fn prepared(variable: &str, name: &str) -> Option<std::ffi::OsString> {
    let found = env::var_os(variable);
    if found.is_none() {
        let required = env::var("TOOLBOX_TEST_REQUIRE").unwrap_or_default();
        assert!(
            !required.split(',').any(|required| required.trim() == name),
            "{name} is required, and {variable} is not set: run scripts/test"
        );
        println!("skipped: {name} ({variable} is not set; scripts/test sets it)");
    }
    found
}

fn client_libraries_call_the_tools(engine: Engine) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let Some(database) = runtime.block_on(Fresh::create(engine)) else { return };
    let served = Served::start(&database, engine);
    if let Some(python) = prepared("TOOLBOX_TEST_PYTHON", "python-sdk") {
        served.run(
            Command::new(python)
                .args(["-m", "unittest", "discover", "--pattern", "databases.py", "--start-directory"])
                .arg(repository().join("tests/sdk")),
        );
    }
    if let Some(modules) = prepared("TOOLBOX_TEST_NODE_MODULES", "js-sdk") {
        served.run(
            Command::new("node")
                .arg(repository().join("tests/sdk/js/databases.mjs"))
                .env("TOOLBOX_TEST_NODE_MODULES", modules),
        );
    }
    drop(served);
    runtime.block_on(database.remove());
}

#[test]
fn client_libraries_load_and_call_the_tools_on_postgres() {
    client_libraries_call_the_tools(Engine::Postgres);
}

#[test]
fn client_libraries_load_and_call_the_tools_on_mysql() {
    client_libraries_call_the_tools(Engine::MySql);
}

#[test]
fn client_libraries_load_and_call_the_tools_on_mariadb() {
    client_libraries_call_the_tools(Engine::MariaDb);
}
