//! What needs a server of its own: TLS, and a restart between two calls. The server is started from the programs of PostgreSQL
//! on this machine; without them (or without `openssl`) a test says so and passes.

use std::{
    env, fs,
    os::unix::{fs::chown, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use toolbox_postgres::{Options, Postgres};
use toolbox_source::{Source as _, SourceError, Value};

use crate::support::{ask, text};

/// The user and the group `nobody`: the server does not run as root.
const NOBODY: u32 = 65_534;

/// A server in a folder of its own, stopped and removed at the end.
struct Private {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
}

impl Private {
    /// A new server that takes passwords, from everywhere on this machine or over TLS only.
    fn start(name: &str, tls: bool) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: no programs of PostgreSQL (initdb, pg_ctl) are on this machine");
            return None;
        };
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = env::temp_dir().join(format!("toolbox_pg_{name}_{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("password"), "secret horse").unwrap();
        let server = Self { programs, folder, port };
        server.give(&server.folder);
        server.run(
            "initdb",
            &[
                "-D",
                "data",
                "-U",
                "owner",
                "-A",
                "scram-sha-256",
                "--pwfile=password",
                "-N",
                "-E",
                "UTF8",
                "--locale=C",
            ],
        );
        let mut settings = format!(
            "port = {port}\nlisten_addresses = 'localhost, 127.0.0.1'\nunix_socket_directories = ''\nfsync = off\n"
        );
        if tls {
            if !server.certify() {
                eprintln!("skipped: openssl is not on this machine");
                return None;
            }
            settings.push_str("ssl = on\nssl_cert_file = '../server.crt'\nssl_key_file = '../server.key'\n");
            fs::write(server.folder.join("data/pg_hba.conf"), "hostssl all all all scram-sha-256\n").unwrap();
        }
        let path = server.folder.join("data/postgresql.conf");
        fs::write(&path, fs::read_to_string(&path).unwrap() + &settings).unwrap();
        server.control(&["start"]);
        Some(server)
    }

    /// Makes the certificate of an authority, one of the server for `localhost`, and one of an authority that signs nothing.
    fn certify(&self) -> bool {
        let requests = [
            "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ca",
            "req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.crt -days 2 -subj /CN=other",
            "req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost",
            "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out server.crt -extfile names",
        ];
        fs::write(self.folder.join("names"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
            .unwrap();
        let made = requests.iter().all(|request| {
            let mut openssl = Command::new("openssl");
            openssl.args(request.split(' ')).current_dir(&self.folder);
            openssl.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        });
        for file in ["server.key", "server.crt"] {
            self.give(&self.folder.join(file));
        }
        made
    }

    /// Hands a file to the user of the server.
    fn give(&self, path: &Path) {
        assert!(path.starts_with(&self.folder));
        if is_root() {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    fn control(&self, arguments: &[&str]) {
        let all = [&["-D", "data", "-l", "log", "-w", "-s"], arguments].concat();
        self.run("pg_ctl", &all);
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(self.programs.join(program));
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::null());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        assert!(command.status().unwrap().success(), "{program} {arguments:?}");
    }

    fn options(&self, params: &[(&str, &str)]) -> Options {
        Options {
            host: "localhost".to_owned(),
            port: self.port,
            database: "postgres".to_owned(),
            user: "owner".to_owned(),
            password: "secret horse".into(),
            query_params: params
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            connect_timeout: None,
            statement_timeout: None,
            migrations: None,
            read_only: false,
            max_connections: 4,
            acquire_timeout: Duration::from_secs(10),
        }
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if self.folder.join("data/postmaster.pid").exists() {
            self.control(&["stop", "-m", "immediate"]);
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// Where `initdb` and `pg_ctl` are: on the path, or where Debian puts them, the newest version first.
fn programs() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let mut versions: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .collect();
    versions.sort();
    folders.extend(versions.into_iter().rev());
    folders.into_iter().find(|folder| folder.join("initdb").is_file() && folder.join("pg_ctl").is_file())
}

#[tokio::test]
async fn tls_is_used_and_verified_as_sslmode_says() {
    let Some(server) = Private::start("tls", true) else { return };
    let path = |file: &str| server.folder.join(file).to_str().unwrap().to_owned();
    let (authority, other) = (path("ca.crt"), path("other.crt"));
    let encrypted =
        "SELECT ssl, version IN ('TLSv1.2', 'TLSv1.3') FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let accepted: [&[(&str, &str)]; 6] = [
        &[],
        &[("sslmode", "allow")],
        &[("sslmode", "prefer")],
        &[("sslmode", "require")],
        &[("sslmode", "verify-ca"), ("sslrootcert", &authority)],
        &[("sslmode", "verify-full"), ("sslrootcert", &authority)],
    ];
    for params in accepted {
        let source = Postgres::open("test", server.options(params)).unwrap();
        assert_eq!(
            ask(encrypted).rows(&source).await,
            [[Value::Bool(true), Value::Bool(true)]],
            "{params:?}"
        );
        source.close().await;
    }
    // The certificate names localhost, not its address.
    let by_address = Options {
        host: "127.0.0.1".to_owned(),
        ..server.options(&[("sslmode", "verify-ca"), ("sslrootcert", &authority)])
    };
    assert!(Postgres::open("test", by_address).unwrap().ping().await.is_ok());
    let full = server.options(&[("sslmode", "verify-full"), ("sslrootcert", &authority)]);
    let refused = [
        (Options { host: "127.0.0.1".to_owned(), ..full.clone() }, "certificate"),
        (server.options(&[("sslmode", "verify-ca"), ("sslrootcert", &other)]), "certificate"),
        (server.options(&[("sslmode", "verify-full"), ("sslrootcert", &other)]), "certificate"),
        (server.options(&[("sslmode", "verify-full")]), "certificate"),
        (server.options(&[("sslmode", "verify-ca"), ("sslrootcert", "/no/such/file")]), "no such"),
        (
            server.options(&[("sslmode", "disable")]),
            "takes no connection without TLS here; set sslmode to require",
        ),
    ];
    for (options, words) in refused {
        let (params, host) = (options.query_params.clone(), options.host.clone());
        let error = Postgres::open("test", options).unwrap().ping().await.unwrap_err();
        assert!(matches!(error, SourceError::Connect(_)), "{params:?}: {error:?}");
        let said = error.to_string();
        assert!(said.contains(words), "{params:?}: {said}");
        assert!(
            !said.contains(&host) && !said.contains("owner") && !said.contains("horse"),
            "{params:?}: {said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_between_two_calls_is_not_seen_and_no_write_is_sent_twice() {
    let Some(server) = Private::start("restart", false) else { return };
    let source = Postgres::open("test", server.options(&[])).unwrap();
    ask("CREATE TABLE t (a int)").done(&source).await;
    for (round, mode) in [(1, "fast"), (2, "immediate")] {
        // Several idle sessions of both lanes, all of which die.
        futures::future::join_all((0..3).map(|_| ask("SELECT pg_sleep(0.05)").answer(&source))).await;
        ask("SELECT 1").reading().rows(&source).await;
        server.control(&["restart", "-m", mode]);
        assert_eq!(ask("SELECT 1").reading().cell(&source).await, Value::Int(1), "{mode}");
        assert_eq!(ask("SELECT 2").by_the_model().reading().cell(&source).await, Value::Int(2), "{mode}");
        // The read-write lane has still to find out; a write is checked before it is sent.
        tokio::time::sleep(Duration::from_millis(1100)).await;
        assert_eq!(ask("INSERT INTO t VALUES (1)").done(&source).await.rows_affected, Some(1), "{mode}");
        assert_eq!(ask("SELECT count(*) FROM t").cell(&source).await, Value::Int(round), "{mode}");
    }
    // Right after the restart, a write finds a dead session, and nobody knows that it never arrived: it is an error, or it
    // has run once.
    ask("SELECT 1").rows(&source).await;
    server.control(&["restart", "-m", "immediate"]);
    let written = ask("INSERT INTO t VALUES (7)").answer(&source).await;
    let count = ask("SELECT count(*) FROM t WHERE a = 7").reading().cell(&source).await;
    match written {
        Ok(_) => assert_eq!(count, Value::Int(1)),
        Err(error) => {
            assert!(matches!(error, SourceError::OutcomeUnknown(_) | SourceError::Database(_)), "{error:?}");
        }
    }
    assert!(matches!(count, Value::Int(0 | 1)), "{count:?}");
    // A write that is running when the server stops.
    let running = ask("INSERT INTO t SELECT 9 FROM (SELECT pg_sleep(30)) AS s").answer(&source);
    let (ended, ()) = tokio::join!(running, async {
        let runs =
            "SELECT count(*) = 2 FROM pg_stat_activity WHERE state = 'active' AND query ~ 'pg_sleep.30'";
        while ask(runs).reading().cell(&source).await == Value::Bool(false) {}
        server.control(&["stop", "-m", "immediate"]);
    });
    let error = ended.unwrap_err();
    assert!(!error.to_string().contains("owner"), "{error}");
    let error = ask("SELECT 1").reading().answer(&source).await.unwrap_err();
    assert!(matches!(error, SourceError::Connect(_)), "{error:?}");
    server.control(&["start"]);
    assert_eq!(ask("SELECT count(*) FROM t WHERE a = 9").reading().cell(&source).await, Value::Int(0));
    assert_eq!(ask("SHOW TimeZone").reading().cell(&source).await, text("UTC"));
    source.close().await;
}
