//! Clients that watch: a WebSocket on which every change is reported.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::http::{Request, Response};
use crate::library::Library;
use crate::websocket::{self, WebSocket};

/// How often the run folders are read. News can be late by this much.
const INTERVAL: Duration = Duration::from_millis(150);

/// How often a silent client is asked whether it is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The key that accepts a request for a WebSocket.
pub fn accept_key(request: &Request) -> Result<String, Response> {
    let wants = |name, value: &str| {
        request.header(name).is_some_and(|found| found.split(',').any(|part| part.trim().eq_ignore_ascii_case(value)))
    };
    let is_asked = wants("connection", "upgrade")
        && wants("upgrade", "websocket")
        && request.header("sec-websocket-version") == Some("13");
    match request.header("sec-websocket-key").filter(|_| is_asked) {
        Some(key) => Ok(websocket::accept_key(key)),
        None => Err(Response::text(400, "this address is for WebSockets")),
    }
}

/// Sends the client the list of runs now and after every change, until it leaves.
pub fn watch(mut stream: TcpStream, key: &str, library: &Library) {
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {key}\r\n\r\n"
    );
    if stream.write_all(head.as_bytes()).is_err() || stream.set_read_timeout(Some(INTERVAL)).is_err() {
        return;
    }
    let _ = report_changes(&mut WebSocket::new(stream), library);
}

fn report_changes(socket: &mut WebSocket<TcpStream>, library: &Library) -> io::Result<()> {
    let mut sent = String::new();
    let mut last = Instant::now();
    loop {
        let news = library.look().to_string();
        if news != sent {
            socket.send(&news)?;
            (sent, last) = (news, Instant::now());
        } else if last.elapsed() > HEARTBEAT {
            socket.ping()?;
            last = Instant::now();
        }
        if !socket.receive()? {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 6455, section 1.3.
    #[test]
    fn a_web_socket_is_accepted_with_the_key_of_the_standard() {
        let request = "GET /api/watch HTTP/1.1\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        assert_eq!(accept_key(&Request::of(request)).unwrap(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        for missing in ["Upgrade: WebSocket", "keep-alive, Upgrade", "13", "Sec-WebSocket-Key"] {
            let without = request.replace(missing, if missing.contains(':') { "X: y" } else { "x" });
            assert_eq!(accept_key(&Request::of(&without)).unwrap_err().status, 400, "{missing}");
        }
    }
}
