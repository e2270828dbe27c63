//! Clients that watch: a WebSocket on which every change is reported.

use std::io::{ErrorKind, Write};
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

/// Clients have nothing to send. A client that sends more than this is disconnected.
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
    let limits =
        WebSocketConfig::default().max_message_size(Some(LONGEST_MESSAGE)).max_frame_size(Some(LONGEST_MESSAGE));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(limits));
    let _ = report_changes(&mut socket, library);
}

fn report_changes(socket: &mut WebSocket<TcpStream>, library: &Library) -> Result<(), Error> {
    let mut sent = String::new();
    let mut last = Instant::now();
    loop {
        let news = library.look().to_string();
        if news != sent {
            socket.send(Message::text(news.clone()))?;
            (sent, last) = (news, Instant::now());
        } else if last.elapsed() > HEARTBEAT {
            socket.send(Message::Ping(Default::default()))?;
            last = Instant::now();
        }
        match socket.read() {
            Ok(Message::Close(_)) => return socket.flush(),
            Ok(_) => {}
            Err(Error::Io(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(Error::Capacity(_)) => {
                let reason = "messages here are short".into();
                socket.close(Some(CloseFrame { code: CloseCode::Size, reason }))?;
                return socket.flush();
            }
            Err(error) => return Err(error),
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
