//! `unstick view`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

pub const VIEW_EXAMPLES: &str = "\
Examples:
  unstick view out/dam-break                        a run, or both runs of a comparison
  unstick view out/coarse out/fine                  two runs with linked cameras and time
  unstick view                                      the sandbox alone
  ssh -L 8642:localhost:8642 HOST unstick view --no-open out/dam-break
  unstick view --save-sandbox sandbox               write the sandbox as a page without a server

Frames of a run in progress appear as they are written. The server accepts connections from this
machine only, unless `--bind` says otherwise. It serves the files of the runs and nothing else.";

/// `unstick view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// Run folders [default: the sandbox alone]
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,

    /// The port; 0 takes any free one [default: 8642, or any if it is taken]
    #[arg(long, value_name = "P")]
    pub port: Option<u16>,

    /// The address to listen on; needs a token unless it is loopback [default: 127.0.0.1]
    #[arg(long, value_name = "ADDR")]
    pub bind: Option<IpAddr>,

    /// The secret that clients must present: 16 letters or more
    #[arg(long, value_name = "T")]
    pub token: Option<String>,

    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,

    /// Write the sandbox as a page that needs no server, then exit
    #[arg(long, value_name = "DIR", conflicts_with = "folders")]
    pub save_sandbox: Option<PathBuf>,

    /// Replace the page that is there
    #[arg(long, requires = "save_sandbox")]
    pub force: bool,
}
