//! Clients that watch: a WebSocket on which every change is reported.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

use crate::http::{Request, Response};
use crate::library::Library;

/// How often the run folders are read. News can be late by this much.
const INTERVAL: Duration = Duration::from_millis(150);

/// How often a silent client is asked whether it is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Clients have nothing to send. A client that sends more than this at once is disconnected.
const LONGEST_MESSAGE: usize = 4096;

/// The key that accepts a request for a WebSocket.
pub fn accept_key(request: &Request) -> Result<String, Response> {
    let wants = |name, value: &str| {
        request.header(name).is_some_and(|found| found.split(',').any(|part| part.trim().eq_ignore_ascii_case(value)))
    };
    let is_asked = wants("connection", "upgrade")
        && wants("upgrade", "websocket")
        && request.header("sec-websocket-version") == Some("13");
    match request.header("sec-websocket-key").filter(|_| is_asked) {
        Some(key) => Ok(derive_accept_key(key.as_bytes())),
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
    let _ = report_changes(&mut socket(stream), library);
}

/// The server's end of a connection, after the handshake.
pub fn socket<S: Read + Write>(stream: S) -> WebSocket<S> {
    let longest = Some(LONGEST_MESSAGE);
    let config = WebSocketConfig::default().read_buffer_size(LONGEST_MESSAGE);
    WebSocket::from_raw_socket(stream, Role::Server, Some(config.max_frame_size(longest).max_message_size(longest)))
}

fn report_changes(socket: &mut WebSocket<TcpStream>, library: &Library) -> Result<(), Error> {
    let mut sent = String::new();
    let mut last = Instant::now();
    loop {
        let news = library.state().to_string();
        if news != sent {
            socket.send(Message::text(&news))?;
            (sent, last) = (news, Instant::now());
        } else if last.elapsed() > HEARTBEAT {
            socket.send(Message::Ping(Vec::new().into()))?;
            last = Instant::now();
        }
        hear(socket)?;
    }
}

/// Takes what the client sends until it is silent for the read timeout of the stream: pings are answered, the rest is
/// ignored. An error ends the connection.
pub fn hear<S: Read + Write>(socket: &mut WebSocket<S>) -> Result<(), Error> {
    loop {
        match socket.read() {
            Ok(_) => {}
            Err(Error::Io(error)) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Ok(());
            }
            Err(error) => {
                if matches!(error, Error::Capacity(_)) {
                    socket.close(Some(CloseFrame { code: CloseCode::Size, reason: "".into() }))?;
                }
                return Err(error);
            }
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
