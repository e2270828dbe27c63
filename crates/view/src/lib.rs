//! The server behind `unstick view`: plays and watches run folders in a browser.
//!
//! No path that a client sends ever becomes a path of the file system: what can be asked for is a run by its
//! number, a layer by its name and a frame by its number (`routes`). Files are served from the folders that the
//! server was started with, and not through links that lead out of them (`library`).
//!
//! ```no_run
//! use unstick_view::{Options, Server};
//!
//! let server = Server::bind(&Options { folders: vec!["out/dam-break".into()], ..Options::default() })?;
//! println!("open {}", server.url());
//! server.serve();
//! # Ok::<(), unstick_view::ViewError>(())
//! ```

mod access;
mod error;
mod http;
mod library;
mod page;
mod routes;
mod sandbox;
mod server;
mod watch;

pub use error::ViewError;
pub use sandbox::write_sandbox;
pub use server::{Options, Server};
