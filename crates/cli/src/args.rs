//! The arguments of the command line. Names and numbers are checked in [`command`](crate::command), where a good
//! answer can be given.

pub mod export;
mod view;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use unstick::gpu::Backend;
use unstick::mlcp::{Krylov, Method, PreconditionerName};
use unstick::scene::run::Comparison;

pub use export::ExportArgs;
pub use view::{VIEW_EXAMPLES, ViewArgs};

const EXAMPLES: &str = "\
Examples:
  unstick                                           a breaking dam, sealed and separating walls
  unstick run stairs-hard --set grid.cells=[128,128]
  unstick run my-scene.toml --compare sealed
  unstick demo                                      every solver on one problem
  unstick generate sphere-half --size 64 --out tank
  unstick solve tank --solver best,policy,newton --plot tank.svg
  unstick bench sphere-half --sizes 32,64 --solvers best,sticking
  unstick study lai-6.10 --quick                    a published table next to our numbers
  unstick doctor

Without a command, `unstick` simulates a breaking dam with sealed and separating walls side by
side and writes a movie and a report to out/dam-break.";

const RUN_EXAMPLES: &str = "\
Examples:
  unstick run                                       a breaking dam
  unstick run sphere-half --set grid.cells=[64,64,64] --frames 50
  unstick run my-scene.toml --compare sealed --out out/mine
  unstick run kissing --compare flow.viscosity=1e-5
  unstick run --resume --out out/mine               resume an interrupted run

A run folder holds run.json, stats.csv, frames/, movie.png, report.html, checkpoint/ and the data
files that the scene asks for. Ctrl-C finishes the step and writes a checkpoint.

Exit status: 0 if the run reached its end and every solve met its tolerance, 1 if it reached its end
and a solve did not, 130 if it was interrupted, 2 if it was refused or failed.";

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

A problem folder holds A.mtx (Matrix Market) or A.npz (SciPy), b.npy and wall.npy (1 marks the row of a
separating wall). lower.npy, x.npy and grid.json are optional.

Exit status: 0 if every solver converged, 1 if one did not, 2 if the command was refused.";

const BENCH_EXAMPLES: &str = "\
Examples:
  unstick bench sphere-half dam-break-3d --sizes 32,64,128 --solvers best,policy,newton
  unstick bench stairs-hard --frames 1,10,50 --warm --threads 1,2
  unstick bench example:cube-lid --sizes 128 --threads 1 --solvers all --json
  unstick bench tank --solvers best,policy
  unstick bench sphere-half --solvers best --backend cpu,gpu

A problem is a scene (by name or file), an example of `unstick generate`, or a problem folder. Write
`example:NAME` where a scene has the same name. A scene is simulated with its own solver; the problem
is the pressure problem of the step after the frame, as `unstick capture` writes it.

Solvers take turns, and each round starts with another solver. Times are medians over the rounds.
Ratios are relative to the first solver. If a solver knows how many bytes it must move, \"of limit\"
compares its time with that of a plain copy of as many bytes, which is timed before and after. On a
GPU, set-up and solve are times on the device; the total includes the transfer.

Exit status: 0 if every solver converged, 1 if one did not, 2 if the command was refused.";

const STUDY_EXAMPLES: &str = "\
Examples:
  unstick study                                     list the studies
  unstick study lai-6.10 --quick
  unstick study lai --out out/lai                   all studies of a source at full size: hours
  unstick study all --quick --resume                keep what is measured, measure the rest
  unstick study all --quick --tables docs/studies   also write tables as Markdown and CSV
  unstick study andersen --backend gpu --out gpu    solvers that run on the GPU

Each study gets a page, its tables as CSV and its plots as SVG; index.html links to all pages.
Measurements are stored in measurements.jsonl, and studies share them.

Exit status: 0 if every study was measured, 1 if some cannot be measured, 2 if the command was refused.";

const GENERATE_EXAMPLES: &str = "\
Examples:
  unstick generate                                  list the examples
  unstick generate sphere-half --size 64 --out tank
  unstick generate thin-plates --dimension 2 --size 128 --seed 7 --out plates";

/// The text below the options of `unstick solve`. It takes the names from the catalogue of solvers.
fn solve_help() -> String {
    let methods: Vec<_> = Method::ALL.iter().map(|method| method.name()).collect();
    let linear: Vec<_> = Krylov::ALL.iter().map(|krylov| krylov.name()).collect();
    let preconditioners: Vec<_> = PreconditionerName::ALL.iter().map(|name| name.name()).collect();
    format!(
        "Solvers are METHOD[+LINEAR][/PRECONDITIONER]:\n  METHOD          {}\n  LINEAR          {}\n  \
         PRECONDITIONER  {}\n\nParameters follow a part: best:forcing=0.05. `unstick solvers` lists them.\n\n\
         {SOLVE_EXAMPLES}",
        methods.join(", "),
        linear.join(", "),
        preconditioners.join(", "),
    )
}

/// Where solvers run, by name.
fn backend() -> impl TypedValueParser<Value = Backend> {
    let all = [
        PossibleValue::new("cpu").help("On the processor"),
        PossibleValue::new("gpu").help("On the GPU"),
        PossibleValue::new("auto").help("On the GPU if there is a suitable one, else on the processor"),
    ];
    let named = |name: String| Backend::ALL.iter().find(|(known, _)| *known == name).map(|(_, backend)| *backend);
    PossibleValuesParser::new(all).map(move |name| named(name).unwrap_or_default())
}

/// Liquids that let go of walls.
#[derive(Debug, Parser)]
#[command(name = "unstick", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do [default: simulate a breaking dam]
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Number of threads [default: all]
    #[arg(long, global = true, display_order = 900, value_name = "T", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Print errors and requested results only
    #[arg(long, short, global = true, display_order = 900)]
    pub quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write frames, a movie and a report
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Write the frames of a finished run in other formats
    #[command(after_help = export::EXAMPLES)]
    Export(ExportArgs),
    /// List the built-in scenes, or print one
    Scenes(ScenesArgs),
    /// Write the pressure problem of one frame of a scene
    #[command(after_help = CAPTURE_EXAMPLES)]
    Capture(CaptureArgs),
    /// Solve a small problem with every method (takes seconds)
    Demo(DemoArgs),
    /// Solve a problem with one or several solvers
    #[command(after_help = solve_help())]
    Solve(SolveArgs),
    /// List the parts of solvers' names and their parameters
    Solvers,
    /// Time solvers on problems from simulations
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(BenchArgs),
    /// Reproduce published tables and figures
    #[command(after_help = STUDY_EXAMPLES)]
    Study(StudyArgs),
    /// Generate a problem to try solvers on
    #[command(after_help = GENERATE_EXAMPLES)]
    Generate(GenerateArgs),
    /// Show what this machine offers: threads, SIMD, memory, bandwidth, GPUs
    Doctor(DoctorArgs),
    /// Play runs in a browser, watch them while they compute, or use the sandbox
    #[command(after_help = VIEW_EXAMPLES)]
    View(ViewArgs),
}

/// `unstick run`.
#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// Name of a scene (`unstick scenes` lists them) or a TOML file [default: dam-break]
    pub scene: Option<String>,

    /// The run folder [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Frames to simulate [default: what the scene says]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub frames: Option<u32>,

    /// Resume from the newest checkpoint in the run folder
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,

    /// Replace an older run in the folder
    #[arg(long)]
    pub force: bool,

    /// Change a value of the scene, such as grid.cells=[64,64]; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Where the pressure is solved [default: what the scene says]
    #[arg(long, value_name = "B", value_parser = backend())]
    pub backend: Option<Backend>,

    /// Run the scene a second time, with all walls `sealed` or `separating` or with one value changed, and show both
    /// side by side
    #[arg(long, value_name = "WALLS|KEY=VALUE")]
    pub compare: Option<Comparison>,

    /// Print a line of JSON at the end
    #[arg(long)]
    pub json: bool,
}

/// `unstick scenes`.
#[derive(Debug, Args)]
pub struct ScenesArgs {
    /// Print this scene as TOML
    pub name: Option<String>,

    /// Print the reference of all keys of a scene file, as Markdown
    #[arg(long, conflicts_with = "name")]
    pub reference: bool,

    /// Print the JSON Schema of scene files, for completion and checks in editors
    #[arg(long, conflicts_with_all = ["name", "reference"])]
    pub schema: bool,
}

/// `unstick demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Also write a plot for each method that highlights it
    #[arg(long, value_name = "DIR")]
    pub each: Option<PathBuf>,
}

/// `unstick capture`.
#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// Name of a scene or a TOML file
    pub scene: String,

    /// Write the problem of the step after this frame
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub frame: u32,

    /// The problem folder to write; must be empty or missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Change a value of the scene, such as grid.cells=[64,64]; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// `unstick solve`.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// The problem folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Names of solvers; `all` stands for one of each method
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_value = "best")]
    pub solver: Vec<String>,

    /// Where solvers run; with a list, every solver runs on each
    #[arg(long, value_name = "B,…", value_delimiter = ',', default_value = "cpu", value_parser = backend())]
    pub backend: Vec<Backend>,

    /// Natural residual to reach
    #[arg(long, value_name = "T", default_value = "1e-6", allow_hyphen_values = true)]
    pub tol: f64,

    /// The tolerance is a fraction of the residual at zero; this is the default
    #[arg(long, conflicts_with = "absolute")]
    pub relative: bool,

    /// The tolerance has the units of b
    #[arg(long)]
    pub absolute: bool,

    /// Limit of outer iterations [default: depends on the method]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_iterations: Option<usize>,

    /// Where solvers start: `zero`, `given` (x.npy of the folder), `psor:K`, `gradient:K`
    #[arg(long, value_name = "START", default_value = "zero")]
    pub start: String,

    /// Write the solution; with several solvers, that of the first that converged
    #[arg(long, value_name = "FILE.npy")]
    pub write_x: Option<PathBuf>,

    /// Print a line of JSON per solver instead of a table
    #[arg(long)]
    pub json: bool,

    /// Write a plot of residual against work
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Write a self-contained page with table and plot
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
    #[arg(long, value_name = "N,…", value_delimiter = ',', allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub sizes: Vec<u32>,

    /// Names of solvers, as for `unstick solve`; ratios are relative to the first
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_value = "best,sticking+cg/multigrid,sticking")]
    pub solvers: Vec<String>,

    /// Where solvers run; with a list, every solver runs on each
    #[arg(long, value_name = "B,…", value_delimiter = ',', default_value = "cpu", value_parser = backend())]
    pub backend: Vec<Backend>,

    /// Frames of the scenes to take problems from [default: 10]
    #[arg(long, value_name = "K,…", value_delimiter = ',', allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub frames: Vec<u32>,

    /// Natural residual to reach, as a fraction of the residual at zero
    #[arg(long, value_name = "T", default_value = "1e-6", allow_hyphen_values = true)]
    pub tol: f64,

    /// Start from the pressure of the previous step instead of zero
    #[arg(long)]
    pub warm: bool,

    /// Solves per solver; fewer if one takes longer than 20 s
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,

    /// Number of threads; with a list, measure with each number [default: all]
    #[arg(long, value_name = "T,…", value_delimiter = ',', allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Vec<u16>,

    /// Print a line of JSON per solver instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `unstick study`.
#[derive(Debug, Default, Args)]
pub struct StudyArgs {
    /// Names of studies, `lai`, `andersen` or `eckert` for a whole source, or `all` [default: list the studies]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// List the studies
    #[arg(long, conflicts_with_all = ["names", "quick", "out", "only", "show", "resume", "fresh", "tables"])]
    pub list: bool,

    /// Use small grids and few frames: minutes instead of hours
    #[arg(long)]
    pub quick: bool,

    /// Where problems are solved: `gpu` skips solvers that it lacks, `auto` runs them on the processor
    #[arg(long, value_name = "B", default_value = "cpu", value_parser = backend())]
    pub backend: Backend,

    /// The folder for pages and measurements [default: out/study]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Measure only what has this text in its key (see measurements.jsonl)
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,

    /// Measure nothing; write pages and tables from what the folder holds
    #[arg(long, conflicts_with_all = ["fresh", "resume", "only", "backend"])]
    pub show: bool,

    /// Keep the measurements in the folder
    #[arg(long, conflicts_with = "fresh")]
    pub resume: bool,

    /// Discard the measurements in the folder
    #[arg(long)]
    pub fresh: bool,

    /// Also write all tables to this folder, as Markdown and CSV
    #[arg(long, value_name = "DIR")]
    pub tables: Option<PathBuf>,
}

/// `unstick generate`.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// Name of the example [default: list the examples]
    #[arg(requires_all = ["size", "out"])]
    pub name: Option<String>,

    /// Cells along each axis
    #[arg(long, value_name = "N", requires = "name", allow_negative_numbers = true)]
    pub size: Option<usize>,

    /// Number of axes: 2 or 3
    #[arg(long, value_name = "D", default_value_t = 3)]
    pub dimension: usize,

    /// Seed for the random parts of the example
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// The folder to write; must be empty or missing
    #[arg(long, value_name = "DIR", requires = "name")]
    pub out: Option<PathBuf>,
}

/// `unstick doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Also measure the GPU: copies, launches, a half-sweep and a multigrid cycle
    #[arg(long)]
    pub bench: bool,

    /// Print a line of JSON instead of text
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
