//! A way to the server that counts how often it is asked.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf, tcp::OwnedWriteHalf},
};

/// A proxy that lives as long as the runtime of its test.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    trips: Arc<AtomicUsize>,
}

impl Proxy {
    /// A proxy in front of this server. The connections through it must not be encrypted.
    pub(crate) async fn to(server: (String, u16)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let trips = Arc::new(AtomicUsize::new(0));
        let counter = trips.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                client.set_nodelay(true).unwrap();
                server.set_nodelay(true).unwrap();
                let (client_reads, mut client_writes) = client.into_split();
                let (mut server_reads, server_writes) = server.into_split();
                tokio::spawn(count(client_reads, server_writes, counter.clone()));
                tokio::spawn(async move { tokio::io::copy(&mut server_reads, &mut client_writes).await });
            }
        });
        Self { address, trips }
    }

    /// How often the server was asked since this was last called.
    pub(crate) fn trips(&self) -> usize {
        self.trips.swap(0, Ordering::SeqCst)
    }
}

/// Passes the messages of a client on. `Sync` and `Query` are those after which it waits for an answer (PostgreSQL, "Message
/// Formats").
async fn count(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, trips: Arc<AtomicUsize>) -> Option<()> {
    let mut startup = vec![0; 4];
    from.read_exact(&mut startup).await.ok()?;
    let rest = u32::from_be_bytes(startup.as_slice().try_into().ok()?) - 4;
    startup.resize(4 + rest as usize, 0);
    from.read_exact(&mut startup[4..]).await.ok()?;
    to.write_all(&startup).await.ok()?;
    loop {
        let mut message = vec![0; 5];
        from.read_exact(&mut message).await.ok()?;
        if matches!(message[0], b'S' | b'Q') {
            trips.fetch_add(1, Ordering::SeqCst);
        }
        let rest = u32::from_be_bytes(message[1..5].try_into().ok()?) - 4;
        message.resize(5 + rest as usize, 0);
        from.read_exact(&mut message[5..]).await.ok()?;
        to.write_all(&message).await.ok()?;
    }
}
