//! `unstick run`: a scene becomes a run folder.

mod request;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use unstick::liquid::Wall;
use unstick::scene::run::{Comparison, Finished, Session};
use unstick_lab::Progress;

use super::Verdict;
use super::export::count;
use crate::args::RunArgs;
use crate::error::CommandError;
use crate::output;
use crate::progress::TerminalProgress;

/// What `unstick` alone does: the breaking dam with both kinds of wall. It replaces what it has written before.
pub fn default_job(quiet: bool) -> Result<Verdict, CommandError> {
    let args = RunArgs { compare: Some(Comparison::Walls(Wall::Sealed)), force: true, ..RunArgs::default() };
    run(&args, quiet)
}

/// Checks everything, simulates, and says where the movie and the report are.
pub fn run(args: &RunArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let request = request::request(args)?;
    let folder = request.folder.as_ref().map(|folder| folder.path().display().to_string()).unwrap_or_default();
    let shown = !quiet && !args.json;
    let stop = stop_on_interrupt();
    let mut session = Session::open(request, stop.clone())?;
    session.take_notes().iter().for_each(output::note);
    session.warning().filter(|_| !quiet).into_iter().for_each(output::note);
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
    Ok(if is_finished { Verdict::Done } else { Verdict::Interrupted })
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
        "movie": files.movie,
        "report": files.report,
        "data": files.data.iter().flat_map(|data| data.counts.iter().map(count)).collect::<Vec<_>>(),
    })
}

/// A flag that Ctrl-C raises; a second Ctrl-C ends the process.
pub fn stop_on_interrupt() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // Without a handler Ctrl-C ends the process, which is no reason not to run.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(crate::INTERRUPTED));
            }
            output::note("finishing the step and writing a checkpoint; once more to end at once");
        });
        flag
    })
    .clone()
}
