//! A network between a source and its server that writes down what the server is asked.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};
use toolbox_mysql::{MySql, Options};

use crate::support::Database;

/// A port that leads to a server. It must outlive what is asked through it.
pub(crate) struct Wiretap {
    port: u16,
    heard: Arc<Mutex<Vec<String>>>,
    /// Words at which a statement is held back; none for none.
    held: watch::Sender<Option<&'static str>>,
    _connections: JoinSet<()>,
}

impl Wiretap {
    pub(crate) async fn new(database: &Database) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let held = watch::Sender::new(None);
        let (options, kept, holding) = (database.options(), heard.clone(), held.subscribe());
        let mut accepting = JoinSet::new();
        accepting.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect((options.host.as_str(), options.port)).await.unwrap();
                let (kept, holding) = (kept.clone(), holding.clone());
                connections.spawn(async move {
                    // Either side may break off.
                    let _ = forward(client, server, &kept, holding).await;
                });
            }
        });
        Self { port, heard, held, _connections: accepting }
    }

    pub(crate) fn source(&self, database: &Database, max_connections: usize) -> MySql {
        let options =
            Options { host: "127.0.0.1".to_owned(), port: self.port, max_connections, ..database.options() };
        MySql::open("test", options).unwrap()
    }

    /// Holds back each statement that begins with these words, until there are none.
    pub(crate) fn hold(&self, words: Option<&'static str>) {
        self.held.send_replace(words);
    }

    /// Waits until the server is asked something that begins with these words.
    pub(crate) async fn hears(&self, words: &str) {
        while !self.heard.lock().unwrap().iter().any(|said| said.starts_with(words)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// What the server was asked since the last look: texts of statements, `prepare` before those that are prepared, and
    /// `execute` for each that then runs.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.heard.lock().unwrap())
    }
}

async fn forward(
    client: TcpStream,
    server: TcpStream,
    heard: &Mutex<Vec<String>>,
    mut holding: watch::Receiver<Option<&'static str>>,
) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let questions = async {
        loop {
            // A packet: its length (3 bytes, the least significant first), its number, and what it holds.
            let mut header = [0; 4];
            from_client.read_exact(&mut header).await?;
            let length = u32::from_le_bytes([header[0], header[1], header[2], 0]);
            let mut held = vec![0; usize::try_from(length).unwrap()];
            from_client.read_exact(&mut held).await?;
            // The first of a conversation is a command.
            if header[3] == 0 {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
                let said = match held[0] {
                    0x03 => text(&held[1..]),
                    0x16 => format!("prepare {}", text(&held[1..])),
                    0x17 => "execute".to_owned(),
                    _ => String::new(),
                };
                if !said.is_empty() {
                    heard.lock().unwrap().push(said.clone());
                    holding
                        .wait_for(|words| words.is_none_or(|words| !said.starts_with(words)))
                        .await
                        .map_err(io::Error::other)?;
                }
            }
            to_server.write_all(&header).await?;
            to_server.write_all(&held).await?;
        }
    };
    let answers = async {
        copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    tokio::select! {
        ended = questions => ended,
        ended = answers => ended,
    }
}
