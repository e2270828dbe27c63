//! `unstick view`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

pub const VIEW_EXAMPLES: &str = "\
Examples:
  unstick view out/dam-break                        a run, or both of a comparison side by side
  unstick view out/coarse out/fine                  two runs with linked cameras and time
  unstick view                                      the sandbox alone
  ssh -L 8642:localhost:8642 HOST unstick view --no-open out/dam-break
  unstick view --save-sandbox sandbox               the sandbox as a page that needs no server

Runs that are still going are watched: frames appear as they are written. The server answers this
machine alone unless told otherwise, and serves nothing but the files of the runs.";

/// `unstick view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// Run folders; none for the sandbox alone
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,

    /// The port to listen at; 0 for any [default: 8642, or any if that is taken]
    #[arg(long, value_name = "P")]
    pub port: Option<u16>,

    /// The address to listen at; others than loopback take a token [default: 127.0.0.1]
    #[arg(long, value_name = "ADDR")]
    pub bind: Option<IpAddr>,

    /// What clients must know: 16 letters or more
    #[arg(long, value_name = "T")]
    pub token: Option<String>,

    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,

    /// Write the sandbox as a page that needs no server, and end
    #[arg(long, value_name = "DIR", conflicts_with = "folders")]
    pub save_sandbox: Option<PathBuf>,
}
