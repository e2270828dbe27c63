//! Watches a run as the page does and fetches every frame as soon as it is there, to tell how many leave the simulation:
//! `cargo run -p unstick-view --example follow -- ADDRESS LAYER…` beside `unstick view --no-open FOLDER`.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("usage: follow ADDRESS LAYER…")?;
    let mut layers: Vec<String> = arguments.collect();
    if layers.is_empty() {
        layers.push("surface".into());
    }
    let mut frames = Client::open(&address)?;
    let mut events = Client::open(&address)?;
    events.ask("/api/watch")?;
    let (mut next, mut bytes, mut arrivals) = (0, 0, Vec::new());
    loop {
        let mut line = String::new();
        if events.source.read_line(&mut line)? == 0 {
            return Err("the server is gone".into());
        }
        let Some(news) = line.strip_prefix("data: ") else { continue };
        let news: Value = serde_json::from_str(news)?;
        let run = &news[0];
        let last = run["whole"].as_array().and_then(|ranges| ranges.last()?[1].as_u64());
        while last.is_some_and(|last| next <= last) {
            for layer in &layers {
                bytes += frames.fetch(&format!("/api/runs/0/{layer}/{next}"))?;
            }
            arrivals.push(Instant::now());
            next += 1;
        }
        let state = run["status"]["state"].as_str().unwrap_or("running");
        if state != "running" || run["frames"].as_u64().is_some_and(|frames| next > frames) {
            break;
        }
    }
    let (Some(first), Some(last)) = (arrivals.first(), arrivals.last()) else { return Err("no frame came".into()) };
    let seconds = (*last - *first).as_secs_f64();
    let longest = arrivals.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).fold(0.0, f64::max);
    println!(
        "{} frames in {seconds:.2} s: {:.1} frames/s, {:.0} kB a frame, at most {longest:.2} s between two",
        arrivals.len(),
        (arrivals.len() - 1) as f64 / seconds,
        bytes as f64 / 1e3 / arrivals.len() as f64,
    );
    Ok(())
}

/// A connection that stays.
struct Client {
    address: String,
    sink: TcpStream,
    source: BufReader<TcpStream>,
}

impl Client {
    fn open(address: &str) -> io::Result<Self> {
        let sink = TcpStream::connect(address)?;
        sink.set_nodelay(true)?;
        let source = BufReader::new(sink.try_clone()?);
        Ok(Self { address: address.to_owned(), sink, source })
    }

    /// Asks for something and reads the head of the answer; gives the length of what follows.
    fn ask(&mut self, path: &str) -> Result<usize, Failure> {
        write!(self.sink, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address)?;
        let (mut length, mut status) = (0, String::new());
        self.source.read_line(&mut status)?;
        if !status.contains(" 200 ") {
            return Err(format!("{path}: {}", status.trim()).into());
        }
        loop {
            let mut line = String::new();
            self.source.read_line(&mut line)?;
            if line.trim().is_empty() {
                return Ok(length);
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
        }
    }

    fn fetch(&mut self, path: &str) -> Result<usize, Failure> {
        let length = self.ask(path)?;
        self.source.read_exact(&mut vec![0; length])?;
        Ok(length)
    }
}
