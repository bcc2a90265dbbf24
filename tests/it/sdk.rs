//! Official client libraries work unchanged: `toolbox-core` and `mcp` for Python and `@toolbox-sdk/core` for JavaScript, in
//! `tests/sdk`.
//!
//! `scripts/test` installs them and names their Python in `TOOLBOX_TEST_PYTHON`. Without it the test is left out, which
//! `scripts/test` says by name; `TOOLBOX_TEST_REQUIRE=python-sdk` makes that a failure.

mod databases;

use std::{
    env,
    process::{Command, Output},
};

use crate::support::{Server, Workspace, program, repository};

/// The word for these tests in `TOOLBOX_TEST_REQUIRE`.
const NAME: &str = "python-sdk";

#[test]
fn python_client_libraries_load_and_call_the_tools_unchanged() {
    let Some(python) = env::var_os("TOOLBOX_TEST_PYTHON") else {
        let required = env::var("TOOLBOX_TEST_REQUIRE").unwrap_or_default();
        assert!(
            !required.split(',').any(|name| name.trim() == NAME),
            "{NAME} is required, and TOOLBOX_TEST_PYTHON names no Python: run scripts/test"
        );
        println!("skipped: {NAME} (TOOLBOX_TEST_PYTHON is not set; scripts/test sets it)");
        return;
    };
    let [json, gcf] = ["json", "gcf"].map(|encoding| {
        let workspace = Workspace::example();
        let server = Server::start(workspace.command().args(["--response-encoding", encoding]));
        (workspace, server)
    });
    let stdio = Workspace::example();
    let Output { status, stdout, stderr } = Command::new(python)
        .args(["-m", "unittest", "discover", "--start-directory"])
        .arg(repository().join("tests/sdk"))
        .env("TOOLBOX_BINARY", program())
        .env("TOOLBOX_STDIO_FOLDER", stdio.path())
        .envs([("TOOLBOX_JSON_URL", json.1.url()), ("TOOLBOX_GCF_URL", gcf.1.url())])
        .envs(
            [("TOOLBOX_JSON_DATABASE", &json.0), ("TOOLBOX_GCF_DATABASE", &gcf.0)]
                .map(|(name, workspace)| (name, workspace.path().join("fleet.db"))),
        )
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("the Python that scripts/test prepared");
    println!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{status}");
}
