//! HTTP requests of the viewer, and frames of its WebSocket.

use crate::Target;

/// Answers requests as the viewer's server does.
pub const TARGET: Target = Target { name: "request", run, seeds };

fn run(data: &[u8]) {
    let answers = unstick_view::answer_bytes(data);
    let is_frame = answers.first().is_some_and(|byte| byte & 0x80 != 0);
    assert!(answers.is_empty() || is_frame || answers.starts_with(b"HTTP/1.1 "));
}

fn seeds() -> Vec<Vec<u8>> {
    let requests = [
        "GET / HTTP/1.1\r\nHost: localhost:8642\r\nConnection: keep-alive\r\n\r\nHEAD /js/main.js HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /api/runs/0/surface/12?token=abc HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: a=b; unstick_token=0123456789abcdef\r\n\r\n",
        "POST /api/runs/0/stop HTTP/1.1\r\nHost: [::1]:8642\r\nOrigin: http://[::1]:8642\r\nContent-Length: 0\r\n\r\n",
        "GET /api/watch HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ];
    let mut seeds = requests.map(|request| request.as_bytes().to_vec());
    seeds[3].extend(b"\x89\x82\0\0\0\0hi\x81\xfe\x01\x00\x01\x02\x03\x04"); // a ping, and the start of a text
    seeds[3].extend([b'x'; 256]);
    seeds.into()
}
