//! What the command line asks for, as a request to the library.

use std::path::Path;

use unstick::gpu::Backend;
use unstick::scene::run::{RunFolder, RunRecord, RunRequest};
use unstick::scene::SceneFile;
use unstick_lab::machine::{self, Memory};

use crate::args::{BackendKind, RunArgs};
use crate::error::CommandError;

/// The scene that runs when none is named.
const DEFAULT_SCENE: &str = "dam-break";

/// The request of the command line, with everything set.
pub fn request(args: &RunArgs) -> Result<RunRequest, CommandError> {
    let mut file = scene_file(args)?;
    args.set.iter().try_for_each(|assignment| file.set(assignment))?;
    match args.backend {
        Some(BackendKind::Gpu) if file.is_viscous() => {
            let message = format!("`{}` is a viscous flow: it is computed on the processor", file.name());
            return Err(CommandError::Run { message, help: Some("leave out `--backend`".into()) });
        }
        Some(kind) if !file.is_viscous() => {
            let name = Backend::ALL.iter().find(|(_, backend)| *backend == kind.into()).map_or("cpu", |(name, _)| name);
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
