//! As much of HTTP/1.1 as a page and its data need: requests without bodies, responses of known length.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// No request of ours comes near this.
const LONGEST_HEAD: usize = 16 * 1024;

/// Sent with everything: nothing is loaded from elsewhere, nothing may be framed, nothing is kept.
const ALWAYS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; media-src blob:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\n";

/// What a client asks for.
#[derive(Debug, Default)]
pub struct Request {
    pub method: String,
    /// As it was sent, still encoded, without the query.
    pub path: String,
    pub query: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// A header by its name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// A value of the query, not decoded.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    /// A cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.header("cookie")?.split(';');
        cookies.map(str::trim).find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    /// Whether the client wants to go on over the same connection.
    pub fn keeps_alive(&self) -> bool {
        !self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// Why a request cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    /// The client is gone, or was silent for too long.
    Gone,
    /// What came makes no sense, or is too much.
    Refused(Response),
}

/// Reads a request.
pub fn read(stream: &mut BufReader<TcpStream>) -> Result<Request, Unreadable> {
    let head = read_head(stream)?;
    let refused = |status, reason: &str| Unreadable::Refused(Response::text(status, reason));
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(&head) {
        Ok(httparse::Status::Complete(_)) => {}
        _ => return Err(refused(400, "this is not HTTP")),
    }
    let (path, query) = parsed.path.unwrap_or("/").split_once('?').unwrap_or((parsed.path.unwrap_or("/"), ""));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let request = Request {
        method: parsed.method.unwrap_or_default().into(),
        path: path.into(),
        query: query.into(),
        headers: parsed.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect(),
    };
    let has_body = request.header("transfer-encoding").is_some()
        || request.header("content-length").is_some_and(|length| length.trim() != "0");
    if has_body { Err(refused(413, "requests have no bodies here")) } else { Ok(request) }
}

fn read_head(stream: &mut BufReader<TcpStream>) -> Result<Vec<u8>, Unreadable> {
    let mut head = Vec::new();
    loop {
        let left = (LONGEST_HEAD - head.len()) as u64;
        let read = stream.by_ref().take(left).read_until(b'\n', &mut head).map_err(|_| Unreadable::Gone)?;
        if head.ends_with(b"\r\n\r\n") {
            return Ok(head);
        }
        if head.len() >= LONGEST_HEAD {
            return Err(Unreadable::Refused(Response::text(431, "the head of the request is too long")));
        }
        if read == 0 {
            return Err(Unreadable::Gone);
        }
    }
}

/// What is sent back.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    headers: String,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Bytes(Vec<u8>),
    Embedded(&'static [u8]),
    File(File, u64),
}

impl Response {
    fn new(status: u16, kind: &str, body: Body) -> Self {
        Self { status, headers: format!("Content-Type: {kind}\r\n"), body }
    }

    /// A sentence for people.
    pub fn text(status: u16, sentence: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", Body::Bytes(format!("{sentence}\n").into_bytes()))
    }

    /// An object.
    pub fn json(value: &serde_json::Value) -> Self {
        Self::new(200, "application/json", Body::Bytes(value.to_string().into_bytes()))
    }

    /// A part of the page.
    pub fn embedded(kind: &str, bytes: &'static [u8]) -> Self {
        Self::new(200, kind, Body::Embedded(bytes))
    }

    /// A file.
    pub fn file(kind: &str, file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self::new(200, kind, Body::File(file, length)))
    }

    /// The same with one more header.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers += &format!("{name}: {value}\r\n");
        self
    }

    /// Sends it; without the body if only the head was asked for.
    pub fn send(self, stream: &mut impl Write, head_only: bool) -> io::Result<()> {
        let Self { status, headers, body } = self;
        let length = match &body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::Embedded(bytes) => bytes.len() as u64,
            Body::File(_, length) => *length,
        };
        let reason = reason(status);
        write!(stream, "HTTP/1.1 {status} {reason}\r\n{headers}{ALWAYS}Content-Length: {length}\r\n\r\n")?;
        match body {
            _ if head_only => {}
            Body::Bytes(bytes) => stream.write_all(&bytes)?,
            Body::Embedded(bytes) => stream.write_all(bytes)?,
            Body::File(file, length) => {
                // A file that shrinks meanwhile ends the connection, which the client notices.
                let sent = io::copy(&mut file.take(length), stream)?;
                if sent < length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        stream.flush()
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
