//! `unstick bench`: times solvers on problems from simulations.

use std::collections::HashSet;

use rayon::ThreadPool;

use unstick::mlcp::{PressureMethod, Start, Stop};
use unstick::problems::Problem;
use unstick_lab::compare::{self, Contest, Entrant, timing};
use unstick_lab::machine;
use unstick_lab::present::timing as present;
use unstick_lab::source::{DIMENSION, ProblemName, Source, check_example_memory, check_memory, find, resized};

use super::{Verdict, judge};
use crate::args::BenchArgs;
use crate::error::CommandError;
use crate::output;
use crate::progress::TerminalProgress;

/// Cells along each axis of an example, by default.
const DEFAULT_SIZE: usize = 64;

/// The default frame: late enough for the liquid to move, early enough to reach soon.
const DEFAULT_FRAME: usize = 10;

/// Examples are tried with at most this many cells along each axis, which takes no time.
const TRIED: usize = 16;

/// Checks the request, then measures on one problem after the other.
pub fn run(args: &BenchArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let request = BenchRequest::check(args)?;
    if !quiet {
        request.left_out.iter().for_each(output::note);
    }
    let progress = TerminalProgress::new(!quiet);
    let (mut verdict, mut told) = (Verdict::Done, HashSet::new());
    for source in &request.sources {
        source.visit(&request.simulation_pool, &progress, &mut |captured| -> Result<(), CommandError> {
            for pool in &request.pools {
                let measured =
                    pool.install(|| timing::measure(&captured, &request.contest, request.repetitions, &progress))?;
                if args.json {
                    present::json_lines(&measured).iter().try_for_each(output::print)?;
                } else if !quiet {
                    output::print(present::table(&measured))?;
                    for note in present::notes(&measured) {
                        if told.insert(note.clone()) {
                            output::print(note)?; // once, however many tables it would stand under
                        }
                    }
                    output::print("")?;
                }
                if judge(&measured.comparison) == Verdict::Unsolved {
                    verdict = Verdict::Unsolved;
                }
            }
            Ok(())
        })?;
    }
    Ok(verdict)
}

/// What is to be done.
struct BenchRequest {
    /// Where problems come from, in the requested order.
    sources: Vec<Source>,
    /// The solvers, their tolerance and their start.
    contest: Contest,
    /// Notes on solvers that a backend lacks.
    left_out: Vec<String>,
    /// Solves per solver.
    repetitions: usize,
    /// A pool for each number of threads.
    pools: Vec<ThreadPool>,
    /// The pool that simulates scenes, with the largest number of threads. Results do not depend on it.
    simulation_pool: ThreadPool,
}

impl BenchRequest {
    /// Refuses what cannot be done, and options without effect.
    fn check(args: &BenchArgs) -> Result<Self, CommandError> {
        if !(args.tol > 0.0 && args.tol.is_finite()) {
            return Err(CommandError::tolerance(args.tol));
        }
        let solvers = compare::methods(&args.solvers)?;
        let (entrants, left_out) = Entrant::all(&solvers, &args.backend)?;
        let stop = Stop::relative(args.tol);
        let start = if args.warm { Start::Given } else { Start::Zero };
        let mut sources = Vec::new();
        for name in &distinct(&args.problems) {
            sources.extend(sources_of(name, args)?);
        }
        check_effect(args, &sources)?;
        check_velocities(&solvers, &sources)?;
        let threads = match distinct(&args.threads) {
            none if none.is_empty() => vec![u16::try_from(rayon::current_num_threads()).unwrap_or(u16::MAX)],
            some => some,
        };
        Ok(Self {
            sources,
            contest: Contest { solvers: entrants, stop, start },
            left_out,
            repetitions: args.repetitions as usize,
            simulation_pool: machine::thread_pool(threads.iter().copied().max().unwrap_or(1))?,
            pools: threads.into_iter().map(machine::thread_pool).collect::<Result<_, _>>()?,
        })
    }
}

/// The problems that a name stands for, on every grid.
fn sources_of(name: &str, args: &BenchArgs) -> Result<Vec<Source>, CommandError> {
    let sizes: Vec<_> = distinct(&args.sizes).iter().map(|&size| size as usize).collect();
    match find(name)? {
        ProblemName::Scene(file) => {
            let mut frames: Vec<_> = args.frames.iter().map(|&frame| frame as usize).collect();
            frames.sort_unstable();
            frames.dedup();
            let frames = if frames.is_empty() { vec![DEFAULT_FRAME] } else { frames };
            let scenes = match sizes.as_slice() {
                [] => vec![file.scene()?],
                sizes => sizes.iter().map(|&size| resized(&file, size)).collect::<Result<_, _>>()?,
            };
            scenes.iter().try_for_each(check_memory)?;
            let source = |scene| Source::Scene { name: name.into(), scene: Box::new(scene), frames: frames.clone() };
            Ok(scenes.into_iter().map(source).collect())
        }
        ProblemName::Example(example) => {
            let sizes = if sizes.is_empty() { vec![DEFAULT_SIZE] } else { sizes };
            for &size in &sizes {
                check_example_memory(DIMENSION, size)?;
                let tried = example.generate(DIMENSION, size.min(TRIED), 0);
                tried.map_err(CommandError::generate(example))?;
            }
            if args.warm {
                return Err(nothing_before(&format!("the example `{example}` has no previous step")));
            }
            Ok(sizes.into_iter().map(|size| Source::Example { name: name.into(), example, size }).collect())
        }
        ProblemName::Folder(path) => {
            let problem = Problem::read(&path).map_err(|error| CommandError::reading(error, &path))?;
            if args.warm && problem.start().is_none() {
                return Err(nothing_before(&format!("{} holds no x.npy to start from", path.display())));
            }
            Ok(vec![Source::Folder { path }])
        }
    }
}

/// Refuses options that affect none of the problems.
fn check_effect(args: &BenchArgs, sources: &[Source]) -> Result<(), CommandError> {
    let has_scene = sources.iter().any(|source| matches!(source, Source::Scene { .. }));
    let has_size = sources.iter().any(|source| !matches!(source, Source::Folder { .. }));
    let refused = |message: &str, help: &str| Err(CommandError::new(message).with_help(help));
    if !args.sizes.is_empty() && !has_size {
        return refused("`--sizes` has no effect: a problem folder has the size it has", "leave out `--sizes`");
    }
    if !args.frames.is_empty() && !has_scene {
        return refused("`--frames` has no effect: there is no scene among the problems", "leave out `--frames`");
    }
    Ok(())
}

/// Refuses splittings on problems without velocities.
fn check_velocities(solvers: &[PressureMethod], sources: &[Source]) -> Result<(), CommandError> {
    let splitting = solvers.iter().find(|solver| matches!(solver, PressureMethod::Splitting(_)));
    let bare = sources.iter().find_map(|source| match source {
        Source::Scene { .. } => None,
        Source::Example { name, .. } => Some(name.clone()),
        Source::Folder { path } => Some(path.display().to_string()),
    });
    let (Some(splitting), Some(bare)) = (splitting, bare) else { return Ok(()) };
    let message = format!("`{splitting}` works on the velocities of a step, which {bare} does not have");
    Err(CommandError::new(message).with_help("splittings run on scenes, for example `unstick bench dam-break`"))
}

fn nothing_before(message: &str) -> CommandError {
    CommandError::new(message).with_help("leave out `--warm` to start from zero")
}

/// Each value once, in the given order.
fn distinct<T: Clone + PartialEq>(values: &[T]) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(value) {
            distinct.push(value.clone());
        }
    }
    distinct
}
