//! The server: one thread per connection, a limited number of connections.

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::access::Access;
use crate::deadline::{Deadline, Timed};
use crate::error::ViewError;
use crate::http::{self, ReadError, Response};
use crate::library::Library;
use crate::{routes, watch};

/// Connections at the same time. A browser opens six.
const MOST_CONNECTIONS: usize = 64;

/// A client has this long to send a request, the wait for its first byte included.
const FOR_REQUEST: Duration = Duration::from_secs(5);

/// A client has this long to take an answer, and longer for a long one: a second for so many bytes.
const FOR_ANSWER: Duration = Duration::from_secs(20);
const SLOWEST: u64 = 32 * 1024;

/// What to show, and to whom.
#[derive(Clone, Debug)]
pub struct Options {
    /// Run folders; none to show only the sandbox.
    pub folders: Vec<PathBuf>,
    /// The address to listen at. Default loopback; any other needs a token.
    pub address: IpAddr,
    /// The port; 0 takes any that is free. Default 8642.
    pub port: u16,
    /// The token that clients must show.
    pub token: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { folders: Vec::new(), address: Ipv4Addr::LOCALHOST.into(), port: 8642, token: None }
    }
}

/// A server that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    local: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    library: Library,
    access: Access,
    connections: AtomicUsize,
}

impl Server {
    /// Checks the options, reads the run folders and listens.
    pub fn bind(options: &Options) -> Result<Self, ViewError> {
        let address = SocketAddr::new(options.address, options.port);
        match &options.token {
            Some(token) if !Access::is_token(token) => return Err(ViewError::Token(token.len())),
            None if !options.address.is_loopback() => return Err(ViewError::NeedsToken(address)),
            _ => {}
        }
        let library = Library::open(&options.folders)?;
        let failed = |source| ViewError::Bind { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        let access = Access { token: options.token.clone() };
        Ok(Self { listener, local, shared: Arc::new(Shared { library, access, connections: AtomicUsize::new(0) }) })
    }

    /// The address to open, with the token.
    pub fn url(&self) -> String {
        let token = self.shared.access.token.as_ref().map(|token| format!("?token={token}"));
        format!("http://{}/{}", self.local, token.unwrap_or_default())
    }

    /// Answers clients until the process ends.
    pub fn serve(self) {
        for stream in self.listener.incoming().flatten() {
            let shared = self.shared.clone();
            if shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                let _ = Response::text(503, "too many connections").send(&mut &stream, false);
                shared.connections.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            std::thread::spawn(move || {
                serve_client(stream, &shared);
                shared.connections.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

/// Answers one client until it leaves.
fn serve_client(stream: TcpStream, shared: &Shared) {
    let deadline = Deadline::after(FOR_REQUEST);
    let Some(sink) = stream.set_nodelay(true).ok().and_then(|()| stream.try_clone().ok()) else { return };
    let mut source = BufReader::new(Timed { stream, deadline: deadline.clone() });
    let mut sink = Timed { stream: sink, deadline: deadline.clone() };
    let allow = |time: Duration| deadline.extend(time);
    if answer_requests(&mut source, &mut sink, &shared.library, &shared.access, allow) {
        // Who watches stays, as long as it takes what it is sent.
        let _ = sink.stream.set_write_timeout(Some(FOR_ANSWER));
        let _ = watch::report_changes(&mut sink.stream, &shared.library);
    }
}

/// Answers requests until the client leaves, or asks to watch: then the answer is true. `allow` sets how long the client
/// may take for what comes next.
fn answer_requests(
    source: &mut impl BufRead,
    sink: &mut impl Write,
    library: &Library,
    access: &Access,
    allow: impl Fn(Duration),
) -> bool {
    loop {
        allow(FOR_REQUEST);
        let request = match http::read(source) {
            Ok(request) => request,
            Err(ReadError::Disconnected) => return false,
            Err(ReadError::Refused(response)) => {
                let _ = response.with("Connection", "close").send(sink, false);
                return false;
            }
        };
        let answer = match access.check(&request) {
            Err(refusal) => refusal,
            Ok(()) if request.method == "GET" && request.path == "/api/watch" => return true,
            Ok(()) => {
                let answer = routes::answer(&request, library);
                match access.cookie(&request) {
                    Some(cookie) => answer.with("Set-Cookie", &cookie),
                    None => answer,
                }
            }
        };
        allow(FOR_ANSWER + Duration::from_secs(answer.length() / SLOWEST));
        if answer.send(sink, request.method == "HEAD").is_err() || !request.keeps_alive() {
            return false;
        }
    }
}

/// The answers of a server without runs to the bytes of a client.
#[doc(hidden)] // for tests on damaged input
pub fn answer_bytes(mut client: &[u8]) -> Vec<u8> {
    let mut answers = Vec::new();
    answer_requests(&mut client, &mut answers, &Library::default(), &Access { token: None }, |_| ());
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_one_connection_are_answered_in_turn() {
        let requests = "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n\
            GET / HTTP/1.1\r\nHost: evil.example\r\n\r\nnonsense\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let answers = String::from_utf8(answer_bytes(requests.as_bytes())).unwrap();
        let statuses: Vec<&str> = answers.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect();
        assert_eq!(statuses, ["200", "200", "403", "400"], "the connection ends with what is no HTTP");
        assert!(answers.contains("\r\n\r\n[]HTTP/1.1 403"), "no run is shown");
    }
}
