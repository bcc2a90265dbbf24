//! A network between a source and its server that a test can cut.

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// A port that leads to a server while the forwarder is open, and refuses connections while it is cut.
#[derive(Debug)]
pub(crate) struct Forwarder {
    port: u16,
    server: String,
    listening: Option<JoinHandle<()>>,
}

impl Forwarder {
    /// A port that nobody listens at, until [`Forwarder::open`].
    pub(crate) async fn cut_off(server: String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        Self { port, server, listening: None }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) async fn open(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.expect("the port is still free");
        let server = self.server.clone();
        self.listening = Some(tokio::spawn(async move {
            // Dropped with this task, and all connections with it.
            let mut connections = JoinSet::new();
            loop {
                let Ok((mut client, _)) = listener.accept().await else { return };
                let server = server.clone();
                connections.spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(server).await {
                        // Either side may break off; that is the point.
                        let _ = copy_bidirectional(&mut client, &mut server).await;
                    }
                });
            }
        }));
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
