//! Connections that do not last longer than they may: each request and each answer has a deadline of its own, however
//! busily a client sends a byte now and then.

use std::cell::Cell;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Until when a client may take its time.
#[derive(Clone, Debug)]
pub struct Deadline(Rc<Cell<Instant>>);

impl Deadline {
    /// A deadline from now on.
    pub fn after(time: Duration) -> Self {
        Self(Rc::new(Cell::new(Instant::now() + time)))
    }

    /// Sets it anew, for all who share it.
    pub fn extend(&self, time: Duration) {
        self.0.set(Instant::now() + time);
    }

    /// What is left of it.
    fn left(&self) -> io::Result<Duration> {
        let left = self.0.get().saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

/// One direction of a connection with a deadline.
#[derive(Debug)]
pub struct Timed {
    pub stream: TcpStream,
    pub deadline: Deadline,
}

impl Read for Timed {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.deadline.left()?))?;
        self.stream.read(bytes)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.deadline.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
