//! Clients that watch: a stream of server-sent events, one for every change.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::library::Library;

/// How often the run folders are read. News can be late by this much.
const INTERVAL: Duration = Duration::from_millis(150);

/// How often a client without news gets an empty comment. Writing it fails once the client has left.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// What comes before the events. A client that lost the server tries again after the time given last, in milliseconds.
const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\
    X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 500\n\n";

/// Sends the client the list of runs now and after every change. Ends with an error when the client leaves.
pub fn report_changes(sink: &mut impl Write, library: &Library) -> io::Result<()> {
    sink.write_all(HEAD.as_bytes())?;
    let (mut sent, mut last) = (String::new(), Instant::now());
    loop {
        let news = library.state().to_string();
        if news != sent {
            sink.write_all(format!("data: {news}\n\n").as_bytes())?;
            (sent, last) = (news, Instant::now());
        } else if last.elapsed() > HEARTBEAT {
            sink.write_all(b":\n\n")?;
            last = Instant::now();
        }
        std::thread::sleep(INTERVAL);
    }
}
