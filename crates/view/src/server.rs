//! Connections: one thread each, few enough to be counted.

use std::io::BufReader;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::access::Access;
use crate::error::ViewError;
use crate::http::{self, Response, Unreadable};
use crate::library::Library;
use crate::{routes, watch};

/// Connections at once; browsers open six each.
const MOST_CONNECTIONS: usize = 64;

/// A client that says nothing for so long, or does not take what it is sent, is let go.
const PATIENCE: Duration = Duration::from_secs(20);

/// What to show, and to whom.
#[derive(Clone, Debug)]
pub struct Options {
    /// Run folders; none for the sandbox alone.
    pub folders: Vec<PathBuf>,
    /// Where to listen. Default loopback; anything else takes a token.
    pub address: IpAddr,
    /// The port; 0 for any that is free. Default 8642.
    pub port: u16,
    /// What clients must know.
    pub token: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { folders: Vec::new(), address: Ipv4Addr::LOCALHOST.into(), port: 8642, token: None }
    }
}

/// A server that is bound and waits to be started.
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
    /// Checks everything and takes the address.
    pub fn bind(options: &Options) -> Result<Self, ViewError> {
        let address = SocketAddr::new(options.address, options.port);
        match &options.token {
            Some(token) if !Access::is_token(token) => return Err(ViewError::Token { found: token.len() }),
            None if !options.address.is_loopback() => return Err(ViewError::NeedsToken { address }),
            _ => {}
        }
        let library = Library::open(&options.folders)?;
        let failed = |source| ViewError::Bind { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        let access = Access { token: options.token.clone() };
        Ok(Self { listener, local, shared: Arc::new(Shared { library, access, connections: AtomicUsize::new(0) }) })
    }

    /// The address to open, token included.
    pub fn url(&self) -> String {
        let token = self.shared.access.token.as_ref().map(|token| format!("?token={token}"));
        format!("http://{}/{}", self.local, token.unwrap_or_default())
    }

    /// Answers until the process ends.
    pub fn serve(self) {
        for stream in self.listener.incoming().flatten() {
            let shared = self.shared.clone();
            if shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                let _ = Response::text(503, "too many connections").send(&mut &stream, false);
                shared.connections.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            std::thread::spawn(move || {
                converse(stream, &shared);
                shared.connections.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

/// Answers one client until it goes.
fn converse(stream: TcpStream, shared: &Shared) {
    let prepared = stream.set_read_timeout(Some(PATIENCE)).is_ok()
        && stream.set_write_timeout(Some(PATIENCE)).is_ok()
        && stream.set_nodelay(true).is_ok();
    let Some(mut sink) = prepared.then(|| stream.try_clone().ok()).flatten() else { return };
    let mut source = BufReader::new(stream);
    loop {
        let request = match http::read(&mut source) {
            Ok(request) => request,
            Err(Unreadable::Gone) => return,
            Err(Unreadable::Refused(response)) => {
                let _ = response.with("Connection", "close").send(&mut sink, false);
                return;
            }
        };
        let answer = match shared.access.check(&request) {
            Err(refusal) => refusal,
            Ok(()) if request.path == "/api/watch" => match watch::accept(&request) {
                Ok(key) => return watch::watch(sink, &key, &shared.library),
                Err(refusal) => refusal,
            },
            Ok(()) => {
                let answer = routes::answer(&request, &shared.library);
                match shared.access.cookie(&request) {
                    Some(cookie) => answer.with("Set-Cookie", &cookie),
                    None => answer,
                }
            }
        };
        if answer.send(&mut sink, request.method == "HEAD").is_err() || !request.keeps_alive() {
            return;
        }
    }
}
