//! `unstick-mpi run`: a run folder whose simulation all ranks share.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use serde_json::json;
use unstick_mlcp::ranks::Ranks;
use unstick_mpi::{Counted, Spread, peak_memory};
use unstick_scene::run::{RunError, RunFolder, RunRecord, RunRequest, Session, SharedBy, dismiss, follow};
use unstick_scene::{SceneError, SceneFile};

/// The scene that runs when none is named.
const DEFAULT_SCENE: &str = "dam-break";

/// Exit status of a run that was interrupted, as shells have it.
const INTERRUPTED: u8 = 130;

/// Options of `unstick-mpi run`: those of `unstick run`.
#[derive(Args)]
pub struct RunArguments {
    /// Name of a scene (`unstick scenes` lists them) or a TOML file [default: dam-break]
    scene: Option<String>,
    /// The run folder [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Frames to simulate [default: what the scene says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: Option<u32>,
    /// Resume from the newest checkpoint in the run folder, of any number of ranks or of `unstick run`
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace an older run in the folder
    #[arg(long)]
    force: bool,
    /// Change a value of the scene, such as grid.cells=[64,64]; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads of each rank; one unless said, since ranks fill the cores
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Print a line of JSON at the end
    #[arg(long)]
    json: bool,
    /// Print errors and requested results only
    #[arg(long, short)]
    quiet: bool,
}

/// A run that was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum RunFault {
    /// The scene.
    #[error("{}", in_full(.0))]
    Scene(#[from] SceneError),
    /// The run.
    #[error(transparent)]
    Run(RunError),
    /// Too many threads.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<RunError> for RunFault {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Scene(error) => error.into(),
            error => Self::Run(error),
        }
    }
}

/// An error in a scene with its place and what helps.
fn in_full(error: &SceneError) -> String {
    let place = error.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
    let help = error.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{place}{}{help}", error.message)
}

/// Runs a scene. The first rank decides and writes, the others follow it. What refuses or ends a run is known on the first
/// rank, which says it.
pub fn run(ranks: Arc<dyn Ranks>, arguments: &RunArguments) -> Result<ExitCode, RunFault> {
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global()?;
    // A cluster asks all processes to end. The first rank finishes the step and writes a checkpoint, for which it needs
    // the others.
    let stop: Arc<AtomicBool> = Arc::default();
    let raised = stop.clone();
    let _ = ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed)); // without it a run ends at once
    let counted = Arc::new(Counted::new(ranks));
    let (start, ranks): (_, Arc<dyn Ranks>) = (Instant::now(), counted.clone());
    if ranks.rank() > 0 {
        follow(&ranks)?;
        _ = Costs::of(&counted, start);
        return Ok(ExitCode::SUCCESS);
    }
    let done = lead(&ranks, arguments, &stop);
    dismiss(&*ranks);
    let costs = Costs::of(&counted, start);
    if !arguments.quiet && done.is_ok() {
        eprintln!("unstick-mpi: {costs}");
    }
    Ok(done.unwrap_or_else(|fault| {
        eprintln!("unstick-mpi: {fault}");
        ExitCode::from(2)
    }))
}

/// What a run has cost its ranks.
struct Costs {
    /// Largest memory of each, in bytes.
    memory: Spread,
    /// Seconds in messages, waiting included.
    talk: Spread,
    seconds: f64,
}

impl Costs {
    /// All ranks call this together.
    fn of(ranks: &Counted, start: Instant) -> Self {
        let (seconds, traffic) = (start.elapsed().as_secs_f64(), ranks.take());
        let talk = Spread::over(ranks, traffic.exchanging + traffic.reducing);
        Self { memory: Spread::over(ranks, peak_memory() as f64), talk, seconds }
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory, talk, seconds } = self;
        write!(f, "{:.0} MB on the largest rank, {:.3} of the mean; ", 1e-6 * memory.most, memory.imbalance())?;
        let [least, mean, most] = [talk.least, talk.mean, talk.most].map(|share| 100.0 * share / seconds);
        write!(
            f,
            "messages and the wait for them {mean:.0} % of {seconds:.1} s, {least:.0} to {most:.0} % from rank to rank"
        )
    }
}

fn lead(ranks: &Arc<dyn Ranks>, arguments: &RunArguments, stop: &Arc<AtomicBool>) -> Result<ExitCode, RunFault> {
    let request = request(ranks, arguments)?;
    let folder = request.folder.as_ref().map(|folder| folder.path().display().to_string()).unwrap_or_default();
    let is_shown = !arguments.quiet && !arguments.json;
    let mut session = Session::open(request, stop.clone())?;
    let note = |text: &String| eprintln!("unstick-mpi: {text}");
    session.take_notes().iter().for_each(note);
    session.warnings().iter().filter(|_| !arguments.quiet).for_each(note);
    if is_shown {
        println!("{}, {} ranks x {} threads", session.headline(), ranks.count(), arguments.threads);
    }
    session.run(stop, |_, notes| notes.iter().for_each(note))?;
    let Some(files) = session.finish()? else { return Ok(ExitCode::SUCCESS) };
    files.notes.iter().for_each(note);
    let is_finished = session.is_finished();
    if arguments.json {
        println!(
            "{}",
            json!({
                "folder": folder, "scene": session.record().scene, "ranks": ranks.count(), "frame": session.number(),
                "frames": session.frames(), "finished": is_finished, "unconverged_steps": files.unconverged,
                "movie": files.movie, "report": files.report,
            })
        );
    } else if !is_finished {
        let (frame, frames) = (session.number(), session.frames());
        note(&format!("stopped after frame {frame} of {frames}; go on with: unstick-mpi run --resume --out {folder}"));
    }
    if is_shown {
        println!("The report is {}.", files.report.display());
        files.data_lines().for_each(|line| println!("{line}"));
    }
    Ok(match is_finished {
        false => ExitCode::from(INTERRUPTED),
        true if files.unconverged > 0 => ExitCode::FAILURE,
        true => ExitCode::SUCCESS,
    })
}

/// The request of the command line, with everything set.
fn request(ranks: &Arc<dyn Ranks>, arguments: &RunArguments) -> Result<RunRequest, RunFault> {
    let mut file = match (&arguments.scene, &arguments.out) {
        (None, Some(folder)) if arguments.resume => {
            let folder = RunFolder::new(folder);
            RunRecord::read(&folder)?.scene_file(&folder)?
        }
        (name, _) => SceneFile::find(name.as_deref().unwrap_or(DEFAULT_SCENE))?,
    };
    arguments.set.iter().try_for_each(|assignment| file.set(assignment))?;
    if let Some(frames) = arguments.frames {
        file.set(&format!("time.frames={frames}"))?;
    }
    let folder = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(file.name()));
    let machine = json!({
        "system": std::env::consts::OS, "architecture": std::env::consts::ARCH,
        "ranks": ranks.count(), "threads": arguments.threads,
    });
    // One rank alone is a process like any other.
    let shared_by = (ranks.count() > 1).then(|| SharedBy(ranks.clone()));
    let (folder, resume, force) = (Some(RunFolder::new(folder)), arguments.resume, arguments.force);
    Ok(RunRequest { folder, resume, force, machine, shared_by, ..RunRequest::new(file) })
}
