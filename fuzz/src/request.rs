//! HTTP requests of the viewer.

use crate::Target;

/// Answers requests as the viewer's server does.
pub const TARGET: Target = Target { name: "request", run, seeds };

fn run(data: &[u8]) {
    let answers = unstick_view::answer_bytes(data);
    assert!(answers.is_empty() || answers.starts_with(b"HTTP/1.1 "));
}

fn seeds() -> Vec<Vec<u8>> {
    let requests = [
        "GET / HTTP/1.1\r\nHost: localhost:8642\r\nConnection: keep-alive\r\n\r\nHEAD /js/main.js HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /api/runs/0/surface/12?token=abc HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: a=b; unstick_token=0123456789abcdef\r\n\r\n",
        "POST /api/runs/0/stop HTTP/1.1\r\nHost: [::1]:8642\r\nOrigin: http://[::1]:8642\r\nContent-Length: 0\r\n\r\n",
        "GET /api/watch HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n",
    ];
    requests.map(|request| request.as_bytes().to_vec()).into()
}
