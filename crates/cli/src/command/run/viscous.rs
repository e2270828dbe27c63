//! Runs of viscous flows.

use std::path::{Path, PathBuf};

use unstick::scene::report::{self, RunSeries, RunSummary};
use unstick::scene::run::{
    Beacon, Finished, Progress, RunError, RunRecord, RunState, check_folder, join_frames, prepare_folder,
};
use unstick::scene::viscous::{AnyViscousScene, ViscousRun, ViscousScene};
use unstick::scene::{Dim, Dimension, SceneFile};

use super::finish::Files;
use super::plan::machine_facts;
use super::progress::{Bar, stop_on_interrupt};
use crate::args::{BackendKind, RunArgs};
use crate::command::Verdict;
use crate::error::CommandError;
use crate::output;
use unstick_lab::machine::{self, Memory};

/// Bodies that get curves of their own in the report.
const CURVES: usize = 4;

/// Checks everything, simulates, and says where the movie and the report are.
pub fn run(mut file: SceneFile, args: &RunArgs, quiet: bool) -> Result<Verdict, CommandError> {
    refuse_what_is_not_for_it(&file, args)?;
    args.set.iter().try_for_each(|assignment| file.set(assignment))?;
    if let Some(frames) = args.frames {
        file.set(&format!("time.frames={frames}"))?;
    }
    let scene = file.viscous_scene()?;
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(file.name()));
    if !args.resume {
        check_folder(&folder, args.force)?;
    }
    if let Some(memory) = Memory::of_this_machine() {
        scene.check_memory(memory.available_bytes)?;
    }
    let job =
        Job { record: RunRecord::of_viscous(&file, &scene, machine_facts(&"the processor")), folder, args, quiet };
    match scene {
        AnyViscousScene::Plane(scene) => job.carry_out(scene),
        AnyViscousScene::Space(scene) => job.carry_out(scene),
    }
}

fn refuse_what_is_not_for_it(file: &SceneFile, args: &RunArgs) -> Result<(), CommandError> {
    let refuse = |what: &str, help: &str| {
        let message = format!("`{}` is a viscous flow: {what}", file.name());
        Err(CommandError::Run { message, help: Some(help.into()) })
    };
    if args.compare.is_some() {
        return refuse("its walls neither seal nor separate", "leave out `--compare`");
    }
    match args.backend {
        Some(BackendKind::Gpu) => refuse("it is computed on the processor", "leave out `--backend`"),
        _ => Ok(()),
    }
}

struct Job<'a> {
    record: RunRecord,
    folder: PathBuf,
    args: &'a RunArgs,
    quiet: bool,
}

impl Job<'_> {
    fn carry_out<const D: usize>(&self, scene: ViscousScene<D>) -> Result<Verdict, CommandError>
    where
        Dim<D>: Dimension<D>,
    {
        let frames = scene.frames;
        let shown = !self.quiet && !self.args.json;
        let mut run = self.begin(scene)?;
        let stop = stop_on_interrupt();
        if shown {
            output::print(self.headline(&run))?;
        }
        let bar = Bar::new(shown, &self.record.title, run.frame(), frames);
        let beacon = Beacon::light(&self.folder, run.frame(), frames, stop.clone())?;
        let mut outcome = Ok(Progress::Frame);
        while run.frame() < frames && matches!(outcome, Ok(Progress::Frame)) {
            outcome = run.advance(&stop);
            bar.reached(run.frame());
            beacon.reached(run.frame())?;
        }
        bar.finish();
        // What there is up to here is worth looking at; an error matters more than the pictures.
        let files = self.finish(&run);
        let state = match &outcome {
            Err(_) => RunState::Failed,
            Ok(_) if run.frame() >= frames => RunState::Finished,
            Ok(_) => RunState::Stopped,
        };
        beacon.end(state, run.frame())?;
        outcome?;
        let (files, finished) = (files?, run.frame() >= frames);
        if self.args.json {
            output::print(files.json(&self.folder, &self.record, run.frame(), finished))?;
        } else if !finished {
            output::note(format_args!(
                "stopped after frame {} of {frames}; go on with: unstick run --resume --out {}",
                run.frame(),
                self.folder.display()
            ));
        }
        if shown {
            output::print(files.line())?;
        }
        Ok(if finished { Verdict::Done } else { Verdict::Interrupted })
    }

    /// Builds everything before it writes anything, or goes on with what is there.
    fn begin<const D: usize>(&self, scene: ViscousScene<D>) -> Result<ViscousRun<D>, CommandError> {
        if self.args.resume {
            RunRecord::read(&self.folder)?;
            let (run, damaged) = ViscousRun::resume(scene, &self.record, &self.folder)?;
            for reason in damaged {
                output::note(format_args!("{reason}; going on from frame {} instead", run.frame()));
            }
            return Ok(run);
        }
        let suspension = scene.suspension()?;
        prepare_folder(&self.folder, self.args.force)?;
        Ok(ViscousRun::create(scene, suspension, &self.record, &self.folder)?)
    }

    fn headline<const D: usize>(&self, run: &ViscousRun<D>) -> String {
        let cells = self.record.cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        let bodies = match run.scene().bodies.len() {
            0 => String::new(),
            1 => ", one body".into(),
            count => format!(", {count} bodies"),
        };
        format!("{}: {cells} cells{bodies}, {} frames", self.record.title, self.record.frames)
    }

    /// Joins the pictures to a movie and writes the report.
    fn finish<const D: usize>(&self, run: &ViscousRun<D>) -> Result<Files, CommandError> {
        let mut notes = Vec::new();
        let movie = join_frames(&self.folder, &run.scene().output.common, &mut notes)?;
        notes.iter().for_each(output::note);
        let series = |name: &str| RunSeries::read_csv("run", &self.folder.join(name)).map_err(RunError::from);
        let mut bodies = Vec::new();
        if !run.scene().bodies.is_empty() {
            let names: Vec<&str> = run.scene().bodies.iter().take(CURVES).map(|body| body.name()).collect();
            bodies = RunSeries::read_bodies(&names, &self.folder.join("bodies.csv")).map_err(RunError::from)?;
        }
        let summary = RunSummary {
            title: self.record.title.clone(),
            scene_toml: self.record.toml.clone(),
            movie: movie.clone(),
            runs: vec![series("stats.csv")?],
            facts: self.facts(run),
        };
        let report = self.folder.join("report.html");
        report::write_with_bodies(&summary, &bodies, &report).map_err(RunError::from)?;
        Ok(Files(Finished { movie, report, data: Vec::new(), notes }))
    }

    fn facts<const D: usize>(&self, run: &ViscousRun<D>) -> Vec<(String, String)> {
        let (record, scene) = (&self.record, run.scene());
        let cells = record.cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        let frames = format!("{} of {}, {} s apart", run.frame(), record.frames, record.frame_seconds);
        let mut facts = vec![
            ("scene", record.scene.clone()),
            ("cells", cells),
            ("finest cell", format!("{:.3e} m", scene.setup.grid.finest())),
            ("frames", frames),
            ("bodies", scene.bodies.len().to_string()),
            ("viscosity", format!("{:?}", scene.setup.viscosity)),
            ("density", format!("{} kg/m³", scene.setup.density)),
            ("threads", record.threads.to_string()),
            ("unstick", record.unstick.clone()),
        ];
        facts.extend(machine::processor().map(|name| ("processor", name)));
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
