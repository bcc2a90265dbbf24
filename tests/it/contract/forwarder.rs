//! A network between a source and its server that a test can cut or slow down.

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// A port that leads to a server while the forwarder is open, and refuses connections while it is cut.
#[derive(Debug)]
pub(crate) struct Forwarder {
    port: u16,
    server: String,
    listening: Option<JoinHandle<()>>,
    delay: Arc<Delay>,
}

/// How late the server hears what comes by the oldest connections.
#[derive(Debug, Default)]
struct Delay {
    accepted: AtomicUsize,
    /// How many of them are slow, and how slow.
    slow: Mutex<(usize, Duration)>,
}

impl Delay {
    fn of(&self, number: usize) -> Duration {
        let (slow, delay) = *self.slow.lock().expect("nobody panics here");
        if number < slow { delay } else { Duration::ZERO }
    }
}

impl Forwarder {
    /// A port that nobody listens at, until [`Forwarder::open`].
    pub(crate) async fn cut_off(server: String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        Self { port, server, listening: None, delay: Arc::default() }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) async fn open(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.expect("the port is still free");
        let (server, delay) = (self.server.clone(), self.delay.clone());
        self.listening = Some(tokio::spawn(async move {
            // Dropped with this task, and all connections with it.
            let mut connections = JoinSet::new();
            loop {
                let Ok((client, _)) = listener.accept().await else { return };
                let number = delay.accepted.fetch_add(1, Ordering::SeqCst);
                let (server, delay) = (server.clone(), delay.clone());
                connections.spawn(async move {
                    if let Ok(server) = TcpStream::connect(server).await {
                        // Either side may break off; that is the point.
                        let _ = forward(client, server, &delay, number).await;
                    }
                });
            }
        }));
    }

    /// Lets the server hear what comes by the connections made so far this much later.
    pub(crate) fn slow_down(&self, delay: Duration) {
        let accepted = self.delay.accepted.load(Ordering::SeqCst);
        *self.delay.slow.lock().expect("nobody panics here") = (accepted, delay);
    }

    /// Ends all connections and refuses new ones.
    pub(crate) async fn cut(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.abort();
            // An aborted task is what was asked for.
            let _ = listening.await;
        }
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.abort();
        }
    }
}

async fn forward(client: TcpStream, server: TcpStream, delay: &Delay, number: usize) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let questions = async {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = from_client.read(&mut buffer).await?;
            if read == 0 {
                return to_server.shutdown().await;
            }
            tokio::time::sleep(delay.of(number)).await;
            to_server.write_all(&buffer[..read]).await?;
        }
    };
    let answers = async {
        copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    tokio::try_join!(questions, answers).map(|_| ())
}
