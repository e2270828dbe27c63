//! The server behind `unstick view`: plays and watches run folders in a browser.
//!
//! A path that a client sends never becomes a path of the file system. A client asks for a run by its number, a
//! layer by its name and a frame by its number (`routes`). The server reads files only from the folders it was
//! started with and follows no link that leads out of them (`library`).
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
mod deadline;
mod error;
mod http;
mod library;
mod page;
mod routes;
mod sandbox;
mod server;
mod watch;

pub use error::ViewError;
pub use sandbox::{has_sandbox, write_sandbox};
#[doc(hidden)]
pub use server::answer_bytes;
pub use server::{Options, Server};
