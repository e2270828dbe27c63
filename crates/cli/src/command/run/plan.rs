//! What was asked for, checked as far as it can be without taking much memory.

use std::path::{Path, PathBuf};

use unstick::gpu::{Backend, Placement};
use unstick::liquid::{Setup, Wall};
use unstick::scene::run::{RunRecord, check_folder};
use unstick::scene::{AnyScene, SceneFile};
use unstick_lab::machine::{self, Memory};

use crate::args::{RunArgs, WallKind};
use crate::error::CommandError;

/// The scene that runs when none is named.
const DEFAULT_SCENE: &str = "dam-break";

/// What is to be done.
pub struct Plan {
    /// The run folder.
    pub folder: PathBuf,
    /// The scene.
    pub scene: AnyScene,
    /// For the head of the progress bar and the report.
    pub title: String,
    /// Where the pressure is solved for.
    pub placement: Placement,
    /// What goes into `run.json`.
    pub record: RunRecord,
    /// The walls of the second run, if there is one.
    pub compare: Option<Wall>,
    /// Go on with what is in the folder.
    pub resume: bool,
    /// Replace what is in the folder.
    pub force: bool,
}

impl Plan {
    /// Refuses whatever cannot be done.
    pub fn check(mut file: SceneFile, args: &RunArgs) -> Result<Self, CommandError> {
        args.set.iter().try_for_each(|assignment| file.set(assignment))?;
        if let Some(kind) = args.backend {
            let name = Backend::ALL.iter().find(|(_, backend)| *backend == kind.into()).map_or("cpu", |(name, _)| name);
            file.set(&format!("pressure.backend={name}"))?;
        }
        if let Some(frames) = args.frames {
            file.set(&format!("time.frames={frames}"))?;
        }
        let scene = file.scene()?;
        let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(file.name()));
        let mut compare = args.compare.map(|kind| match kind {
            WallKind::Sealed => Wall::Sealed,
            WallKind::Separating => Wall::Separating,
        });
        if args.resume {
            let before = RunRecord::read(&folder)?.compare;
            if compare.is_some() && compare != before {
                let message = format!("the run in {} does not compare with such walls", folder.display());
                let help = Some("leave out `--compare`: what was begun is gone on with".into());
                return Err(CommandError::Run { message, help });
            }
            compare = before;
        } else {
            check_folder(&folder, args.force)?;
        }
        check_walls(&scene, compare)?;
        check_memory(&scene, if compare.is_some() { 2 } else { 1 })?;
        let placement = scene.placement()?;
        let mut record = RunRecord::of(&file, &scene, machine_facts(&placement));
        record.compare = compare;
        let title = scene.title().to_owned();
        let (resume, force) = (args.resume, args.force);
        Ok(Self { folder, scene, title, placement, record, compare, resume, force })
    }

    /// What is going to happen, in a line.
    pub fn headline(&self) -> String {
        let cells = self.record.cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        let walls = if self.compare.is_some() { ", sealed and separating walls side by side" } else { "" };
        let pressure = match &self.placement {
            Placement::Cpu(None) => String::new(),
            placement => format!(", pressure on {placement}"),
        };
        format!("{}: {cells} cells, {} frames{walls}{pressure}", self.title, self.record.frames)
    }

    /// The record of one of the two runs of a comparison.
    pub fn record_with(&self, walls: Option<Wall>) -> RunRecord {
        RunRecord { walls, compare: None, ..self.record.clone() }
    }
}

/// The scene by name; to go on with a run, the one that was run.
pub fn scene_file(args: &RunArgs) -> Result<SceneFile, CommandError> {
    match (&args.scene, &args.out) {
        (Some(name), _) => Ok(SceneFile::find(name)?),
        (None, Some(folder)) if args.resume => Ok(RunRecord::read(folder)?.scene_file(folder)?),
        (None, _) => Ok(SceneFile::find(DEFAULT_SCENE)?),
    }
}

fn check_walls(scene: &AnyScene, compare: Option<Wall>) -> Result<(), CommandError> {
    let Some(wall) = compare else { return Ok(()) };
    fn is_all<const D: usize>(setup: &Setup<D>, wall: Wall) -> bool {
        setup.border == wall && setup.solids.iter().all(|solid| solid.wall == wall)
    }
    let is_same = match scene {
        AnyScene::Plane(scene) => is_all(&scene.setup, wall),
        AnyScene::Space(scene) => is_all(&scene.setup, wall),
    };
    if !is_same {
        return Ok(());
    }
    let (kind, other) = match wall {
        Wall::Sealed => ("sealed", "separating"),
        Wall::Separating => ("separating", "sealed"),
    };
    let message = format!("all walls of this scene are {kind} already: there is nothing to compare");
    Err(CommandError::Run { message, help: Some(format!("try `--compare {other}`")) })
}

/// Refuses `count` simulations that would not fit, before the system ends the process for it.
pub fn check_memory(scene: &AnyScene, count: u64) -> Result<(), CommandError> {
    let Some(memory) = Memory::of_this_machine() else { return Ok(()) };
    let available = memory.available_bytes / count;
    match scene {
        AnyScene::Plane(scene) => scene.check_memory(available)?,
        AnyScene::Space(scene) => scene.check_memory(available)?,
    }
    Ok(())
}

/// What this machine is, for `run.json`.
pub fn machine_facts(pressure_on: &dyn std::fmt::Display) -> serde_json::Value {
    serde_json::json!({
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "processor": machine::processor(),
        "simd": machine::simd_features(),
        "memory": Memory::of_this_machine(),
        "pressure_on": pressure_on.to_string(),
    })
}
