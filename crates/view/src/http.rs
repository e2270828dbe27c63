//! The part of HTTP/1.1 that a page and its data need: requests without bodies, responses of known length.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, Read, Write};

/// Our own requests are much shorter.
const LONGEST_HEAD: usize = 16 * 1024;

/// Headers of every response. Nothing is loaded from elsewhere, nothing may be framed, nothing is cached.
const ALWAYS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; media-src blob:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\n";

/// What a client asks for.
#[derive(Debug, Default)]
pub struct Request {
    pub method: String,
    /// As it was sent: encoded, without the query.
    pub path: String,
    pub query: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// A header. Upper and lower case do not matter.
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

    /// Whether the client wants to send more requests over the same connection.
    pub fn keeps_alive(&self) -> bool {
        !self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }

    /// A request from its text.
    #[cfg(test)]
    pub fn of(text: &str) -> Self {
        read(&mut text.as_bytes()).unwrap()
    }
}

/// Why a request cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// The client has left, or was silent for too long.
    Disconnected,
    /// The request is malformed or too long.
    Refused(Response),
}

/// Reads a request.
pub fn read(stream: &mut impl BufRead) -> Result<Request, ReadError> {
    let head = read_head(stream)?;
    let refused = |status, reason: &str| ReadError::Refused(Response::text(status, reason));
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(&head) {
        Ok(httparse::Status::Complete(_)) => {}
        _ => return Err(refused(400, "this is not HTTP")),
    }
    let target = parsed.path.unwrap_or("/");
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
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

fn read_head(stream: &mut impl BufRead) -> Result<Vec<u8>, ReadError> {
    let mut head = Vec::new();
    loop {
        let left = (LONGEST_HEAD - head.len()) as u64;
        let read = stream.by_ref().take(left).read_until(b'\n', &mut head).map_err(|_| ReadError::Disconnected)?;
        if head.ends_with(b"\r\n\r\n") {
            return Ok(head);
        }
        if head.len() >= LONGEST_HEAD {
            return Err(ReadError::Refused(Response::text(431, "the head of the request is too long")));
        }
        if read == 0 {
            return Err(ReadError::Disconnected);
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
    Bytes(Cow<'static, [u8]>),
    File(File, u64),
}

impl Response {
    fn new(status: u16, kind: &str, body: Body) -> Self {
        Self { status, headers: format!("Content-Type: {kind}\r\n"), body }
    }

    /// A sentence.
    pub fn text(status: u16, sentence: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", Body::Bytes(format!("{sentence}\n").into_bytes().into()))
    }

    /// A JSON value.
    pub fn json(value: &serde_json::Value) -> Self {
        Self::new(200, "application/json", Body::Bytes(value.to_string().into_bytes().into()))
    }

    /// A file of the page.
    pub fn embedded(kind: &str, bytes: &'static [u8]) -> Self {
        Self::new(200, kind, Body::Bytes(bytes.into()))
    }

    /// A file on disk.
    pub fn file(kind: &str, file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self::new(200, kind, Body::File(file, length)))
    }

    /// The response with one more header.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers += &format!("{name}: {value}\r\n");
        self
    }

    /// Bytes of the body.
    pub fn length(&self) -> u64 {
        match &self.body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::File(_, length) => *length,
        }
    }

    /// Sends the response, without the body if the client asked for the head only.
    pub fn send(self, stream: &mut impl Write, head_only: bool) -> io::Result<()> {
        let length = self.length();
        let Self { status, headers, body } = self;
        // Words after the number are optional (RFC 9112, section 4).
        write!(stream, "HTTP/1.1 {status} \r\n{headers}{ALWAYS}Content-Length: {length}\r\n\r\n")?;
        match body {
            _ if head_only => {}
            Body::Bytes(bytes) => stream.write_all(&bytes)?,
            Body::File(file, length) => {
                // If the file has shrunk meanwhile, the connection ends and the client notices.
                let sent = io::copy(&mut file.take(length), stream)?;
                if sent < length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(request: &str) -> Option<u16> {
        match read(&mut request.as_bytes()) {
            Err(ReadError::Refused(response)) => Some(response.status),
            Err(ReadError::Disconnected) => None,
            Ok(request) => panic!("{request:?} was read"),
        }
    }

    #[test]
    fn a_request_is_read_with_its_query_headers_and_cookies() {
        let request = Request::of("GET /a/b?x=1&token=t HTTP/1.1\r\nHOST: here\r\nCookie: a=1; b=2\r\n\r\n");
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/a/b"));
        assert_eq!((request.parameter("token"), request.parameter("toke")), (Some("t"), None));
        assert_eq!((request.header("host"), request.cookie("b"), request.cookie("c")), (Some("here"), Some("2"), None));
        assert!(request.keeps_alive());
        assert!(!Request::of("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n").keeps_alive());
    }

    #[test]
    fn requests_are_read_one_after_the_other() {
        let mut both = "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nContent-Length: 0\r\n\r\n".as_bytes();
        assert_eq!(read(&mut both).unwrap().path, "/1");
        assert_eq!(read(&mut both).unwrap().path, "/2");
        assert!(matches!(read(&mut both), Err(ReadError::Disconnected)));
    }

    #[test]
    fn malformed_and_long_requests_are_refused() {
        assert_eq!(refusal("nonsense\r\n\r\n"), Some(400));
        assert_eq!(refusal("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"), Some(413));
        assert_eq!(refusal("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), Some(413));
        assert_eq!(refusal(&format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(LONGEST_HEAD))), Some(431));
        assert_eq!(refusal(&format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(65))), Some(400));
        assert_eq!(refusal("GET / HTTP/1.1\r\nHost: cut sho"), None);
    }

    #[test]
    fn a_response_says_how_long_it_is_and_may_leave_out_its_body() {
        let sent = |head_only| {
            let mut bytes = Vec::new();
            Response::text(404, "nothing").with("A", "b").send(&mut bytes, head_only).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert!(sent(false).starts_with("HTTP/1.1 404 \r\n") && sent(false).ends_with("\r\n\r\nnothing\n"));
        assert!(sent(true).contains("\r\nA: b\r\n") && sent(true).ends_with("Content-Length: 8\r\n\r\n"));
    }
}
