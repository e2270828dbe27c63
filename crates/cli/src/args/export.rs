//! `unstick export`.

use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Formats:
  particles   ply, vtk, vtp, npz
  surface     ply, obj, glb, vtp, usd
  volume      vtk, vti, vdb
If several kinds have a format, name the kind too: surface:ply.

Frames whose state was stored (`[output] states = true`) are read. Other frames are simulated again, which
takes as long as in the run and gives the same bits. How many, is said first. Ctrl-C ends it.

Examples:
  unstick export out/sphere-half --format vdb,usd
  unstick export out/sphere-half --format particles:vtp,vti --every 5 --out paraview";

/// `unstick export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The run folder
    pub folder: PathBuf,

    /// The formats to write
    #[arg(long, short, value_name = "LIST", required = true, value_delimiter = ',')]
    pub format: Vec<String>,

    /// The folder to write to [default: the run folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Write every N-th frame
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,

    /// The first frame
    #[arg(long, value_name = "K", default_value_t = 0, allow_negative_numbers = true)]
    pub from: u32,

    /// The last frame [default: the last of the run]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub until: Option<u32>,

    /// Write every N-th particle
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub thin: u32,

    /// Store values of .vdb files with 16 bits
    #[arg(long)]
    pub half: bool,

    /// Print a line of JSON at the end
    #[arg(long)]
    pub json: bool,
}
