//! `unstick export`.

use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Formats:
  particles   ply, vtk, vtp, npz
  surface     ply, obj, glb, vtp, usd
  volume      vtk, vti, vdb
A name that several of them have is written with its kind: surface:ply.

Frames whose state was kept (`[output] states = true`) are read; the others are computed again,
with the same bits.

Examples:
  unstick export out/sphere-half --format vdb,usd
  unstick export out/sphere-half --format particles:vtp,vti --every 5 --out paraview";

/// `unstick export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The run folder
    pub folder: PathBuf,

    /// What to write, separated by commas
    #[arg(long, short, value_name = "LIST", required = true, value_delimiter = ',')]
    pub format: Vec<String>,

    /// Where to [default: the run folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// One of so many frames
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,

    /// The first frame
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub from: u64,

    /// The last frame [default: that of the run]
    #[arg(long, value_name = "K")]
    pub until: Option<u64>,

    /// One of so many particles
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub thin: u64,

    /// Store the values of .vdb files with 16 bits
    #[arg(long)]
    pub half: bool,

    /// Print an object at the end instead of lines
    #[arg(long)]
    pub json: bool,
}
