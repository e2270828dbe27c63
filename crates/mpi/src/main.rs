//! `unstick-mpi`: simulations and solves that many processes share, started by `mpirun`.

mod run;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use run::RunArguments;
use serde_json::json;
use unstick_mlcp::ranks::Ranks;
use unstick_mlcp::{SolverName, Stop};
use unstick_mpi::{Finding, Link, Machine, Source, Task, World, measure_copies, measure_link, measure_sums, predict};

const EXAMPLES: &str = "\
Examples:
  mpirun -n 8 unstick-mpi run dam-break-3d --out out/dam
  mpirun -n 4 unstick-mpi run --resume --out out/dam
  mpirun -n 8 unstick-mpi solve cube-lid --size 256
  mpirun -n 4 unstick-mpi solve sphere-half --size 128 --threads 2 --json
  mpirun -n 2 unstick-mpi solve my-problem --write-x x.npy
  mpirun -n 2 unstick-mpi predict --size 1024 --ranks 64,512

Exit status: 0 if the answer meets its tolerance or the run reached its end, 1 if a solve missed its tolerance, 130 if a
run was interrupted, 2 if the task was refused or a rank failed.";

/// Fresh memory for large arrays comes in huge pages.
#[global_allocator]
static MEMORY: unstick_memory::HugePages = unstick_memory::HugePages;

#[derive(Parser)]
#[command(name = "unstick-mpi", version, about = "Simulations and pressure solves that many processes share", after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulates a scene and writes frames, a movie and a report, as `unstick run` does
    Run(RunArguments),
    /// Solves a generated problem, or one from a folder
    Solve(SolveArguments),
    /// Measures how ranks talk, and predicts a cycle on others
    Predict(PredictArguments),
}

#[derive(Args)]
struct SolveArguments {
    /// An example (cube-lid, sphere-half, ...), which each rank makes its part of, or a problem folder
    problem: String,
    /// Cells of an example along each axis
    #[arg(long, default_value_t = 64)]
    size: usize,
    /// Axes of an example
    #[arg(long, default_value_t = 3)]
    dimension: usize,
    /// Changes a small random part of an example
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The method: best, with parameters
    #[arg(long, default_value = "best")]
    solver: String,
    /// Relative residual to reach
    #[arg(long, default_value_t = 1e-6)]
    tol: f64,
    /// Threads of each rank; one unless said, since ranks fill the cores
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Solves, of which the fastest counts
    #[arg(long, default_value_t = 1)]
    repeat: usize,
    /// File for the answer, in the order of rows
    #[arg(long)]
    write_x: Option<PathBuf>,
    /// Measures after the solve how fast all ranks copy memory together
    #[arg(long)]
    bandwidth: bool,
    /// Prints one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct PredictArguments {
    /// Cells along each axis
    #[arg(long, default_value_t = 1024)]
    size: usize,
    /// Numbers of ranks
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 64, 512, 4096])]
    ranks: Vec<usize>,
    /// Cells that a rank takes through a cycle per second; measured on a small cube unless given
    #[arg(long)]
    cells_per_second: Option<f64>,
    /// Seconds for a short message, and bytes per second of a long one; measured unless given
    #[arg(long, num_args = 2, value_names = ["SECONDS", "BYTES_PER_SECOND"])]
    link: Option<Vec<f64>>,
}

fn main() -> ExitCode {
    let Some(world) = World::start() else {
        eprintln!("unstick-mpi: MPI does not start, or its threads cannot take turns");
        return ExitCode::from(2);
    };
    let world = Arc::new(world);
    let (rank, to_end) = (world.rank(), world.clone());
    // A rank that fails takes the others with it: they would wait for it forever.
    std::panic::set_hook(Box::new(move |info| {
        eprintln!("unstick-mpi: rank {rank} failed, all ranks end: {info}");
        to_end.abort(2);
    }));
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            if rank == 0 {
                _ = error.print();
            }
            world.end();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let done = match arguments.command {
        Command::Run(arguments) => run::run(world.clone(), &arguments).map_err(Into::into),
        Command::Solve(arguments) => solve(&world, &arguments),
        Command::Predict(arguments) => predict_cycles(&world, &arguments),
    };
    match done {
        Ok(code) => {
            world.end();
            code
        }
        Err(fault) => {
            // Others may have gone on: then this is the only word, and the end of all.
            eprintln!("unstick-mpi: rank {rank}, all ranks end: {fault}");
            _ = std::io::stderr().flush();
            world.abort(2)
        }
    }
}

type Outcome = Result<ExitCode, Box<dyn std::error::Error>>;

fn solve(world: &Arc<World>, arguments: &SolveArguments) -> Outcome {
    let stop = Stop::relative(arguments.tol);
    let solver: SolverName = arguments.solver.parse()?;
    let source = match arguments.problem.parse() {
        Ok(example) => {
            let &SolveArguments { dimension, size, seed, .. } = arguments;
            Source::Example { example, dimension, size, seed }
        }
        Err(_) if Path::new(&arguments.problem).is_dir() => Source::Folder(PathBuf::from(&arguments.problem)),
        Err(unknown) => return Err(unknown.into()),
    };
    let task = Task { source, solver, stop, repeat: arguments.repeat, out: arguments.write_x.clone() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build()?;
    let found = run(world, &task, arguments.threads)?;
    let copies = arguments.bandwidth.then(|| pool.install(|| measure_copies(&**world)));
    if world.rank() == 0 {
        match arguments.json {
            true => println!("{}", in_json(world.count(), arguments.threads, &found, copies)),
            false => print!("{}", in_words(world.count(), arguments.threads, &found, copies)),
        }
    }
    Ok(ExitCode::from(!found.report.converged() as u8))
}

/// Runs a task in a thread pool of its own.
fn run(world: &Arc<World>, task: &Task, threads: usize) -> Result<Finding, Box<dyn std::error::Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let ranks: Arc<dyn Ranks> = world.clone();
    Ok(pool.install(|| task.run(ranks))?)
}

fn in_words(ranks: usize, threads: usize, found: &Finding, copies: Option<f64>) -> String {
    let Finding { report, traffic, .. } = found;
    let cycles = report.inner_iterations().max(1) as f64;
    let mut text = format!(
        "{ranks} ranks x {threads} threads, {} x {} boxes, {} shared levels, largest box {:.3} of the mean\n",
        found.boxes[0],
        found.boxes[1],
        found.shared_levels,
        found.rows.imbalance()
    );
    text += &format!(
        "{}: {} after {} policies and {} cycles, residual {:.3e} of {:.3e}\n",
        report.solver(),
        report.outcome(),
        report.cycles(),
        report.inner_iterations(),
        report.residual(),
        report.reference()
    );
    text += &format!("{} unknowns, {} at walls, {} let go\n", report.rows(), report.wall_rows(), report.active_rows());
    text += &format!(
        "{:.4} s with {:.4} s of set-up, {:.4} s to make the rows\n{:.0} MB on the largest rank, {:.3} of the mean\n",
        found.solve,
        found.setup,
        found.prepare,
        1e-6 * found.memory.most,
        found.memory.imbalance()
    );
    text += &format!(
        "rank 0 sent {} messages and {} bytes ({:.0} and {:.0} a cycle) in {} exchanges, {} reductions\n",
        traffic.messages,
        traffic.bytes,
        traffic.messages as f64 / cycles,
        traffic.bytes as f64 / cycles,
        traffic.exchanges,
        traffic.reductions
    );
    text += &format!(
        "messages and the wait for them take {:.1} % of the solve, {:.1} to {:.1} % from rank to rank\n",
        100.0 * found.talk.mean,
        100.0 * found.talk.least,
        100.0 * found.talk.most
    );
    text += &copies.map_or_else(String::new, |copies| format!("all ranks together copy {:.1} GB/s\n", 1e-9 * copies));
    text + &format!("bits {:016x}\n", found.bits)
}

fn in_json(ranks: usize, threads: usize, found: &Finding, copies: Option<f64>) -> serde_json::Value {
    let Finding { report, traffic, .. } = found;
    json!({
        "ranks": ranks, "threads": threads, "boxes": found.boxes, "shared_levels": found.shared_levels,
        "outcome": report.outcome().to_string(), "policies": report.cycles(), "cycles": report.inner_iterations(),
        "residual": report.residual(), "reference": report.reference(), "rows": report.rows(),
        "wall_rows": report.wall_rows(), "active_rows": report.active_rows(), "bits": format!("{:016x}", found.bits),
        "prepare_seconds": found.prepare, "solve_seconds": found.solve, "setup_seconds": found.setup,
        "memory_bytes": found.memory.most, "memory_imbalance": found.memory.imbalance(),
        "imbalance": found.rows.imbalance(), "messages": traffic.messages,
        "bytes": traffic.bytes, "exchanges": traffic.exchanges, "reductions": traffic.reductions,
        "copied_bytes_per_second": copies,
        "exchanging_seconds": traffic.exchanging, "reducing_seconds": traffic.reducing,
        "talk_share": found.talk.mean, "talk_share_least": found.talk.least, "talk_share_most": found.talk.most,
    })
}

fn predict_cycles(world: &Arc<World>, arguments: &PredictArguments) -> Outcome {
    let measured = measure_link(&**world);
    let link = match (&arguments.link, measured) {
        (Some(given), _) => Link { latency: given[0], bandwidth: given[1], reduction: 4.0 * given[0] },
        (None, Some(link)) => link,
        (None, None) => return Err("a link is measured between two ranks; start two, or give --link".into()),
    };
    let cells = match arguments.cells_per_second {
        Some(cells) => cells,
        None => {
            let source = Source::Example { example: "cube-lid".parse()?, dimension: 3, size: 96, seed: 0 };
            let (solver, stop) = ("best".parse()?, Stop::default());
            let found = run(world, &Task { source, solver, stop, repeat: 3, out: None }, 1)?;
            let talk = found.traffic.exchanging + found.traffic.reducing;
            let work = found.solve - found.setup - talk;
            found.report.rows() as f64 / world.count() as f64 * found.report.inner_iterations() as f64 / work
        }
    };
    let sums = measure_sums(&**world);
    if world.rank() == 0 {
        println!(
            "a message: {:.2} us and {:.2} GB/s; a sum: {:.2} us",
            1e6 * link.latency,
            1e-9 * link.bandwidth,
            1e6 * link.reduction
        );
        println!("a rank: {:.1} million cells through a cycle per second", 1e-6 * cells);
        let (side, count) = (arguments.size, world.count());
        println!(
            "exact sums: {:.1} ns a line instead of {:.1}, {:.2} us over all ranks instead of {:.2}; {:.2} % of a cycle of {side}^3 cells here",
            1e9 * sums.line[0],
            1e9 * sums.line[1],
            1e6 * sums.reduction[0],
            1e6 * sums.reduction[1],
            100.0 * sums.of_cycle(side * side / count) * cells * count as f64 / (side as f64).powi(3)
        );
        println!("ranks  ms a cycle  work  halos  sums  gathered  messages  kB a rank  efficiency");
        let machine = Machine { cells, link };
        for &ranks in &arguments.ranks {
            let found = predict(&machine, arguments.size, ranks)?;
            let ideal = (arguments.size as f64).powi(3) / cells / ranks as f64;
            println!(
                "{ranks:5} {:11.3} {:5.1} {:6.2} {:5.3} {:9.3} {:9} {:10.0} {:10.0} %",
                1e3 * found.seconds(),
                1e3 * found.work,
                1e3 * found.halos,
                1e3 * found.reductions,
                1e3 * found.gathered,
                found.messages,
                1e-3 * found.bytes as f64,
                100.0 * ideal / found.seconds()
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
