//! What can be written on the command line. Names and numbers are checked further in
//! [`command`](crate::command), where a good answer can be given.

pub mod export;
mod kinds;
mod view;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use unstick::mlcp::{Krylov, Method, PreconditionerName};
use unstick::scene::run::Comparison;

pub use export::ExportArgs;
pub use kinds::{BackendKind, backends};
pub use view::{VIEW_EXAMPLES, ViewArgs};

const EXAMPLES: &str = "\
Examples:
  unstick                                           the breaking dam, sealed and separating walls
  unstick run stairs-hard --set grid.cells=[128,128]
  unstick run my-scene.toml --compare sealed
  unstick demo                                      every solver on one problem
  unstick generate sphere-half --size 64 --out tank
  unstick solve tank --solver best,policy,newton --plot tank.svg
  unstick bench sphere-half --sizes 32,64 --solvers best,sticking
  unstick study lai-6.10 --quick                    a published table beside our numbers
  unstick doctor

Without a command, `unstick` simulates a breaking dam with sealed and separating walls side by
side and writes a movie and a report to out/dam-break.";

const RUN_EXAMPLES: &str = "\
Examples:
  unstick run                                       the breaking dam
  unstick run sphere-half --set grid.cells=[64,64,64] --frames 50
  unstick run my-scene.toml --compare sealed --out out/mine
  unstick run kissing --compare flow.viscosity=1e-5
  unstick run --resume --out out/mine               resume where it stopped

A run folder holds run.json, stats.csv, frames/, movie.png, report.html, checkpoint/ and whatever
data the scene asks for. Ctrl-C finishes the step and writes a checkpoint.

Exit status: 0 if the run reached its end, 130 if it was interrupted, 2 if it was refused or failed.";

const CAPTURE_EXAMPLES: &str = "\
Examples:
  unstick capture dam-break --frame 40 --out problem
  unstick solve problem --solver all";

const SOLVE_EXAMPLES: &str = "\
Examples:
  unstick solve tank
  unstick solve tank --solver all --page tank.html
  unstick solve tank --solver policy+cg/ic0,newton+gmres/ainv --tol 1e-8 --json
  unstick solve tank --start psor:10 --write-x tank/x.npy

A problem folder holds A.mtx (Matrix Market), b.npy and wall.npy (1 = the row of a separating
wall); lower.npy, x.npy and grid.json are optional.

Exit status: 0 if every solver converged, 1 if any did not, 2 if nothing could be done.";

const BENCH_EXAMPLES: &str = "\
Examples:
  unstick bench sphere-half dam-break-3d --sizes 32,64,128 --solvers best,policy,newton
  unstick bench stairs-hard --frames 1,10,50 --warm --threads 1,2
  unstick bench example:cube-lid --sizes 128 --threads 1 --solvers all --json
  unstick bench tank --solvers best,policy
  unstick bench sphere-half --solvers best --backend cpu,gpu

A problem is a scene (by name or file), an example of `unstick generate` (`example:` tells it from
a scene of the same name), or a problem folder. A scene is simulated with its own solver, and the
problem is that of the step after the frame, as `unstick capture` writes it.

Solvers take turns, and each round begins with another one. Times are medians of the rounds, ratios
are to the first solver. Where a solver knows how many bytes it must move, \"of limit\" says how near
it comes to a plain copy of as many bytes, which is timed before and after. On a GPU set-up and solve
are those on the device; the total holds the way there and back too.

Exit status: 0 if every solver converged, 1 if any did not, 2 if nothing could be done.";

const STUDY_EXAMPLES: &str = "\
Examples:
  unstick study                                     list the studies
  unstick study lai-6.10 --quick
  unstick study lai --out out/lai                   all of a source, as published: hours
  unstick study all --quick --resume                go on; what was measured is kept
  unstick study all --quick --tables docs/studies   tables as Markdown and CSV besides
  unstick study andersen --backend gpu --out gpu    solvers that the GPU has, on the GPU

Every study gets a page, its tables as CSV and its plots as SVG; index.html links them all. Finished
measurements are kept in measurements.jsonl and shared by the studies that ask for the same.

Exit status: 0 if every study was carried out, 1 if some cannot be, 2 if nothing could be done.";

const GENERATE_EXAMPLES: &str = "\
Examples:
  unstick generate                                  list the examples
  unstick generate sphere-half --size 64 --out tank
  unstick generate thin-plates --dimension 2 --size 128 --seed 7 --out plates";

/// What stands below the options of `unstick solve`; the names come from the catalogue itself.
fn solve_help() -> String {
    let methods: Vec<_> = Method::ALL.iter().map(|method| method.name()).collect();
    let linear: Vec<_> = Krylov::ALL.iter().map(|krylov| krylov.name()).collect();
    let preconditioners: Vec<_> = PreconditionerName::ALL.iter().map(|name| name.name()).collect();
    format!(
        "Solvers are METHOD[+LINEAR][/PRECONDITIONER]:\n  METHOD          {}\n  LINEAR          {}\n  \
         PRECONDITIONER  {}\n\n{SOLVE_EXAMPLES}",
        methods.join(", "),
        linear.join(", "),
        preconditioners.join(", "),
    )
}

/// Liquids that let go of walls.
#[derive(Debug, Parser)]
#[command(name = "unstick", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do; the breaking dam if nothing is said
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Threads to compute with [default: all]
    #[arg(long, global = true, display_order = 900, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Say nothing but results asked for and errors
    #[arg(long, short, global = true, display_order = 900)]
    pub quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene: frames, movie, report
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Write the frames of a run that is over in further formats
    #[command(after_help = export::EXAMPLES)]
    Export(ExportArgs),
    /// List the scenes that come with the program, or print one
    Scenes(ScenesArgs),
    /// Write the pressure problem of a frame of a scene
    #[command(after_help = CAPTURE_EXAMPLES)]
    Capture(CaptureArgs),
    /// Solve one problem with every method, in seconds
    Demo(DemoArgs),
    /// Solve a problem folder and compare solvers on it
    #[command(after_help = solve_help())]
    Solve(SolveArgs),
    /// Time solvers side by side on problems of real frames
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(BenchArgs),
    /// Measure tables and figures of the literature anew
    #[command(after_help = STUDY_EXAMPLES)]
    Study(StudyArgs),
    /// Write a problem folder to try solvers on
    #[command(after_help = GENERATE_EXAMPLES)]
    Generate(GenerateArgs),
    /// Say what this machine offers: threads, SIMD, memory and its bandwidth, GPUs
    Doctor(DoctorArgs),
    /// Play and watch run folders in a browser, and a sandbox beside them
    #[command(after_help = VIEW_EXAMPLES)]
    View(ViewArgs),
}

/// `unstick run`.
#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// A scene by name (`unstick scenes` lists them) or a TOML file [default: dam-break]
    pub scene: Option<String>,

    /// The run folder [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Frames to simulate [default: what the scene says]
    #[arg(long, value_name = "N")]
    pub frames: Option<usize>,

    /// Resume from the newest checkpoint of the run folder
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,

    /// Replace an older run in the folder
    #[arg(long)]
    pub force: bool,

    /// Change a value of the scene, by its path; may be given many times
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Where the pressure is solved for [default: what the scene says]
    #[arg(long, value_name = "B")]
    pub backend: Option<BackendKind>,

    /// Run the scene a second time, with all walls `sealed` or `separating` or with one value changed, and show both
    /// side by side
    #[arg(long, value_name = "WALLS|KEY=VALUE")]
    pub compare: Option<Comparison>,

    /// Print an object at the end instead of a line
    #[arg(long)]
    pub json: bool,
}

/// `unstick scenes`.
#[derive(Debug, Args)]
pub struct ScenesArgs {
    /// Print this one as TOML
    pub name: Option<String>,

    /// Print what every key of a scene file means, in Markdown
    #[arg(long, conflicts_with = "name")]
    pub reference: bool,

    /// Print the JSON Schema of scene files, with which editors complete and check them
    #[arg(long, conflicts_with_all = ["name", "reference"])]
    pub schema: bool,
}

/// `unstick demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Write a plot for each method here too, in which it stands out
    #[arg(long, value_name = "DIR")]
    pub each: Option<PathBuf>,
}

/// `unstick capture`.
#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// A scene by name or a TOML file
    pub scene: String,

    /// The problem is that of the step after this frame
    #[arg(long, value_name = "K")]
    pub frame: usize,

    /// The problem folder to write; must not hold anything yet
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Change a value of the scene, by its path; may be given many times
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// `unstick solve`.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// The problem folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Solvers by name, separated by commas; `all` for one of each method
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_value = "best")]
    pub solver: Vec<String>,

    /// Where solvers run; of a list, each of them on each
    #[arg(long, value_name = "B,…", value_delimiter = ',', default_value = "cpu")]
    pub backend: Vec<BackendKind>,

    /// Natural residual to reach
    #[arg(long, value_name = "T", default_value = "1e-6", allow_hyphen_values = true)]
    pub tol: f64,

    /// The tolerance is a fraction of the residual at zero (the default)
    #[arg(long, conflicts_with = "absolute")]
    pub relative: bool,

    /// The tolerance is in the units of b
    #[arg(long)]
    pub absolute: bool,

    /// Outer iterations after which a solver gives up [default: what suits the method]
    #[arg(long, value_name = "N")]
    pub max_iterations: Option<usize>,

    /// Where every solver begins: `zero`, `given` (x.npy of the folder), `psor:K`, `gradient:K`
    #[arg(long, value_name = "START", default_value = "zero")]
    pub start: String,

    /// Write the answer; of several solvers, that of the first that converged
    #[arg(long, value_name = "FILE.npy")]
    pub write_x: Option<PathBuf>,

    /// Print an array of objects, one per solver, instead of a table
    #[arg(long)]
    pub json: bool,

    /// Write a plot of residual against work
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Write a page with table and plot, complete in itself
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
}

/// `unstick bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Scenes, examples (`example:cube-lid`) and problem folders
    #[arg(required = true, value_name = "PROBLEM")]
    pub problems: Vec<String>,

    /// Cells along the longest axis [default: what the scene says; 64 for examples]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub sizes: Vec<u32>,

    /// Solvers by name as for `unstick solve`; ratios are to the first
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_value = "best,sticking+cg/multigrid,sticking")]
    pub solvers: Vec<String>,

    /// Where solvers run; of a list, each of them on each
    #[arg(long, value_name = "B,…", value_delimiter = ',', default_value = "cpu")]
    pub backend: Vec<BackendKind>,

    /// Frames of the scenes after which the problem is taken [default: 10]
    #[arg(long, value_name = "K,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub frames: Vec<u32>,

    /// Natural residual to reach, as a fraction of that at zero
    #[arg(long, value_name = "T", default_value = "1e-6", allow_hyphen_values = true)]
    pub tol: f64,

    /// Start from the pressure of the step before instead of zero
    #[arg(long)]
    pub warm: bool,

    /// Solves by each solver; fewer if they take longer than 20 s
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,

    /// Threads to compute with; measures anew for each number of a list [default: all]
    #[arg(long, value_name = "T,…", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Vec<u16>,

    /// Print a line of JSON for each solver instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `unstick study`.
#[derive(Debug, Default, Args)]
pub struct StudyArgs {
    /// Studies by name, `lai`, `andersen` or `eckert` for all of a source, `all`; listed if nothing is said
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// Small grids and few frames: minutes instead of hours
    #[arg(long)]
    pub quick: bool,

    /// Where problems are solved: `gpu` leaves out what it does not have, `auto` leaves that to the processor
    #[arg(long, value_name = "B", default_value = "cpu")]
    pub backend: BackendKind,

    /// The folder of pages and measurements [default: out/study]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Make only measurements that have this text in their key (see measurements.jsonl); others stay blank
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// Measure nothing: pages and tables of what the folder holds, on whatever machine it was measured
    #[arg(long, conflicts_with_all = ["fresh", "resume", "only", "backend"])]
    pub show: bool,

    /// Keep the measurements that the folder holds
    #[arg(long, conflicts_with = "fresh")]
    pub resume: bool,

    /// Discard them
    #[arg(long)]
    pub fresh: bool,

    /// Also write all tables there, as Markdown and CSV
    #[arg(long, value_name = "DIR")]
    pub tables: Option<PathBuf>,
}

/// `unstick generate`.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// Which example; all are listed if nothing is said
    #[arg(requires_all = ["size", "out"])]
    pub name: Option<String>,

    /// Cells along each axis
    #[arg(long, value_name = "N", requires = "name")]
    pub size: Option<usize>,

    /// Axes of the grid: 2 or 3
    #[arg(long, value_name = "D", default_value_t = 3)]
    pub dimension: usize,

    /// Seed of whatever is random about the example
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// The folder to write; must not hold anything yet
    #[arg(long, value_name = "DIR", requires = "name")]
    pub out: Option<PathBuf>,
}

/// `unstick doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Measure the GPU too: copy, launches, a half-sweep and a multigrid cycle against their limits
    #[arg(long)]
    pub bench: bool,

    /// Print an object instead of text
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_do_not_contradict_each_other() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
