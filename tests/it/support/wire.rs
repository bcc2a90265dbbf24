//! HTTP byte by byte, for requests that no decent client sends.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value as Json;

/// A wait that only a hanging program reaches.
const PATIENCE: Duration = Duration::from_mins(1);

/// A request that says what it is told to say, and nothing else but its length.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    /// A method and a path.
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self { line: format!("{method} {path} HTTP/1.1"), headers: Vec::new(), body: Vec::new() }
    }

    /// A JSON-RPC message, posted as the client SDKs do.
    #[expect(clippy::needless_pass_by_value, reason = "callers hand over what they just made")]
    pub(crate) fn post(path: &str, body: impl ToString) -> Self {
        Self::new("POST", path).header("Content-Type", "application/json").body(body.to_string())
    }

    /// Adds a header, or replaces it.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a body.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it, under the server's own name where it names no other host, and leaves the answer unread.
    pub(crate) fn begin(&self, authority: &str) -> TcpStream {
        let mut stream = TcpStream::connect(authority).expect("a server");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let own = [
            ("Connection", "close".to_owned()),
            ("Content-Length", self.body.len().to_string()),
            ("Host", authority.to_owned()),
        ];
        let named = |name: &str| self.headers.iter().any(|(known, _)| known == name);
        let own =
            own.into_iter().filter(|(name, _)| !named(name)).map(|(name, value)| (name.to_owned(), value));
        let headers =
            own.chain(self.headers.iter().cloned()).map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = format!("{}\r\n{}\r\n", self.line, headers.collect::<Vec<_>>().concat());
        // A server that refuses need not read on.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&self.body));
        stream
    }

    /// Sends it and reads the answer.
    pub(crate) fn send(&self, authority: &str) -> Response {
        Response::read(self.begin(authority))
    }
}

impl Response {
    /// Reads an answer to its end.
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A server that did not read all of the request resets the connection after its answer.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).expect("text");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
        let headers = lines
            .map(|line| line.split_once(": ").expect("a header"))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        Self { status: status.parse().expect("a status"), headers, body: body.to_owned() }
    }

    /// A header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON, which its type must say.
    pub(crate) fn json(&self) -> Json {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
