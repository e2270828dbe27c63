//! `unstick run`: a scene becomes a run folder.

mod finish;
mod members;
mod plan;
mod progress;
mod viscous;

use std::sync::atomic::AtomicBool;

use unstick::scene::run::{Beacon, RunState};
use unstick::scene::{AnyScene, Dim, Dimension, Scene};

use super::Verdict;
use crate::args::{RunArgs, WallKind};
use crate::error::CommandError;
use crate::output;
use members::Members;
use plan::Plan;
use progress::Bar;

pub use plan::check_memory;
pub use progress::{Bar as FrameBar, stop_on_interrupt};

/// What `unstick` alone does: the breaking dam with both kinds of wall, anew each time.
pub fn default_job(quiet: bool) -> Result<Verdict, CommandError> {
    let args = RunArgs { compare: Some(WallKind::Sealed), force: true, ..RunArgs::default() };
    run(&args, quiet)
}

/// Checks everything, simulates, and says where the movie and the report are.
pub fn run(args: &RunArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let file = plan::scene_file(args)?;
    if file.is_viscous() {
        return viscous::run(file, args, quiet);
    }
    let plan = Plan::check(file, args)?;
    match plan.scene.clone() {
        AnyScene::Plane(scene) => carry_out(&plan, scene, args, quiet),
        AnyScene::Space(scene) => carry_out(&plan, scene, args, quiet),
    }
}

fn carry_out<const D: usize>(plan: &Plan, scene: Scene<D>, args: &RunArgs, quiet: bool) -> Result<Verdict, CommandError>
where
    Dim<D>: Dimension<D>,
{
    let frames = scene.frames;
    let shown = !quiet && !args.json;
    let warning = scene.setup.pressure.warning().filter(|_| !quiet);
    let (mut members, notes) =
        if plan.resume { Members::resume(plan, scene)? } else { (Members::begin(plan, scene)?, vec![]) };
    notes.iter().for_each(output::note);
    warning.iter().for_each(output::note);
    let stop = stop_on_interrupt();
    if shown {
        output::print(plan.headline())?;
    }
    let bar = Bar::new(shown, &plan.title, members.frame(), frames);
    let beacon = Beacon::light(&plan.folder, members.frame(), frames, stop.clone())?;
    let outcome = simulate(&mut members, frames, &stop, |frame| {
        bar.reached(frame);
        Ok(beacon.reached(frame)?)
    });
    bar.finish();
    let state = match &outcome {
        Err(_) => RunState::Failed,
        Ok(()) if members.frame() >= frames => RunState::Finished,
        Ok(()) => RunState::Stopped,
    };
    if let Err(error) = outcome {
        let _ = beacon.end(state, members.frame());
        // What there is up to here is worth looking at; the error matters more than the pictures.
        let _ = members.catch_up().and_then(|()| finish::finish(plan, &members));
        return Err(error);
    }
    members.catch_up()?;
    let finished = members.frame() >= frames;
    let files = finish::finish(plan, &members)?;
    beacon.end(state, members.frame())?;
    let folder = plan.folder.display();
    if args.json {
        output::print(files.json(&plan.folder, &plan.record, members.frame(), finished))?;
    } else if !finished {
        output::note(format_args!(
            "stopped after frame {} of {frames}; go on with: unstick run --resume --out {folder}",
            members.frame()
        ));
    }
    if shown {
        output::print(files.line())?;
        files.data().try_for_each(output::print)?;
    }
    Ok(if finished { Verdict::Done } else { Verdict::Interrupted })
}

/// Computes frames until all are there or somebody asks to stop.
fn simulate<const D: usize>(
    members: &mut Members<D>,
    frames: usize,
    stop: &AtomicBool,
    mut reached: impl FnMut(usize) -> Result<(), CommandError>,
) -> Result<(), CommandError>
where
    Dim<D>: Dimension<D>,
{
    let mut interrupted = false;
    while members.frame() < frames && !interrupted {
        interrupted = members.advance(stop)?;
        reached(members.frame())?;
    }
    Ok(())
}
