//! `unstick capture`: writes the pressure problem of a frame.

use unstick::scene::run::{RunError, RunFolder};
use unstick::scene::{Scene, SceneFile, either};
use unstick_lab::Progress;
use unstick_lab::machine::Memory;
use unstick_lab::source::{problem_of, simulate, stage_after};

use super::Verdict;
use crate::args::CaptureArgs;
use crate::error::{CommandError, OTHER_FOLDER};
use crate::output;
use crate::progress::TerminalProgress;

/// Simulates up to the frame and writes the problem of the next step.
pub fn run(args: &CaptureArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let mut file = SceneFile::find(&args.scene)?;
    args.set.iter().try_for_each(|assignment| file.set(assignment))?;
    let scene = file.scene()?;
    RunFolder::new(&args.out).check(false).map_err(|error| match error {
        RunError::NotEmpty { .. } => CommandError::new(error).with_help(OTHER_FOLDER),
        error => error.into(),
    })?;
    Memory::of_this_machine().map_or(Ok(()), |memory| scene.check_memory(memory.available_bytes))?;
    either!(scene, scene => capture(&scene, args, quiet))
}

fn capture<const D: usize>(scene: &Scene<D>, args: &CaptureArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let mut simulation = scene.simulation()?;
    let progress = TerminalProgress::new(!quiet);
    let frame = args.frame as usize;
    progress.begin_frames(&scene.title, 0, frame);
    simulate(scene, &mut simulation, 0..frame, &progress)?;
    progress.end();
    let problem = problem_of(&stage_after(scene, &simulation, frame)?)?;
    problem.write(&args.out).map_err(CommandError::new)?;
    if !quiet {
        let walls = problem.mlcp().wall_rows();
        let path = args.out.display();
        output::print(format_args!(
            "wrote {path}: {} at {:.4} s, {} unknowns, {walls} wall rows\nnext: unstick solve {path} --solver all",
            scene.name,
            simulation.state().time,
            problem.size(),
        ))?;
    }
    Ok(Verdict::Done)
}
