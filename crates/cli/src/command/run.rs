//! `unstick run`: a scene becomes a run folder.

use std::path::Path;

use unstick::gpu::Backend;
use unstick::liquid::Wall;
use unstick::scene::SceneFile;
use unstick::scene::run::{Comparison, Finished, RunFolder, RunRecord, RunRequest, Session};
use unstick_lab::Progress;
use unstick_lab::machine::{self, Memory};

use super::Verdict;
use super::export::count;
use crate::args::RunArgs;
use crate::error::CommandError;
use crate::interrupt;
use crate::output;
use crate::progress::TerminalProgress;

/// The scene that runs when none is named.
const DEFAULT_SCENE: &str = "dam-break";

/// What `unstick` alone does: the breaking dam with both kinds of wall. It replaces what it has written before.
pub fn default_job(quiet: bool) -> Result<Verdict, CommandError> {
    let args = RunArgs { compare: Some(Comparison::Walls(Wall::Sealed)), force: true, ..RunArgs::default() };
    run(&args, quiet)
}

/// Checks everything, simulates, and says where the movie and the report are.
pub fn run(args: &RunArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let stop = interrupt::flag();
    let request = request(args)?;
    let folder = request.folder.as_ref().map(|folder| folder.path().display().to_string()).unwrap_or_default();
    let shown = !quiet && !args.json;
    let mut session = Session::open_after(request, stop.clone(), interrupt::heed)?;
    session.take_notes().iter().for_each(output::note);
    session.warnings().iter().filter(|_| !quiet).for_each(output::note);
    if shown {
        output::print(session.headline())?;
    }
    let progress = TerminalProgress::new(shown);
    progress.begin_frames(&session.record().title, session.number(), session.frames());
    let outcome = session.run(&stop, |frame, notes| {
        notes.iter().for_each(output::note);
        progress.reached(frame);
    });
    progress.end();
    outcome?;
    let Some(files) = session.finish()? else { return Ok(Verdict::Done) };
    files.notes.iter().for_each(output::note);
    let is_finished = session.is_finished();
    if args.json {
        output::print(json(&files, &session, &folder))?;
    } else if !is_finished {
        let (frame, frames) = (session.number(), session.frames());
        output::note(format_args!(
            "stopped after frame {frame} of {frames}; go on with: unstick run --resume --out {folder}"
        ));
    }
    if shown {
        output::print(line(&files))?;
        files.data_lines().try_for_each(output::print)?;
    }
    Ok(match is_finished {
        false => Verdict::Interrupted,
        true if files.unconverged > 0 => Verdict::Unsolved,
        true => Verdict::Done,
    })
}

/// The request of the command line, with everything set.
fn request(args: &RunArgs) -> Result<RunRequest, CommandError> {
    let mut file = scene_file(args)?;
    args.set.iter().try_for_each(|assignment| file.set(assignment))?;
    match args.backend {
        Some(Backend::Gpu) if file.is_viscous() => {
            let message = format!("`{}` is a viscous flow: it is computed on the processor", file.name());
            return Err(CommandError::new(message).with_help("leave out `--backend`"));
        }
        Some(kind) if !file.is_viscous() => {
            let name = Backend::ALL.iter().find(|(_, backend)| *backend == kind).map_or("cpu", |(name, _)| name);
            file.set(&format!("pressure.backend={name}"))?;
        }
        _ => {}
    }
    if let Some(frames) = args.frames {
        file.set(&format!("time.frames={frames}"))?;
    }
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(file.name()));
    Ok(RunRequest {
        compare: args.compare.clone(),
        folder: Some(RunFolder::new(folder)),
        resume: args.resume,
        force: args.force,
        memory: Memory::of_this_machine().map(|memory| memory.available_bytes),
        machine: machine_facts(),
        ..RunRequest::new(file)
    })
}

/// The scene by name; to resume a run, the one that was run.
fn scene_file(args: &RunArgs) -> Result<SceneFile, CommandError> {
    match (&args.scene, &args.out) {
        (Some(name), _) => Ok(SceneFile::find(name)?),
        (None, Some(folder)) if args.resume => {
            let folder = RunFolder::new(folder);
            Ok(RunRecord::read(&folder)?.scene_file(&folder)?)
        }
        (None, _) => Ok(SceneFile::find(DEFAULT_SCENE)?),
    }
}

/// What this machine is, for `run.json`.
fn machine_facts() -> serde_json::Value {
    serde_json::json!({
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "processor": machine::processor(),
        "simd": machine::simd_features(),
        "memory": Memory::of_this_machine(),
    })
}

/// Where the files are, in a line.
fn line(files: &Finished) -> String {
    let report = files.report.display();
    match &files.movie {
        Some(movie) => format!("The movie is {}, the report {report}.", movie.display()),
        None => format!("The report is {report}."),
    }
}

/// Where the files are, as an object.
fn json(files: &Finished, session: &Session, folder: &str) -> serde_json::Value {
    serde_json::json!({
        "folder": folder,
        "scene": session.record().scene,
        "frame": session.number(),
        "frames": session.frames(),
        "finished": session.is_finished(),
        "unconverged_steps": files.unconverged,
        "movie": files.movie,
        "report": files.report,
        "data": files.data.iter().flat_map(|data| data.counts.iter().map(count)).collect::<Vec<_>>(),
    })
}
